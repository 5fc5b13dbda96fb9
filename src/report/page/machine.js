// The machine on paper: node and link positions come from the data, in hundredths of a unit.

const tallest_machine = (nodes) => (nodes > 1024 ? 980 : 640);
const widest_unit = 76;
// Nodes of 3 pixels; a drawing that is wider than its chart then scrolls.
const least_unit = 5.5;

// Where a hop is after `share` of it. A link in two pieces is left by one and entered by the other.
function point_on_link(links, link, share) {
  const second = links.second_of[link];
  const is_second = second >= 0 && share > 0.5;
  const pieces = is_second ? links.second : links.first;
  const at = 4 * (is_second ? second : link);
  const along = second < 0 ? share : is_second ? 2 * share - 1 : 2 * share;
  return {
    x: (pieces[at] + along * (pieces[at + 2] - pieces[at])) / 100,
    y: (pieces[at + 1] + along * (pieces[at + 3] - pieces[at + 1])) / 100,
  };
}

function prepare_links(links) {
  links.second_of = new Int32Array(links.from.length).fill(-1);
  links.with_second.forEach((link, i) => (links.second_of[link] = i));
}

function prepare_machine(machine) {
  if (machine.links) {
    prepare_links(machine.links);
  }
  machine.kept_free = new Set(machine.kept_free);
  // By node and by "from-to": when they fail, in seconds; 0: from the start.
  machine.node_fails_at = new Map();
  machine.link_fails_at = new Map();
  if (machine.failing) {
    const { nodes, nodes_at_s, links, links_at_s } = machine.failing;
    prepare_links(links);
    nodes.forEach((node, i) => machine.node_fails_at.set(node, nodes_at_s[i]));
    links_at_s.forEach((at_s, i) => {
      machine.link_fails_at.set(`${links.from[i]}-${links.to[i]}`, at_s);
      machine.link_fails_at.set(`${links.to[i]}-${links.from[i]}`, at_s);
    });
  }
}

// --- What fails ----------------------------------------------------------------------------------

const failure_text = (at_s) => (at_s === 0 ? "has failed" : `fails at ${time_text(at_s)}`);
const failure_colour = (at_s) => (at_s === 0 ? failed_colours.from_start : failed_colours.later);
// "", or a line to add to the tip of something that fails.
const failure_line = (at_s) => (at_s === undefined ? "" : `\n${failure_text(at_s)}`);

// Crosses on nodes and links that fail, and lines for links that have failed from the start.
function failure_rows(machine) {
  if (!machine.failing) {
    return { failed_links: [], crosses: [] };
  }
  const { nodes, nodes_at_s, links, links_at_s } = machine.failing;
  const look = (link) => ({
    colour: failure_colour(links_at_s[link]),
    tip: `link ${links.from[link]}–${links.to[link]}${failure_line(links_at_s[link])}`,
  });
  const has_lines = links.first.length > 0;
  const on_links = has_lines ? link_rows(links, look) : [];
  const crosses = on_links.map(({ x, y, x2, y2, ...rest }) => ({ ...rest, x: (x + x2) / 2, y: (y + y2) / 2, size: 0.3 }));
  nodes.forEach((node, i) =>
    crosses.push({
      x: machine.nodes.x[node] / 100,
      y: machine.nodes.y[node] / 100,
      colour: failure_colour(nodes_at_s[i]),
      size: 1.1 * machine.node_size,
      tip: `node ${node}${failure_line(nodes_at_s[i])}`,
    }),
  );
  const failed_links = has_lines ? link_rows(links, (link) => (links_at_s[link] === 0 ? look(link) : null)) : [];
  return { failed_links, crosses };
}

// Says in a legend what the crosses mean.
function explain_crosses(legend, machine) {
  const instants = [...machine.node_fails_at.values(), ...machine.link_fails_at.values()];
  if (instants.some((at_s) => at_s === 0)) {
    add_cross(legend, "has failed", failed_colours.from_start);
  }
  if (instants.some((at_s) => at_s > 0)) {
    add_cross(legend, "fails during the run", failed_colours.later);
  }
}

