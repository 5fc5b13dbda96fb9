#pragma once

#include <cstdint>
#include <vector>

#include "dcube/topology/topology.hpp"

namespace dcube {

/// Distances between nodes that may host processes. A table holds them while it fits in a cache;
/// otherwise they are computed.
class Distances {
 public:
  explicit Distances(const Topology& topology)
      : topology_{&topology}, node_count_{topology.node_count()} {
    if (node_count_ > most_tabled_nodes) {
      return;
    }
    std::vector<bool> is_usable;
    for (std::uint32_t node = 0; node < node_count_; ++node) {
      is_usable.push_back(topology.is_usable(NodeId{node}));
    }
    table_.reserve(std::size_t{node_count_} * node_count_);
    for (std::uint32_t from = 0; from < node_count_; ++from) {
      for (std::uint32_t to = 0; to < node_count_; ++to) {
        // No process is elsewhere.
        const bool is_asked_for = is_usable[from] && is_usable[to];
        table_.push_back(static_cast<std::uint16_t>(
            is_asked_for ? topology.distance(NodeId{from}, NodeId{to}) : 0));
      }
    }
  }

  std::uint32_t operator()(NodeId from, NodeId to) const {
    return table_.empty() ? topology_->distance(from, to)
                          : table_[std::size_t{from.index()} * node_count_ + to.index()];
  }

 private:
  static constexpr std::uint32_t most_tabled_nodes = 4096;

  const Topology* topology_;
  std::uint32_t node_count_;
  std::vector<std::uint16_t> table_;
};

}  // namespace dcube
