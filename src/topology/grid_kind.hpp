#pragma once

#include <cstdint>

#include "dcube/topology/topology.hpp"

namespace dcube {

/// Whether the machine has the routes and all the links of a grid of its shape, whose dimensions
/// are cycles or lines. Routes may go through the dimensions in any order: distances are the same,
/// and so is the route between nodes that differ in one coordinate. Formulas for grids hold nowhere
/// else.
inline bool is_whole_grid(const Topology& topology, bool has_cycles) {
  if (!topology.routing().starts_with("dimension_order")) {
    return false;
  }
  std::uint64_t links = 0;
  for (const std::uint32_t side : topology.shape()) {
    links +=
        std::uint64_t{topology.node_count() / side} * (has_cycles && side > 2 ? side : side - 1);
  }
  return topology.link_count() == links;
}

/// Whether the nodes of every dimension are joined in a cycle (sides of up to 2: a line is one).
inline bool wraps_around(const Topology& topology) {
  return (topology.kind() == "ring" || topology.kind() == "torus" ||
          topology.kind() == "hypercube") &&
         is_whole_grid(topology, true);
}

/// Whether distances follow from coordinates: lines or cycles in every dimension.
inline bool is_grid(const Topology& topology) {
  return wraps_around(topology) || ((topology.kind() == "line" || topology.kind() == "mesh") &&
                                    is_whole_grid(topology, false));
}

}  // namespace dcube
