#pragma once

#include <cstdint>
#include <vector>

#include "dcube/topology/topology.hpp"

namespace dcube {

/// How many nodes lie at distance 0, 1, 2, .. of one node, as far as anybody asks.
using Spheres = std::vector<std::uint64_t>;

/// Within every distance up to `radius` at least as many nodes as any node of the machine has. On a
/// grid they are those of the best node. Elsewhere breadth-first search finds them; on large
/// machines they are those of a tree of the same degree (Moore's bound).
Spheres widest_spheres(const Topology& topology, std::uint32_t radius);

}  // namespace dcube
