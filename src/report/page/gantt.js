// Processes in time: a row for each process, or for each group of processes if there are many.

const most_rows = 64;
const row_gap = 0.08;
const gantt_margin = 106;
const most_bins = 100;

// The mean share of each activity but idle, over bins first .. last - 1.
function mean_shares(shares, first, last) {
  return activities.slice(0, idle).map((_, activity) => {
    let sum = 0;
    for (let bin = first; bin < last; ++bin) {
      sum += shares[idle * bin + activity];
    }
    return Math.round(sum / (last - first));
  });
}

class Gantt {
  constructor(run) {
    this.run = run;
    this.timeline = run.timeline;
    this.chart = element("gantt-chart");
    this.unit = time_unit(this.timeline.end * this.timeline.unit_s);
    this.to_shown = this.timeline.unit_s / this.unit.seconds;
    this.whole = [this.timeline.begin * this.to_shown, this.timeline.end * this.to_shown];
    this.domain = this.whole;
    this.first = 0;
    this.offer_rows();
    draw_to_width(this.chart, () => this.draw());
  }

  offer_rows() {
    const { intervals, groups, processes } = this.timeline;
    const choices = [];
    if (groups) {
      choices.push(["groups", groups.size === 1 ? "every process, by bins of time" : `groups of ${count_text(groups.size, "process")}`]);
    }
    if (intervals) {
      choices.push(["single", "every process"]);
    }
    fill_select(element("gantt-rows"), choices);
    element("gantt-rows-label").hidden = choices.length < 2;
    this.choose_rows(choices.length > 1 && processes <= 2 * most_rows ? "single" : choices[0][0]);
  }

  choose_rows(rows) {
    element("gantt-rows").value = rows;
    this.is_grouped = rows === "groups";
    this.row_count = this.is_grouped ? this.timeline.groups.shares.length : this.timeline.processes;
    this.visible = Math.min(this.row_count, most_rows);
    this.first = 0;
    const slider = element("gantt-first");
    slider.max = this.row_count - this.visible;
    slider.value = 0;
    element("gantt-first-label").hidden = this.visible === this.row_count;
    this.describe();
  }

  describe() {
    const { timeline } = this;
    const reasons = timeline.intervals
      ? ""
      : ` The ${timeline.interval_count.toLocaleString("en-US")} intervals of the run are too many to show each; --window BEGIN:END shows those of a shorter time.`;
    element("gantt-caption").textContent =
      (this.is_grouped
        ? "Each row is a group of processes; in each bin of time, the height of a colour is the share of their time spent on it."
        : "Each row is a process. Intervals narrower than a pixel are joined and take the colour of what most of them are.") +
      " Wheel and drag zoom, a double press shows everything." + reasons + window_text(timeline);
  }

  draw() {
    const height = Math.max(80, Math.min(this.visible * 20, 576));
    this.view = make_chart("gantt", this.chart, {
      width: Math.max(120, this.chart.clientWidth - gantt_margin),
      height,
      whole: this.whole,
      domain: this.domain,
      shown: this.domain,
      shortest: 4 * this.to_shown,
      time_title: `time (${this.unit.name})`,
    }, {});
    this.view.addSignalListener("domain", (_, domain) => {
      this.domain = domain;
      this.refresh();
    });
    this.fill();
  }

