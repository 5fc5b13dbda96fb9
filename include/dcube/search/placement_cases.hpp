#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dcube/search/cases.hpp"
#include "dcube/search/search.hpp"

namespace dcube {

struct PlacementCasesResult {
  /// No map costs less. That of the best map, if nothing has ended the work early.
  std::uint64_t bound = 0;
  std::uint64_t cases = 0;  ///< how many were bounded
  /// The cost of a better map than the one that was known, and the map, if there is one.
  std::uint64_t cost = 0;
  std::vector<NodeId> map{};
};

/// Whether place_by_cases() takes the problem: a sum of weight times distance on at most 24 slots,
/// all of which reach each other.
bool has_placement_cases(const SearchProblem& problem);

/// Branch and bound over placements: a case gives some processes their nodes, and a dual ascent
/// (Hahn & Grant 1998) bounds what the others add, in whole numbers. Of choices that symmetries of
/// the machine or equal processes make alike one is tried. Ends when no map costs less than the
/// best one, and is then the same on every run.
std::optional<PlacementCasesResult> place_by_cases(const SearchProblem& problem,
                                                   const CasesSettings& settings);

}  // namespace dcube
