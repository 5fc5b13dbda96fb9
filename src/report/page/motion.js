// Messages on their way: dots that move along the links, hop by hop; or, where they are too many,
// how busy each part of the machine is as time passes.

const slider_steps = 1000;

class Motion {
  constructor(run, machine) {
    this.run = run;
    this.machine = machine;
    this.timeline = run.timeline;
    this.is_exact = Boolean(this.timeline.hops && machine.links);
    this.events = event_times(this.timeline);
    this.time = this.timeline.begin;
    // The whole run at speed 1, in milliseconds.
    this.length_ms = 1000 * Math.max(8, Math.min(30, 0.25 * this.events.length));
    this.hosted = machine.nodes ? processes_by_node(machine, this.timeline.node_of) : [];
    draw_to_width(element("motion-chart"), () => this.draw());
    this.explain();
  }

  draw() {
    const base = element("motion-machine");
    const rows = this.is_exact ? this.node_rows() : this.tile_rows();
    this.view = draw_machine(base, this.is_exact ? this.machine : tiled(this.machine), {
      link_width: (unit) => Math.min(1.2, unit / 30),
      links: this.is_exact ? plain_links(this.machine) : [],
      nodes: rows,
    });
    this.dots = draw_machine(element("motion-dots"), this.machine, { link_width: () => 1, links: [], nodes: [], is_overlay: true });
    this.show(this.time);
  }

  node_rows() {
    return this.machine.nodes.x.map((_, node) => {
      const processes = this.hosted[node];
      return node_row(this.machine, node, {
        colour: nothing_here,
        ...(node < node_total(this.run) ? hosted_label(processes) : { label: host_name }),
        tip: `${node_name(this.run, node)}${processes.length === 0 ? "" : `: ${processes_name(this.run, processes)}`}`,
      });
    });
  }

  tile_rows() {
    return tile_rows(this.machine, (tile) => ({ tile, colour: nothing_here, tip: count_text(this.machine.tiles.nodes[tile], "node") }));
  }

  show(time) {
    this.time = Math.max(this.timeline.begin, Math.min(time, this.timeline.end));
    const { begin, end, unit_s } = this.timeline;
    element("motion-slider").value = Math.round((slider_steps * (this.time - begin)) / (end - begin));
    element("motion-time").textContent = `${time_text(this.time * unit_s)} of ${time_text(end * unit_s)}`;
    if (this.is_exact) {
      this.show_messages();
    } else {
      this.show_tiles();
    }
  }

  show_messages() {
    const { hops, intervals } = this.timeline;
    const { time } = this;
    const dots = [];
    let queued = 0;
    for (let i = 0; i < hops.arrival.length && hops.arrival[i] <= time; ++i) {
      if (hops.finish[i] > time) {
        const is_queued = hops.start[i] > time;
        const share = is_queued ? 0 : (time - hops.start[i]) / hops.length[i];
        const place = point_on_link(this.machine.links, hops.link[i], share);
        dots.push({ ...place, colour: is_queued ? dot_colours.queued : dot_colours.moving });
        queued += is_queued ? 1 : 0;
      }
    }
    this.dots.data("dots", dots).runAsync();
    let waiting_count = 0;
    if (intervals) {
      this.recolour((row) => {
        if (this.machine.node_fails_at.get(row.node) === 0) {
          return -2;
        }
        const counts = activities.map(() => 0);
        for (const process of this.hosted[row.node]) {
          ++counts[activity_at(intervals, process, time)];
        }
        waiting_count += counts[waiting];
        const most = Math.max(...counts);
        return most === 0 ? -1 : counts[waiting] === most ? waiting : counts.indexOf(most);
      }, (activity) => ({
        colour: activity < 0 ? (activity === -2 ? failed_colours.node : nothing_here) : activities[activity].colour,
        ink: ink_on(activity < 0 ? nothing_here : activities[activity].colour),
        border: activity === waiting ? "#1b1f24" : "#8c959f",
        border_width: activity === waiting ? 2 : 0.6,
      }));
    }
    element("motion-counts").textContent =
      `${count_text(dots.length - queued, "message")} on links, ${queued.toLocaleString("en-US")} queued` +
      (intervals ? `, ${count_text(waiting_count, "process")} waiting` : "");
  }

