#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dcube/search/subcubes.hpp"

namespace dcube::app {

/// What holds bandwidth against simulated time.
struct SubcubeSimulationOptions {
  std::uint32_t mappings = 1;
  std::string machine;  ///< a name or a file; empty: a hypercube of unit costs
  std::string jobs;     ///< as --jobs gives it
  std::uint64_t seed = 0;
};

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

/// What the simulations say about the bandwidth of a mapping.
struct SubcubeSimulation {
  std::string machine;
  std::vector<SimulatedMapping> mappings;
  Correlation contended;
  Correlation uncontended;
  bool is_interrupted = false;

  bool has_failure() const;
};

/// Throws InputError when so many mappings and their results do not fit in memory.
void check_simulations_fit(const SubcubeProblem& problem, std::uint32_t mappings);

/// Draws mappings of the kind, of all qualities: one in four at random, the others annealed for
/// shorter or longer; of kind `any` parallel and other ones in turn. Each is simulated with and
/// without contention, in child processes. Throws InputError.
SubcubeSimulation simulate_mappings(const SubcubeProblem& problem, MappingKind kind,
                                    const SubcubeSimulationOptions& options);

}  // namespace dcube::app
