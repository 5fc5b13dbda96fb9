#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
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
/// Processes that pairs join fill so many nodes. Needs nodes of several slots.
CostBound connection_bound(const SearchProblem& problem, const Partners& partners);

/// parity.cpp: the least weight of pairs that are an even number of hops apart, so at least two
/// unless they can share a node; 0 where nothing follows.
std::uint64_t pairs_two_apart(const SearchProblem& problem, const Partners& partners);
/// A number that divides the cost of every map.
std::uint64_t sum_unit(const SearchProblem& problem, const Partners& partners);

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
/// groups.cpp: the densest sets of processes on nodes of several slots, and below switches.
CostBound group_bound(const SearchProblem& problem, const std::optional<SlotDistances>& distances,
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

// --- What bounds are made of ---

/// grid_sections.cpp: a bound of the sum over all pairs of n processes on a grid, of
/// which any m and the n - m others exchange at least `cuts[m]` (n + 1 entries, symmetric, 0 at
/// both ends). 0 where nothing is known: on machines that are no grids, on cycles of an odd number
/// of nodes, and where it would take long.
std::uint64_t grid_section_bound(const Topology& topology, std::uint32_t slots,
                                 const std::vector<std::uint64_t>& cuts);

/// bisection.cpp: least weight that `least` to `most` processes exchange with the others, from
/// eigenvalues; 0 where that would take long, or nothing follows.
std::uint64_t spectral_cut(const Partners& partners, std::uint64_t least, std::uint64_t most);

/// projection.cpp: the eigenvalues that the distances between all slots have on the vectors that
/// are orthogonal to the one of ones.
struct DistanceSpectrum {
  std::vector<double> values;  ///< ascending
  double error = 0;            ///< greatest length of `values` less the true eigenvalues
};

/// Spectrum by a numeric solver, checked.
DistanceSpectrum projected_spectrum(const SlotDistances& distances);

/// Spectrum in closed form on whole rings, tori and hypercubes: sums of Fourier coefficients of the
/// distances on each cycle. A distance is a sum over the dimensions, so a wave that changes along
/// two of them has the eigenvalue 0. Nothing elsewhere.
DistanceSpectrum spectrum_of_cycles(const SearchProblem& problem);

/// Least sums of the distances between processes, wherever these are placed. Index k is about k
/// processes; past the end the sum is 0.
struct SpreadingNeeds {
  std::uint32_t of_pair = 0;            ///< between any two processes
  std::vector<std::uint64_t> from_one;  ///< from one of k processes to the others
  std::vector<std::uint64_t> among;     ///< between all of k processes, both ways of each pair
};

/// spreading.cpp: a lower bound of the sum of weight times distance over all pairs, by the linear
/// programme of spreading metrics (Even, Naor, Rao & Schieber 2000). The distances of any map
/// satisfy it, so its least value is a bound, and so is every solution of its dual, one of which is
/// checked and valued in whole numbers. The more work (some millions a second) may be done, the
/// greater the bound. Work is counted, so the bound does not depend on the computer's speed.
std::uint64_t spreading_bound(const Partners& partners, const SpreadingNeeds& needs,
                              std::uint64_t most_work);

/// Cost of each row in each column.
struct AssignmentCosts {
  std::size_t rows = 0;
  std::size_t columns = 0;  ///< at least as many
  std::vector<std::uint64_t> costs;

  std::uint64_t operator()(std::size_t row, std::size_t column) const {
    return costs[row * columns + column];
  }
};

/// gilmore_lawler.cpp: the least sum of costs when every row has a column of its own, by shortest
/// augmenting paths (Kuhn 1955, Munkres 1957, Tomizawa 1971). Whole numbers throughout. The least
/// sum must be below 2^64. O(rows^2 * columns).
std::uint64_t least_assignment(const AssignmentCosts& costs);

}  // namespace dcube
