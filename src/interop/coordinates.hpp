#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcube/core/ids.hpp"

namespace dcube {

/// Coordinates of a node; node numbers count the first one fastest.
inline std::vector<std::uint32_t> coordinates(std::span<const std::uint32_t> shape, NodeId node) {
  std::vector<std::uint32_t> result;
  std::uint32_t rest = node.index();
  for (const std::uint32_t side : shape) {
    result.push_back(rest % side);
    rest /= side;
  }
  return result;
}

}  // namespace dcube
