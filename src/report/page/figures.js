// What can be shown without the course in time: tables, the summary and the bars.

const share_of = (result, name) => result.time_s[name].mean / Math.max(result.makespan_s, 1e-300);
// The first of the shortest that completed.
const best_run = (runs) =>
  runs.filter((run) => run.result.outcome === "completed").reduce((a, b) => (a && a.result.makespan_ps <= b.result.makespan_ps ? a : b), null);
const longest_dilation = ({ stages }) => stages.reduce((most, stage) => Math.max(most, stage.dilation_max), 0);

function verdict({ runs, verdict: found }) {
  const first = runs[0].result;
  const processes = runs.every(({ result }) => result.program.processes === first.program.processes) ? [count_text(first.program.processes, "process")] : [];
  const what = [first.program.kind, ...processes, `on ${first.machine.name} (${shape_text(first.machine)})`].join(", ");
  if (found) {
    const lines = found.trimEnd();
    return `${what}:${lines.includes("\n") ? "\n" : " "}${lines}`;
  }
  if (runs.length === 1) {
    return `${what}: ${outcome_text(first)} in ${time_text(first.makespan_s)} under the ${first.embedding.kind} embedding`;
  }
  const best = best_run(runs);
  if (!best) {
    return `${what}: none of ${runs.length} results is of a completed run`;
  }
  return `${what}: the shortest of ${runs.length} makespans is ${time_text(best.result.makespan_s)} (${best.name})`;
}

const outcome_text = (result) => result.outcome.replaceAll("_", " ");

// Texts of values by how their column is shown.
const shown_texts = {
  time: (seconds) => time_text(seconds),
  share: percent_text,
  hundredths: (value) => fixed_text(value, 2),
  thousandths: (value) => fixed_text(value, 3),
  count: (value) => value.toLocaleString("en-US"),
};

// The columns that a comparison gives.
const compared_columns = ({ cells }) =>
  cells.flatMap(({ key, title, shown }, i) => {
    const text = shown_texts[shown];
    const of = (run) => run.cells[i].value;
    return text ? [{ key, title, of, text: (value) => (value === null ? "–" : text(value)) }] : [];
  });

function show_comparison({ runs, others }, shown, on_choice) {
  const rows = [...runs];
  others.forEach((row) => rows.splice(row.place, 0, row));
  element("comparison").hidden = rows.length < 2;
  const best = best_run(runs)?.result.makespan_s ?? Infinity;
  const compared = compared_columns(runs[0]);
  const is_compared = runs[0].cells.length > 0;
  // A comparison knows these from more than the results, or has a reason to leave them out.
  const unless_compared = (column) => (is_compared ? compared.filter(({ key }) => key === column.key) : [column]);
  // Of a result, which a run that was refused has not.
  const own = ({ of, text, ...column }) => ({
    ...column,
    of: ({ result }) => (result ? of(result) : null),
    text: (value) => (value === null ? "–" : text(value)),
  });
  const share = ({ name }) => own({ key: `${name}_share`, title: name, of: (result) => share_of(result, name), text: percent_text });
  const leading = [
    { title: "result", of: ({ name }) => name, is_text: true },
    own({ key: "makespan_s", title: "makespan", of: ({ makespan_s }) => makespan_s, text: (seconds) => time_text(seconds) }),
    ...unless_compared(own({ key: "ratio_to_best", title: "to best", of: ({ makespan_s }) => makespan_s / best, text: (ratio) => (isFinite(ratio) ? fixed_text(ratio, 3) : "–") })),
    ...activities.map(share),
    ...unless_compared(own({ key: "longest_dilation", title: "longest dilation of a stage", of: longest_dilation, text: (links) => (links > 0 ? String(links) : "–") })),
    own({ key: "max_link_load", title: "max link load", of: ({ link_load }) => link_load.max, text: (load) => digits(load, 9) }),
    own({ title: "max link utilisation", of: ({ link_load }) => link_load.utilisation.max, text: percent_text }),
    own({ key: "queued_hops", title: "queued hops", of: ({ messages }) => messages.queued, text: (hops) => hops.toLocaleString("en-US") }),
  ];
  const more = compared.filter(({ key }) => leading.every((column) => column.key !== key));
  const outcome_of = (row) => (row.result ? outcome_text(row.result) : row.outcome);
  const ratios = compared.find(({ key }) => key === "ratio_to_best");
  const is_best = (run) => outcome_of(run) === "completed" && (ratios ? ratios.of(run) === 1 : run.result.makespan_s === best);
  const outcome = { title: "outcome", of: outcome_of, is_text: true };
  fill_table(element("comparison-table"), [...leading, ...more, outcome], rows, (line, run) => {
    line.classList.toggle("shown", run === shown);
    line.classList.toggle("best", is_best(run));
    line.lastChild.classList.toggle("bad", outcome_of(run) !== "completed");
    if (!run.result) {
      line.lastChild.title = run.problem;
      return;
    }
    const name = make("button", run.name, { type: "button" });
    name.addEventListener("click", () => on_choice(run));
    line.firstChild.replaceChildren(name);
  });
}

