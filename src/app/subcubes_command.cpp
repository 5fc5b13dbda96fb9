#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "app/subcubes/subcubes_machine.hpp"
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
#include "dcube/scenario/scenario.hpp"
#include "dcube/scenario/task_graph.hpp"
#include "dcube/scenario/write_file.hpp"
#include "dcube/show/readable.hpp"

namespace dcube::app {
namespace {

/// Dimensions of subcube and cube that --conjecture checks when none are given.
constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 8> conjecture_sizes{
    {{1, 2}, {1, 3}, {2, 3}, {2, 4}, {3, 4}, {3, 5}, {1, 4}, {2, 5}}};

// --- Reading options ---

SubcubeAnnealing annealing_of(const SubcubesOptions& options, const SubcubeProblem& problem) {
  SubcubeAnnealing annealing = options.method == "paper" ? SubcubeAnnealing::published()
                                                         : SubcubeAnnealing::thorough(problem);
  annealing.moves = options.moves.value_or(annealing.moves);
  annealing.restarts = options.restarts.value_or(annealing.restarts);
  return annealing;
}

// --- Searching ---

SubcubeSearchResult search(const SubcubesOptions& options, const SubcubeProblem& problem,
                           MappingKind kind) {
  const std::uint64_t seed = options.seed;
  const SubcubeAnnealing annealing = annealing_of(options, problem);
  const InterruptWatch interrupt;
  Progress progress{options.display.progress(), "mapping"};
  const SubcubeSearchProgress watch = [&](const SubcubeSearchState& state) {
    progress.show(fmt::format("{} done, least bandwidth {}", percent(state.done),
                              grouped(state.best_bandwidth)));
    return !interrupt.has_come();
  };
  return at_place("--non-parallel", [&] {
    return options.method == "random"
               ? best_random_mapping(problem, kind, options.restarts.value_or(1), seed, watch)
           : options.method == "exhaustive"
               ? best_mapping(problem, kind, watch)
               : anneal_subcubes(problem, kind, annealing, seed, watch);
  });
}

std::string source_of(const SubcubesOptions& options) {
  return !options.random.empty()    ? "random " + options.random
         : !options.traffic.empty() ? options.traffic
                                    : options.graph;
}

/// Mean over random mappings; nothing when one cannot be drawn, which may be where nodes are left
/// out.
std::optional<std::uint64_t> average_random_bandwidth(const SubcubeProblem& problem,
                                                      MappingKind kind) {
  constexpr std::uint64_t count = 100;
  double sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    SplitMix64 random{hash_of(i)};
    const std::optional<SubcubeMapping> mapping = draw_mapping(problem, kind, random);
    if (!mapping) {
      return std::nullopt;
    }
    sum += static_cast<double>(bandwidth(problem, *mapping));
  }
  return static_cast<std::uint64_t>(std::llround(sum / count));
}

// --- Writing ---

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
  plan.reads({options.graph, options.traffic, options.evaluate, options.map, options.hosts});
  plan.reads(machine_files({options.machine}));
  return outputs;
}

bool is_of_mapping(const NamedOutput& output) {
  return output.kind == "mapping" || output.kind == "scenario" || output.kind == "result";
}

/// Returns the line to print about the file.
std::string put_reduction(const NamedOutput& output, const SubcubeProblem& problem,
                          OutputPlan& plan) {
  const std::uint64_t joint = sufficient_joint(problem);
  const Traffic reduced = at_place(output.option, [&] { return reduced_graph(problem, joint); });
  const TrafficFormat* format = find_kind(traffic_format_catalog(), output.kind);
  plan.put(output.file, format != nullptr ? format->write(reduced) : task_graph_json(reduced, {}));
  return fmt::format(
      "{}: {} for single nodes of a {}-cube, the copies of each task joined by messages of {}\n",
      output.file.string(), counted(reduced.process_count(), "task"), problem.cube_dimensions(),
      counted(joint, "byte"));
}

void put_mapping(const NamedOutput& output, const SubcubesOptions& options,
                 const SubcubeReport& report, OutputPlan& plan) {
  const Traffic& graph = report.problem.graph();
  const SubcubeMapping& mapping = report.result.mapping;
  if (output.kind == "result") {
    plan.put(output.file, subcube_json(report));
  } else if (output.kind == "mapping") {
    plan.put(output.file, task_graph_json(graph, mapping));
  } else {
    ExchangeScenario settings = exchange_on(options.machine, report.problem);
    settings.folder = output.file.parent_path();
    plan.put(output.file, exchange_scenario_json(graph, mapping, settings));
  }
}

