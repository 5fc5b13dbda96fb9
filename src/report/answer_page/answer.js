// The answer of a search (the map, its links, the gap over time) or of a comparison of collective
// operations (times by size). `data` is { kind, answer, pictures }.

const data = JSON.parse(at("data").textContent);

function add_section(id, title) {
  const section = element("section", { id, "aria-labelledby": `${id}-title` });
  section.append(element("h2", { id: `${id}-title` }, title));
  at("sections").append(section);
  return section;
}

function add_part(section, name, attributes = {}) {
  const part = element(name, attributes);
  section.append(part);
  return part;
}

// Columns: { title, text: row => shown, is_figure }.
function add_table(section, columns, rows, best = () => false) {
  const table = add_part(add_part(section, "div", { class: "wide" }), "table");
  const look = ({ is_figure }) => (is_figure ? {} : { class: "text" });
  const head = add_part(table, "tr");
  columns.forEach((column) => head.append(element("th", look(column), column.title)));
  for (const row of rows) {
    const line = add_part(table, "tr", best(row) ? { class: "shown" } : {});
    columns.forEach((column) => line.append(element("td", look(column), column.text(row))));
  }
}

function add_caption(section, text) {
  section.append(element("p", { class: "caption" }, text));
}

function add_charts(section, charts) {
  const legend = add_part(section, "div", { class: "legend" });
  const chart = add_part(section, "div", { class: "chart" });
  show_legend(legend, charts.names);
  draw_to_width(chart, () => draw_charts(chart, charts));
}

// --- A search ------------------------------------------------------------------------------------

const widest_unit = 76;

// A machine as a picture, its links `link_share` of their width wide; `dress_node` and `dress_link`
// give { colour, label, tip } of each. A link for which there is nothing is left out.
function draw_machine(container, drawing, link_share, dress_node, dress_link) {
  const unit = Math.min(container.clientWidth / drawing.width, widest_unit);
  const [width, height] = [unit * drawing.width, unit * drawing.height];
  const image = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img" });
  const on_paper = (hundredths) => ((hundredths * unit) / 100).toFixed(1);
  const { links, nodes } = drawing;
  const second_of = new Map(links.with_second.map((link, i) => [link, i]));
  links.from.forEach((_, link) => {
    const look = dress_link(link);
    if (!look) return;
    const { colour, tip } = look;
    const pieces = [links.first.slice(4 * link, 4 * link + 4)];
    if (second_of.has(link)) pieces.push(links.second.slice(4 * second_of.get(link), 4 * second_of.get(link) + 4));
    for (const piece of pieces) {
      const [x1, y1, x2, y2] = piece.map(on_paper);
      const line = svg("line", { x1, y1, x2, y2, stroke: colour, "stroke-width": Math.max(1, Math.min(7, link_share * unit * drawing.link_width)) });
      add_tooltip(line, tip);
      image.append(line);
    }
  });
  const side = unit * drawing.node_size;
  const font = Math.min(13, side * 0.42);
  nodes.x.forEach((_, node) => {
    const { colour, label, tip } = dress_node(node);
    const [x, y] = [Number(on_paper(nodes.x[node])), Number(on_paper(nodes.y[node]))];
    const square = svg("rect", { x: x - side / 2, y: y - side / 2, width: side, height: side, rx: Math.min(4, side / 6), fill: colour, stroke: "#8c959f" });
    add_tooltip(square, tip);
    image.append(square);
    const size = Math.min(font, (1.5 * side) / Math.max(1, label.length));
    if (size >= 6) {
      const style = `font-size: ${size.toFixed(1)}px; fill: ${ink_on(colour)}; pointer-events: none`;
      image.append(svg("text", { x, y: y + size * 0.36, "text-anchor": "middle", style }, label));
    }
  });
  container.replaceChildren(image);
}

function show_scale(section, most, title) {
  const legend = add_part(section, "div", { class: "legend" });
  const entry = add_part(legend, "span", { class: "entry" });
  const bar = element("span", { class: "gradient" });
  bar.style.background = `linear-gradient(to right, ${heat_stops.join(", ")})`;
  entry.append(element("span", {}, "0"), bar, element("span", {}, most), element("span", {}, title));
}

const hosted_by = (map, node_count) => {
  const hosted = Array.from({ length: node_count }, () => []);
  map.forEach((node, process) => hosted[node].push(process));
  return hosted;
};

const hosted_label = (processes) => (processes.length > 2 ? `${processes[0]} +${processes.length - 1}` : processes.join(" "));

const node_tip = (node, processes) => `node ${node}: ${processes.length === 0 ? "no process" : `process${processes.length > 1 ? "es" : ""} ${processes.slice(0, 12).join(", ")}`}`;

