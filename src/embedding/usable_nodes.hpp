#pragma once

#include <cstdint>
#include <vector>

#include "dcube/embedding/embedding.hpp"

namespace dcube {

/// Nodes that may host processes, counted from 0. Takes no memory if those are all nodes.
class UsableNodes {
 public:
  explicit UsableNodes(const Topology& topology) {
    if (topology.usable_count() == topology.node_count()) {
      return;
    }
    for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
      if (topology.is_usable(NodeId{node})) {
        nodes_.push_back(node);
      }
    }
  }

  bool are_all() const { return nodes_.empty(); }
  std::uint32_t operator[](std::uint32_t index) const {
    return nodes_.empty() ? index : nodes_[index];
  }

 private:
  std::vector<std::uint32_t> nodes_;
};

/// Function from label to node, the usable node with the index index_of_label(label).
template <class IndexOfLabel>
auto on_usable_nodes(const Topology& topology, IndexOfLabel index_of_label) {
  return [nodes = UsableNodes{topology}, index_of_label](std::uint32_t label) {
    return nodes[index_of_label(label)];
  };
}

}  // namespace dcube
