#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "app/runs/runs_options.hpp"
#include "app/terminal/interrupt.hpp"
#include "app/terminal/json_values.hpp"
#include "app/terminal/output.hpp"
#include "app/terminal/progress.hpp"
#include "command.hpp"
#include "core/counted.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/printable.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/core/params.hpp"
#include "dcube/interop/traffic_files.hpp"
#include "dcube/questions/subcubes.hpp"
#include "dcube/scenario/task_graph.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/show/readable.hpp"

namespace dcube::app {
namespace {

constexpr std::size_t most_listed = 32;

/// Half of a number, such as M: "3" or "3.5".
std::string halves(std::uint32_t twice) {
  return fmt::format("{}{}", twice / 2, twice % 2 != 0 ? ".5" : "");
}

std::string how_found(const SubcubesAnswer& report) {
  if (report.method == "given") {
    return "mapping given";
  }
  const SubcubeSearchResult& result = report.result;
  const bool is_exhaustive = report.method == "exhaustive";
  std::string text =
      fmt::format("method    {} over {} mappings, ", report.method, to_string(report.kind));
  text += is_exhaustive
              ? counted(result.tried, "partial mapping")
              : fmt::format("seed {}, {}", report.seed,
                            counted(result.tried, report.method == "random" ? "mapping" : "move"));
  if (!result.is_complete) {
    text += ", interrupted";
  }
  return text;
}

std::string quality(const SubcubesAnswer& report) {
  std::string text = fmt::format("bandwidth {}", grouped(report.result.bandwidth));
  if (report.random_bandwidth.value_or(0) > 0) {
    text += fmt::format(", {} of a random mapping's {}",
                        percent(static_cast<double>(report.result.bandwidth) /
                                static_cast<double>(*report.random_bandwidth)),
                        grouped(*report.random_bandwidth));
  }
  const std::optional<double> gap = report.gap();
  const bool meets_bound = gap && *gap == 0;
  if (report.result.is_optimal || meets_bound) {
    const std::string which =
        report.kind == MappingKind::any ? "mapping" : to_string(report.kind) + " mapping";
    return text +
           fmt::format("; no {} has less{}", which, meets_bound ? " (it meets the bound)" : "");
  }
  return gap ? text + fmt::format("; at most {} above the optimum (bound {})", percent(*gap),
                                  grouped(report.bound))
             : text;
}

std::string left_out_text(const SubcubeProblem& problem, bool full) {
  const std::span<const NodeId> nodes = problem.left_out();
  if (nodes.empty()) {
    return "";
  }
  const std::size_t listed = full ? nodes.size() : std::min<std::size_t>(nodes.size(), most_listed);
  return fmt::format(
      "  left out  {} of the cube, which the machine cannot use: {}{}\n",
      counted(nodes.size(), "node"), joined(nodes.first(listed), " "),
      listed < nodes.size() ? fmt::format(" .. and {} more (--full)", nodes.size() - listed) : "");
}

std::string tasks_table(const SubcubesAnswer& report, bool full) {
  const std::vector<MappedTask> tasks = mapped_tasks(report);
  const auto listed = first_of(tasks, full ? tasks.size() : most_listed);
  return text_table(task_columns(), listed).text(2) +
         (listed.size() < tasks.size()
              ? fmt::format("  .. and {} more (--full)\n", tasks.size() - listed.size())
              : "");
}

/// Mappings simulated on one kind of links.
struct Simulated {
  const char* links;
  Correlation correlation;
  std::string least;
  std::uint64_t bandwidth;  ///< of the mapping with the least makespan
  std::string of_least_bandwidth;
};

std::string simulation_text(const SubcubeSimulation& simulation) {
  std::vector<Simulated> rows;
  const auto add = [&](const char* links, const Correlation& correlation,
                       std::optional<double> SimulatedMapping::*makespan) {
    std::vector<SimulatedMapping> all = simulation.mappings;
    std::erase_if(all, [&](const SimulatedMapping& mapping) { return !(mapping.*makespan); });
    if (!all.empty()) {
      const auto time = [&](const SimulatedMapping& mapping) { return *(mapping.*makespan); };
      const TimeScale scale{mapped(all, time)};
      // Of ties each takes the one with the least of the other.
      const SimulatedMapping& fastest = *std::ranges::min_element(all, {}, [&](const auto& one) {
        return std::pair{time(one), one.bandwidth};
      });
      const SimulatedMapping& narrowest = *std::ranges::min_element(all, {}, [&](const auto& one) {
        return std::pair{one.bandwidth, time(one)};
      });
      rows.push_back({links, correlation, scale.text(time(fastest)), fastest.bandwidth,
                      scale.text(time(narrowest))});
    }
  };
  add("one message at a time", simulation.contended, &SimulatedMapping::contended_s);
  add("never queueing", simulation.uncontended, &SimulatedMapping::uncontended_s);
  const Columns<Simulated> columns{
      {"links", Shown::text, &Simulated::links},
      {"Pearson", Shown::thousandths, [](const auto& row) { return row.correlation.pearson; }},
      {"Spearman", Shown::thousandths, [](const auto& row) { return row.correlation.spearman; }},
      {"least makespan", Shown::figure, &Simulated::least},
      {"of bandwidth", Shown::count, &Simulated::bandwidth},
      {"makespan of least bandwidth", Shown::figure, &Simulated::of_least_bandwidth}};
  return fmt::format("\nbandwidth against makespan: {} simulated on {}\n{}",
                     counted(simulation.mappings.size(), "mapping"), simulation.machine,
                     text_table(columns, rows).text(2));
}

// --- JSON ---

using nlohmann::ordered_json;

Columns<ConjectureCheck> conjecture_columns() {
  return {
      {"d", Shown::figure, &ConjectureCheck::subcube_dimensions, "subcube"},
      {"n", Shown::figure, &ConjectureCheck::cube_dimensions, "dimensions"},
      {"packings", Shown::count, &ConjectureCheck::packings, "packings"},
      {"by one", Shown::count, &ConjectureCheck::by_one, "by_one"},
      {"by a mixture", Shown::count, &ConjectureCheck::by_mixture, "by_mixture"},
      {"", Shown::nowhere,
       [](const auto& check) { return check.holds() ? CellValue{true} : CellValue{}; }, "holds"},
      {"conjecture", Shown::text, [](const auto& check) {
         return check.holds() ? "holds for every task graph"
                              : fmt::format("undecided: {}", joined(texts(*check.undecided), " "));
       }}};
}

/// Report for people. `full`: every task, however many.
std::string subcube_text(const SubcubesAnswer& report, bool full) {
  const SubcubeProblem& problem = report.problem;
  const SubcubeMetrics metrics = measure_subcubes(problem, report.result.mapping);
  std::string text = fmt::format("{}: {}, {}, on {}-cubes of a {}-cube\n", printable(report.source),
                                 counted(problem.task_count(), "task"),
                                 counted(problem.graph().flows().size(), "message"),
                                 problem.subcube_dimensions(), problem.cube_dimensions());
  text += left_out_text(problem, full);
  text += fmt::format("  {}\n  {}\n", how_found(report), quality(report));
  text += fmt::format("  distances {:.3f} between partners, {:.3f} between subcubes, at most {}\n",
                      metrics.node_distance, metrics.subcube_distance, metrics.diameter);
  text += fmt::format("  subcubes  {}; greatest common frontier of {}\n\n",
                      metrics.is_parallel ? "parallel" : "not parallel",
                      counted(metrics.common_frontier, "dimension"));
  text += tasks_table(report, full);
  return report.simulation ? text + simulation_text(*report.simulation) : text;
}

/// T, M, H, the frontiers and the pairing of two subcubes.
std::string pair_text(const Subcube& a, const Subcube& b) {
  std::string text = fmt::format("{} and {}\n", a.text(), b.text());
  const auto line = [&](const char* what, const std::string& value) {
    text += fmt::format("  {:<36}{}\n", what, value);
  };
  line("Hamming distance H", std::to_string(hamming_distance(a, b)));
  if (a.dimensions() == b.dimensions()) {
    line("average distance of partners M", halves(twice_mean_distance(a, b)));
    line("total distance of partners T", grouped(pairing_distance(a, b)));
  } else {
    line("partners", "none (the subcubes differ in size)");
  }
  line("largest distance of nodes", std::to_string(largest_distance(a, b)));
  line("frontier of the first", frontier(a, b).text());
  line("frontier of the second", frontier(b, a).text());
  line("parallel", are_parallel(a, b) ? "yes" : "no");
  line("nodes in common", hamming_distance(a, b) == 0 ? "yes" : "no");
  return text;
}

std::string conjecture_text(const std::vector<ConjectureCheck>& checks) {
  return "Is the best parallel mapping of d-cubes in an n-cube the best of all mappings?\n"
         "A packing is a set of subcubes that are not parallel and to which none can be added.\n"
         "Packings are counted up to symmetry. One parallel mapping, or a mixture of several, is\n"
         "as short as a packing everywhere for so many of them:\n\n" +
         text_table(conjecture_columns(), checks).text(2);
}

std::string pair_json(const Subcube& a, const Subcube& b) {
  ordered_json json{{"first", a.text()},
                    {"second", b.text()},
                    {"H", hamming_distance(a, b)},
                    {"M", nullptr},
                    {"T", nullptr},
                    {"largest_distance", largest_distance(a, b)},
                    {"frontiers", {frontier(a, b).text(), frontier(b, a).text()}},
                    {"parallel", are_parallel(a, b)},
                    {"disjoint", hamming_distance(a, b) > 0}};
  if (a.dimensions() == b.dimensions()) {
    json["M"] = twice_mean_distance(a, b) / 2.0;
    json["T"] = pairing_distance(a, b);
  }
  return json_layout(json);
}

std::string conjecture_json(const std::vector<ConjectureCheck>& checks) {
  ordered_json json = json_rows<ordered_json>(conjecture_columns(), checks);
  for (std::size_t i = 0; i < checks.size(); ++i) {
    json[i]["undecided"] =
        checks[i].holds() ? ordered_json(nullptr) : ordered_json(texts(*checks[i].undecided));
  }
  return json_layout(json);
}

/// The command line of `dcube subcubes`.
struct SubcubesOptions {
  SubcubesRequest request;
  OutputOptions outputs;
  RunsOptions runs;
  std::vector<std::string> pair;
  bool conjecture = false;
  DisplayOptions display;
};

/// A file of kind "reduction" is written in a format of its own: that of a task graph, or one of
/// traffic.
std::vector<NamedOutput> planned_outputs(const SubcubesOptions& options, OutputPlan& plan) {
  std::vector<OutputKind> formats = kinds_of(traffic_format_catalog());
  formats.push_back({"json", ".json"});
  std::vector<NamedOutput> outputs = options.outputs.named();
  for (NamedOutput& output : outputs) {
    if (output.kind == "reduction") {
      output = named_output(output.option, output.file.string(), formats);
    }
    refuse_if(output.kind == "simulation" && !options.request.simulate, output.option,
              "no mapping is simulated; add --simulate K");
    plan.writes(output.option, output.file);
  }
  const SubcubesRequest& request = options.request;
  plan.reads({request.graph, request.traffic, request.evaluate, request.map, request.hosts});
  plan.reads(machine_files({request.machine}));
  return outputs;
}

bool is_of_mapping(const NamedOutput& output) {
  constexpr std::array kinds{"mapping", "scenario", "result", "tasks", "simulation"};
  return std::ranges::find(kinds, output.kind) != kinds.end();
}

/// Returns the line to print about the file.
std::string put_reduction(const NamedOutput& output, const SubcubeProblem& problem,
                          OutputPlan& plan) {
  const auto [reduced, joint] = at_place(output.option, [&] { return reduction_of(problem); });
  const TrafficFormat* format = find_kind(traffic_format_catalog(), output.kind);
  plan.put(output.file, format != nullptr ? format->write(reduced) : task_graph_json(reduced, {}));
  return fmt::format(
      "{}: {} for single nodes of a {}-cube, the copies of each task joined by messages of {}\n",
      output.file.string(), counted(reduced.process_count(), "task"), problem.cube_dimensions(),
      counted(joint, "byte"));
}

void put_mapping(const NamedOutput& output, const SubcubesOptions& options, const Params& labels,
                 const SubcubesAnswer& report, OutputPlan& plan) {
  const Traffic& graph = report.problem.graph();
  const SubcubeMapping& mapping = report.result.mapping;
  if (output.kind == "result") {
    plan.put(output.file, subcubes_json(report));
  } else if (output.kind == "tasks") {
    plan.put(output.file, subcubes_csv(report));
  } else if (output.kind == "simulation") {
    plan.put(output.file, simulation_csv(report.simulation.value()));
  } else if (output.kind == "mapping") {
    plan.put(output.file, task_graph_json(graph, mapping, labels));
  } else {
    ExchangeScenario settings = exchange_on(options.request.machine, report.problem);
    settings.folder = output.file.parent_path();
    plan.put(output.file, exchange_scenario_json(graph, mapping, settings));
  }
}

ExitStatus finish(const SubcubesOptions& options, const SubcubesAnswer& report, OutputPlan& plan,
                  const std::string& said) {
  complain_once(report.refuted);
  const ExitStatus written = plan.finish(
      options.display.shown([&] { return subcubes_json(report); },
                            [&] { return said + subcube_text(report, options.display.full); }));
  if (report.simulation) {
    for (std::size_t i = 0; i < report.simulation->mappings.size(); ++i) {
      const std::string& problem = report.simulation->mappings[i].problem;
      if (!problem.empty() && problem != "interrupted") {
        complain(fmt::format("mapping {}: {}", i, problem));
      }
    }
  }
  const bool is_interrupted = !report.result.is_complete ||
                              (report.simulation && report.simulation->end == RunsEnd::interrupted);
  if (is_interrupted) {
    complain("interrupted (what was found so far is kept)");
    return ExitStatus::interrupted;
  }
  return report.simulation && report.simulation->has_failure() ? ExitStatus::experiment_failed
                                                               : written;
}

ExitStatus map_tasks(const SubcubesOptions& options) {
  OutputPlan plan{options.display};
  const std::vector<NamedOutput> outputs = planned_outputs(options, plan);
  const SubcubesTask task = read_subcubes(options.request);
  const bool runs = options.request.simulate ||
                    std::ranges::find(outputs, "scenario", &NamedOutput::kind) != outputs.end();
  refuse_if(!options.request.machine.empty() && !runs && task.problem.left_out().empty(),
            "--machine", "is for --simulate or --write scenario:FILE; give one of them");
  if (runs) {
    check_subcubes_machine(options.request, task);
  }
  std::string said;
  for (const NamedOutput& output : outputs) {
    said += is_of_mapping(output) ? "" : put_reduction(output, task.problem, plan);
  }
  if (!said.empty() && std::ranges::none_of(outputs, is_of_mapping)) {
    return plan.finish(options.display.quiet ? "" : said);
  }
  const InterruptWatch interrupt;
  Progress mapping{options.display.progress(), "mapping"};
  Progress simulating{options.display.progress(), "simulating"};
  const SubcubesAnswer answer = answer_subcubes(
      options.request, task,
      [&](const SubcubeSearchState& state) {
        mapping.show(fmt::format("{} done, least bandwidth {}", percent(state.done),
                                 grouped(state.best_bandwidth)));
        return !interrupt.has_come();
      },
      options.runs.limits(simulating));
  if (answer.simulation && is_rest_elsewhere(answer.simulation->end, options.runs)) {
    return status_of(answer.simulation->end, options.runs, options.display,
                     done_in(options.runs.records, answer.simulation->runs_done(),
                             2 * answer.simulation->mappings.size()));
  }
  for (const NamedOutput& output : outputs) {
    if (is_of_mapping(output)) {
      put_mapping(output, options, task.labels, answer, plan);
    }
  }
  return finish(options, answer, plan, said);
}

ExitStatus show_pair(const SubcubesOptions& options) {
  const auto [a, b] = subcube_pair(options.pair);
  print(options.display.json ? pair_json(a, b) : pair_text(a, b));
  return ExitStatus::done;
}

ExitStatus show_conjectures(const SubcubesOptions& options) {
  exit_on_interrupt();
  TickingProgress progress{options.display.progress(), "checking"};
  const std::vector<ConjectureCheck> checks = check_conjectures(
      options.request.subcube, options.request.dimensions, [&](std::uint32_t d, std::uint32_t n) {
        progress.show(fmt::format("{}-cubes in a {}-cube", d, n));
      });
  print(options.display.json ? conjecture_json(checks) : conjecture_text(checks));
  return std::ranges::all_of(checks, &ConjectureCheck::holds) ? ExitStatus::done
                                                              : ExitStatus::experiment_failed;
}

ExitStatus subcubes(const SubcubesOptions& options) {
  const std::string source = options.request.source();
  check_subcubes_request(options.request);
  refuse_if(!source.empty() && (options.conjecture || !options.pair.empty()),
            options.conjecture ? "--conjecture" : "--pair", "takes no task graph");
  const std::vector<NamedOutput> outputs = options.outputs.named();
  refuse_if(!outputs.empty() && (options.conjecture || !options.pair.empty()),
            outputs.empty() ? "" : outputs.front().option, "is of a mapping, and {} makes none",
            options.conjecture ? "--conjecture" : "--pair");
  check_runs_options(options.runs, "--records", options.runs.records, source);
  if (!options.request.simulate) {
    refuse_runs_options(options.runs, "is for the simulations of --simulate (add --simulate 100)");
  }
  if (!options.pair.empty()) {
    return show_pair(options);
  }
  return options.conjecture ? show_conjectures(options) : map_tasks(options);
}

// --- Options ---

std::uint32_t dimensions_from(std::uint32_t least, const std::string& text) {
  return whole_number(text, least, SubcubeProblem::most_cube_dimensions, "a number of dimensions");
}
std::uint32_t subcube_dimensions(const std::string& text) { return dimensions_from(0, text); }
std::uint32_t cube_dimensions(const std::string& text) { return dimensions_from(1, text); }

void add_mapping_options(Parser& parser, SubcubesOptions& options) {
  parser.argument("GRAPH", options.request.graph, "the file of the task graph").reads_file();
  parser
      .option("--traffic", options.request.traffic, "SHAPE|FILE",
              "the task graph as a traffic file (CSV, MatrixMarket, Scotch) or a shape such as "
              "mesh:4x4")
      .reads_file();
  parser.option("--random", options.request.random, "SETTINGS",
                "draw the task graph from the seed: tasks=25,ccp=0.2,w=20 or tasks=25,edges=63");
  parser.option("--subcube", options.request.subcube, subcube_dimensions, "D",
                "dimensions of the subcube of each task");
  parser.option("--dimensions", options.request.dimensions, cube_dimensions, "N",
                "dimensions of the cube (default: as few as give every task a subcube)");
  parser
      .option("--method", options.request.method, "NAME",
              "annealing (default), paper (annealing as published), random or exhaustive")
      .one_of(SubcubesRequest::methods());
  parser.flag("--parallel", options.request.parallel, "only parallel mappings (default)");
  parser.flag("--non-parallel", options.request.non_parallel,
              "only mappings that are not parallel");
  parser.flag("--any", options.request.any, "all mappings");
  add_seed_option(parser, options.request.seed, "seed of everything drawn");
  parser.option("--restarts", options.request.restarts, positive_int, "N",
                "annealings from other starts, or random mappings; the best counts (default: 4 "
                "for annealing, else 1)");
  parser.option("--moves", options.request.moves, positive_int, "N",
                "moves at each of 127 temperatures (default: 96 a task; paper: 24)");
}

void add_output_options(Parser& parser, SubcubesOptions& options) {
  options.outputs.add_main(parser, "mapping", "write the task graph with its mapping");
  // A scenario lets the tasks exchange their messages. A reduction is the task graph in which every
  // node of a subcube is a task of its own, for optimisers of single nodes.
  options.outputs.add_write(
      parser, {{"mapping"}, {"scenario"}, {"reduction"}, {"result"}, {"tasks"}, {"simulation"}});
  options.outputs.add_spelling(parser, "--csv", "FILE", "write a row for each task", "tasks");
  options.outputs.add_old_spelling(parser, "--scenario", "scenario");
  options.outputs.add_old_spelling(parser, "--reduction", "reduction");
  parser
      .option("--evaluate", options.request.evaluate, "FILE",
              "measure the mapping in this file (of the tasks, or of all nodes of a reduction) "
              "in place of looking for one")
      .reads_file();
  parser
      .option("--map", options.request.map, "[FORMAT:]FILE",
              "the same with the map of the nodes of a reduction, as dcube search writes it or "
              "in any map format (see dcube list formats)")
      .reads_file();
  add_hosts_option(parser, options.request.hosts);
  parser.option("--simulate", options.request.simulate, positive_int, "K",
                "simulate K mappings and compare their bandwidth with their makespan");
  parser
      .option("--machine", options.request.machine, "M",
              "machine to simulate on: a name, a file or a network such as hypercube:6 (default: a "
              "hypercube on which a byte takes 1 us a hop)")
      .reads_file();
  add_runs_options(parser, options.runs);
  add_records_option(parser, options.runs);
  parser
      .option("--pair", options.pair, "ADDRESS ADDRESS",
              "only measure two subcubes: their distances and frontiers")
      .takes(2);
  parser.flag("--conjecture", options.conjecture,
              "only check that no mapping beats the parallel ones, for all task graphs");
  add_display_options(parser, options.display);
}

}  // namespace

void subcubes_command(CommandLine& line) {
  auto [parser, options] = line.add<SubcubesOptions>(
      "subcubes", "Map communicating tasks to subcubes of a hypercube with least bandwidth",
      subcubes);
  add_mapping_options(parser, *options);
  add_output_options(parser, *options);
  parser.examples(
      "dcube subcubes scenarios/tasks/pipeline.json --subcube 2 --output mapped.json\n"
      "dcube subcubes --random tasks=25,ccp=0.2,w=20 --subcube 3 --simulate 100\n"
      "dcube subcubes --pair '0*1*' '1**0'");
}

}  // namespace dcube::app
