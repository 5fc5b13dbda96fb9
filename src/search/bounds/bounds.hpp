#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dcube/search/partners.hpp"
#include "dcube/search/search.hpp"
#include "slot_distances.hpp"

// Bounds that no map can beat. docs/theory/lower-bounds.md derives each; a file holds one family.

namespace dcube {

constexpr std::uint64_t divided_up(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0 : (a + b - 1) / b;
}

inline const CostBound& greatest(const std::vector<CostBound>& bounds) {
  return *std::ranges::max_element(bounds, {}, &CostBound::cost);
}

// --- Bounds of sums of weight times distance ---

/// All bounds of the sum of hops; at least one.
std::vector<CostBound> sum_bounds(const SearchProblem& problem, const Partners& partners);

/// bounds_on_nodes.cpp: bounds of the sum with weights of links, from their lengths alone.
std::vector<CostBound> weighted_sum_bounds(const SearchProblem& problem, const Partners& partners);

/// degree.cpp: the partners of a process are on different slots.
CostBound degree_bound(const SearchProblem& problem, const Partners& partners);
/// Processes that pairs join fill so many nodes; 0 where a node has one slot.
CostBound connection_bound(const SearchProblem& problem, const Partners& partners);

/// parity.cpp: the least weight of pairs that are an even number of hops apart, so at least two
/// unless they can share a node; 0 where nothing follows.
std::uint64_t pairs_two_apart(const SearchProblem& problem, const Partners& partners);

/// cubes.cpp: bounds of a cube, whole or with weights of its dimensions.
std::vector<CostBound> cube_bounds(const SearchProblem& problem, const Partners& partners);
/// Whether one of the cube bounds is the least cost, by a theorem.
bool is_least_known(const SearchProblem& problem, const Partners& partners);

/// sections.cpp: least cuts of the traffic on every link of a line; 0 elsewhere.
CostBound section_bound(const SearchProblem& problem, const Partners& partners);

// The following bounds take milliseconds. Their cost is 0 where they would take long.

/// distance_sums.cpp: least sums of the distances between so many processes.
CostBound spread_bound(const SearchProblem& problem, const SlotDistances& distances,
                       const Partners& partners);
/// gilmore_lawler.cpp: one assignment over least scalar products; 0 where all nodes are alike.
CostBound gilmore_lawler_bound(const SlotDistances& distances, const Partners& partners);
/// projection.cpp: eigenvalues.
CostBound projection_bound(const SearchProblem& problem, const SlotDistances& distances,
                           const Partners& partners);

// --- Bounds of the longest dilation and of the most loaded link; at least one each ---

std::vector<CostBound> longest_bounds(const SearchProblem& problem, const Partners& partners);
std::vector<CostBound> link_bounds(const SearchProblem& problem, const Partners& partners);
/// machine_cuts.cpp: bound of the most loaded link; 0 where it would take long.
CostBound cut_bound(const SearchProblem& problem, const Partners& partners);

}  // namespace dcube