function show_times(runs) {
  const longest = Math.max(...runs.map((run) => run.result.makespan_s));
  const unit = time_unit(longest);
  const parts = runs.flatMap((run) => {
    let end = 0;
    return activities.map(({ name, colour }) => {
      const { mean, max } = run.result.time_s[name];
      const begin = end;
      end += mean / unit.seconds;
      const share = percent_text(mean / Math.max(run.result.makespan_s, 1e-300));
      const tip = `${run.name}: ${name}\nmean ${time_text(mean)} (${share}), longest ${time_text(max)}`;
      return { name: run.name, colour, begin, end, tip };
    });
  });
  show_swatches(element("time-legend"), activities);
  const chart = element("time-chart");
  const names = runs.map(({ name }) => ({ name }));
  draw_to_width(chart, () =>
    make_chart("time", chart, { width: chart.clientWidth - 10, height: 26 * runs.length, time_title: `time (${unit.name}), mean over the processes` }, { names, parts }),
  );
}

function program_text(program) {
  const settings = Object.entries(program.settings ?? {}).map(([key, value]) => `${key} ${short_text(value)}`);
  return [`${program.kind}, ${count_text(program.processes, "process")}`, ...settings].join(", ");
}

const plain_text = (value) => (typeof value === "object" ? JSON.stringify(value) : String(value));

// The same of a setting; what is long in it is told by how much there is of it.
function short_text(value, most = 160) {
  const text = plain_text(value);
  if (text.length <= most) {
    return text;
  }
  if (Array.isArray(value)) {
    const parts = value.length <= 8 ? `[${value.map((part) => short_text(part, most / 2)).join(", ")}]` : "";
    return value.length <= 8 && parts.length <= 2 * most ? parts : `[${count_text(value.length, "item")}]`;
  }
  if (typeof value === "object") {
    const parts = Object.entries(value).slice(0, 9).map(([key, part]) => `${key} ${short_text(part, most / 2)}`);
    return parts.length <= 8 ? `{${parts.join(", ")}}` : `{${count_text(Object.keys(value).length, "key")}}`;
  }
  return `${text.slice(0, most / 2)} .. (${count_text(text.length, "character")})`;
}

function answer_text(result) {
  const answer = Object.entries(result.program.answer ?? {}).map(([key, value]) => `${key} ${short_text(value)}`);
  const verified = result.verified === true ? ["verified"] : result.verified === false ? ["WRONG"] : [];
  return [...verified, ...answer].join(", ");
}

function theory_text({ theory, makespan_s }) {
  if (!theory) {
    return "";
  }
  const ratio = makespan_s / theory.makespan_s;
  const compared = theory.makespan_s === makespan_s ? "as simulated" : `simulated: ${fixed_text(ratio, 3)} times that`;
  return `${time_text(theory.makespan_s)} by ${theory.source}, ${compared}`;
}

function shape_text({ topology, structure, shape, nodes, slots = 1 }) {
  const sides = (structure?.is_cube ?? topology === "hypercube") ? `of ${shape.length} dimensions` : shape.join("×");
  return `${topology} ${sides}, ${count_text(nodes, "node")}${slots > 1 ? ` of ${slots.toLocaleString("en-US")} slots` : ""}`;
}

// "nodes 3, 17; links 3–4; at 2 ms nodes 40", or nothing.
function failed_text({ failed_nodes = [], failed_links = [], fails_later = [] }) {
  const list = (noun, items, text) => (items.length > 0 ? [`${noun}${items.length === 1 ? "" : "s"} ${items.slice(0, 8).map(text).join(", ")}${items.length > 8 ? " .." : ""}`] : []);
  const both = (nodes, links) => [...list("node", nodes, String), ...list("link", links, ([from, to]) => `${from}–${to}`)].join(", ");
  const later = fails_later.map(({ at_s, nodes, links }) => `at ${time_text(at_s)} ${both(nodes, links)}`);
  return [both(failed_nodes, failed_links), ...later].filter((text) => text).join("; ");
}

