#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "dcube/core/int128.hpp"
#include "dcube/search/search.hpp"
#include "map_cost.hpp"

namespace dcube {

class PartialBound;

/// Costs and their sums stay within 63 bits.
inline constexpr UInt128 greatest_cost = std::numeric_limits<std::int64_t>::max();

/// An objective: its properties, and the functions of which searches, bounds and proofs are made.
/// One that is simulated has bounds alone. One that is composed has neither most_cost() nor
/// least_cost(), because those of its terms take their place.
struct ObjectiveKind {
  ObjectiveTraits traits;
  /// No map costs more.
  UInt128 (*most_cost)(const SearchProblem&) = nullptr;
  /// Throws InputError (no place) where the problem lacks what the objective needs.
  void (*check)(const SearchProblem&) = [](const SearchProblem&) {};
  /// The cost of a map, computed from scratch.
  std::uint64_t (*cost)(const SearchProblem&, std::span<const NodeId> map) = nullptr;
  /// The cost of a map that is being changed. It may refer to both arguments.
  std::unique_ptr<MapCost> (*map_cost)(const SearchProblem&, const Distances&) = nullptr;
  /// Lower bounds in any order, at least one.
  std::vector<CostBound> (*bounds)(const SearchProblem&) = nullptr;
  /// A lower bound of all ways to complete a partial map; of a complete one its cost. It may stop
  /// counting when it passes the limit.
  std::uint64_t (*least_cost)(const PartialBound&, std::uint64_t limit) = nullptr;
  /// Hops count as their links weigh.
  bool weighs_hops = false;
  /// In partial maps all partners weigh 1, whatever their flows.
  bool has_equal_partners = false;
};

#define DCUBE_DECLARE_OBJECTIVE(name) extern const ObjectiveKind name##_objective;
DCUBE_OBJECTIVES(DCUBE_DECLARE_OBJECTIVE)
#undef DCUBE_DECLARE_OBJECTIVE

const ObjectiveKind& kind_of(Objective objective);

}  // namespace dcube
