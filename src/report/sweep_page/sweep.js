// Any measure of a sweep against any setting, with a line for each value of another.

const series = ["#0072b2", "#e69f00", "#009e73", "#56b4e9", "#d55e00", "#cc79a7", "#000000"];
const dashes = ["", "7 3", "2 3", "7 3 2 3"];
const most_rows = 500;
const most_lines = 28;
const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
const settings = data.settings.filter((setting) => setting.pointer !== "/seed");
const varied = settings.filter((setting) => setting.values.length > 1);
const fixed = new Map(); // the choice for settings that are neither axis nor lines; absent: all

function element(name, attributes = {}, text = "") {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

function svg(name, attributes = {}, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

const is_time = (name) => name.endsWith("_s") && !name.endsWith("_per_s");
const short_name = (setting) => setting.pointer.split("/").pop();

function value_text(setting, value) {
  if (typeof value !== "number") return String(value);
  return is_time(setting.column) ? time_text(value, 4) : digits(value, 6);
}

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
  return {
    place,
    measure: data.measures[place],
    x: settings.find((setting) => setting.column === at("x").value),
    lines: settings.find((setting) => setting.column === at("lines").value),
  };
}

// Settings with several values that are neither the axis nor the lines are fixed, or shown as lines
// of their own.
function offer_fixed() {
  const { x, lines } = chosen();
  const others = varied.filter((setting) => setting !== x && setting !== lines);
  at("fixed").replaceChildren(
    ...others.map((setting) => {
      const label = element("label", {}, `${short_name(setting)} `);
      const select = element("select");
      const values = [...new Set(data.groups.map((group) => group.settings[setting.column]))];
      fill(select, [["", "all"], ...values.map((value, i) => [String(i), value_text(setting, value)])], "");
      select.value = fixed.has(setting.column) ? String(values.indexOf(fixed.get(setting.column))) : "";
      select.addEventListener("change", () => {
        if (select.value === "") fixed.delete(setting.column);
        else fixed.set(setting.column, values[Number(select.value)]);
        draw();
      });
      label.append(select);
      return label;
    }),
  );
  for (const column of [...fixed.keys()]) {
    if (!others.some((setting) => setting.column === column)) fixed.delete(column);
  }
  return others;
}

function curves(question, others) {
  const found = new Map();
  for (const group of data.groups) {
    const mean = group.mean?.[question.place];
    if (mean === null || mean === undefined) continue;
    if ([...fixed].some(([column, value]) => group.settings[column] !== value)) continue;
    const names = [];
    if (question.lines) names.push(value_text(question.lines, group.settings[question.lines.column]));
    for (const setting of others) {
      if (!fixed.has(setting.column)) {
        names.push(`${short_name(setting)} ${value_text(setting, group.settings[setting.column])}`);
      }
    }
    const name = names.join(", ");
    if (!found.has(name)) found.set(name, []);
    const value = group.settings[question.x.column];
    found.get(name).push({
      x: question.x.numeric ? value : question.x.values.indexOf(value),
      text: value_text(question.x, value),
      mean,
      half: group.half_interval?.[question.place] ?? 0,
      runs: group.completed,
    });
  }
  for (const points of found.values()) points.sort((a, b) => a.x - b.x);
  return found;
}

function nice_ticks(least, most, count) {
  const rough = (most - least) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999);
  const ticks = [];
  for (let tick = Math.ceil(least / step - 1e-9) * step; tick <= most + step * 1e-6; tick += step) {
    ticks.push(Math.abs(tick) < step * 1e-6 ? 0 : tick);
  }
  return ticks;
}

function log_ticks(least, most) {
  const ticks = [];
  for (let power = Math.floor(Math.log10(least)); 10 ** power <= most * 1.0001; ++power) {
    for (const factor of most / least > 300 ? [1] : [1, 2, 5]) ticks.push(factor * 10 ** power);
  }
  const shown = ticks.filter((tick) => tick >= least * 0.9999 && tick <= most * 1.0001);
  const step = Math.ceil(shown.length / 9);
  return shown.filter((_, i) => i % step === 0);
}

// From values to places between `begin` and `end`.
function make_scale(values, begin, end, from_zero) {
  const wish = at("scale").value;
  let least = Math.min(...values);
  let most = Math.max(...values);
  const is_log = least > 0 && wish !== "linear" && (wish === "log" || most > 30 * least);
  if (is_log) {
    if (from_zero) [least, most] = [least / 1.25, most * 1.25];
    if (least === most) [least, most] = [least / 2, most * 2];
    const place = (value) => begin + ((end - begin) * Math.log(value / least)) / Math.log(most / least);
    return { place, ticks: log_ticks(least, most) };
  }
  if (from_zero && least >= 0) least = 0;
  if (from_zero) most += (most - least) * 0.06;
  if (least === most) [least, most] = [least - 0.5, most + 0.5];
  return { place: (value) => begin + ((end - begin) * (value - least)) / (most - least), ticks: nice_ticks(least, most, 8) };
}

