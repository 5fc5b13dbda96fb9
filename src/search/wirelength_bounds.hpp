#pragma once

#include <cstdint>
#include <vector>

#include "dcube/search/search.hpp"
#include "partners.hpp"

namespace dcube {

/// For sums of weight times distance; at least one.
std::vector<CostBound> sum_bounds(const Topology& topology, const Partners& partners);

/// On a machine without odd cycles an odd cycle of pairs has one whose ends are an even number of
/// hops apart, so at least two. The least weight of such pairs: the lightest pair of every
/// component that has an odd cycle. 0 where nothing follows.
std::uint64_t pairs_two_apart(const Topology& topology, const Partners& partners);

}  // namespace dcube
