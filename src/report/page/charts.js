// Vega views of the specifications in *.vg.json.

let chart_specs = null;

// A view in `container` in place of what was there. `values` are those of its signals, `data` the
// lists of its data sets.
function make_chart(name, container, values, data) {
  chart_specs ??= JSON.parse(element("charts").textContent);
  container.view?.finalize();
  container.replaceChildren();
  const { width, height, ...signals } = values;
  const view = new vega.View(vega.parse(chart_specs[name]), { renderer: "canvas", container, hover: true });
  view.tooltip(show_tooltip);
  if (width !== undefined) {
    view.width(width);
  }
  if (height !== undefined) {
    view.height(height);
  }
  for (const [signal, value] of Object.entries(signals)) {
    view.signal(signal, value);
  }
  for (const [set, rows] of Object.entries(data)) {
    view.data(set, rows);
  }
  container.view = view;
  view.run();
  return view;
}

// Calls `draw` when the chart is first to be seen, and again whenever its width has changed.
const drawings = new Map();
const watcher = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const drawing = drawings.get(target);
    if (drawing && drawing.width !== target.clientWidth) {
      drawing.width = target.clientWidth;
      drawing.draw();
    }
  }
});

function draw_to_width(container, draw) {
  drawings.set(container, { draw, width: container.clientWidth });
  watcher.observe(container);
  draw();
}
