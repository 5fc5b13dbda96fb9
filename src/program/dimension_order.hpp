#pragma once

#include <cstdint>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// A permutation of a cube's dimensions: entry j is the dimension of process labels used as the
/// algorithm's dimension j. It helps when the most used dimensions cross short distances.
using DimensionOrder = std::vector<std::uint32_t>;

/// The setting "order" of a program on a cube of `dimensions`: "as_defined" (0, 1, ..; default),
/// "interleaved" (dimensions of the machine's sides, in turn) or the permutation as a list.
DimensionOrder read_dimension_order(const Params& params, const Topology& topology,
                                    std::uint32_t dimensions);

ParameterHelp dimension_order_help();

/// Label of process `rank` in the algorithm's cube: bit j is bit order[j] of the rank.
std::uint32_t algorithm_label(const DimensionOrder& order, std::uint32_t rank);

}  // namespace dcube
