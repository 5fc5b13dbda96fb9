#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dcube/topology/folded_grid.hpp"

namespace dcube {

/// Nodes that may host processes, counted from 0 by their numbers or, on folded sides, along these.
/// Takes no memory if those are all nodes.
class UsableNodes {
 public:
  enum class Order { by_place, by_number };

  explicit UsableNodes(const Topology& topology, Order order = Order::by_place) {
    if (order == Order::by_place && !topology.structure().folds.empty()) {
      grid_.emplace(topology);
    }
    if (topology.usable_count() == topology.node_count()) {
      return;
    }
    for (std::uint32_t place = 0; place < topology.node_count(); ++place) {
      const std::uint32_t node = node_at(place);
      if (topology.is_usable(NodeId{node})) {
        nodes_.push_back(node);
      }
    }
  }

  std::uint32_t operator[](std::uint32_t index) const {
    return nodes_.empty() ? node_at(index) : nodes_[index];
  }

 private:
  std::uint32_t node_at(std::uint32_t place) const { return grid_ ? grid_->node_at(place) : place; }

  std::optional<FoldedGrid> grid_;
  std::vector<std::uint32_t> nodes_;
};

/// Function from label to node, the usable node with the index index_of_label(label).
template <class IndexOfLabel>
auto on_usable_nodes(const Topology& topology, IndexOfLabel index_of_label,
                     UsableNodes::Order order = UsableNodes::Order::by_place) {
  return [nodes = UsableNodes{topology, order}, index_of_label](std::uint32_t label) {
    return nodes[index_of_label(label)];
  };
}

}  // namespace dcube
