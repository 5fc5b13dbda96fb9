#pragma once

#include "dcube/topology/topology.hpp"

namespace dcube {

/// Whether the nodes of every dimension are joined in a cycle (sides of up to 2: a line is one).
inline bool wraps_around(const Topology& topology) {
  return topology.kind() == "ring" || topology.kind() == "torus" || topology.kind() == "hypercube";
}

/// Whether distances follow from coordinates: lines or cycles in every dimension.
inline bool is_grid(const Topology& topology) {
  return wraps_around(topology) || topology.kind() == "line" || topology.kind() == "mesh";
}

}  // namespace dcube