// Says in a legend what round nodes are.
function explain_round(legend, machine) {
  if (machine.nodes && machine.kept_free.size > 0) {
    add_round(legend, "hosts no processes (a switch or a spare)", "#8c959f");
  }
}

// The signals of machine.vg.json for a drawing that is `width` wide at most.
function machine_scale(machine, width) {
  const nodes = (machine.nodes?.x.length ?? 0) * (machine.has_classes ? 4 : 1); // some stand among empty places
  const fitting = Math.min(width / machine.width, tallest_machine(nodes) / machine.height, widest_unit);
  const unit = machine.has_classes && machine.shows_lines ? Math.max(fitting, least_unit) : fitting;
  return {
    width: Math.floor(unit * machine.width),
    height: Math.ceil(unit * machine.height),
    columns: machine.width,
    rows: machine.height,
    node_size: machine.node_size,
    unit_px: unit,
  };
}

// The pieces of the links for machine.vg.json. Links for which `dress` gives nothing are left out.
function link_rows(links, dress) {
  const rows = [];
  const add = (pieces, at, look) =>
    rows.push({ x: pieces[at] / 100, y: pieces[at + 1] / 100, x2: pieces[at + 2] / 100, y2: pieces[at + 3] / 100, ...look });
  for (let link = 0; link < links.from.length; ++link) {
    const look = dress(link);
    if (look) {
      add(links.first, 4 * link, look);
      if (links.second_of[link] >= 0) {
        add(links.second, 4 * links.second_of[link], look);
      }
    }
  }
  return rows;
}

// One line for both directions of every link, in the middle between them.
function plain_links(machine) {
  const { links, lane_offset } = machine;
  if (!machine.shows_lines) {
    return [];
  }
  const rows = link_rows(links, (link) => (links.from[link] < links.to[link] ? { colour: "#aab4be" } : null));
  for (const row of rows) {
    const [along_x, along_y] = [row.x2 - row.x, row.y2 - row.y];
    const scale = lane_offset / Math.max(Math.hypot(along_x, along_y), 1e-9);
    row.x += along_y * scale;
    row.x2 += along_y * scale;
    row.y -= along_x * scale;
    row.y2 -= along_x * scale;
  }
  return rows;
}

function draw_machine(container, machine, { link_width, links, nodes, marked = [], is_overlay = false }) {
  const { unit_px, ...scale } = machine_scale(machine, container.closest(".chart").clientWidth);
  return make_chart("machine", container, { ...scale, link_width: link_width(unit_px) }, {
    links,
    nodes,
    marked,
    dots: [],
    ...(is_overlay ? {} : failure_rows(machine)),
  });
}

const node_row = (machine, node, look) => ({
  node,
  x: machine.nodes.x[node] / 100,
  y: machine.nodes.y[node] / 100,
  border: "#8c959f",
  border_width: 0.6,
  is_round: machine.kept_free.has(node),
  label: "",
  label_size: 1,
  ink: "#1b1f24",
  ...look,
  ...(machine.node_fails_at.get(node) === 0 ? { colour: failed_colours.node, ink: ink_on(failed_colours.node) } : {}),
  tip: (look.tip ?? "") + failure_line(machine.node_fails_at.get(node)),
});

// Tiles as nodes of a drawing.
function tile_rows(machine, dress) {
  const failing = (tile) => machine.tiles.failing?.[tile] ?? 0;
  return machine.tiles.x.map((x, tile) => {
    const look = dress(tile);
    return {
      x: x / 100,
      y: machine.tiles.y[tile] / 100,
      border: "#ffffff",
      border_width: 0.5,
      label: "",
      label_size: 1,
      ink: "#1b1f24",
      ...look,
      tip: look.tip + (failing(tile) > 0 ? `\n${count_text(failing(tile), "node")} failed or failing` : ""),
    };
  });
}

