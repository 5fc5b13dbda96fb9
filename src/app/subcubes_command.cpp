#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/options/options.hpp"
#include "app/subcubes/subcubes_input.hpp"
#include "app/subcubes/subcubes_options.hpp"
#include "app/subcubes/subcubes_report.hpp"
#include "app/subcubes/subcubes_simulation.hpp"
#include "app/terminal/interrupt.hpp"
#include "app/terminal/output.hpp"
#include "app/terminal/progress.hpp"
#include "app/terminal/readable.hpp"
#include "command.hpp"
#include "dcube/core/params.hpp"
#include "dcube/interop/traffic_files.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/scenario/task_graph.hpp"

namespace dcube::app {
namespace {

/// Of the conjecture, without --subcube and --dimensions.
constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 8> conjecture_sizes{
    {{1, 2}, {1, 3}, {2, 3}, {2, 4}, {3, 4}, {3, 5}, {1, 4}, {2, 5}}};

// --- Reading options ---

SubcubeAnnealing annealing_of(const SubcubesOptions& options, const SubcubeProblem& problem) {
  SubcubeAnnealing annealing = options.method == "paper" ? SubcubeAnnealing::published()
                                                         : SubcubeAnnealing::thorough(problem);
  if (!options.moves.empty()) {
    annealing.moves = positive_int_option("--moves", options.moves);
  }
  if (!options.restarts.empty()) {
    annealing.restarts = positive_int_option("--restarts", options.restarts);
  }
  return annealing;
}

// --- Searching ---

SubcubeSearchResult search(const SubcubesOptions& options, const SubcubeProblem& problem,
                           MappingKind kind) {
  const std::uint64_t seed = seed_option("--seed", options.seed);
  const SubcubeAnnealing annealing = annealing_of(options, problem);
  const std::uint64_t draws =
      options.restarts.empty() ? 1 : positive_int_option("--restarts", options.restarts);
  const InterruptWatch interrupt;
  Progress progress{ProgressOutput::on_terminal, "mapping"};
  const SubcubeSearchProgress watch = [&](const SubcubeSearchState& state) {
    progress.show(fmt::format("{} done, least bandwidth {}", percent(state.done),
                              grouped(state.best_bandwidth)));
    return !interrupt.has_come();
  };
  return at("--non-parallel", [&] {
    return options.method == "random" ? best_random_mapping(problem, kind, draws, seed, watch)
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

std::uint64_t average_random_bandwidth(const SubcubeProblem& problem, MappingKind kind) {
  constexpr std::uint64_t count = 100;
  double sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    SplitMix64 random{hash_of(i)};
    sum += static_cast<double>(bandwidth(problem, random_mapping(problem, kind, random)));
  }
  return static_cast<std::uint64_t>(std::llround(sum / count));
}

// --- Writing ---

void write_outputs(const SubcubesOptions& options, const SubcubeReport& report) {
  const Traffic& graph = report.problem.graph();
  if (!options.output.empty()) {
    write_file(options.output, task_graph_json(graph, report.result.mapping));
  }
  if (!options.scenario.empty()) {
    write_file(options.scenario,
               exchange_scenario_json(graph, report.result.mapping, {options.machine, {}}));
  }
}

/// Where --reduction goes to as traffic; nothing when it is a task graph.
std::optional<TrafficFile> reduction_file(const SubcubesOptions& options) {
  if (std::filesystem::path{options.reduction}.extension() == ".json") {
    return std::nullopt;
  }
  return at("--reduction", [&] { return parse_traffic_file(options.reduction); });
}

ExitStatus write_reduction(const SubcubesOptions& options, const SubcubeProblem& problem) {
  const std::uint64_t joint = sufficient_joint(problem);
  const Traffic reduced = at("--reduction", [&] { return reduced_graph(problem, joint); });
  const std::optional<TrafficFile> file = reduction_file(options);
  if (file) {
    write_file(file->file, file->format->write(reduced));
  } else {
    write_file(options.reduction, task_graph_json(reduced, {}));
  }
  print(
      fmt::format("{}: {} for single nodes of a {}-cube, the copies of each task joined by "
                  "messages of {}\n",
                  options.reduction, counted(reduced.process_count(), "task"),
                  problem.cube_dimensions(), counted(joint, "byte")));
  return ExitStatus::done;
}

/// Before a long search.
void check_outputs(const SubcubesOptions& options, const SubcubeProblem& problem) {
  if (!options.machine.empty()) {
    SplitMix64 random{0};
    const SubcubeMapping any = random_mapping(problem, MappingKind::parallel, random);
    at("--machine", [&] {
      return build_scenario(exchange_scenario(problem.graph(), any, {options.machine, {}}), "");
    });
  }
  for (const std::string& file : {options.output, options.scenario}) {
    check_output_folder(file);
  }
  if (!options.reduction.empty()) {
    const std::optional<TrafficFile> file = reduction_file(options);
    check_output_folder(file ? file->file.string() : options.reduction, "--reduction");
  }
}

ExitStatus finish(const SubcubesOptions& options, const SubcubeReport& report) {
  write_outputs(options, report);
  print(options.json ? subcube_json(report) : subcube_text(report, options.full));
  if (report.simulation) {
    for (std::size_t i = 0; i < report.simulation->mappings.size(); ++i) {
      const std::string& problem = report.simulation->mappings[i].problem;
      if (!problem.empty() && problem != "interrupted") {
        complain(fmt::format("mapping {}: {}", i, problem));
      }
    }
  }
  const bool is_interrupted =
      !report.result.is_complete || (report.simulation && report.simulation->is_interrupted);
  if (is_interrupted) {
    complain("interrupted (what was found so far is kept)");
    return ExitStatus::interrupted;
  }
  return report.simulation && report.simulation->has_failure() ? ExitStatus::experiment_failed
                                                               : ExitStatus::done;
}

ExitStatus map_tasks(const SubcubesOptions& options) {
  const std::optional<SubcubeMapping> given = load_given(options);
  const SubcubeProblem problem = load_problem(options, given);
  check_outputs(options, problem);
  if (!options.reduction.empty()) {
    return write_reduction(options, problem);
  }
  std::uint32_t simulated = 0;
  if (!options.simulate.empty()) {
    simulated = positive_int_option("--simulate", options.simulate);
    check_simulations_fit(problem, simulated);
  }
  MappingKind kind = kind_of(options);
  SubcubeReport report{.source = source_of(options),
                       .problem = problem,
                       .kind = kind,
                       .method = given || !options.map.empty() ? "given" : options.method,
                       .seed = seed_option("--seed", options.seed),
                       .result = {},
                       .random_bandwidth = 0,
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
  if (simulated > 0 && report.result.is_complete) {
    report.simulation = simulate_mappings(
        problem, options.parallel || options.non_parallel ? kind : MappingKind::any,
        {.mappings = simulated,
         .machine = options.machine,
         .jobs = options.jobs,
         .seed = report.seed});
  }
  return finish(options, report);
}

ExitStatus show_pair(const SubcubesOptions& options) {
  const Subcube a = at("--pair", [&] { return Subcube::parse(options.pair[0]); });
  const Subcube b = at("--pair", [&] { return Subcube::parse(options.pair[1]); });
  if (a.cube_dimensions() != b.cube_dimensions()) {
    throw InputError("--pair", fmt::format("{} and {} lie in different cubes (as many symbols are "
                                           "needed in both)",
                                           a.text(), b.text()));
  }
  print(options.json ? pair_json(a, b) : pair_text(a, b));
  return ExitStatus::done;
}

ExitStatus check_conjectures(const SubcubesOptions& options) {
  exit_on_interrupt();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sizes{conjecture_sizes.begin(),
                                                             conjecture_sizes.end()};
  if (options.subcube.empty() != options.dimensions.empty()) {
    throw InputError("--conjecture", "needs both --subcube and --dimensions, or neither");
  }
  if (!options.subcube.empty()) {
    sizes = {{dimensions_option("--subcube", options.subcube),
              dimensions_option("--dimensions", options.dimensions)}};
  }
  TickingProgress progress{ProgressOutput::on_terminal, "checking"};
  std::vector<ConjectureCheck> checks;
  for (const auto& [d, n] : sizes) {
    progress.show(fmt::format("{}-cubes in a {}-cube", d, n));
    checks.push_back(at("--conjecture", [d = d, n = n] { return check_conjecture(d, n); }));
  }
  print(options.json ? conjecture_json(checks) : conjecture_text(checks));
  const bool all_hold = std::all_of(checks.begin(), checks.end(),
                                    [](const ConjectureCheck& check) { return check.holds(); });
  return all_hold ? ExitStatus::done : ExitStatus::experiment_failed;
}

ExitStatus subcubes(const SubcubesOptions& options) {
  check_subcubes_options(options);
  if (!options.pair.empty()) {
    return show_pair(options);
  }
  return options.conjecture ? check_conjectures(options) : map_tasks(options);
}

}  // namespace

Command subcubes_command(CLI::App& app) {
  const auto options = std::make_shared<SubcubesOptions>();
  CLI::App* parser = app.add_subcommand(
      "subcubes", "Map communicating tasks to subcubes of a hypercube with least bandwidth");
  add_subcubes_options(*parser, *options);
  parser->footer(
      "Examples:\n  dcube subcubes scenarios/tasks/pipeline.json --subcube 2 --output mapped.json\n"
      "  dcube subcubes --random tasks=25,ccp=0.2,w=20 --subcube 3 --simulate 100\n"
      "  dcube subcubes --pair '0*1*' '1**0'");
  return {parser, [options] { return subcubes(*options); }};
}

}  // namespace dcube::app
