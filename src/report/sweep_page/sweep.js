// Any measure of a sweep against any setting, with a line for each value of another and a chart for
// each value of a third.

const rows_a_page = 100;
const most_lines = 28;
const most_charts = 9;
const data = JSON.parse(at("data").textContent);
const settings = data.settings.filter((setting) => setting.pointer !== "/seed");

// "compute" of "/program/compute", "shape/0" of "/machine/topology/shape/0", and the whole pointer
// where others end alike.
function name_setting(setting) {
  const end = /\/[^/]*(\/\d+)*$/.exec(setting.pointer)[0];
  const is_alone = settings.every((other) => other === setting || !other.pointer.endsWith(end));
  return (is_alone ? end : setting.pointer).slice(1);
}
settings.forEach((setting) => (setting.name = name_setting(setting)));

const is_time = (name) => name.endsWith("_s") && !name.endsWith("_per_s");

function value_text(setting, value) {
  if (typeof value !== "number") return String(value);
  return is_time(setting.column) ? time_text(value, 4) : digits(value, 6);
}

// A setting, or several that go through their values together. Its values are known by keys.
class Axis {
  constructor(members) {
    this.settings = members;
    this.id = members[0].column;
    this.name = members.map(({ name }) => name).join(", ");
    this.is_numeric = members.length === 1 && members[0].numeric;
    this.texts = new Map(); // by key, in order
    for (const group of data.groups) {
      const key = this.key_of(group);
      if (!this.texts.has(key)) {
        this.texts.set(key, members.map((setting) => value_text(setting, group.settings[setting.column])).join(", "));
      }
    }
    this.keys = [...this.texts.keys()];
    this.places = new Map(this.keys.map((key, i) => [key, i]));
  }

  key_of(group) {
    return JSON.stringify(this.settings.map(({ column }) => group.settings[column]));
  }

  // Of a group, on a scale or among the names.
  place_of(group) {
    return this.is_numeric ? group.settings[this.id] : this.places.get(this.key_of(group));
  }
}

const axes = [...new Set(settings.map(({ axis }) => axis))].map((axis) => new Axis(settings.filter((setting) => setting.axis === axis)));
const varied = axes.filter(({ keys }) => keys.length > 1);
const fixed = new Map(); // keys of the axes that are not drawn

const mean_of = (group, place) => group.mean?.[place] ?? null;

function measure_text(measure, value) {
  if (value === null || value === undefined) return "–";
  if (measure.unit === "s") return time_text(value, 5);
  if (/_share(_max)?$|utilisation$/.test(measure.name)) return percent_text(value);
  return digits(value, 6);
}

function measure_name(measure) {
  return (measure.unit === "s" ? measure.name.replace(/_s$/, "") : measure.name).replaceAll("_", " ");
}

function fill(select, choices, chosen) {
  select.replaceChildren(...choices.map(([value, text]) => element("option", { value }, text)));
  select.value = chosen;
}

function chosen() {
  const place = Number(at("measure").value);
  const axis = (id) => varied.find((one) => one.id === at(id).value);
  return { place, measure: data.measures[place], x: axis("x"), lines: axis("lines"), charts: axis("charts") };
}

// `most` of the keys at most, evenly chosen, with the first and the last.
function some_of(keys, most) {
  return keys.length <= most ? keys : Array.from({ length: most }, (_, i) => keys[Math.round((i * (keys.length - 1)) / (most - 1))]);
}

const is_at = (group, choices) => [...choices].every(([axis, key]) => axis.key_of(group) === key);

// Gives every axis that is not drawn a value for which there is something to draw: the middle one
// of numbers, else the first.
function offer_fixed({ place, x, lines, charts }) {
  const others = varied.filter((axis) => axis !== x && axis !== lines && axis !== charts);
  for (const axis of [...fixed.keys()]) {
    if (!others.includes(axis)) fixed.delete(axis);
  }
  let left = data.groups.filter((group) => mean_of(group, place) !== null);
  for (const axis of others) {
    const keys = axis.keys.filter((key) => left.some((group) => axis.key_of(group) === key));
    if (!fixed.has(axis)) fixed.set(axis, keys[axis.is_numeric ? Math.floor((keys.length - 1) / 2) : 0] ?? axis.keys[0]);
    left = left.filter((group) => axis.key_of(group) === fixed.get(axis));
  }
  at("fixed").replaceChildren(
    ...others.map((axis) => {
      const label = element("label", {}, `${axis.name} `);
      const select = element("select");
      fill(select, [...axis.texts], fixed.get(axis));
      select.addEventListener("change", () => {
        fixed.set(axis, select.value);
        draw();
      });
      label.append(select);
      return label;
    }),
  );
}