function show_summary(run) {
  const { result } = run;
  const { messages, link_load, node_load, waiting: waits, model, simulation } = result;
  element("notes").replaceChildren(...run.notes.map((note) => make("li", note)));
  fill_list(element("summary"), [
    ["outcome", outcome_text(result)],
    ["blocked", is_stuck(run) ? `${count_text(result.blocked_processes, "process")} for ever` : ""],
    ["makespan", time_text(result.makespan_s, 15)],
    ["in theory", theory_text(result)],
    ["speedup", result.speedup ? `${digits(result.speedup.speedup, 4)} (efficiency ${percent_text(result.speedup.efficiency)})` : ""],
    ["machine", `${result.machine.name}: ${shape_text(result.machine)}`],
    ["failed", failed_text(result.machine)],
    ["a hop takes", model.hop],
    ["links", model.switching],
    ["routing", model.routing],
    ["endpoint", model.endpoint],
    ["host", model.host],
    ["embedding", result.embedding.kind],
    ["program", program_text(result.program)],
    ["answer", answer_text(result)],
    ["messages", `${messages.count.toLocaleString("en-US")} (${count_text(messages.bytes, "byte")}), ${count_text(messages.hops, "hop")}, of which ${messages.queued.toLocaleString("en-US")} queued for ${time_text(messages.queued_s)} in all`],
    ["waiting", waits.intervals > 0 ? `${count_text(waits.processes, "process")} waited, the longest time ${time_text(waits.longest_s)}` : is_stuck(run) ? "" : "none"],
    ["link load", `${digits(link_load.min, 9)} to ${digits(link_load.max, 9)} messages, mean ${digits(link_load.mean, 4)}; busiest ${link_text(run, link_load.busiest) || "none"}; max utilisation ${percent_text(link_load.utilisation.max)}`],
    ["node load", `${digits(node_load.min, 9)} to ${digits(node_load.max, 9)} messages forwarded, mean ${digits(node_load.mean, 4)}`],
    ["scenario", result.scenario ? `${result.scenario.source}, seed ${result.scenario.seed}` : ""],
    ["result", run.file],
    ["fingerprint", simulation.fingerprint],
  ]);
}

// Kinds of parts of the critical path and causes of waiting, as people call them.
const kind_names = {
  compute: "computing", endpoint: "send/receive overhead", hop: "hops", queueing: "queueing before links", blocked: "blocked",
  peer_compute: "the awaited process computed", other_compute: "a process that it waited for computed",
  distance: "hops of messages",
};

function shares_text(times, total) {
  const entries = Object.entries(times).filter(([, seconds]) => seconds > 0).sort((a, b) => b[1] - a[1]);
  return entries.map(([kind, seconds]) => `${percent_text(seconds / total)} ${kind_names[kind] ?? kind}`).join(", ");
}

// The critical path; all hops and queues of a message are in one row.
function chain_rows(parts) {
  const rows = [];
  for (const part of parts) {
    const is_way = part.kind === "hop" || part.kind === "queueing";
    let row = rows.at(-1);
    if (!is_way || row?.process !== part.process || row.send_number !== part.send_number || !row.links) {
      row = { ...part, links: is_way ? [] : undefined, queued_ps: 0, lost_ps: 0 };
      rows.push(row);
    }
    row.end_ps = part.end_ps;
    if (part.lost) {
      row.lost_ps += part.end_ps - part.begin_ps;
    } else if (part.kind === "hop") {
      row.links.push(part.link);
    } else if (part.kind === "queueing") {
      row.queued_ps += part.end_ps - part.begin_ps;
    }
  }
  return rows;
}

function chain_text(run, { kind, process, peer, links, queued_ps, lost_ps }) {
  if (!links) {
    return kind === "compute" ? "computes" : kind === "endpoint" ? `send/receive overhead of a message with ${process_label(run, peer)}` : kind;
  }
  const names = links.map((link) => link_text(run, link));
  const way = names.length <= 4 ? names.join(", ") : `${names[0]} .. ${names.at(-1)}`;
  const queue = queued_ps > 0 ? `, queues for ${time_text(queued_ps * 1e-12)}` : "";
  const lost = lost_ps > 0 ? `, loses ${time_text(lost_ps * 1e-12)} to failures` : "";
  return `message from ${process_label(run, process)} to ${process_label(run, peer)}: ${count_text(links.length, "hop")} (${way})${queue}${lost}`;
}

const started_name = ({ phase, operation }) => (phase ? `${phase}: ${operation}` : operation);

