#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "dcube/topology/topology.hpp"

namespace dcube {

// Properties that follow from the structure of a topology.

/// Whether node numbers are coordinates, with links along each dimension: grids, twisted tori.
inline bool has_sides(const Topology& topology) {
  return topology.structure().lines.size() == topology.dimension_count();
}

/// Whether every dimension is one of these lines; false without sides.
inline bool has_only(const Topology& topology, Structure::Line line, Structure::Line other) {
  return has_sides(topology) &&
         std::ranges::all_of(topology.structure().lines,
                             [&](Structure::Line one) { return one == line || one == other; });
}

/// Whether coordinates change one by one along links: a product of paths and cycles, whatever its
/// routes are and whichever links work.
inline bool has_coordinates(const Topology& topology) {
  return has_only(topology, Structure::Line::path, Structure::Line::cycle);
}

/// Whether all nodes are in one row, whichever links work.
inline bool is_path(const Topology& topology) {
  return topology.dimension_count() == 1 &&
         has_only(topology, Structure::Line::path, Structure::Line::path);
}

/// Whether a link joins the ends of the dimension, a cycle of three nodes or more.
inline bool is_cycle(const Topology& topology, std::size_t dimension) {
  return topology.structure().lines[dimension] == Structure::Line::cycle &&
         topology.shape()[dimension] > 2;
}

/// Whether the machine has the routes and all links of a product of paths and cycles, so distances
/// follow from coordinates. Routes may go through the dimensions in any order: distances and routes
/// between nodes that differ in one coordinate are the same. Formulas for grids hold nowhere else.
inline bool is_grid(const Topology& topology) {
  if (!has_coordinates(topology) || !topology.routing().starts_with("dimension_order")) {
    return false;
  }
  std::uint64_t links = 0;
  for (std::size_t d = 0; d < topology.dimension_count(); ++d) {
    const std::uint32_t side = topology.shape()[d];
    links +=
        std::uint64_t{topology.node_count() / side} * (is_cycle(topology, d) ? side : side - 1);
  }
  return topology.link_count() == links;
}

/// Whether the machine is a grid whose dimensions are all cycles.
inline bool wraps_around(const Topology& topology) {
  return has_only(topology, Structure::Line::cycle, Structure::Line::cycle) && is_grid(topology);
}

/// Whether the machine is a grid whose dimensions are all paths, as two nodes always are.
inline bool has_open_ends(const Topology& topology) {
  for (std::size_t d = 0; d < topology.dimension_count(); ++d) {
    if (!has_sides(topology) || is_cycle(topology, d)) {
      return false;
    }
  }
  return is_grid(topology);
}

/// Default routing of a network.
inline std::string_view usual_routing(const Topology& topology) {
  const std::vector<std::string>& own = topology.structure().routings;
  return !own.empty()          ? std::string_view{own.front()}
         : has_sides(topology) ? "dimension_order"
                               : "shortest";
}

}  // namespace dcube
