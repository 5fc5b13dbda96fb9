#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "app/subcubes/subcubes_options.hpp"
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
#include "dcube/scenario/task_graph.hpp"
#include "dcube/show/readable.hpp"

namespace dcube::app {
namespace {

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
    plan.writes(output.option, output.file);
  }
  const SubcubesRequest& request = options.request;
  plan.reads({request.graph, request.traffic, request.evaluate, request.map, request.hosts});
  plan.reads(machine_files({request.machine}));
  return outputs;
}

bool is_of_mapping(const NamedOutput& output) {
  return output.kind == "mapping" || output.kind == "scenario" || output.kind == "result";
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
  check_runs_options(options.runs, options.runs.records, source);
  if (!options.pair.empty()) {
    return show_pair(options);
  }
  return options.conjecture ? show_conjectures(options) : map_tasks(options);
}

}  // namespace

void subcubes_command(CommandLine& line) {
  const auto options = std::make_shared<SubcubesOptions>();
  Parser parser = line.add(
      "subcubes", "Map communicating tasks to subcubes of a hypercube with least bandwidth",
      [options] { return subcubes(*options); });
  add_subcubes_options(parser, *options);
  parser.examples(
      "dcube subcubes scenarios/tasks/pipeline.json --subcube 2 --output mapped.json\n"
      "dcube subcubes --random tasks=25,ccp=0.2,w=20 --subcube 3 --simulate 100\n"
      "dcube subcubes --pair '0*1*' '1**0'");
}

}  // namespace dcube::app
