#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dcube/collective/collective.hpp"

namespace dcube {

/// A closed walk through all ranks of a torus, each once, from neighbour to neighbour.
struct HamiltonianRing {
  std::vector<std::uint32_t> ranks;   ///< [place]
  std::vector<std::uint32_t> places;  ///< [rank]
};
using HamiltonianRings = std::vector<HamiltonianRing>;

/// How many rings edge_disjoint_rings() looks for: one a side of 3 or more or with a twist, one for
/// each two sides of 2, and at least 1.
std::uint32_t ring_count(const CollectiveOptions& options);

/// Rings of which no two share a link, on the torus of the options: as many as ring_count() says,
/// or none where none were found. The same for the same torus. Thread-safe; later calls for a torus
/// cost little.
std::shared_ptr<const HamiltonianRings> edge_disjoint_rings(const CollectiveOptions& options);

}  // namespace dcube
