#include "dcube/questions/subcube_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "core/refuse.hpp"
#include "correlation.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/scenario/task_graph.hpp"
#include "engine/simulator.hpp"
#include "runs/child_batch.hpp"
#include "runs/child_message.hpp"

namespace dcube {
namespace {

struct ExchangeFigures {
  Outcome outcome = Outcome::completed;
  Ticks makespan{0};
};

constexpr std::array<bool, 2> contentions{true, false};

SubcubeMapping mapping_to_simulate(const SubcubeProblem& problem, MappingKind kind,
                                   std::uint32_t index, std::uint64_t seed) {
  constexpr std::array<std::uint32_t, 4> moves{0, 1, 4, 24};
  const bool has_both = kind == MappingKind::any && problem.task_count() > 1 &&
                        problem.subcube_dimensions() > 0 &&
                        problem.cube_dimensions() > problem.subcube_dimensions() + 1;
  const MappingKind drawn = !has_both                         ? kind
                            : !problem.has_parallel_mapping() ? MappingKind::non_parallel
                            : index / moves.size() % 2 == 0   ? MappingKind::parallel
                                                              : MappingKind::non_parallel;
  SplitMix64 random{hash_of(seed, index)};
  SubcubeAnnealing annealing;
  annealing.moves = moves[index % moves.size()];
  return annealing.moves == 0 ? random_mapping(problem, drawn, random)
                              : anneal_subcubes(problem, drawn, annealing, random.next()).mapping;
}

Scenario scenario_of(const SubcubeProblem& problem, const SimulatedMapping& mapping,
                     ExchangeScenario settings, bool contention) {
  settings.contention = contention;
  return at_place("--machine", [&] {
    return build_scenario(exchange_scenario(problem.graph(), mapping.mapping, settings),
                          "subcubes");
  });
}

std::string simulate_in_child(Scenario scenario) {
  const RunResult result = run_scenario(scenario, nullptr, {}, Findings::report);
  return sent(
      ExchangeFigures{result.report.outcome == Outcome::completed && !result.verified.value_or(true)
                          ? Outcome::not_verified
                          : result.report.outcome,
                      result.report.makespan});
}

std::optional<double> makespan_of(const ChildResult& result, std::string& problem) {
  if (result.end != ChildEnd::finished) {
    problem = result.end == ChildEnd::interrupted ? "interrupted" : result.problem;
    return std::nullopt;
  }
  const auto figures = ChildReader{result.output}.read<ExchangeFigures>();
  if (figures.outcome != Outcome::completed) {
    problem = to_string(figures.outcome);
    return std::nullopt;
  }
  return to_seconds(figures.makespan);
}

Correlation correlation_of(const std::vector<SimulatedMapping>& mappings,
                           std::optional<double> SimulatedMapping::*makespan) {
  std::vector<double> bandwidths;
  std::vector<double> makespans;
  for (const SimulatedMapping& mapping : mappings) {
    if (mapping.*makespan) {
      bandwidths.push_back(static_cast<double>(mapping.bandwidth));
      makespans.push_back(*(mapping.*makespan));
    }
  }
  return {pearson(bandwidths, makespans), spearman(bandwidths, makespans)};
}

/// Each mapping with contention and without.
std::vector<ChildResult> simulate_all(const SubcubeProblem& problem,
                                      const std::vector<SimulatedMapping>& mappings,
                                      const ExchangeScenario& settings,
                                      const SimulationLimits& limits,
                                      std::uint64_t bytes_of_a_run) {
  std::vector<std::function<std::string()>> jobs;
  jobs.reserve(contentions.size() * mappings.size());
  for (const SimulatedMapping& mapping : mappings) {
    for (const bool contention : contentions) {
      jobs.emplace_back([&problem, &mapping, &settings, contention] {
        return simulate_in_child(scenario_of(problem, mapping, settings, contention));
      });
    }
  }
  const BatchLimits batch{.at_once = jobs_at_once(limits.at_once, bytes_of_a_run),
                          .timeout = limits.timeout,
                          .life = ChildLife::many_jobs};
  load_simulator();
  return run_in_children(jobs, batch, InterruptWatch{}, [&](std::size_t ended) {
    if (limits.on_progress) {
      limits.on_progress(ended, jobs.size());
    }
  });
}

}  // namespace

bool SubcubeSimulation::has_failure() const {
  return std::ranges::any_of(mappings, [](const SimulatedMapping& mapping) {
    return !mapping.problem.empty() && mapping.problem != "interrupted";
  });
}

void check_simulations_fit(const SubcubeProblem& problem, std::uint32_t mappings) {
  constexpr std::uint64_t job_bytes =
      sizeof(std::function<std::string()>) + 64 + sizeof(ChildResult);
  const std::uint64_t mapping_bytes = sizeof(SimulatedMapping) +
                                      problem.task_count() * sizeof(Subcube) +
                                      contentions.size() * job_bytes;
  at_place("--simulate", [&] {
    expect_fits_in_memory(fmt::format("simulating {} mappings", mappings), mappings * mapping_bytes,
                          "simulate fewer");
  });
}

SubcubeSimulation simulate_mappings(const SubcubeProblem& problem, MappingKind kind,
                                    std::uint32_t mappings, std::uint64_t seed,
                                    const ExchangeScenario& exchange, const std::string& machine,
                                    const SimulationLimits& limits) {
  refuse_if(problem.graph().flows().empty(), "--simulate",
            "the task graph has no messages to simulate");
  SubcubeSimulation simulation;
  for (std::uint32_t i = 0; i < mappings; ++i) {
    SimulatedMapping drawn;
    drawn.mapping =
        at_place("--simulate", [&] { return mapping_to_simulate(problem, kind, i, seed); });
    drawn.bandwidth = bandwidth(problem, drawn.mapping);
    drawn.is_parallel = is_parallel(drawn.mapping);
    simulation.mappings.push_back(std::move(drawn));
  }
  const Scenario first =
      scenario_of(problem, simulation.mappings.front(), exchange, contentions.front());
  simulation.machine = machine.empty()
                           ? describe(*first.machine->topology) + ", 1 us a byte and hop"
                           : fmt::format("{} ({})", machine, describe(*first.machine->topology));
  const std::vector<ChildResult> results = simulate_all(
      problem, simulation.mappings, exchange, limits, estimated_memory_bytes(run_size(first)));
  for (std::size_t i = 0; i < simulation.mappings.size(); ++i) {
    SimulatedMapping& mapping = simulation.mappings[i];
    mapping.contended_s = makespan_of(results[2 * i], mapping.problem);
    mapping.uncontended_s = makespan_of(results[2 * i + 1], mapping.problem);
    simulation.is_interrupted = simulation.is_interrupted || mapping.problem == "interrupted";
  }
  simulation.contended = correlation_of(simulation.mappings, &SimulatedMapping::contended_s);
  simulation.uncontended = correlation_of(simulation.mappings, &SimulatedMapping::uncontended_s);
  return simulation;
}

}  // namespace dcube
