#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "dcube/topology/topology.hpp"

namespace dcube {

/// Whether a node's number is made of coordinates that change one by one along its links: products
/// of lines and cycles, whatever their routes are and whichever links work.
inline bool has_coordinates(const Topology& topology) {
  constexpr std::array<std::string_view, 5> kinds{"hypercube", "line", "mesh", "ring", "torus"};
  return std::ranges::find(kinds, topology.kind()) != kinds.end();
}

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
  const bool is_open = topology.kind() == "line" || topology.kind() == "mesh";
  return has_coordinates(topology) && !is_open && is_whole_grid(topology, true);
}

/// Whether distances follow from coordinates: lines or cycles in every dimension.
inline bool is_grid(const Topology& topology) {
  const bool is_open = topology.kind() == "line" || topology.kind() == "mesh";
  return has_coordinates(topology) && is_whole_grid(topology, !is_open);
}

}  // namespace dcube