function show_tooltip(event, text) {
  const tip = at("tooltip");
  tip.textContent = text;
  tip.hidden = false;
  tip.style.left = `${Math.min(event.clientX + 12, window.innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.min(event.clientY + 12, window.innerHeight - tip.offsetHeight - 8)}px`;
}

function draw_chart(question, found) {
  const box = { width: 1100, height: 460, left: 92, right: 1080, top: 14, bottom: 396 };
  const image = svg("svg", { viewBox: `0 0 ${box.width} ${box.height}`, role: "img" });
  const points = [...found.values()].flat();
  const across = question.x.numeric
    ? make_scale(points.map((point) => point.x), box.left, box.right, false)
    : { place: (i) => box.left + ((box.right - box.left) * (i + 0.5)) / question.x.values.length, ticks: [] };
  const up = make_scale(points.flatMap((p) => (p.mean - p.half > 0 ? [p.mean - p.half, p.mean + p.half] : [p.mean, p.mean + p.half])), box.bottom, box.top, true);
  for (const tick of up.ticks) {
    const y = up.place(tick);
    image.append(svg("line", { x1: box.left, x2: box.right, y1: y, y2: y, class: "grid" }));
    image.append(svg("text", { x: box.left - 8, y: y + 4, "text-anchor": "end" }, measure_text(question.measure, tick)));
  }
  const ticks = question.x.numeric
    ? across.ticks.map((tick) => [tick, value_text(question.x, tick)])
    : question.x.values.map((text, i) => [i, text]);
  for (const [tick, text] of ticks) {
    const x = across.place(tick);
    image.append(svg("line", { x1: x, x2: x, y1: box.bottom, y2: box.bottom + 5, class: "axis" }));
    image.append(svg("text", { x, y: box.bottom + 21, "text-anchor": "middle" }, text));
  }
  image.append(svg("path", { d: `M${box.left} ${box.top}V${box.bottom}H${box.right}`, class: "axis" }));
  image.append(svg("text", { x: (box.left + box.right) / 2, y: box.height - 14, "text-anchor": "middle" }, short_name(question.x)));
  const middle = (box.top + box.bottom) / 2;
  image.append(svg("text", { x: 16, y: middle, "text-anchor": "middle", transform: `rotate(-90 16 ${middle})` }, measure_name(question.measure)));
  let index = 0;
  for (const [name, line] of found) {
    const stroke = series[index % series.length];
    const dash = dashes[Math.floor(index / series.length) % dashes.length];
    const path = line.map((p, i) => `${i ? "L" : "M"}${across.place(p.x).toFixed(1)} ${up.place(p.mean).toFixed(1)}`).join("");
    image.append(svg("path", { d: path, fill: "none", stroke, "stroke-width": 2, "stroke-dasharray": dash }));
    for (const point of line) {
      const x = across.place(point.x);
      const y = up.place(point.mean);
      if (point.half > 0) {
        const low = point.mean - point.half;
        const ends = [up.place(point.mean + point.half), up.place(low > 0 ? low : point.mean)];
        image.append(svg("path", { d: `M${x - 4} ${ends[0]}h8M${x} ${ends[0]}V${ends[1]}M${x - 4} ${ends[1]}h8`, stroke, fill: "none" }));
      }
      const dot = svg("circle", { cx: x, cy: y, r: line.length > 60 ? 2 : 4, fill: stroke });
      const interval = point.half > 0 ? ` ± ${measure_text(question.measure, point.half)}` : "";
      const runs = point.runs > 1 ? `\n${count_text(point.runs, "run")}` : "";
      dot.addEventListener("pointermove", (event) =>
        show_tooltip(event, `${name ? `${name}\n` : ""}${short_name(question.x)} ${point.text}\n${measure_text(question.measure, point.mean)}${interval}${runs}`));
      dot.addEventListener("pointerleave", () => (at("tooltip").hidden = true));
      image.append(dot);
    }
    ++index;
  }
  image.setAttribute("aria-label", `${measure_name(question.measure)} against ${short_name(question.x)}`);
  at("chart").replaceChildren(image);
}

function draw_legend(found) {
  at("legend").replaceChildren(
    ...[...found.keys()].filter((name) => name).map((name, index) => {
      const entry = element("span", { class: "entry" });
      const sample = svg("svg", { width: 28, height: 10 });
      sample.append(svg("line", { x1: 0, x2: 28, y1: 5, y2: 5, "stroke-width": 2.5, stroke: series[index % series.length],
        "stroke-dasharray": dashes[Math.floor(index / series.length) % dashes.length] }));
      entry.append(sample, element("span", {}, name));
      return entry;
    }),
  );
}

function missing(text) {
  at("legend").replaceChildren();
  at("chart").replaceChildren(element("p", { class: "missing" }, text));
}

