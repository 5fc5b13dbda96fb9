#pragma once

#include <cstdint>
#include <vector>

#include "dcube/search/search.hpp"
#include "partners.hpp"

namespace dcube {

/// Bounds for sums of weight times distance; at least one.
std::vector<CostBound> sum_bounds(const Topology& topology, const Partners& partners);

/// On a machine without odd cycles, an odd cycle of pairs has a pair whose ends are an even number
/// of hops apart, so at least two. Returns the least weight of all such pairs together, which is
/// that of the lightest pair of every component with an odd cycle; 0 where nothing follows.
std::uint64_t pairs_two_apart(const Topology& topology, const Partners& partners);

}  // namespace dcube
