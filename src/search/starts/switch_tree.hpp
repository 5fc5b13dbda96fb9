#pragma once

#include <cstdint>
#include <vector>

#include "dcube/topology/topology.hpp"

namespace dcube {

/// Levels of a tree of switches, the highest first.
struct SwitchTree {
  std::vector<std::uint32_t> sizes;  ///< children of a switch
  std::vector<std::uint64_t> costs;  ///< length of the way between terminals that part there
};

/// The tree whose leaves are as far from each other as the terminals of the machine, by the weights
/// of its links; empty where there is none. Terminals below a switch have consecutive numbers.
/// O(terminals * levels).
SwitchTree switch_tree(const Topology& topology);

}  // namespace dcube
