#include "dcube/topology/hop_weights.hpp"
#include "starts.hpp"

namespace dcube {

SwitchTree switch_tree(const Topology& topology) {
  const std::uint32_t leaves = topology.terminal_count();
  if (topology.structure().switches == 0) {
    return {};
  }
  const HopLengths lengths{topology};
  const auto distance = [&](std::uint32_t from, std::uint32_t to) {
    return lengths(NodeId{from}, NodeId{to});
  };
  SwitchTree tree;
  for (std::uint32_t below = 1; below < leaves;) {
    const std::uint64_t hops = distance(0, below);
    std::uint32_t more = below;
    while (more < leaves && distance(0, more) <= hops) {
      more += below;
    }
    if (more > leaves || leaves % more != 0) {
      return {};
    }
    // Every leaf is that far from those of the next node, and of the first, with one parent.
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
      const std::uint32_t parent = leaf / more * more;
      const std::uint32_t next = parent + (leaf - parent + below) % more;
      const bool is_first = leaf - parent < below;
      if (distance(leaf, next) != hops || (!is_first && distance(leaf, parent) != hops)) {
        return {};
      }
    }
    tree.sizes.insert(tree.sizes.begin(), more / below);
    tree.costs.insert(tree.costs.begin(), hops);
    below = more;
  }
  return tree;
}

}  // namespace dcube