// To what a collective in the background lost its exposed time, with the worst three of each kind.
function lost_text(run, { lost_s, lost_to }) {
  const what = ({ to, behind }) =>
    to === "late_start" ? "late starts"
    : to === "busy_process" ? "busy processes"
    : to === "own_messages" ? "queues of its own messages"
    : `queues behind ${behind ? started_name(behind) : "other messages"}`;
  const place = ({ process, link }) => (link ? link_text(run, link) : process_name(run, process));
  const kinds = new Map();
  for (const loss of lost_to) {
    kinds.set(what(loss), [...(kinds.get(what(loss)) ?? []), loss]);
  }
  const texts = [...kinds].map(([kind, losses]) => {
    const shown = losses.slice(0, 3).map((loss) => place(loss) + (losses.length > 1 ? ` ${time_text(loss.time_s)}` : ""));
    const more = losses.length > 3 ? [`${losses.length - 3} more`] : [];
    return `${time_text(losses.reduce((sum, { time_s }) => sum + time_s, 0))} to ${kind} (${[...shown, ...more].join(", ")})`;
  });
  return [...(lost_s.own_time > 0 ? [`${time_text(lost_s.own_time)} to its own time`] : []), ...texts].join(", ");
}

// The explanation of the makespan: what `dcube run --why` says of the run.
function show_why(run) {
  const { result, explanation } = run;
  const path = explanation ?? result.critical_path;
  element("why").hidden = !path;
  if (!path) {
    return;
  }
  const { waiting } = path;
  fill_list(element("why-totals"), [
    ["critical path", shares_text(path.time_s, path.length_s)],
    ["consists of", `${count_text(path.computations, "computation")} and ${count_text(path.messages, "message")}; it ends with ${process_name(run, path.last_process)}`],
    ["while waiting", waiting.total_s > 0 ? shares_text(waiting.by_cause_s, waiting.total_s) : "nobody waits"],
    ["queues", path.by_link.filter(({ queueing_s }) => queueing_s > 0).slice(0, 5).map(({ link, queueing_s }) => `${link_text(run, link)} for ${time_text(queueing_s)}`).join(", ")],
  ]);
  fill_table(element("why-pairs"), [
    { title: "messages of the path", of: ({ pairs }) => pairs, is_text: true },
    { title: "number", of: ({ messages }) => messages },
    { title: "hops each", of: ({ hops_most }) => hops_most, text: (most, { hops_least }) => (hops_least === most ? `${most}` : `${hops_least} to ${most}`) },
    { title: "hops", of: ({ hop_s }) => hop_s, text: (seconds) => time_text(seconds) },
    { title: "queueing", of: ({ queueing_s }) => queueing_s, text: (seconds) => time_text(seconds) },
    { title: "endpoint", of: ({ endpoint_s }) => endpoint_s, text: (seconds) => time_text(seconds) },
    { title: "of the makespan", of: ({ hop_s, queueing_s, endpoint_s }) => (hop_s + queueing_s + endpoint_s) / path.length_s, text: percent_text },
  ], path.by_pairs);
  const phases = path.by_phase ?? [];
  element("why-phases").hidden = phases.length === 0;
  fill_table(element("why-phases"), [
    { title: "critical path by phase", of: ({ phase }) => phase, is_text: true },
    { title: "time", of: ({ total_s }) => total_s, text: (seconds) => time_text(seconds) },
    { title: "of the makespan", of: ({ total_s }) => total_s / path.length_s, text: percent_text },
    ...["compute", "endpoint", "hop", "queueing"].map((kind) => ({ title: kind_names[kind], of: (row) => row[`${kind}_s`], text: (seconds) => time_text(seconds) })),
  ], phases);
  const overlap = path.overlap ?? [];
  element("why-overlap").hidden = overlap.length === 0;
  const sum = (title, of) => ({ title, of, text: (seconds) => time_text(seconds) });
  fill_table(element("why-overlap"), [
    { title: "started collectives", of: started_name, is_text: true },
    { title: "times", of: ({ count }) => count },
    sum("in all", ({ time_s }) => time_s),
    sum("beside computing", ({ beside_compute_s }) => beside_compute_s),
    sum("beside other", ({ beside_other_s }) => beside_other_s),
    sum("exposed", ({ exposed_s }) => exposed_s),
    { title: "exposed time lost to", of: (row) => lost_text(run, row), is_text: true },
  ], overlap);
  fill_table(element("why-parts"), [
    { title: "from", of: ({ begin_ps }) => begin_ps * 1e-12, text: (seconds) => time_text(seconds) },
    { title: "for", of: ({ begin_ps, end_ps }) => (end_ps - begin_ps) * 1e-12, text: (seconds) => time_text(seconds) },
    { title: "process", of: ({ process }) => process, text: (process) => process_label(run, process) },
    { title: result.phases ? "phase" : "stage", of: ({ stage }) => (stage === undefined ? "" : stage_name(result, stage)), is_text: Boolean(result.phases) },
    { title: "what", of: (part) => chain_text(run, part), is_text: true },
  ], chain_rows(path.parts));
  element("why-cut").hidden = path.part_count <= path.parts.length;
}

