#pragma once

#include <cstdint>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// Entry j of a permutation of a cube's dimensions: the dimension of the process labels that plays
/// the algorithm's dimension j. Algorithms that use some dimensions more often than others gain
/// when those cross short distances.
using DimensionOrder = std::vector<std::uint32_t>;

/// The setting "order" of a program on a cube of `dimensions`: "as_defined" (the default; 0, 1,
/// ..), "interleaved" (the dimensions that fall on each of the machine's sides, taken from the
/// sides in turn) or the permutation as a list.
DimensionOrder read_dimension_order(const Params& params, const Topology& topology,
                                    std::uint32_t dimensions);

/// The help of that setting.
ParameterHelp dimension_order_help();

/// The label in the algorithm's cube of the process `rank`: bit j is bit order[j] of the rank.
std::uint32_t algorithm_label(const DimensionOrder& order, std::uint32_t rank);

}  // namespace dcube