// A drawing whose nodes are the tiles.
const tiled = (machine) => ({ ...machine, node_size: machine.tiles.size, failing: null });

// Results give the host computer the number after those of the processes, and of the nodes. Switches come after terminals.
const node_total = (run) => run.result.machine.nodes + (run.result.machine.switches ?? 0);
const host_name = "host";
const process_label = (run, process) => (process === run.result.program.processes ? host_name : String(process));
const node_label = (run, node) => (node === node_total(run) ? host_name : String(node));
const process_name = (run, process) => (process === run.result.program.processes ? host_name : `process ${process}`);
const node_name = (run, node) => (node === node_total(run) ? host_name : node >= run.result.machine.nodes ? switch_name(run, node) : `node ${node}`);
// As dcube::Topology::name_of() has it.
function switch_name(run, node) {
  const row = run.switch_rows?.findLast(({ first }) => first <= node);
  if (!row?.of) {
    return `switch ${node - run.result.machine.nodes}`;
  }
  const place = node - row.first;
  return `switch ${place % row.length} of ${row.of} ${row.number + Math.floor(place / row.length)}`;
}
// "64->0" as "host->0", "64-0" as "host-0"; other words of dcube::link_name() stay.
const link_text = (run, link) =>
  link?.replace(/^(\d+)(->|-)(\d+)/, (_, from, arrow, to) => node_label(run, Number(from)) + arrow + node_label(run, Number(to)));

// --- Several processes on a node -----------------------------------------------------------------

// The processes of every node, ascending.
function processes_by_node(machine, node_of) {
  const hosted = machine.nodes.x.map(() => []);
  node_of.forEach((node, process) => hosted[node].push(process));
  return hosted;
}

// "0–3", "8": ascending numbers, three or more in a row as one.
function number_runs(numbers) {
  const runs = [];
  for (const number of numbers) {
    if (runs.length > 0 && number === runs.at(-1).at(-1) + 1) {
      runs.at(-1).push(number);
    } else {
      runs.push([number]);
    }
  }
  return runs.flatMap((run) => (run.length > 2 ? [`${run[0]}–${run.at(-1)}`] : run.map(String)));
}

const processes_name = (run, processes) =>
  processes.length === 1 ? process_name(run, processes[0]) : `processes ${number_runs(processes).join(", ")}`;

const most_runs_in_label = 4;

// The label of a node in two lines, and its size: all processes, or the first and how many more.
function hosted_label(processes) {
  if (processes.length <= 1) {
    return { label: processes.join("") };
  }
  const runs = number_runs(processes);
  const half = Math.ceil(runs.length / 2);
  const lines =
    runs.length === 1
      ? [`${processes[0]}–`, String(processes.at(-1))]
      : runs.length <= most_runs_in_label
        ? [runs.slice(0, half).join(" "), runs.slice(half).join(" ")]
        : [String(processes[0]), `+${processes.length - 1}`];
  const longest = Math.max(...lines.map((line) => line.length));
  return { label: lines, label_size: Math.min(0.9, 3.6 / longest) };
}

const has_shared_nodes = (hosted) => hosted.some((processes) => processes.length > 1);
const has_short_labels = (hosted) => hosted.some((processes) => number_runs(processes).length > most_runs_in_label);

// --- The embedding -------------------------------------------------------------------------------

function embedding_choices(run) {
  const processes = run.result.program.processes;
  const choices = [["number", "process number"]];
  for (let bit = 0; run.loads.node_of && 2 ** bit < processes; ++bit) {
    choices.push([`bit ${bit}`, `bit ${bit} of the process number (cube dimension ${bit})`]);
  }
  if (run.loads.node_loads) {
    choices.push(["forwarded", "messages forwarded by the node"]);
  }
  return choices;
}