// --- Who waits for ever --------------------------------------------------------------------------

const is_stuck = ({ result }) => result.blocked_processes > 0;
const blocked_of = ({ result }) => new Map((result.blocked ?? []).map((blocked) => [blocked.process, blocked]));
const awaited_name = (run, { awaits }) => (typeof awaits === "number" ? process_name(run, awaits) : awaits);

// The processes of a deadlock, those that wait for each other in a circle first.
function show_blocked(run) {
  const { result } = run;
  element("blocked").hidden = !is_stuck(run);
  if (!is_stuck(run)) {
    return;
  }
  const cycle = result.cycle ?? [];
  element("blocked-cycle").textContent =
    cycle.length > 0 ? `Circle: ${[...cycle, cycle[0]].map((process) => process_name(run, process)).join(" waits for ")}.` : "No processes wait for each other in a circle.";
  const place = new Map(cycle.map((process, i) => [process, i]));
  const rank = ({ process }) => place.get(process) ?? Infinity;
  const node_of = run.loads?.node_of;
  fill_table(element("blocked-table"), [
    { title: "process", of: ({ process }) => process, text: (process) => process_name(run, process), is_text: true },
    ...(node_of ? [{ title: "on", of: ({ process }) => node_of[process], text: (node) => node_name(run, node), is_text: true }] : []),
    { title: "waits for", of: ({ awaits }) => awaits, text: (_, blocked) => awaited_name(run, blocked), is_text: true },
    { title: "in", of: (blocked) => blocked.in, is_text: true },
    { title: "since", of: ({ since_s }) => since_s, text: (seconds) => time_text(seconds) },
  ], [...result.blocked].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b))));
  const left = result.blocked_processes - result.blocked.length;
  element("blocked-more").textContent = left > 0 ? `${count_text(left, "more process")} wait, which the result does not list.` : "";
}

const stage_name = ({ phases }, stage) => phases?.[stage]?.name ?? String(stage);

// Phases are rows in the order of the stages that they are.
function show_phases({ result, explanation }) {
  const phases = result.phases ?? [];
  const path = explanation ?? result.critical_path;
  const on_path = new Map((path?.by_phase ?? []).map(({ phase, total_s }) => [phase, total_s]));
  const time = (title, of) => ({ title, of, text: (seconds) => time_text(seconds) });
  element("phases").hidden = phases.length === 0;
  fill_table(element("phases-table"), [
    { title: "phase", of: ({ name }) => name, is_text: true },
    { title: "times", of: ({ iterations }) => iterations },
    time("time, mean", ({ time_s }) => time_s),
    time("time, longest", ({ time_max_s }) => time_max_s),
    time("computing", ({ compute_s }) => compute_s),
    time("communication", ({ communication_s }) => communication_s),
    time("waiting", ({ waiting_s }) => waiting_s),
    time("endpoint", ({ endpoint_s }) => endpoint_s),
    { title: "messages", of: ({ messages }) => messages, text: (messages) => messages.toLocaleString("en-US") },
    { title: "bytes", of: ({ bytes }) => bytes, text: (bytes) => bytes.toLocaleString("en-US") },
    { title: "hops queued", of: ({ queued }) => queued, text: (hops) => hops.toLocaleString("en-US") },
    time("queued, in all", ({ queued_s }) => queued_s),
    ...(on_path.size > 0 ? [{ title: "of the critical path", of: ({ name }) => (on_path.get(name) ?? 0) / path.length_s, text: percent_text }] : []),
  ], phases);
}

function show_stages({ stages }) {
  element("stages").hidden = stages.length === 0;
  fill_table(element("stages-table"), [
    { title: "stage", of: ({ stage }) => stage },
    { title: "longest dilation (links)", of: (stage) => stage.dilation_max },
    { title: "last finish", of: (stage) => stage.finish_max_s, text: (seconds) => time_text(seconds) },
    { title: "waiting, all processes", of: (stage) => stage.waiting_total_s, text: (seconds) => time_text(seconds) },
    { title: "max link load (messages)", of: ({ link_load_max }) => link_load_max, text: (load) => load ?? "–" },
  ], stages);
}
