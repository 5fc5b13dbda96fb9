// Reads the data and fills the page.

function show_run(data, run) {
  const machine = run.machine === null ? null : data.machines[run.machine];
  element("run").value = String(data.runs.indexOf(run));
  show_comparison(data, run, (chosen) => show_run(data, chosen));
  show_summary(run);
  show_blocked(run);
  show_why(run);
  show_phases(run);
  show_stages(run.result);
  element("embedding").hidden = machine === null;
  element("load").hidden = machine === null && !run.result.link_load?.by_class;
  if (machine !== null) {
    const colour = element("embedding-colour");
    const before = colour.value;
    fill_select(colour, embedding_choices(run));
    colour.value = [...colour.options].some(({ value }) => value === before) ? before : "number";
    colour.onchange = () => show_embedding(run, machine);
    show_embedding(run, machine);
  }
  if (!element("load").hidden) {
    fill_load_choices(run, machine);
    show_load(run, machine);
  }
  show_gantt(run);
  show_motion(run, machine);
}

function start() {
  const data = JSON.parse(element("data").textContent);
  data.machines.forEach(prepare_machine);
  data.runs.forEach((run) => (run.switch_rows = data.machines[run.machine]?.switch_rows));
  data.runs.forEach((run) => run.timeline && prepare_timeline(run.timeline));
  element("verdict").textContent = verdict(data);
  element("made-by").textContent = `Made by dcube ${data.version}. Charts by Vega; its licence is in the source of this page.`;
  element("chooser").hidden = data.runs.length < 2;
  fill_select(element("run"), data.runs.map((run, i) => [String(i), `${run.name}: ${time_text(run.result.makespan_s)}`]));
  element("run").addEventListener("change", (event) => show_run(data, data.runs[Number(event.target.value)]));
  connect_gantt();
  connect_motion();
  show_times(data.runs);
  show_run(data, best_run(data.runs) ?? data.runs[0]);
  // For whoever wants to look at the charts from outside, such as a test.
  window.dcube_report = { data, gantt: () => gantt, motion: () => motion };
}