  // Once a frame, however many events there are.
  refresh() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.fill();
    });
  }

  fill() {
    const rows = [this.first, this.first + this.visible];
    const stretches = this.is_grouped ? this.group_stretches() : this.single_stretches(rows);
    const step = Math.ceil((this.visible * 13) / this.view.height());
    const labels = [];
    for (let row = rows[0]; row < rows[1]; row += step) {
      labels.push({ row: row + 0.5, text: this.row_name(row) });
    }
    this.view.signal("rows", rows).signal("shown", this.domain).data("stretches", stretches).data("labels", labels).runAsync();
    element("gantt-first-text").textContent = `Processes ${rows[0]} to ${rows[1] - 1} of ${this.row_count.toLocaleString("en-US")}`;
  }

  row_name(row) {
    if (!this.is_grouped) {
      return process_name(this.run, row);
    }
    const { size } = this.timeline.groups;
    const last = Math.min((row + 1) * size, this.timeline.processes) - 1;
    return size === 1 ? `process ${row}` : `${row * size} to ${last}`;
  }

  single_stretches([first, last]) {
    const { intervals, end } = this.timeline;
    const [from, to] = this.domain.map((time) => time / this.to_shown);
    const pixel = (to - from) / this.view.width();
    const rows = [];
    for (let row = first; row < last; ++row) {
      const stop = intervals.first[row + 1];
      let i = interval_ending_after(intervals, row, from);
      while (i < stop && intervals.begin[i] < to) {
        if (intervals.end[i] - intervals.begin[i] >= pixel) {
          rows.push(this.stretch(row, i));
          ++i;
        } else {
          i = this.join(rows, row, i, stop, pixel);
        }
      }
      const ended = stop > intervals.first[row] ? intervals.end[stop - 1] : 0;
      if (ended < Math.min(to, end)) {
        rows.push(this.box(row, ended, end, idle, () => `${this.row_name(row)}\nidle from ${this.time(ended)} on`));
      }
    }
    return rows;
  }

  // Joins intervals that are narrower than a pixel; returns the first that is left.
  join(rows, row, first, stop, pixel) {
    const { intervals } = this.timeline;
    const spent = new Float64Array(activities.length);
    const begin = intervals.begin[first];
    let i = first;
    while (i < stop && intervals.end[i] - intervals.begin[i] < pixel && intervals.end[i] - begin <= 2 * pixel) {
      spent[intervals.activity[i]] += intervals.end[i] - intervals.begin[i];
      ++i;
    }
    const most = spent.indexOf(Math.max(...spent));
    const joined = i - first;
    const tip = () => `${this.row_name(row)}\n${count_text(joined, "interval")}, mostly ${activities[most].name}; zoom in to see them`;
    rows.push(this.box(row, begin, intervals.end[i - 1], most, tip));
    return i;
  }

  stretch(row, i) {
    const { intervals } = this.timeline;
    return this.box(row, intervals.begin[i], intervals.end[i], intervals.activity[i], () => this.tell_of(row, i));
  }

  tell_of(row, i) {
    const { intervals, node_of } = this.timeline;
    const [begin, end, activity] = [intervals.begin[i], intervals.end[i], intervals.activity[i]];
    const lines = [
      `${this.row_name(row)} on ${node_name(this.run, node_of[row])}`,
      `${activities[activity].name} for ${this.time(end - begin)}, from ${this.time(begin)} to ${this.time(end)}`,
    ];
    if (intervals.stage[i] >= 0) {
      lines.push(`${this.run.result.phases ? "phase" : "stage"} ${stage_name(this.run.result, intervals.stage[i])}`);
    }
    if (intervals.peer[i] !== row) {
      lines.push(`with ${process_name(this.run, intervals.peer[i])}`);
    }
    if (intervals.message[i] >= 0) {
      const sender = intervals.message[i] % 2 === 1 ? row : intervals.peer[i];
      lines.push(`message ${Math.floor(intervals.message[i] / 2)} of ${process_name(this.run, sender)}`);
    }
    return lines.join("\n");
  }

  // The visible bins, joined so that they stay wide enough to be read.
  group_stretches() {
    const { groups, begin, end } = this.timeline;
    const [from, to] = this.domain.map((time) => time / this.to_shown);
    const bins = groups.shares[0].length / idle;
    const first = Math.max(0, Math.floor((from - begin) / groups.bin));
    const last = Math.min(bins, Math.ceil((to - begin) / groups.bin));
    const joined = Math.max(1, Math.ceil((last - first) / most_bins));
    const boxes = [];
    groups.shares.forEach((shares, row) => {
      let before = null;
      for (let bin = first - (first % joined); bin < last; bin += joined) {
        const stop = Math.min(bin + joined, bins);
        const mean = mean_shares(shares, bin, stop);
        const till = Math.min(end, begin + stop * groups.bin);
        if (before && before.mean.every((share, i) => share === mean[i])) {
          before.till = till;
          continue;
        }
        if (before) {
          this.stack(boxes, row, before.mean, before.since, before.till);
        }
        before = { mean, since: begin + bin * groups.bin, till };
      }
      this.stack(boxes, row, before.mean, before.since, before.till);
    });
    return boxes;
  }

  // Draws the shares of a bin, or of several bins that are alike, one on top of the other.
  stack(boxes, row, shares, begin, end) {
    const rest = Math.max(0, 100 - shares.reduce((a, b) => a + b, 0));
    const all = [...shares, rest];
    const sum = all.reduce((a, b) => a + b, 0);
    const tip = () => {
      const words = all.map((share, i) => `${activities[i].name} ${share} %`).filter((_, i) => all[i] > 0);
      return `processes ${this.row_name(row)}\n${this.time(begin)} to ${this.time(end)}\n${words.join("\n")}`;
    };
    let below = 0;
    all.forEach((share, activity) => {
      if (share > 0) {
        const top = row + row_gap + (1 - 2 * row_gap) * (1 - (below + share) / sum);
        const bottom = row + row_gap + (1 - 2 * row_gap) * (1 - below / sum);
        boxes.push({ ...this.box(row, begin, end, activity, tip), top, bottom });
        below += share;
      }
    });
  }

  box(row, begin, end, activity, tip) {
    return {
      begin: begin * this.to_shown,
      end: end * this.to_shown,
      top: row + row_gap,
      bottom: row + 1 - row_gap,
      colour: activities[activity].colour,
      tip,
    };
  }

  time(time) {
    return time_text(time * this.timeline.unit_s, 9);
  }

  show_domain(begin, end) {
    const span = Math.min(Math.max(end - begin, 4 * this.to_shown), this.whole[1] - this.whole[0]);
    const from = Math.max(this.whole[0], Math.min(begin, this.whole[1] - span));
    this.view.signal("domain", [from, from + span]).runAsync();
  }

  zoom(factor) {
    const [begin, end] = this.domain;
    const middle = (begin + end) / 2;
    this.show_domain(middle - ((end - begin) / 2) * factor, middle + ((end - begin) / 2) * factor);
  }

  move(share) {
    const [begin, end] = this.domain;
    this.show_domain(begin + share * (end - begin), end + share * (end - begin));
  }

  reset() {
    this.show_domain(...this.whole);
  }

  scroll_to(first) {
    this.first = Math.max(0, Math.min(first, this.row_count - this.visible));
    element("gantt-first").value = this.first;
    this.refresh();
  }

  key(event) {
    const actions = {
      "+": () => this.zoom(0.5),
      "=": () => this.zoom(0.5),
      "-": () => this.zoom(2),
      ArrowLeft: () => this.move(-0.2),
      ArrowRight: () => this.move(0.2),
      ArrowUp: () => this.scroll_to(this.first - 1),
      ArrowDown: () => this.scroll_to(this.first + 1),
      PageUp: () => this.scroll_to(this.first - this.visible),
      PageDown: () => this.scroll_to(this.first + this.visible),
      Home: () => this.reset(),
    };
    if (actions[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      actions[event.key]();
    }
  }
}

let gantt = null;

function connect_gantt() {
  element("gantt-in").addEventListener("click", () => gantt.zoom(0.5));
  element("gantt-out").addEventListener("click", () => gantt.zoom(2));
  element("gantt-reset").addEventListener("click", () => gantt.reset());
  element("gantt-earlier").addEventListener("click", () => gantt.move(-0.4));
  element("gantt-later").addEventListener("click", () => gantt.move(0.4));
  element("gantt-first").addEventListener("input", (event) => gantt.scroll_to(Number(event.target.value)));
  element("gantt-rows").addEventListener("change", (event) => {
    gantt.choose_rows(event.target.value);
    gantt.draw();
  });
  element("gantt-chart").addEventListener("keydown", (event) => gantt?.key(event));
  show_swatches(element("gantt-legend"), activities);
}

function show_gantt(run) {
  element("gantt").hidden = !run.timeline;
  gantt = run.timeline ? new Gantt(run) : null;
}