  show_tiles() {
    const { tiles, begin } = this.timeline;
    const bins = tiles.busy[0].length;
    const bin = Math.min(bins - 1, Math.floor((this.time - begin) / tiles.bin));
    const mean = (lists, members) => {
      let [sum, count] = [0, 0];
      lists.forEach((_, i) => ([sum, count] = [sum + at(lists, i) * members[i], count + members[i]]));
      return digits(sum / count, 3);
    };
    const at = (lists, tile) => Math.min(100, lists[tile][bin]);
    this.recolour(({ tile }) => 1000 * at(tiles.busy, tile) + at(tiles.waiting, tile), (look) => {
      const [busy, waits] = [Math.floor(look / 1000), look % 1000];
      return {
        colour: heat(busy / 100),
        border: waits >= 50 ? activities[waiting].colour : "#ffffff",
        border_width: waits >= 50 ? 2.5 : 0.5,
        tip: `links in use ${busy} %\nprocesses waiting ${waits} %`,
      };
    });
    element("motion-counts").textContent =
      `${mean(tiles.busy, this.machine.tiles.nodes)} % of the links in use, ${mean(tiles.waiting, this.machine.tiles.nodes)} % of the processes waiting`;
  }

  // Gives a new look to the nodes whose state has changed.
  recolour(state_of, look_of) {
    const change = vega.changeset();
    let is_changed = false;
    for (const row of this.view.data("nodes")) {
      const state = state_of(row);
      if (row.state !== state) {
        row.state = state;
        is_changed = true;
        for (const [name, value] of Object.entries(look_of(state))) {
          change.modify(row, name, value);
        }
      }
    }
    if (is_changed) {
      this.view.change("nodes", change).runAsync();
    }
  }

  play() {
    if (this.time >= this.timeline.end) {
      this.show(this.timeline.begin);
    }
    let last = performance.now();
    const advance = (now) => {
      if (!this.is_playing) {
        return;
      }
      const speed = Number(element("motion-speed").value);
      const passed = ((now - last) / this.length_ms) * speed * (this.timeline.end - this.timeline.begin);
      last = now;
      this.show(this.time + Math.max(0, passed));
      if (this.time >= this.timeline.end) {
        this.pause();
      } else {
        requestAnimationFrame(advance);
      }
    };
    this.is_playing = true;
    element("motion-play").textContent = "Pause";
    requestAnimationFrame(advance);
  }

  pause() {
    this.is_playing = false;
    element("motion-play").textContent = "Play";
  }

  step() {
    this.pause();
    this.show(this.events.find((time) => time > this.time) ?? this.timeline.end);
  }

  back() {
    this.pause();
    this.show(this.events.findLast((time) => time < this.time) ?? this.timeline.begin);
  }

  restart() {
    this.pause();
    this.show(this.timeline.begin);
  }

  slide(place) {
    this.pause();
    this.show(this.timeline.begin + (place / slider_steps) * (this.timeline.end - this.timeline.begin));
  }

  explain() {
    const { timeline } = this;
    if (this.is_exact) {
      const states = activities.map(({ name, colour }, i) => ({
        name: i === waiting ? "waiting (thick border)" : name,
        colour,
        border: i === waiting ? "#1b1f24" : undefined,
      }));
      show_swatches(element("motion-legend"), [
        { name: "message on a link", colour: dot_colours.moving, round: true },
        { name: "message queued for a link", colour: dot_colours.queued, round: true },
        ...(timeline.intervals ? states : []),
      ]);
      explain_round(element("motion-legend"), this.machine);
      explain_crosses(element("motion-legend"), this.machine);
      element("motion-caption").textContent =
        "Each dot is a message. It moves along a link while it crosses it, and stands at a node while it queues for the next link. " +
        (has_shared_nodes(this.hosted)
          ? "The numbers in a square are the processes there, its colour what most of them do. "
          : "The number in a square is the process there, its colour what that does. ") +
        "Step goes to the next event: a message reaches, enters or leaves a link, or a process turns to something else." +
        (timeline.intervals ? "" : " What processes do is too much to show.") + window_text(timeline);
      return;
    }
    show_gradient(element("motion-legend"), "0 %", "100 %", "of the links in use; orange border: half of the processes or more are waiting");
    element("motion-caption").textContent =
      `The ${timeline.hop_count.toLocaleString("en-US")} hops of the run are too many to show each: a square is a part of the machine, ` +
      "its colour the share of its links that are in use in a bin of time." +
      (!this.machine.shows_lines ? "" : " --window BEGIN:END shows the messages of a shorter time.") +
      window_text(timeline);
  }
}

let motion = null;

function connect_motion() {
  element("motion-play").addEventListener("click", () => (motion.is_playing ? motion.pause() : motion.play()));
  element("motion-step").addEventListener("click", () => motion.step());
  element("motion-back").addEventListener("click", () => motion.back());
  element("motion-start").addEventListener("click", () => motion.restart());
  element("motion-slider").addEventListener("input", (event) => motion.slide(Number(event.target.value)));
}

function show_motion(run, machine) {
  motion?.pause();
  const is_shown = run.timeline && machine && run.timeline.hop_count > 0;
  element("motion").hidden = !is_shown;
  motion = is_shown ? new Motion(run, machine) : null;
}
