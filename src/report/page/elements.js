// Parts of the page. Every text is set as text, never as HTML.

const element = (id) => document.getElementById(id);

function make(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text ?? "";
  for (const [name, value] of Object.entries(attributes)) {
    made.setAttribute(name, value);
  }
  return made;
}

function fill_list(list, facts) {
  list.replaceChildren(...facts.filter(([, text]) => text).flatMap(([term, text]) => [make("dt", term), make("dd", text)]));
}

function fill_select(select, choices) {
  select.replaceChildren(...choices.map(([value, text]) => make("option", text, { value })));
}

function show_swatches(legend, entries) {
  legend.replaceChildren(
    ...entries.map(({ name, colour, border, round }) => {
      const swatch = make("span", "", { class: round ? "swatch round" : "swatch" });
      swatch.style.background = colour;
      if (border) {
        swatch.style.border = `3px solid ${border}`;
      }
      const entry = make("span", "", { class: "entry" });
      entry.append(swatch, make("span", name));
      return entry;
    }),
  );
}

// One more entry: a cross of that colour.
function add_cross(legend, name, colour) {
  const cross = make("span", "×", { class: "cross" });
  cross.style.color = colour;
  const entry = make("span", "", { class: "entry" });
  entry.append(cross, make("span", name));
  legend.append(entry);
}

// One more entry: a frame of that colour.
const add_mark = (legend, name, colour) => add_frame(legend, name, `3px solid ${colour}`, "swatch");
const add_round = (legend, name, colour) => add_frame(legend, name, `1.5px solid ${colour}`, "swatch round");

function add_frame(legend, name, border, kind) {
  const swatch = make("span", "", { class: kind });
  swatch.style.border = border;
  const entry = make("span", "", { class: "entry" });
  entry.append(swatch, make("span", name));
  legend.append(entry);
}

function show_gradient(legend, low, high, title, stops = heat_stops) {
  const bar = make("span", "", { class: "gradient" });
  bar.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  const entry = make("span", "", { class: "entry" });
  entry.append(make("span", low), bar, make("span", high), make("span", title));
  legend.replaceChildren(entry);
}

// Stands in place of a chart that cannot be shown.
function show_missing(chart, why) {
  chart.replaceChildren(make("p", why, { class: "missing" }));
}

// A table that is sorted by a press on a column's title. Columns: { title, of: row => value, text:
// (value, row) => shown, is_text }; rows may be changed by `dress(row element, row)`.
function fill_table(table, columns, rows, dress = () => {}) {
  const body = make("tbody");
  const titles = columns.map((column) => make("th", "", { scope: "col", class: column.is_text ? "text" : "" }));
  let sorted = { by: -1, is_ascending: true };
  const show = () => {
    const ordered = [...rows];
    if (sorted.by >= 0) {
      const of = columns[sorted.by].of;
      const sign = sorted.is_ascending ? 1 : -1;
      ordered.sort((a, b) => sign * (of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : 0));
    }
    body.replaceChildren(
      ...ordered.map((row) => {
        const line = make("tr");
        for (const column of columns) {
          const value = column.of(row);
          line.append(make("td", column.text ? column.text(value, row) : value, { class: column.is_text ? "text" : "" }));
        }
        dress(line, row);
        return line;
      }),
    );
  };
  titles.forEach((title, i) => {
    const button = make("button", columns[i].title, { type: "button" });
    button.addEventListener("click", () => {
      sorted = { by: i, is_ascending: sorted.by === i ? !sorted.is_ascending : true };
      titles.forEach((other) => other.removeAttribute("aria-sort"));
      title.setAttribute("aria-sort", sorted.is_ascending ? "ascending" : "descending");
      show();
    });
    title.append(button);
  });
  const head = make("thead");
  const line = make("tr");
  line.append(...titles);
  head.append(line);
  table.replaceChildren(head, body);
  show();
}

// A tip is a text, or a function that makes it once it is asked for.
function show_tooltip(handler, event, item, tip) {
  const box = element("tooltip");
  box.hidden = tip === null || tip === undefined || tip === "";
  if (box.hidden) {
    return;
  }
  box.textContent = typeof tip === "function" ? tip() : tip;
  const room = document.documentElement.clientWidth - box.offsetWidth - 8;
  box.style.left = `${Math.max(4, Math.min(event.clientX + 14, room))}px`;
  const below = event.clientY + 16;
  const fits = below + box.offsetHeight < window.innerHeight;
  box.style.top = `${fits ? below : event.clientY - box.offsetHeight - 12}px`;
}
