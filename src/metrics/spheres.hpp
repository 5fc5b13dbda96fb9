#pragma once

#include <cstdint>
#include <vector>

#include "dcube/topology/topology.hpp"

namespace dcube {

/// How many nodes lie at distance 0, 1, 2, .. of one node, as far as anybody asks.
using Spheres = std::vector<std::uint64_t>;

/// Within every distance up to `radius` at least as many nodes as any node of the machine has. On a
/// grid, what the best node has; elsewhere what breadth-first search finds, or on
/// large machines what a tree of the same degree has (Moore's bound).
Spheres widest_spheres(const Topology& topology, std::uint32_t radius);

}  // namespace dcube
