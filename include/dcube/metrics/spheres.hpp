#pragma once

#include <cstdint>
#include <vector>

#include "dcube/topology/topology.hpp"

namespace dcube {

/// Number of nodes at distance 0, 1, 2, .. of one node, up to a radius.
using Spheres = std::vector<std::uint64_t>;

/// Spheres that have within every distance up to `radius` at least as many nodes as those of any
/// node of the machine. On a grid they are those of the best node. Elsewhere breadth-first search
/// finds them; on large machines they are those of a tree of the same degree (Moore's bound).
Spheres widest_spheres(const Topology& topology, std::uint32_t radius);

}  // namespace dcube