/// Refuses a machine that cannot be used before a long search begins.
void check_machine(const SubcubesOptions& options, const std::vector<NamedOutput>& outputs,
                   const SubcubeProblem& problem) {
  if (options.machine.empty()) {
    return;
  }
  const bool runs = options.simulate ||
                    std::ranges::find(outputs, "scenario", &NamedOutput::kind) != outputs.end();
  refuse_if(!runs && problem.left_out().empty(), "--machine",
            "is for --simulate or --write scenario:FILE; give one of them");
  SplitMix64 random{0};
  const auto any = draw_mapping(
      problem, problem.has_parallel_mapping() ? MappingKind::parallel : MappingKind::any, random);
  if (runs && any) {
    at_place("--machine", [&] {
      return build_scenario(
          exchange_scenario(problem.graph(), *any, exchange_on(options.machine, problem)), "");
    });
  }
}

ExitStatus finish(const SubcubesOptions& options, const SubcubeReport& report, OutputPlan& plan,
                  const std::string& said) {
  const ExitStatus written = plan.finish(
      options.display.shown([&] { return subcube_json(report); },
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
  const std::optional<SubcubeMapping> given = load_given(options);
  const SubcubeProblem problem = load_problem(options, given);
  check_machine(options, outputs, problem);
  std::string said;
  for (const NamedOutput& output : outputs) {
    said += is_of_mapping(output) ? "" : put_reduction(output, problem, plan);
  }
  if (!said.empty() && std::ranges::none_of(outputs, is_of_mapping)) {
    return plan.finish(options.display.quiet ? "" : said);
  }
  if (options.simulate) {
    check_simulations_fit(problem, *options.simulate);
  }
  MappingKind kind = kind_of(options);
  SubcubeReport report{.source = source_of(options),
                       .problem = problem,
                       .kind = kind,
                       .method = given || !options.map.empty() ? "given" : options.method,
                       .seed = options.seed,
                       .result = {},
                       .random_bandwidth = {},
                       .simulation = {}};
  if (given || !options.map.empty()) {
    report.result.mapping =
        given ? given_mapping(options, problem, *given) : mapping_of_map(options, problem);
    report.result.bandwidth = bandwidth(problem, report.result.mapping);
    report.result.start_bandwidth = report.result.bandwidth;
    report.kind = is_parallel(report.result.mapping) ? MappingKind::parallel : MappingKind::any;
  } else {
    report.result = search(options, problem, kind);
  }
  report.random_bandwidth = average_random_bandwidth(problem, report.kind);
  if (options.simulate && report.result.is_complete) {
    const ExchangeScenario exchange = exchange_on(options.machine, problem);
    Progress progress{options.display.progress(), "simulating"};
    report.simulation = simulate_mappings(
        problem, options.parallel || options.non_parallel ? kind : MappingKind::any,
        *options.simulate, options.seed, exchange, options.machine, options.runs.limits(progress));
  }
  if (report.simulation && is_rest_elsewhere(report.simulation->end, options.runs)) {
    return status_of(report.simulation->end, options.runs, options.display,
                     done_in(options.runs.records, report.simulation->runs_done(),
                             2 * report.simulation->mappings.size()));
  }
  for (const NamedOutput& output : outputs) {
    if (is_of_mapping(output)) {
      put_mapping(output, options, report, plan);
    }
  }
  return finish(options, report, plan, said);
}

ExitStatus show_pair(const SubcubesOptions& options) {
  const Subcube a = at_place("--pair", [&] { return Subcube::parse(options.pair[0]); });
  const Subcube b = at_place("--pair", [&] { return Subcube::parse(options.pair[1]); });
  refuse_if(a.cube_dimensions() != b.cube_dimensions(), "--pair",
            "{} and {} lie in different cubes (as many symbols are needed in both)", a.text(),
            b.text());
  print(options.display.json ? pair_json(a, b) : pair_text(a, b));
  return ExitStatus::done;
}

ExitStatus check_conjectures(const SubcubesOptions& options) {
  exit_on_interrupt();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sizes{conjecture_sizes.begin(),
                                                             conjecture_sizes.end()};
  refuse_if(options.subcube.has_value() != options.dimensions.has_value(), "--conjecture",
            "needs both --subcube and --dimensions, or neither");
  if (options.subcube) {
    sizes = {{*options.subcube, *options.dimensions}};
  }
  TickingProgress progress{options.display.progress(), "checking"};
  std::vector<ConjectureCheck> checks;
  for (const auto& [d, n] : sizes) {
    progress.show(fmt::format("{}-cubes in a {}-cube", d, n));
    checks.push_back(at_place("--conjecture", [d = d, n = n] { return check_conjecture(d, n); }));
  }
  print(options.display.json ? conjecture_json(checks) : conjecture_text(checks));
  const bool all_hold =
      std::ranges::all_of(checks, [](const ConjectureCheck& check) { return check.holds(); });
  return all_hold ? ExitStatus::done : ExitStatus::experiment_failed;
}

ExitStatus subcubes(const SubcubesOptions& options) {
  check_subcubes_options(options);
  check_runs_options(options.runs, options.runs.records, source_of(options));
  if (!options.pair.empty()) {
    return show_pair(options);
  }
  return options.conjecture ? check_conjectures(options) : map_tasks(options);
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
