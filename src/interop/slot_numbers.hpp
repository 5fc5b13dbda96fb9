#pragma once

#include <cstdint>
#include <vector>

#include "dcube/core/ids.hpp"

namespace dcube {

/// Numbers the processes of each node 0, 1, .., in the order of calls.
class SlotNumbers {
 public:
  explicit SlotNumbers(std::uint32_t node_count) : used_(node_count) {}

  std::uint32_t next(NodeId node) { return used_[node.index()]++; }
  std::uint32_t used(NodeId node) const { return used_[node.index()]; }

 private:
  std::vector<std::uint32_t> used_;
};

}  // namespace dcube
