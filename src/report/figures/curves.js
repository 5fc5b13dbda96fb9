// Curves, legends and tables of pages that draw without Vega. Every text is set as text, never as HTML.

const series = ["#0072b2", "#e69f00", "#009e73", "#56b4e9", "#d55e00", "#cc79a7", "#000000"];
const dashes = ["", "7 3", "2 3", "7 3 2 3"];
const at = (id) => document.getElementById(id);

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

function table_row(cells, kind = "td", texts = 0) {
  const made = element("tr");
  cells.forEach((cell, i) => made.append(element(kind, i < texts ? { class: "text" } : {}, cell)));
  return made;
}

function show_tooltip(event, text) {
  const tip = at("tooltip");
  tip.textContent = text;
  tip.hidden = false;
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 12, window.innerWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${Math.min(event.clientY + 12, window.innerHeight - tip.offsetHeight - 8)}px`;
}

function add_tooltip(mark, text) {
  mark.addEventListener("pointermove", (event) => show_tooltip(event, text));
  mark.addEventListener("pointerleave", () => (at("tooltip").hidden = true));
}

const stroke_of = (index) => ({
  stroke: series[index % series.length],
  "stroke-dasharray": dashes[Math.floor(index / series.length) % dashes.length],
});

function show_legend(container, names) {
  container.replaceChildren(
    ...names.map((name, index) => {
      const entry = element("span", { class: "entry" });
      const sample = svg("svg", { width: 28, height: 10, class: "sample" });
      sample.append(svg("line", { x1: 0, x2: 28, y1: 5, y2: 5, "stroke-width": 2.5, ...stroke_of(index) }));
      entry.append(sample, element("span", {}, name));
      return entry;
    }).filter((_, index) => names[index]),
  );
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

function log_ticks(least, most, count, base) {
  const ticks = [];
  const log = (value) => Math.log(value) / Math.log(base);
  for (let power = Math.floor(log(least)); base ** power <= most * 1.0001; ++power) {
    for (const factor of most / least > 300 || base === 2 ? [1] : [1, 2, 5]) ticks.push(factor * base ** power);
  }
  const shown = ticks.filter((tick) => tick >= least * 0.9999 && tick <= most * 1.0001);
  const step = Math.ceil(shown.length / count);
  return shown.filter((_, i) => i % step === 0);
}

// From values to shares of the axis. `wish`: "auto", "linear" or "log"; `count`: of ticks, about.
function make_scale(values, wish, count, { from_zero = false, base = 10 } = {}) {
  let least = Math.min(...values);
  let most = Math.max(...values);
  const is_log = least > 0 && wish !== "linear" && (wish === "log" || most > 30 * least);
  if (is_log) {
    if (from_zero) [least, most] = [least / 1.25, most * 1.25];
    if (least === most) [least, most] = [least / 2, most * 2];
    return { share: (value) => Math.log(value / least) / Math.log(most / least), ticks: log_ticks(least, most, count, base) };
  }
  if (from_zero && least >= 0) least = 0;
  if (from_zero) most += (most - least) * 0.06;
  if (least === most) [least, most] = [least - 0.5, most + 0.5];
  return { share: (value) => (value - least) / (most - least), ticks: nice_ticks(least, most, count) };
}

const low_end = ({ y, half = 0 }) => (y - half > 0 ? y - half : y);

// Charts that share their scales, side by side where there is room:
// x: { title, text: value => tick, names: [of places], base }, y: { title, text },
// charts: [{ title, lines: [{ name, points: [{ x, y, half, tip }], is_stepped }], marks: [{ x, text }] }].
// Where x has names, the x of points are places among them.
function draw_charts(container, { x, y, charts, wish = "auto" }) {
  const across_least = charts.length > 1 ? 300 : 0;
  const columns = Math.max(1, Math.min(charts.length, 3, Math.floor(container.clientWidth / (across_least || 1))));
  const width = Math.max(240, Math.floor(container.clientWidth / (charts.length > 1 ? columns : 1)) - (charts.length > 1 ? 12 : 0));
  const points = charts.flatMap(({ lines }) => lines.flatMap((line) => line.points));
  const height = charts.length > 1 ? 260 : Math.max(280, Math.min(460, width * 0.6));
  const box = { left: 84, right: width - 30, top: charts.length > 1 ? 30 : 14, bottom: height - 58 };
  const count = Math.max(2, Math.min(9, Math.floor((box.right - box.left) / 76)));
  const across = x.names
    ? { share: (i) => (i + 0.5) / x.names.length, ticks: x.names.map((_, i) => i).filter((i) => i % Math.ceil(x.names.length / count) === 0) }
    : make_scale(points.map((point) => point.x), wish, count, x);
  const up = make_scale(points.flatMap((point) => [low_end(point), point.y + (point.half ?? 0)]), wish, Math.floor(height / 52), { from_zero: true });
  const to_x = (value) => box.left + (box.right - box.left) * across.share(value);
  const to_y = (value) => box.bottom - (box.bottom - box.top) * up.share(value);
  const draw_one = ({ title, lines, marks = [] }) => {
    const image = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${y.title} against ${x.title}${title ? `, ${title}` : ""}` });
    const text = (place, says) => image.append(svg("text", place, says));
    if (title) text({ x: box.left, y: 18, class: "title" }, title);
    for (const tick of up.ticks) {
      image.append(svg("line", { x1: box.left, x2: box.right, y1: to_y(tick), y2: to_y(tick), class: "grid" }));
      text({ x: box.left - 8, y: to_y(tick) + 4, "text-anchor": "end" }, y.text(tick));
    }
    for (const tick of across.ticks) {
      image.append(svg("line", { x1: to_x(tick), x2: to_x(tick), y1: box.bottom, y2: box.bottom + 5, class: "axis" }));
      text({ x: to_x(tick), y: box.bottom + 21, "text-anchor": "middle" }, x.names ? x.names[tick] : x.text(tick));
    }
    image.append(svg("path", { d: `M${box.left} ${box.top}V${box.bottom}H${box.right}`, class: "axis" }));
    text({ x: (box.left + box.right) / 2, y: height - 14, "text-anchor": "middle" }, x.title);
    const middle = (box.top + box.bottom) / 2;
    text({ x: 16, y: middle, "text-anchor": "middle", transform: `rotate(-90 16 ${middle})` }, y.title);
    for (const mark of marks) {
      const line = svg("line", { x1: to_x(mark.x), x2: to_x(mark.x), y1: box.top, y2: box.bottom, class: "mark" });
      add_tooltip(line, mark.text);
      image.append(line);
    }
    lines.forEach((line, index) => {
      const look = stroke_of(index);
      const path = line.points.map((p, i) => {
        const [px, py] = [to_x(p.x).toFixed(1), to_y(p.y).toFixed(1)];
        return i === 0 ? `M${px} ${py}` : line.is_stepped ? `H${px}V${py}` : `L${px} ${py}`;
      });
      image.append(svg("path", { d: path.join(""), fill: "none", "stroke-width": 2, class: "curve", ...look }));
      for (const point of line.points) {
        const [px, py] = [to_x(point.x), to_y(point.y)];
        if (point.half > 0) {
          const ends = [to_y(point.y + point.half), to_y(low_end(point))];
          image.append(svg("path", { d: `M${px - 4} ${ends[0]}h8M${px} ${ends[0]}V${ends[1]}M${px - 4} ${ends[1]}h8`, stroke: look.stroke, fill: "none" }));
        }
        const dot = svg("circle", { cx: px, cy: py, r: line.points.length > 60 ? 2 : 4, fill: look.stroke });
        add_tooltip(dot, point.tip);
        image.append(dot);
      }
    });
    return image;
  };
  container.replaceChildren(...charts.map(draw_one));
}

// Calls `draw` now, and again whenever the width of the container has changed.
function draw_to_width(container, draw) {
  let width = container.clientWidth;
  new ResizeObserver(() => {
    if (container.clientWidth !== width) {
      width = container.clientWidth;
      draw();
    }
  }).observe(container);
  draw();
}
