#include "dcube/questions/subcube_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "correlation.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/runs/case_list.hpp"
#include "dcube/runs/make_record.hpp"
#include "dcube/runs/run_cases.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/scenario/task_graph.hpp"

namespace dcube {
namespace {

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
  return at_place(".machine", [&] {
    return build_scenario(exchange_scenario(problem.graph(), mapping.mapping, settings),
                          "subcubes");
  });
}

/// Makespan in seconds; nothing for a run that did not complete, whose problem is kept.
std::optional<double> makespan_of(const std::optional<RunRecord>& record, std::string& problem) {
  if (record && record->has_completed()) {
    return to_seconds(record->makespan);
  }
  problem = record ? record->problem : "interrupted";
  return std::nullopt;
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

/// Two cases for each mapping, with contention and without; after an interrupt fewer. The arguments
/// must outlive it.
CaseList cases_of(const SubcubeProblem& problem, const SubcubeSimulation& drawn,
                  const ExchangeScenario& exchange, const InterruptWatch& interrupt) {
  std::vector<CaseList::Case> cases;
  for (const SimulatedMapping& mapping : drawn.mappings) {
    if (interrupt.has_come()) {
      break;
    }
    for (const bool contention : contentions) {
      ExchangeScenario settings = exchange;
      settings.contention = contention;
      cases.push_back({.identity = json_text(
                           Setting{exchange_scenario(problem.graph(), mapping.mapping, settings)}),
                       .manner = {},
                       .make = [&problem, &mapping, &exchange, contention] {
                         Scenario scenario = scenario_of(problem, mapping, exchange, contention);
                         return run_record(scenario);
                       }});
    }
  }
  const Scenario first =
      scenario_of(problem, drawn.mappings.front(), exchange, contentions.front());
  return {"subcubes", std::move(cases), estimated_memory_bytes(run_size(first))};
}

void conclude(SubcubeSimulation& drawn, std::span<const std::optional<RunRecord>> records) {
  for (std::size_t i = 0; i < drawn.mappings.size(); ++i) {
    SimulatedMapping& mapping = drawn.mappings[i];
    mapping.contended_s = makespan_of(records[2 * i], mapping.problem);
    mapping.uncontended_s = makespan_of(records[2 * i + 1], mapping.problem);
  }
  drawn.contended = correlation_of(drawn.mappings, &SimulatedMapping::contended_s);
  drawn.uncontended = correlation_of(drawn.mappings, &SimulatedMapping::uncontended_s);
}

/// Draws the mappings, after an interrupt fewer; nothing is simulated yet.
SubcubeSimulation draw_mappings(const SubcubeProblem& problem, MappingKind kind,
                                std::uint32_t mappings, std::uint64_t seed,
                                const ExchangeScenario& exchange, const std::string& machine,
                                const InterruptWatch& interrupt) {
  refuse_if(problem.graph().flows().empty(), ".simulate",
            "the task graph has no messages to simulate");
  SubcubeSimulation simulation;
  for (std::uint32_t i = 0; i < mappings && (i == 0 || !interrupt.has_come()); ++i) {
    SimulatedMapping drawn;
    drawn.mapping =
        at_place(".simulate", [&] { return mapping_to_simulate(problem, kind, i, seed); });
    drawn.bandwidth = bandwidth(problem, drawn.mapping);
    drawn.is_parallel = is_parallel(drawn.mapping);
    simulation.mappings.push_back(std::move(drawn));
  }
  const Scenario first =
      scenario_of(problem, simulation.mappings.front(), exchange, contentions.front());
  simulation.machine = machine.empty()
                           ? describe(*first.machine->topology) + ", 1 us a byte and hop"
                           : fmt::format("{} ({})", machine, describe(*first.machine->topology));
  return simulation;
}

}  // namespace

std::size_t SubcubeSimulation::runs_done() const {
  return sum_of(mappings, [](const SimulatedMapping& mapping) {
    return std::size_t{mapping.contended_s.has_value()} + mapping.uncontended_s.has_value();
  });
}

bool SubcubeSimulation::has_failure() const {
  return std::ranges::any_of(mappings, [](const SimulatedMapping& mapping) {
    return !mapping.problem.empty() && mapping.problem != "interrupted";
  });
}

void check_simulations_fit(const SubcubeProblem& problem, std::uint32_t mappings) {
  constexpr std::uint64_t job_bytes =
      sizeof(CaseList::Case) + sizeof(RunRecord) + 36 * sizeof(std::optional<double>);
  const std::uint64_t mapping_bytes = sizeof(SimulatedMapping) +
                                      problem.task_count() * sizeof(Subcube) +
                                      contentions.size() * job_bytes;
  at_place(".simulate", [&] {
    expect_fits_in_memory(fmt::format("simulating {} mappings", mappings), mappings * mapping_bytes,
                          "simulate fewer");
  });
}

SubcubeSimulation simulate_mappings(const SubcubeProblem& problem, MappingKind kind,
                                    std::uint32_t mappings, std::uint64_t seed,
                                    const ExchangeScenario& exchange, const std::string& machine,
                                    const SimulationLimits& limits) {
  const InterruptWatch interrupt;  // there may be very many to prepare
  SubcubeSimulation simulation =
      draw_mappings(problem, kind, mappings, seed, exchange, machine, interrupt);
  const CaseList cases = cases_of(problem, simulation, exchange, interrupt);
  CaseRecords made{.records = {}, .end = RunsEnd::interrupted};
  if (!interrupt.has_come()) {
    made = run_cases(cases, limits);
  }
  made.records.resize(2 * simulation.mappings.size());
  simulation.end = made.end;
  conclude(simulation, made.records);
  return simulation;
}

}  // namespace dcube
