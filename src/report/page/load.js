// What the links carry, and which of them are busiest.

// What can be shown of the links of a run: values by link (below 0: counted with the other
// direction) or by tile, how one is written, and what the legend says.
function load_quantities(run, machine) {
  const loads = run.loads ?? {};
  const makespan = Math.max(run.result.makespan_s, 1e-300);
  const of = (by_link, by_tile) => (machine?.links ? { values: by_link } : { values: by_tile?.max, means: by_tile?.mean });
  const number = (value) => digits(value, 6);
  return {
    time: { ...of(loads.time_s, loads.tile_time_s), name: "bytes over bandwidth", legend: "that the bytes of a link take, its bandwidth alone", text: (seconds) => time_text(seconds, 4), marks: true },
    bytes: { ...of(loads.bytes, loads.tile_bytes), name: "bytes", legend: "bytes", text: number, marks: true },
    messages: { ...of(loads.messages, loads.tile_messages), name: "messages", legend: "messages", text: number },
    busy: { ...of(loads.busy_s, loads.tile_busy_s), name: "utilisation", legend: "busy time / makespan", text: (seconds) => percent_text(seconds / makespan) },
  };
}

// Those of which something is known; the choice stays what it was where it can.
function fill_load_choices(run, machine) {
  const quantities = Object.entries(load_quantities(run, machine));
  const known = quantities.filter(([key, { values }]) => values || (is_counted_by_class(run) && class_loads(run, key)));
  const select = element("load-quantity");
  const before = select.value;
  fill_select(select, (known.length > 0 ? known : quantities.slice(2)).map(([key, { name }]) => [key, name]));
  if ([...select.options].some(({ value }) => value === before)) {
    select.value = before;
  }
  select.onchange = () => show_load(run, machine);
}

// "0->3 (1,234), 5->1 (22) and 3 more", as `--why` writes it; nothing where it is not known.
function flows_text(run, { flows, heaviest }) {
  if (!heaviest) {
    return "";
  }
  const named = heaviest.map(({ from, to, bytes }) => `${process_label(run, from)}->${process_label(run, to)} (${bytes.toLocaleString("en-US")})`);
  const others = flows - heaviest.length;
  return named.join(", ") + (others > 0 ? ` and ${others.toLocaleString("en-US")} more` : "");
}

// The columns are those of `--why`.
function show_busiest(run) {
  const busiest = run.loads?.busiest ?? [];
  const columns = [
    { title: "busiest link", of: ({ link }) => link_text(run, link), is_text: true },
    { title: "bytes", of: ({ bytes }) => bytes, text: (bytes) => bytes.toLocaleString("en-US") },
    { title: "times the mean", of: ({ of_mean }) => of_mean, text: (ratio) => fixed_text(ratio, 2) },
    { title: "time", of: ({ time_s }) => time_s, text: (seconds) => time_text(seconds, 4) },
    { title: "who crosses it (bytes)", of: (link) => flows_text(run, link), is_text: true },
  ];
  const is_known = [true, true, true, busiest.some(({ time_s }) => time_s !== undefined), busiest.some(({ heaviest }) => heaviest)];
  const table = element("load-busiest");
  table.hidden = busiest.length === 0;
  fill_table(table, columns.filter((_, i) => is_known[i]), busiest);
}

// "the 5 busiest links", or, where others carry as much, "5 of the 48 busiest links".
function busiest_name({ values }, marked) {
  const least = Math.min(...marked.map((link) => values[link]));
  const as_busy = values.filter((value) => value >= least).length;
  return as_busy > marked.length
    ? `${marked.length} of the ${count_text(as_busy, "busiest link")}`
    : `the ${marked.length === 1 ? "busiest link" : count_text(marked.length, "busiest link")}`;
}

// Above this number of nodes a drawing of links with classes shows less than figures do.
const most_nodes_with_classes = 2000;

// Figures of each class of links, as dcube::loads_by_class() makes them; nothing where links have no classes.
function class_loads(run, key) {
  const counted = run.result.link_load?.by_class;
  return { messages: counted?.messages, busy: counted?.busy_s, bytes: run.loads?.by_class?.bytes, time: run.loads?.by_class?.time_s }[key];
}