// Bytes by link of the drawing; null: a direction that is counted with the other. Parallel links are
// in one order in both.
function bytes_of_links({ drawing, link_loads }) {
  const by_ends = new Map();
  const between = (from, to) => by_ends.get(`${from}-${to}`) ?? by_ends.set(`${from}-${to}`, []).get(`${from}-${to}`);
  link_loads.from.forEach((from, i) => between(from, link_loads.to[i]).push(link_loads.bytes[i]));
  return drawing.links.from.map((from, i) => between(from, drawing.links.to[i]).shift() ?? null);
}

const link_name = ({ from, to }, link, loads) => `${from[link]}${loads.includes(null) ? "-" : "->"}${to[link]}`;

function show_map({ answer, pictures }) {
  const section = add_section("map", "The map found");
  const { content } = pictures.at(-1);
  const { drawing } = content;
  if (!drawing) {
    add_part(section, "p", { class: "missing" }).textContent = "Machines of more than 256 nodes, and large hypercubes, are not drawn here.";
    return;
  }
  const most = Math.max(1, answer.map.length - 1);
  show_scale(section, digits(most, 6), "process");
  const hosted = hosted_by(answer.map, drawing.nodes.x.length);
  const loads = bytes_of_links(content);
  const chart = add_part(section, "div", { class: "chart" });
  draw_to_width(chart, () =>
    draw_machine(chart, drawing, 0.3,
      (node) => ({ colour: hosted[node].length > 0 ? heat(hosted[node][0] / most) : nothing_here, label: hosted_label(hosted[node]), tip: node_tip(node, hosted[node]) }),
      (link) => loads[link] !== null && { colour: "#aab4be", tip: link_name(drawing.links, link, loads) }));
  add_caption(section, "Each square is a node, the number in it its process.");
}

// Links before and after, on one scale.
function show_links({ pictures, knows_routes }) {
  if (!knows_routes || !pictures[0].content.drawing) return;
  const section = add_section("links", pictures.length > 1 ? "Links before and after" : "Links");
  const loads = pictures.map(({ content }) => bytes_of_links(content));
  const most = loads.flat().reduce((a, b) => Math.max(a, b), 0);
  show_scale(section, digits(most, 9), "bytes over a link");
  pictures.forEach(({ name, map, content }, i) => {
    const { drawing } = content;
    const busiest = loads[i].reduce((a, b) => Math.max(a, b), 0);
    const carrying = loads[i].filter((bytes) => bytes > 0).length;
    section.append(element("h3", {}, `${name}: ${digits(busiest, 9)} bytes over the busiest link, ${count_text(carrying, "link")} in use`));
    const hosted = hosted_by(map, drawing.nodes.x.length);
    const chart = add_part(section, "div", { class: "chart" });
    draw_to_width(chart, () =>
      draw_machine(chart, drawing, 1,
        (node) => ({ colour: "#f6f8fa", label: hosted_label(hosted[node]), tip: node_tip(node, hosted[node]) }),
        (link) => loads[i][link] !== null && {
          colour: loads[i][link] > 0 ? heat(loads[i][link] / Math.max(most, 1)) : "#e4e7eb",
          tip: `${link_name(drawing.links, link, loads[i])}: ${count_text(loads[i][link], "byte")}`,
        }));
  });
  add_caption(section, "Each line is one direction of a link, or both where they share it; grey carries nothing. The number in a square is its process.");
}

function show_gap({ answer }) {
  const { history, bound, quantity } = answer;
  if (!history || history.length === 0) return;
  const section = add_section("gap", "Gap over time");
  const has_gap = bound.value > 0;
  const y_of = ({ value }) => (has_gap ? (100 * value) / bound.value - 100 : value);
  const steps = [...history, { ...history.at(-1), wall_s: Math.max(answer.wall_s, history.at(-1).wall_s) }];
  const text = (y) => (has_gap ? `${digits(y, 4)} %` : digits(y, 5));
  const tip = (step) => `${digits(step.value, 6)} ${quantity}\n${has_gap ? `${text(y_of(step))} over the bound\n` : ""}after ${time_text(step.wall_s, 3)}`;
  add_charts(section, {
    names: [],
    x: { title: "time of the search", text: (seconds) => time_text(seconds, 3) },
    y: { title: has_gap ? "over the bound" : quantity, text },
    charts: [{ lines: [{ is_stepped: true, points: steps.map((step) => ({ x: step.wall_s, y: y_of(step), tip: tip(step) })) }] }],
  });
  add_caption(section, `The best map known at each time${has_gap ? `, over the bound of ${digits(bound.value, 6)} ${quantity} (${bound.source})` : ""}.`);
}

