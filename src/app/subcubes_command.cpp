#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "app/runs/runs_options.hpp"
#include "app/subcubes/subcubes_report.hpp"
#include "app/terminal/interrupt.hpp"
#include "app/terminal/output.hpp"
#include "app/terminal/progress.hpp"
#include "command.hpp"
#include "core/counted.hpp"
#include "core/refuse.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/interop/traffic_files.hpp"
#include "dcube/questions/subcubes.hpp"
#include "dcube/scenario/task_graph.hpp"
#include "dcube/show/readable.hpp"

namespace dcube::app {
namespace {

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

void put_mapping(const NamedOutput& output, const SubcubesOptions& options,
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
    plan.put(output.file, task_graph_json(graph, mapping));
  } else {
    ExchangeScenario settings = exchange_on(options.request.machine, report.problem);
    settings.folder = output.file.parent_path();
    plan.put(output.file, exchange_scenario_json(graph, mapping, settings));
  }
}

ExitStatus finish(const SubcubesOptions& options, const SubcubesAnswer& report, OutputPlan& plan,
                  const std::string& said) {
  complain_once(report.refuted);
  const ExitStatus written = plan.finish(options.display.shown(
      [&] { return subcubes_json(report); },
      [&] {
        return options.outputs.is_printed() ? said
                                            : said + subcube_text(report, options.display.full);
      }));
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
  OutputPlan plan;
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
      put_mapping(output, options, answer, plan);
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
  check_runs_options(options.runs, options.runs.records, source);
  if (!options.pair.empty()) {
    return show_pair(options);
  }
  return options.conjecture ? show_conjectures(options) : map_tasks(options);
}

// --- Options ---

std::uint32_t dimensions(const std::string& text) {
  return whole_number(text, 0, SubcubeProblem::most_cube_dimensions, "a number of dimensions");
}

void add_mapping_options(Parser& parser, SubcubesOptions& options) {
  parser.argument("GRAPH", options.request.graph, "the file of the task graph").reads_file();
  parser
      .option("--traffic", options.request.traffic, "SHAPE|FILE",
              "the task graph as a traffic file (CSV, MatrixMarket, Scotch) or a shape such as "
              "mesh:4x4")
      .reads_file();
  parser.option("--random", options.request.random, "SETTINGS",
                "draw the task graph from the seed: tasks=25,ccp=0.2,w=20 or tasks=25,edges=63");
  parser.option("--subcube", options.request.subcube, dimensions, "D",
                "dimensions of the subcube of each task");
  parser.option("--dimensions", options.request.dimensions, dimensions, "N",
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
  const auto options = std::make_shared<SubcubesOptions>();
  Parser parser = line.add(
      "subcubes", "Map communicating tasks to subcubes of a hypercube with least bandwidth",
      [options] { return subcubes(*options); });
  add_mapping_options(parser, *options);
  add_output_options(parser, *options);
  parser.examples(
      "dcube subcubes scenarios/tasks/pipeline.json --subcube 2 --output mapped.json\n"
      "dcube subcubes --random tasks=25,ccp=0.2,w=20 --subcube 3 --simulate 100\n"
      "dcube subcubes --pair '0*1*' '1**0'");
}

}  // namespace dcube::app
