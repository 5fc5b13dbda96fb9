#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dcube/runs/limits.hpp"
#include "dcube/runs/run_cases.hpp"
#include "dcube/scenario/task_graph.hpp"
#include "dcube/search/subcubes.hpp"

namespace dcube {

/// A mapping, simulated twice.
struct SimulatedMapping {
  SubcubeMapping mapping;
  std::uint64_t bandwidth = 0;
  bool is_parallel = false;
  std::optional<double> contended_s;    ///< makespan, links carrying one message at a time
  std::optional<double> uncontended_s;  ///< makespan, links never queueing
  std::string problem;                  ///< why one is missing
};

struct Correlation {
  std::optional<double> pearson;
  std::optional<double> spearman;
};

/// Correlation of bandwidths of mappings with simulated makespans.
struct SubcubeSimulation {
  std::string machine;
  std::vector<SimulatedMapping> mappings;
  Correlation contended;
  Correlation uncontended;
  RunsEnd end = RunsEnd::complete;

  std::size_t runs_done() const;  ///< of two of each mapping
  bool has_failure() const;
};

/// Throws InputError when the mappings and their results do not fit in memory.
void check_simulations_fit(const SubcubeProblem& problem, std::uint32_t mappings);

/// Draws `mappings` mappings of the kind, good and bad ones, and simulates each with and without
/// contention. One in four is random; the others are annealed for a shorter or longer time. Of kind
/// `any` parallel and other mappings take turns. The name of the machine of `exchange` is `machine`
/// (empty: it is the cube itself). Throws InputError.
SubcubeSimulation simulate_mappings(const SubcubeProblem& problem, MappingKind kind,
                                    std::uint32_t mappings, std::uint64_t seed,
                                    const ExchangeScenario& exchange, const std::string& machine,
                                    const SimulationLimits& limits = {});

}  // namespace dcube