const is_counted_by_class = (run) => Boolean(run.result.link_load?.by_class) && node_total(run) > most_nodes_with_classes;

// A bar for each range of loads, as high as its share of the tallest.
function histogram(counts, most, text) {
  const [bar, height] = [7, 26];
  const tallest = Math.max(...counts);
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  picture.setAttribute("class", "histogram");
  picture.setAttribute("width", bar * counts.length);
  picture.setAttribute("height", height);
  counts.forEach((count, i) => {
    if (count > 0) {
      const high = Math.max(2, (height * count) / tallest);
      const made = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      const look = { x: bar * i + 0.5, y: height - high, width: bar - 1, height: high, fill: heat((i + 0.5) / counts.length) };
      Object.entries(look).forEach(([name, value]) => made.setAttribute(name, value));
      const tip = document.createElementNS("http://www.w3.org/2000/svg", "title");
      tip.textContent = `${count_text(count, "link")}: ${text((most * i) / counts.length)} to ${text((most * (i + 1)) / counts.length)}`;
      made.append(tip);
      picture.append(made);
    }
  });
  return picture;
}

function show_classes(run, classes, { name, text }) {
  const table = element("load-classes");
  element("load-classes-caption").hidden = table.hidden = !classes;
  if (!classes) {
    return;
  }
  const most = Math.max(...classes.map(({ max }) => max));
  fill_table(table, [
    { title: "links", of: (row) => `${row.class}${row.way ? `, ${row.way}` : ""}`, is_text: true },
    { title: "number", of: ({ links }) => links, text: (links) => links.toLocaleString("en-US") },
    { title: "unused", of: ({ unused }) => unused, text: (links) => links.toLocaleString("en-US") },
    { title: `${name}, mean`, of: ({ mean }) => mean, text: (mean) => text(mean) },
    { title: "busiest", of: ({ max }) => max, text: (max) => text(max) },
    { title: "which", of: ({ busiest }) => link_text(run, busiest), is_text: true },
    { title: `0 to ${text(most)}`, of: () => "", is_text: true },
  ], classes, (line, { histogram: counts }) => line.lastChild.append(histogram(counts, most, text)));
}

function show_load(run, machine) {
  const chart = element("load-chart");
  const key = element("load-quantity").value;
  const quantity = load_quantities(run, machine)[key];
  const { values, text } = quantity;
  const classes = class_loads(run, key);
  element("load-legend").replaceChildren();
  show_busiest(run);
  show_classes(run, classes, quantity);
  chart.hidden = Boolean(classes) && is_counted_by_class(run);
  if (chart.hidden) {
    const most = Math.max(...classes.map(({ max }) => max));
    show_gradient(element("load-legend"), text(0), text(most), quantity.legend);
    element("load-caption").textContent = "The machine has too many nodes for a drawing of its links; a row below is a class of links, and where they join levels, one way.";
    return;
  }
  if (!values) {
    show_missing(chart, "The result does not list the load of single links, as results do above 4,096 nodes; dcube run --full lists them.");
    element("load-caption").textContent = "";
    return;
  }
  // A call takes fewer arguments than such a list has entries.
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  const colour_of = (value) => heat(most > 0 ? value / most : 0);
  show_gradient(element("load-legend"), text(0), text(most), quantity.legend);
  if (!machine.links) {
    show_load_by_tile(machine, quantity, colour_of);
    return;
  }
  const links = machine.links;
  const busiest = new Map((quantity.marks ? run.loads.busiest : []).map((link) => [link.at, link]));
  if (busiest.size > 0) {
    add_mark(element("load-legend"), busiest_name(quantity, [...busiest.keys()]), busiest_colour);
  }
  const is_half_duplex = values.some((value) => value < 0);
  const tip_of = (link) => load_tip(run, machine, link, is_half_duplex ? "–" : "→");
  const forwarded = run.loads.node_loads;
  const hosted = machine.nodes ? processes_by_node(machine, run.loads.node_of ?? []) : [];
  const node_tip = (node) => {
    return (
      `${node_name(run, node)}${hosted[node].length === 0 ? "" : `: ${processes_name(run, hosted[node])}`}` +
      (forwarded ? `\nforwards ${count_text(forwarded[node], "message")}` : "")
    );
  };
  explain_round(element("load-legend"), machine);
  explain_crosses(element("load-legend"), machine);
  if (!machine.shows_lines) {
    show_load_by_node(run, machine, { values, text, colour_of, busiest, node_tip });
    return;
  }
  const rows = link_rows(links, (link) => (values[link] < 0 ? null : { colour: machine.has_classes && values[link] === 0 ? unused_link : colour_of(values[link]), value: values[link], tip: () => tip_of(link) }));
  rows.sort((a, b) => a.value - b.value); // the busiest on top
  const marked = link_rows(links, (link) => (busiest.has(link) ? { colour: busiest_colour } : null));
  const nodes = machine.nodes.x.map((_, node) =>
    node_row(machine, node, { colour: machine.kept_free.has(node) ? switch_colour : "#f6f8fa", label: node_label(run, node), tip: node_tip(node) }),
  );
  draw_to_width(chart, () =>
    draw_machine(chart, machine, { link_width: (unit) => Math.max(1, Math.min(7, unit * machine.link_width)), links: rows, nodes, marked }),
  );
  if (machine.has_classes && values.includes(0)) {
    add_mark(element("load-legend"), "unused link", unused_link);
  }
  element("load-caption").textContent =
    `Each line is ${is_half_duplex ? "a link, both directions together" : "one direction of a link; traffic keeps to the right"}. ` +
    `The number in a square is its node. Most messages: ${link_text(run, run.result.link_load.busiest) || "none"}. ${machine.arrangement}`;
}