// The curves of each chart, by the key of the chart and that of the line; "" where there is one.
function curves(question) {
  const found = new Map();
  for (const group of data.groups) {
    const y = mean_of(group, question.place);
    if (y === null || !is_at(group, fixed)) continue;
    const chart = question.charts?.key_of(group) ?? "";
    const line = question.lines?.key_of(group) ?? "";
    if (!found.has(chart)) found.set(chart, new Map());
    if (!found.get(chart).has(line)) found.get(chart).set(line, []);
    const half = group.half_interval?.[question.place] ?? 0;
    const named = [question.charts, question.lines, question.x].filter((axis) => axis).map((axis) => `${axis.name} ${axis.texts.get(axis.key_of(group))}`);
    const interval = half > 0 ? ` ± ${measure_text(question.measure, half)}` : "";
    const runs = group.completed > 1 ? [count_text(group.completed, "run")] : [];
    found.get(chart).get(line).push({
      x: question.x.place_of(group),
      y,
      half,
      tip: [...named, `${measure_text(question.measure, y)}${interval}`, ...runs].join("\n"),
    });
  }
  for (const lines of found.values()) {
    for (const points of lines.values()) points.sort((a, b) => a.x - b.x);
  }
  return found;
}

function missing(text) {
  at("legend").replaceChildren();
  at("left-out").textContent = "";
  at("chart").replaceChildren(element("p", { class: "missing" }, text));
}

function draw_curves(question) {
  const found = curves(question);
  if (found.size === 0) {
    missing("No run has this measure.");
    return;
  }
  const { x, lines, charts, measure } = question;
  const chart_keys = charts ? charts.keys.filter((key) => found.has(key)) : [""];
  const line_keys = lines ? lines.keys.filter((key) => [...found.values()].some((chart) => chart.has(key))) : [""];
  const shown_charts = some_of(chart_keys, most_charts);
  const shown_lines = some_of(line_keys, most_lines);
  show_legend(at("legend"), shown_lines.map((key) => (lines ? lines.texts.get(key) : "")));
  const left_out = [[lines, line_keys, shown_lines, "lines"], [charts, chart_keys, shown_charts, "charts"]];
  at("left-out").textContent = left_out
    .filter(([, all, shown]) => shown.length < all.length)
    .map(([axis, all, shown, what]) => `${shown.length} of ${all.length} ${what} are drawn, evenly chosen from the values of ${axis.name}.`)
    .join(" ");
  draw_charts(at("chart"), {
    x: { title: x.name, text: (value) => value_text(x.settings[0], value), names: x.is_numeric ? undefined : [...x.texts.values()] },
    y: { title: measure_name(measure), text: (value) => measure_text(measure, value) },
    wish: at("scale").value,
    charts: shown_charts.map((key) => ({
      title: charts ? `${charts.name} ${charts.texts.get(key)}` : "",
      lines: shown_lines.map((line) => ({ points: found.get(key).get(line) ?? [] })),
    })),
  });
}

function draw() {
  const question = chosen();
  at("help").textContent = `${measure_name(question.measure)}: ${question.measure.help}.`;
  if (question.x) {
    offer_fixed(question);
    draw_curves(question);
  } else {
    missing("No setting has two values, so there is nothing to draw.");
  }
  draw_table(question);
}

let first_row = 0;

function draw_table(question) {
  const has_seeds = data.groups.some((group) => group.half_interval);
  const shown = data.shown.measures.map((name) => data.measures.findIndex((measure) => measure.name === name));
  if (!shown.includes(question.place)) shown.unshift(question.place);
  const head = table_row(
    [...settings.map(({ name }) => name),
      ...shown.flatMap((place) => [measure_name(data.measures[place]), ...(has_seeds ? ["± 95 %"] : [])]), "outcome"],
    "th", settings.length);
  const rows = data.groups.slice(first_row, first_row + rows_a_page).map((group) =>
    table_row([
      ...settings.map((setting) => value_text(setting, group.settings[setting.column])),
      ...shown.flatMap((place) => [
        measure_text(data.measures[place], group.mean?.[place]),
        ...(has_seeds ? [measure_text(data.measures[place], group.half_interval?.[place])] : []),
      ]),
      group.completed === group.runs ? "completed" : `${group.completed} of ${group.runs} completed${group.problem ? `: ${group.problem}` : ""}`,
    ], "td", settings.length));
  at("table").replaceChildren(head, ...rows);
  at("pages").hidden = data.groups.length <= rows_a_page;
  at("earlier").disabled = first_row === 0;
  at("later").disabled = first_row + rows_a_page >= data.groups.length;
  at("rows").textContent = `Rows ${(first_row + 1).toLocaleString("en-US")} to ${(first_row + rows.length).toLocaleString("en-US")} of ${data.groups.length.toLocaleString("en-US")}`;
}