function show_starts({ answer }) {
  const section = add_section("embeddings", "Known embeddings and the map found");
  const ratio = (value) => (answer.bound.value > 0 ? fixed_text(value / answer.bound.value, 3) : "–");
  const rows = [...answer.starts.map(({ embedding, value }) => ({ name: embedding, value })), { name: "found", value: answer.found.value }, { name: "bound", value: answer.bound.value }];
  add_table(section, [
    { title: "embedding", text: ({ name }) => name },
    { title: answer.quantity, text: ({ value }) => digits(value, 6), is_figure: true },
    { title: "to bound", text: ({ value }) => ratio(value), is_figure: true },
  ], rows, ({ name }) => name === "found");
}

function show_search() {
  const { answer } = data;
  const gap = answer.gap === null ? "gap unknown" : answer.gap <= 0 ? "an optimum" : `at most ${percent_text(answer.gap)} over an optimum`;
  at("verdict").textContent = `${answer.objective} of ${answer.traffic.name} on ${answer.machine}: ${digits(answer.found.value, 6)} ${answer.quantity}, ${gap}; found by ${answer.found.origin}`;
  show_map(data);
  show_links(data);
  show_gap(data);
  show_starts(data);
}

// --- Collective operations -----------------------------------------------------------------------

const size_units = [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10], ["B", 1]];

function size_text(bytes) {
  const [name, size] = size_units.find(([, size]) => bytes >= size) ?? size_units[3];
  return `${digits(bytes / size, 4)} ${name}`;
}

const way_text = ({ algorithm, embedding }) => `${algorithm} on ${embedding}`;

// The fastest row of every algorithm at every size.
function fastest_of(rows) {
  const found = new Map();
  for (const row of rows.filter(({ outcome }) => outcome === "completed")) {
    if (!found.has(row.algorithm)) found.set(row.algorithm, new Map());
    const before = found.get(row.algorithm).get(row.bytes);
    if (!before || row.time_ps < before.time_ps) found.get(row.algorithm).set(row.bytes, row);
  }
  return found;
}

function show_collective() {
  const { answer } = data;
  const networks = [...new Set(answer.rows.map(({ network }) => network))];
  const of = (list, network) => (list ?? []).filter((one) => (one.network ?? one.to?.network) === network);
  const by_network = networks.map((network) => fastest_of(of(answer.rows, network)));
  const names = [...new Set(by_network.flatMap((algorithms) => [...algorithms.keys()]))];
  at("verdict").textContent = `${answer.collective} of ${count_text(answer.processes, "process")} on ${answer.machine.name}`;
  const crossing = (network) => of(answer.crossovers, network);
  if (names.length > 0 && new Set(answer.rows.map(({ bytes }) => bytes)).size > 1) {
    const section = add_section("times", "Time by size and algorithm");
    add_charts(section, {
      names,
      wish: "log",
      x: { title: "size", text: size_text, base: 2 },
      y: { title: "time", text: (seconds) => time_text(seconds, 4) },
      charts: networks.map((network, i) => ({
        title: network ?? "",
        lines: names.map((name) => ({
          points: [...(by_network[i].get(name)?.values() ?? [])].sort((a, b) => a.bytes - b.bytes)
            .map((row) => ({ x: row.bytes, y: row.time_s, tip: `${way_text(row)}\n${size_text(row.bytes)}\n${time_text(row.time_s)}` })),
        })),
        marks: crossing(network).map(({ bytes, from, to }) => ({ x: bytes, text: `from ${size_text(bytes)} on ${way_text(to)} is faster than ${way_text(from)}` })),
      })),
    });
    add_caption(section, `Of each algorithm its fastest embedding at every size.${answer.crossovers?.length > 0 ? " Dashed: where the fastest changes." : ""}`);
  }
  if (answer.crossovers?.length > 0) {
    add_table(add_section("crossovers", "Where the fastest changes"), [
      ...(networks.length > 1 ? [{ title: "network", text: ({ to }) => to.network ?? "" }] : []),
      { title: "size", text: ({ bytes }) => size_text(bytes), is_figure: true },
      { title: "faster below", text: ({ from }) => way_text(from) },
      { title: "faster from there on", text: ({ to }) => way_text(to) },
    ], answer.crossovers);
  }
  add_table(add_section("fastest", "The fastest at every size"), [
    ...(networks.length > 1 ? [{ title: "network", text: ({ network }) => network ?? "" }] : []),
    { title: "size", text: ({ bytes }) => size_text(bytes), is_figure: true },
    { title: "algorithm", text: ({ algorithm }) => algorithm },
    { title: "embedding", text: ({ embedding }) => embedding },
    { title: "time", text: ({ time_s }) => time_text(time_s), is_figure: true },
    { title: "next best", text: ({ next }) => (next ? `${next.ratio_to_best == null ? "–" : fixed_text(next.ratio_to_best, 3)} x ${way_text(next)}` : "–") },
  ], answer.fastest);
}

function start() {
  if (data.kind === "search") show_search();
  else show_collective();
  at("made-by").textContent = `Made by dcube ${data.answer.dcube.version}.`;
  window.dcube_report = {}; // tells tests that all is drawn
}