function show_embedding(run, machine) {
  const chart = element("embedding-chart");
  const processes = run.result.program.processes;
  const colour_by = element("embedding-colour").value;
  if (!machine.nodes) {
    show_tiled_embedding(run, machine);
    return;
  }
  const node_of = run.loads.node_of;
  const hosted = processes_by_node(machine, node_of ?? []);
  const blocked = blocked_of(run);
  const is_shared = has_shared_nodes(hosted);
  const is_bit = colour_by.startsWith("bit ");
  const bit = 2 ** Number(colour_by.slice(4));
  const forwarded = run.loads.node_loads;
  const most = colour_by === "forwarded" ? Math.max(1, ...forwarded) : Math.max(1, processes - 1);
  const bit_share = (list) => list.filter((process) => Math.floor(process / bit) % 2 === 1).length / list.length;
  const colour_of = (node) =>
    colour_by === "forwarded"
      ? heat(forwarded[node] / most)
      : hosted[node].length === 0
        ? nothing_here
        : is_bit
          ? mixed(...bit_colours, bit_share(hosted[node]))
          : heat(hosted[node][0] / most);
  const nodes = machine.nodes.x.map((_, node) => {
    const colour = colour_of(node);
    const names = hosted[node].length > 0 ? processes_name(run, hosted[node]) : node_of ? "no process" : "process not listed";
    return node_row(machine, node, {
      colour,
      ink: ink_on(colour),
      ...(node >= node_total(run) ? { label: host_name } : hosted_label(hosted[node])),
      ...(hosted[node].some((process) => blocked.has(process)) ? { border: activities[waiting].colour, border_width: 3.5 } : {}),
      tip:
        `${node_name(run, node)}: ${names}` +
        (forwarded ? `\nforwards ${count_text(forwarded[node], "message")}` : "") +
        hosted[node].filter((process) => blocked.has(process)).slice(0, 4).map((process) => `\n${process_name(run, process)} waits for ${awaited_name(run, blocked.get(process))}`).join(""),
    });
  });
  draw_to_width(chart, () =>
    draw_machine(chart, machine, { link_width: (unit) => Math.min(1.2, unit / 30), links: plain_links(machine), nodes }),
  );
  if (is_bit && is_shared) {
    show_gradient(element("embedding-legend"), "0", "1", "share of the node's processes whose bit is 1", bit_colours);
  } else if (is_bit) {
    show_swatches(element("embedding-legend"), [
      { name: "bit is 0", colour: bit_colours[0] },
      { name: "bit is 1", colour: bit_colours[1] },
    ]);
  } else {
    const quantity = colour_by === "forwarded" ? "messages forwarded" : is_shared ? "lowest process of the node" : "process";
    show_gradient(element("embedding-legend"), "0", digits(most, 6), quantity);
  }
  if (blocked.size > 0) {
    add_mark(element("embedding-legend"), "waits for ever", activities[waiting].colour);
  }
  explain_round(element("embedding-legend"), machine);
  explain_crosses(element("embedding-legend"), machine);
  element("embedding-caption").textContent =
    `Which process sits where: each square is a node, ` +
    (is_shared ? "the numbers in it are its processes" : "the number in it is its process") +
    (has_short_labels(hosted) ? " (+3: and three more). " : ". ") +
    machine.arrangement +
    (node_of ? "" : " The result does not list which process sits where; dcube run --full does.");
}

function show_tiled_embedding(run, machine) {
  const process = run.loads.tile_process;
  const most = Math.max(1, run.result.program.processes - 1);
  const nodes = tile_rows(machine, (tile) => ({
    colour: process ? heat(process.mean[tile] / most) : nothing_here,
    tip: `${count_text(machine.tiles.nodes[tile], "node")}` + (process ? `\nmean process ${digits(process.mean[tile], 6)}` : ""),
  }));
  const chart = element("embedding-chart");
  draw_to_width(chart, () => draw_machine(chart, tiled(machine), { link_width: () => 1, links: [], nodes }));
  show_gradient(element("embedding-legend"), "0", digits(most, 7), "mean process number");
  element("embedding-caption").textContent =
    `The machine has too many nodes to show each: a square stands for a part of it. ${machine.arrangement}` +
    (process ? "" : " The result does not list which process sits where; dcube run --full does.");
}
