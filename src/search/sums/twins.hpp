#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dcube/core/ids.hpp"
#include "search/objectives/distances.hpp"

namespace dcube {

/// Nodes with the same neighbours that are as far from any other node, such as those of one switch.
struct Twins {
  std::vector<std::uint32_t> first;  ///< by node: the lowest of its twins
  std::uint32_t apart = 0;           ///< distance of any two twins, >= 1
};

/// The twins among `nodes`, which are ascending. Nothing where there are none, where all nodes are
/// twins, where some are farther apart than others or than from other nodes, or where there are too
/// many to see. O(nodes * nodes that are no twins of lower ones).
std::optional<Twins> twins_of(std::span<const std::uint32_t> nodes,
                              std::span<const std::vector<std::uint32_t>> near,
                              const Distances& distances);

}  // namespace dcube