function turn_page(rows) {
  first_row = Math.max(0, first_row + rows);
  draw_table(chosen());
}

function draw_ratios() {
  at("ratios").hidden = data.ratios.length === 0;
  at("ratio-tables").replaceChildren(
    ...data.ratios.flatMap((ratio) => {
      const kept = settings.filter((setting) => setting.pointer !== ratio.setting);
      const table = element("table");
      table.append(table_row([...kept.map(({ name }) => name), "ratio", "± 95 %", "least", "greatest", "pairs"], "th", kept.length));
      for (const group of ratio.groups.slice(0, rows_a_page)) {
        const figures = group.ratio;
        const text = (key) => (figures ? digits(figures[key], 5) : "–");
        table.append(table_row([
          ...kept.map((setting) => value_text(setting, group.settings[setting.column])),
          text("mean"), figures?.count > 1 ? text("half_interval") : "–", text("least"), text("greatest"), String(figures?.count ?? 0),
        ], "td", kept.length));
      }
      const box = element("div", { class: "wide" });
      box.append(table);
      const left = ratio.groups.length - rows_a_page;
      return [element("p", {}, `${ratio.measure} of ${ratio.ratio}${left > 0 ? `, the first ${rows_a_page} of ${count_text(ratio.groups.length, "row")}` : ""}`), box];
    }),
  );
}

// The axes of pictures, unless the command line has said which; the next one that has few values
// becomes charts.
function choose_axes() {
  const of_column = (column) => varied.find((axis) => axis.settings.some((setting) => setting.column === column));
  const x = of_column(data.shown.x) ?? varied[0];
  const given = of_column(data.shown.lines);
  const lines = given && given !== x ? given : varied.find((axis) => axis !== x);
  const charts = varied.find((axis) => axis !== x && axis !== lines && axis.keys.length <= most_charts);
  const choices = varied.map(({ id, name }) => [id, name]);
  fill(at("x"), choices, x?.id ?? "");
  fill(at("lines"), [["", "none"], ...choices], lines?.id ?? "");
  fill(at("charts"), [["", "none"], ...choices], charts?.id ?? "");
}

// The axis that a choice takes from another role is exchanged for what the choice was before.
function exchange(id, before) {
  for (const other of ["x", "lines", "charts"]) {
    if (other !== id && at(other).value === at(id).value) at(other).value = before;
  }
  if (at("x").value === "") at("x").value = varied.find((axis) => axis.id !== at(id).value)?.id ?? at(id).value;
  for (const other of ["lines", "charts"]) {
    if (at(other).value === at("x").value) at(other).value = "";
  }
}

function start() {
  const has_values = (place) => data.groups.some((group) => mean_of(group, place) !== null);
  const first = data.measures.findIndex((measure) => measure.name === data.shown.measures[0]);
  fill(at("measure"), data.measures.map((measure, i) => [String(i), measure_name(measure)]).filter(([i]) => has_values(Number(i)) || Number(i) === first), String(first));
  choose_axes();
  for (const id of ["measure", "scale"]) at(id).addEventListener("change", draw);
  const roles = ["x", "lines", "charts"];
  const values = () => Object.fromEntries(roles.map((id) => [id, at(id).value]));
  let before = values();
  for (const id of roles) {
    at(id).addEventListener("change", () => {
      exchange(id, before[id]);
      before = values();
      draw();
    });
  }
  at("earlier").addEventListener("click", () => turn_page(-rows_a_page));
  at("later").addEventListener("click", () => turn_page(rows_a_page));
  const outcomes = Object.entries(data.outcomes).map(([outcome, count]) => `${count.toLocaleString("en-US")} ${outcome.replaceAll("_", " ")}`);
  at("verdict").textContent = `${count_text(data.runs, "run")}: ${outcomes.join(", ")}${data.done < data.runs ? `, ${(data.runs - data.done).toLocaleString("en-US")} missing` : ""}`;
  at("made-by").textContent = `Made by dcube ${data.dcube.version}. Study ${data.id}.`;
  draw_ratios();
  draw_to_width(at("chart"), draw);
  window.dcube_report = {}; // tells tests that all is drawn
}
