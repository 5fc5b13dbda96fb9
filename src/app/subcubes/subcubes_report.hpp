#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dcube/questions/subcube_simulation.hpp"
#include "dcube/search/subcubes.hpp"

namespace dcube::app {

/// A mapping found or given, and what is known about it.
struct SubcubeReport {
  std::string source;  ///< of the task graph
  const SubcubeProblem& problem;
  MappingKind kind = MappingKind::parallel;
  std::string method;  ///< "annealing"; "given" for a mapping that was read
  std::uint64_t seed = 0;
  SubcubeSearchResult result;
  /// Average over random mappings of the kind; nothing where none was drawn.
  std::optional<std::uint64_t> random_bandwidth;
  std::optional<SubcubeSimulation> simulation;
};

/// "0*1", "1*1", ..
std::vector<std::string> texts(std::span<const Subcube> subcubes);

/// Lower bound of the bandwidth of any mapping of the kind.
std::uint64_t bound_of(const SubcubeReport& report);
/// Excess of the mapping over the bound, as a share of it.
std::optional<double> gap_of(const SubcubeReport& report);

/// "non-parallel"
std::string to_string(MappingKind kind);

// Reports for people and for programs. `full`: every task, however many.
std::string subcube_text(const SubcubeReport& report, bool full);
std::string subcube_json(const SubcubeReport& report);

/// T, M, H, the frontiers and the pairing of two subcubes.
std::string pair_text(const Subcube& a, const Subcube& b);
std::string pair_json(const Subcube& a, const Subcube& b);

std::string conjecture_text(const std::vector<ConjectureCheck>& checks);
std::string conjecture_json(const std::vector<ConjectureCheck>& checks);

}  // namespace dcube::app