// What the pointer tells of a link. Of the busiest ones also who crosses them.
function load_tip(run, machine, link, arrow) {
  const { loads } = run;
  const { from, to } = machine.links;
  const lines = [`${node_name(run, from[link])} ${arrow} ${node_name(run, to[link])}`];
  if (loads.bytes) {
    const busy = loads.busiest.find(({ at }) => at === link);
    const ratio = busy ? `, ${fixed_text(busy.of_mean, 2)} times the mean` : "";
    lines.push(`${count_text(loads.bytes[link], "byte")}${loads.time_s ? ` (${time_text(loads.time_s[link], 4)})` : ""}${ratio}`);
    const flows = busy ? flows_text(run, busy) : "";
    if (flows) {
      lines.push(`who crosses it (bytes): ${flows}`);
    }
  }
  if (loads.messages) {
    const share = loads.busy_s[link] / Math.max(run.result.makespan_s, 1e-300);
    lines.push(`${count_text(loads.messages[link], "message")}, utilisation ${percent_text(share)}`);
  }
  return lines.join("\n") + failure_line(machine.link_fails_at.get(`${from[link]}-${to[link]}`));
}

function show_load_by_tile(machine, { values, means, text }, colour_of) {
  const nodes = tile_rows(machine, (tile) => ({
    colour: colour_of(values[tile]),
    tip: `${count_text(machine.tiles.nodes[tile], "node")}\nbusiest link ${text(values[tile])}, mean ${text(means[tile])}`,
  }));
  const chart = element("load-chart");
  draw_to_width(chart, () => draw_machine(chart, tiled(machine), { link_width: () => 1, links: [], nodes }));
  element("load-caption").textContent =
    "The machine has too many links to show each: the colour of a square is the load of the busiest link that leaves its part of the machine.";
}

function show_load_by_node(run, machine, { values, text, colour_of, busiest, node_tip }) {
  const most_at = new Float64Array(machine.nodes.x.length);
  machine.links.from.forEach((node, link) => (most_at[node] = Math.max(most_at[node], values[link])));
  const marked = new Set([...busiest.keys()].map((link) => machine.links.from[link]));
  const nodes = machine.nodes.x.map((_, node) =>
    node_row(machine, node, {
      colour: colour_of(most_at[node]),
      border: busiest_colour,
      border_width: marked.has(node) ? 2 : 0,
      tip: `${node_tip(node)}\nbusiest link from here ${text(most_at[node])}`,
    }),
  );
  const chart = element("load-chart");
  draw_to_width(chart, () => draw_machine(chart, { ...machine, node_size: 0.9 }, { link_width: () => 1, links: [], nodes }));
  element("load-caption").textContent =
    `The machine has too many links to show each: the colour of a node is the load of the busiest link that leaves it. ${machine.arrangement}`;
}
