#pragma once

#include <cstdint>
#include <vector>

#include "dcube/topology/topology.hpp"

namespace dcube {

/// The links of the routes between nodes that may host processes. A table holds them while it is
/// small; otherwise routes are walked.
class RouteLinks {
 public:
  /// `topology` must outlive it.
  explicit RouteLinks(const Topology& topology)
      : topology_{topology}, node_count_{topology.node_count()} {
    if (!is_small()) {
      return;
    }
    first_.reserve(std::size_t{node_count_} * node_count_ + 1);
    first_.push_back(0);
    for (std::uint32_t from = 0; from < node_count_; ++from) {
      for (std::uint32_t to = 0; to < node_count_; ++to) {
        if (topology.is_usable(NodeId{from}) && topology.is_usable(NodeId{to})) {
          for_each_link(topology, NodeId{from}, NodeId{to},
                        [&](LinkId link) { links_.push_back(link); });
        }
        first_.push_back(static_cast<std::uint32_t>(links_.size()));
      }
    }
  }

  /// Calls `visit(link)` for every link of the route, in order.
  template <class Visit>
  void for_each(NodeId from, NodeId to, Visit visit) const {
    if (first_.empty()) {
      for_each_link(topology_, from, to, visit);
      return;
    }
    const std::size_t pair = std::size_t{from.index()} * node_count_ + to.index();
    for (std::uint32_t i = first_[pair]; i < first_[pair + 1]; ++i) {
      visit(links_[i]);
    }
  }

 private:
  /// Whether the table would have few entries.
  bool is_small() const {
    constexpr std::uint64_t most_nodes = 1024;
    constexpr std::uint64_t most_links = std::uint64_t{4} << 20U;
    if (node_count_ > most_nodes) {
      return false;
    }
    std::uint64_t links = 0;
    for (std::uint32_t from = 0; from < node_count_ && links <= most_links; ++from) {
      for (std::uint32_t to = 0; to < node_count_; ++to) {
        if (topology_.is_usable(NodeId{from}) && topology_.is_usable(NodeId{to})) {
          links += topology_.distance(NodeId{from}, NodeId{to});
        }
      }
    }
    return links <= most_links;
  }

  const Topology& topology_;
  std::uint32_t node_count_;
  std::vector<std::uint32_t> first_;  ///< of each pair in links_, and the end; empty: no table
  std::vector<LinkId> links_;
};

}  // namespace dcube
