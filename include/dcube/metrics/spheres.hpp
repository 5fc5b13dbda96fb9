#pragma once

#include <cstdint>
#include <vector>

#include "dcube/topology/topology.hpp"

namespace dcube {

/// Number of usable nodes at distance 0, 1, 2, .. of one of them.
using Spheres = std::vector<std::uint64_t>;

/// Spheres that have within every distance at least as many usable nodes as those of any node of
/// the machine that may host processes: as far as `others` hops, or farther, until they have as
/// many others. On a grid they are those of the best node. Elsewhere breadth-first search finds
/// them; on large machines they are those of a tree of the same degree (Moore's bound).
Spheres widest_spheres(const Topology& topology, std::uint32_t others);

}  // namespace dcube
