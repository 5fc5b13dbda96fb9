// The course of a run. All times count `unit_s` seconds.
//
// intervals, process by process: `first` is where the intervals of each process begin; `gap` is the
// time since the one before ended, `length`, `activity` (place in `activities`), `stage` and `peer`
// say what it was; `message` is 2 * send number, + 1 if the process itself sent it, or -1 for none.
// hops, in the order in which they reached their links: `arrival` is the time since the one before,
// `queued` how long it waited for the link, `length` how long it crossed it; `message` is a place in
// `source`, `number`, `destination` and `bytes`.
// groups: of `size` processes; shares in percent of every activity but idle, bin by bin.
// tiles: shares in percent of links in use and of processes waiting, a list for each tile.

function prepare_timeline(timeline) {
  const { intervals, hops } = timeline;
  if (intervals) {
    const { first, gap, length } = intervals;
    intervals.begin = new Float64Array(length.length);
    intervals.end = new Float64Array(length.length);
    for (let process = 0; process + 1 < first.length; ++process) {
      let end = 0;
      for (let i = first[process]; i < first[process + 1]; ++i) {
        intervals.begin[i] = end + gap[i];
        end = intervals.begin[i] + length[i];
        intervals.end[i] = end;
      }
    }
  }
  if (hops) {
    hops.arrival = running_sum(hops.arrival);
    hops.start = hops.arrival.map((arrival, i) => arrival + hops.queued[i]);
    hops.finish = hops.start.map((start, i) => start + hops.length[i]);
  }
  timeline.longest_interval_count = intervals
    ? intervals.first.reduce((most, first, i) => Math.max(most, i > 0 ? first - intervals.first[i - 1] : 0), 0)
    : 0;
}

// The interval of a process that ends after `time`, or where those of the next process begin.
function interval_ending_after(intervals, process, time) {
  let low = intervals.first[process];
  let high = intervals.first[process + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (intervals.end[middle] > time) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

function activity_at(intervals, process, time) {
  const i = interval_ending_after(intervals, process, time);
  return i < intervals.first[process + 1] && intervals.begin[i] <= time ? intervals.activity[i] : idle;
}

// The times at which something happens, ascending.
function event_times({ begin, end, intervals, hops, tiles }) {
  const times = new Set([begin, end]);
  if (hops) {
    for (const list of [intervals?.begin ?? [], intervals?.end ?? [], hops.arrival, hops.start, hops.finish]) {
      list.forEach((time) => times.add(time));
    }
  } else {
    for (let time = begin; time < end; time += tiles.bin) {
      times.add(time);
    }
  }
  return Float64Array.from(times).filter((time) => time >= begin && time <= end).sort();
}

const window_text = (timeline) =>
  timeline.begin > 0 || timeline.is_cut ? ` Shown is the time from ${time_text(timeline.begin * timeline.unit_s)} to ${time_text(timeline.end * timeline.unit_s)}.` : "";