function draw() {
  const question = chosen();
  at("help").textContent = `${measure_name(question.measure)}: ${question.measure.help}.`;
  if (!question.x) {
    missing("No setting has two values, so there is nothing to draw.");
    draw_table(question);
    return;
  }
  const others = offer_fixed();
  const found = curves(question, others);
  if (found.size === 0) {
    missing("No run has this measure.");
  } else if (found.size > most_lines) {
    missing(`${found.size} lines are too many to tell apart; choose a value of another setting.`);
  } else {
    draw_legend(found);
    draw_chart(question, found);
  }
  draw_table(question);
}

function row(cells, kind = "td", texts = 0) {
  const made = element("tr");
  cells.forEach((cell, i) => made.append(element(kind, i < texts ? { class: "text" } : {}, cell)));
  return made;
}

function draw_table(question) {
  const has_seeds = data.groups.some((group) => group.half_interval);
  const shown = data.shown.measures.map((name) => data.measures.findIndex((measure) => measure.name === name));
  if (!shown.includes(question.place)) shown.unshift(question.place);
  const head = row(
    [...settings.map(short_name),
      ...shown.flatMap((place) => [measure_name(data.measures[place]), ...(has_seeds ? ["± 95 %"] : [])]), "outcome"],
    "th", settings.length);
  const rows = data.groups.slice(0, most_rows).map((group) =>
    row([
      ...settings.map((setting) => value_text(setting, group.settings[setting.column])),
      ...shown.flatMap((place) => [
        measure_text(data.measures[place], group.mean?.[place]),
        ...(has_seeds ? [measure_text(data.measures[place], group.half_interval?.[place])] : []),
      ]),
      group.completed === group.runs ? "completed" : `${group.completed} of ${group.runs} completed${group.problem ? `: ${group.problem}` : ""}`,
    ], "td", settings.length));
  at("table").replaceChildren(head, ...rows);
  at("table-caption").textContent =
    data.groups.length > most_rows ? `The first ${most_rows} of ${count_text(data.groups.length, "row")}; table.csv has all.` : "";
}

function draw_ratios() {
  at("ratios").hidden = data.ratios.length === 0;
  at("ratio-tables").replaceChildren(
    ...data.ratios.flatMap((ratio) => {
      const kept = settings.filter((setting) => setting.pointer !== ratio.setting);
      const table = element("table");
      table.append(row([...kept.map(short_name), "ratio", "± 95 %", "least", "greatest", "pairs"], "th", kept.length));
      for (const group of ratio.groups.slice(0, most_rows)) {
        const figures = group.ratio;
        const text = (key) => (figures ? digits(figures[key], 5) : "–");
        table.append(row([
          ...kept.map((setting) => value_text(setting, group.settings[setting.column])),
          text("mean"), figures?.count > 1 ? text("half_interval") : "–", text("least"), text("greatest"), String(figures?.count ?? 0),
        ], "td", kept.length));
      }
      const box = element("div", { class: "wide" });
      box.append(table);
      return [element("p", {}, `${ratio.measure} of ${ratio.ratio}`), box];
    }),
  );
}

function start() {
  const has_values = (place) => data.groups.some((group) => group.mean?.[place] !== null && group.mean?.[place] !== undefined);
  const first = data.measures.findIndex((measure) => measure.name === data.shown.measures[0]);
  fill(at("measure"), data.measures.map((measure, i) => [String(i), measure_name(measure)]).filter(([i]) => has_values(Number(i)) || Number(i) === first), String(first));
  fill(at("x"), varied.map((setting) => [setting.column, short_name(setting)]), data.shown.x ?? "");
  fill(at("lines"), [["", "none"], ...varied.map((setting) => [setting.column, short_name(setting)])], data.shown.lines ?? "");
  for (const id of ["measure", "x", "lines", "scale"]) {
    at(id).addEventListener("change", () => {
      if (id === "x" && at("lines").value === at("x").value) {
        at("lines").value = varied.find((setting) => setting.column !== at("x").value)?.column ?? "";
      }
      if (id === "lines" && at("lines").value === at("x").value) {
        at("x").value = varied.find((setting) => setting.column !== at("lines").value)?.column ?? at("x").value;
        if (at("lines").value === at("x").value) at("lines").value = "";
      }
      draw();
    });
  }
  const outcomes = Object.entries(data.outcomes).map(([outcome, count]) => `${count.toLocaleString("en-US")} ${outcome.replaceAll("_", " ")}`);
  at("verdict").textContent = `${count_text(data.runs, "run")}: ${outcomes.join(", ")}${data.done < data.runs ? `, ${(data.runs - data.done).toLocaleString("en-US")} missing` : ""}`;
  at("made-by").textContent = `Made by dcube ${data.dcube.version}. Study ${data.id}.`;
  draw_ratios();
  draw();
}
