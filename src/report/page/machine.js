// The machine on paper: node and link positions come from the data, in hundredths of a unit.

const tallest_machine = (nodes) => (nodes > 1024 ? 980 : 640);
const widest_unit = 76;

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

function prepare_machine(machine) {
  if (machine.links) {
    const links = machine.links;
    links.second_of = new Int32Array(links.from.length).fill(-1);
    links.with_second.forEach((link, i) => (links.second_of[link] = i));
  }
}

// The signals of machine.vg.json for a drawing that is `width` wide at most.
function machine_scale(machine, width) {
  const unit = Math.min(width / machine.width, tallest_machine(machine.nodes?.x.length ?? 0) / machine.height, widest_unit);
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
  if (links.from.length > most_lines) {
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

// A picture of more lines shows nothing.
const most_lines = 20000;

function draw_machine(container, machine, { link_width, links, nodes }) {
  const { unit_px, ...scale } = machine_scale(machine, container.closest(".chart").clientWidth);
  return make_chart("machine", container, { ...scale, link_width: link_width(unit_px) }, { links, nodes, dots: [] });
}

const node_row = (machine, node, look) => ({
  node,
  x: machine.nodes.x[node] / 100,
  y: machine.nodes.y[node] / 100,
  border: "#8c959f",
  border_width: 0.6,
  label: "",
  ink: "#1b1f24",
  tip: "",
  ...look,
});

// Tiles as nodes of a drawing.
function tile_rows(machine, dress) {
  return machine.tiles.x.map((x, tile) => ({
    x: x / 100,
    y: machine.tiles.y[tile] / 100,
    border: "#ffffff",
    border_width: 0.5,
    label: "",
    ink: "#1b1f24",
    ...dress(tile),
  }));
}

// A drawing whose nodes are the tiles.
const tiled = (machine) => ({ ...machine, node_size: machine.tiles.size });

const process_name = (run, process) =>
  process < run.result.program.processes ? `process ${process}` : "the host computer";
const node_name = (run, node) => (node < run.result.machine.nodes ? `node ${node}` : "host computer");

// --- The embedding -------------------------------------------------------------------------------

function embedding_choices(run) {
  const processes = run.result.program.processes;
  const choices = [["number", "process number"]];
  for (let bit = 0; run.loads.process_at && 2 ** bit < processes; ++bit) {
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
  const process_at = run.loads.process_at;
  const is_bit = colour_by.startsWith("bit ");
  const bit = 2 ** Number(colour_by.slice(4));
  const forwarded = run.loads.node_loads;
  const most = colour_by === "forwarded" ? Math.max(1, ...forwarded) : Math.max(1, processes - 1);
  const colour_of = (node, process) =>
    colour_by === "forwarded"
      ? viridis(forwarded[node] / most)
      : process < 0
        ? nothing_here
        : is_bit
          ? bit_colours[Math.floor(process / bit) % 2]
          : viridis(process / most);
  const nodes = machine.nodes.x.map((_, node) => {
    const process = process_at ? process_at[node] : -1;
    const colour = process_at || colour_by === "forwarded" ? colour_of(node, process) : nothing_here;
    const hosted = process < 0 ? (process_at ? "no process" : "process not listed") : process_name(run, process);
    return node_row(machine, node, {
      colour,
      ink: ink_on(colour),
      label: node >= run.result.machine.nodes ? "host" : process < 0 ? "" : String(process),
      tip: `${node_name(run, node)}: ${hosted}` + (forwarded ? `\nforwards ${count_text(forwarded[node], "message")}` : ""),
    });
  });
  draw_to_width(chart, () =>
    draw_machine(chart, machine, { link_width: (unit) => Math.min(1.2, unit / 30), links: plain_links(machine), nodes }),
  );
  if (is_bit) {
    show_swatches(element("embedding-legend"), [
      { name: "bit is 0", colour: bit_colours[0] },
      { name: "bit is 1", colour: bit_colours[1] },
    ]);
  } else {
    show_gradient(element("embedding-legend"), "0", digits(most, 6), colour_by === "forwarded" ? "messages forwarded" : "process");
  }
  element("embedding-caption").textContent =
    `Which process sits where: each square is a node, the number in it is its process. ${machine.arrangement}` +
    (process_at ? "" : " The result does not list which process sits where; dcube run --full does.");
}

function show_tiled_embedding(run, machine) {
  const process = run.loads.tile_process;
  const most = Math.max(1, run.result.program.processes - 1);
  const nodes = tile_rows(machine, (tile) => ({
    colour: process ? viridis(process.mean[tile] / most) : nothing_here,
    tip: `${count_text(machine.tiles.nodes[tile], "node")}` + (process ? `\nmean process ${digits(process.mean[tile], 6)}` : ""),
  }));
  const chart = element("embedding-chart");
  draw_to_width(chart, () => draw_machine(chart, tiled(machine), { link_width: () => 1, links: [], nodes }));
  show_gradient(element("embedding-legend"), "0", digits(most, 7), "mean process number");
  element("embedding-caption").textContent =
    `The machine has too many nodes to show each: a square stands for a part of it. ${machine.arrangement}` +
    (process ? "" : " The result does not list which process sits where; dcube run --full does.");
}

// --- The load of its links -----------------------------------------------------------------------

function show_load(run, machine) {
  const chart = element("load-chart");
  const is_busy = element("load-quantity").value === "busy";
  const makespan = run.result.makespan_s;
  const tile_values = is_busy ? run.loads.tile_busy_s : run.loads.tile_messages;
  const values = machine.links ? (is_busy ? run.loads.busy_s : run.loads.messages) : tile_values?.max;
  element("load-legend").replaceChildren();
  if (!values) {
    show_missing(chart, "The result does not list the load of single links, as results do above 4,096 nodes; dcube run --full lists them.");
    element("load-caption").textContent = "";
    return;
  }
  const text = (value) => (is_busy ? percent_text(value / Math.max(makespan, 1e-300)) : digits(value, 6));
  // A call takes fewer arguments than such a list has entries.
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  const colour_of = (value) => heat(most > 0 ? value / most : 0);
  show_gradient(element("load-legend"), text(0), text(most), is_busy ? "of the makespan in use" : "messages", heat_stops);
  if (!machine.links) {
    const nodes = tile_rows(machine, (tile) => ({
      colour: colour_of(values[tile]),
      tip: `${count_text(machine.tiles.nodes[tile], "node")}\nbusiest link ${text(values[tile])}, mean ${text(tile_values.mean[tile])}`,
    }));
    draw_to_width(chart, () => draw_machine(chart, tiled(machine), { link_width: () => 1, links: [], nodes }));
    element("load-caption").textContent =
      "The machine has too many links to show each: the colour of a square is the load of the busiest link that leaves its part of the machine.";
    return;
  }
  const links = machine.links;
  const tip_of = (link) =>
    `${node_name(run, links.from[link])} → ${node_name(run, links.to[link])}\n` +
    `${count_text(run.loads.messages[link], "message")}, in use ${percent_text(run.loads.busy_s[link] / Math.max(makespan, 1e-300))} of the time`;
  const forwarded = run.loads.node_loads;
  const node_tip = (node) => {
    const process = run.loads.process_at?.[node] ?? -1;
    return (
      `${node_name(run, node)}${process < 0 ? "" : `: ${process_name(run, process)}`}` +
      (forwarded ? `\nforwards ${count_text(forwarded[node], "message")}` : "")
    );
  };
  if (links.from.length > most_lines) {
    show_load_by_node(run, machine, values, colour_of, text, node_tip);
    return;
  }
  const rows = link_rows(links, (link) => (values[link] < 0 ? null : { colour: colour_of(values[link]), tip: () => tip_of(link) }));
  const nodes = machine.nodes.x.map((_, node) =>
    node_row(machine, node, { colour: "#f6f8fa", label: node_label(run, node), tip: node_tip(node) }),
  );
  draw_to_width(chart, () =>
    draw_machine(chart, machine, { link_width: (unit) => Math.max(1, Math.min(7, unit * machine.link_width)), links: rows, nodes }),
  );
  const is_half_duplex = values.some((value) => value < 0);
  element("load-caption").textContent =
    `Each line is ${is_half_duplex ? "a link, both directions together" : "one direction of a link; traffic keeps to the right"}. ` +
    `The number in a square is its node. Busiest: ${run.result.link_load.busiest || "none"}. ${machine.arrangement}`;
}

const node_label = (run, node) => (node < run.result.machine.nodes ? String(node) : "host");

function show_load_by_node(run, machine, values, colour_of, text, node_tip) {
  const most_at = new Float64Array(machine.nodes.x.length);
  machine.links.from.forEach((node, link) => (most_at[node] = Math.max(most_at[node], values[link])));
  const nodes = machine.nodes.x.map((_, node) =>
    node_row(machine, node, {
      colour: colour_of(most_at[node]),
      border_width: 0,
      tip: `${node_tip(node)}\nbusiest link from here ${text(most_at[node])}`,
    }),
  );
  const chart = element("load-chart");
  draw_to_width(chart, () => draw_machine(chart, { ...machine, node_size: 0.9 }, { link_width: () => 1, links: [], nodes }));
  element("load-caption").textContent =
    `The machine has too many links to show each: the colour of a node is the load of the busiest link that leaves it. ${machine.arrangement}`;
}
