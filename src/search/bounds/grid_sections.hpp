#pragma once

#include <cstdint>
#include <vector>

#include "dcube/search/search.hpp"

namespace dcube {

/// A lower bound of the sum of weight times distance over all pairs of n processes on a grid, of
/// which any m and the n - m others exchange at least `cuts[m]` (n + 1 entries, symmetric, 0 at
/// both ends). 0 where nothing is known: on machines that are no grids, on cycles of an odd number
/// of nodes, and where it would take long.
std::uint64_t grid_section_bound(const Topology& topology, std::uint32_t slots,
                                 const std::vector<std::uint64_t>& cuts);

}  // namespace dcube
