#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/mapped.hpp"
#include "dcube/search/search.hpp"
#include "dcube/topology/hop_weights.hpp"

namespace dcube {

/// The nodes that may host processes, ascending.
inline std::vector<NodeId> usable_nodes(const Topology& topology) {
  return kept(numbered(topology.node_count(), [](std::uint32_t node) { return NodeId{node}; }),
              [&](NodeId node) { return topology.is_usable(node); });
}

/// The hops between the nodes that may host processes. Where a table of routes makes one way longer
/// than the other, the shorter counts.
class SlotDistances {
 public:
  static constexpr std::uint32_t most_nodes = 512;

  /// Nothing on machines of more usable nodes, and where there is no way between two of them.
  static std::optional<SlotDistances> of(const SearchProblem& problem) {
    return filled(problem, false,
                  [&](NodeId from, NodeId to) { return problem.topology.distance(from, to); });
  }
  /// Lengths of routes by weights of links in place of hops.
  static std::optional<SlotDistances> weighted(const SearchProblem& problem) {
    return filled(problem, true, HopLengths{problem.topology});
  }

  bool are_weighted() const { return are_weighted_; }

  std::size_t node_count() const { return node_count_; }
  std::uint32_t slots() const { return slots_; }
  std::size_t slot_count() const { return node_count_ * slots_; }

  /// Distances no longer than by way of other nodes. Routes around failures and along tables may be
  /// longer.
  SlotDistances shortened() const {
    SlotDistances distances = *this;
    for (std::size_t by = 0; by < node_count_; ++by) {
      const std::uint32_t* const onward = &distances.table_[by * node_count_];
      for (std::size_t from = 0; from < node_count_; ++from) {
        std::uint32_t* const row = &distances.table_[from * node_count_];
        const std::uint32_t there = row[by];
        for (std::size_t to = 0; to < node_count_; ++to) {
          row[to] = std::min(row[to], there + onward[to]);
        }
      }
    }
    return distances;
  }

  /// Distance of two nodes, numbered from 0 among those that may host processes.
  std::uint32_t operator()(std::size_t from, std::size_t to) const {
    return table_[from * node_count_ + to];
  }

  /// Distances from a slot of the node to the 1, 2, .. nearest others, ascending.
  std::vector<std::uint32_t> nearest(std::size_t node) const {
    std::vector<std::uint32_t> all;
    all.reserve(slot_count());
    for (std::size_t other = 0; other < node_count_; ++other) {
      all.insert(all.end(), other == node ? slots_ - 1 : slots_, (*this)(node, other));
    }
    std::ranges::sort(all);
    return all;
  }

 private:
  SlotDistances(std::size_t nodes, std::uint32_t slots, bool are_weighted)
      : node_count_{nodes}, slots_{slots}, are_weighted_{are_weighted}, table_(nodes * nodes) {}

  template <class Distance>
  static std::optional<SlotDistances> filled(const SearchProblem& problem, bool are_weighted,
                                             const Distance& distance) {
    const Topology& topology = problem.topology;
    if (topology.usable_count() > most_nodes) {
      return std::nullopt;
    }
    const std::vector<NodeId> nodes = usable_nodes(topology);
    SlotDistances distances{nodes.size(), problem.slots, are_weighted};
    for (std::size_t from = 0; from < nodes.size(); ++from) {
      for (std::size_t to = 0; to < from; ++to) {
        const NodeId a = nodes[from];
        const NodeId b = nodes[to];
        if (!topology.reaches(a, b) || !topology.reaches(b, a)) {
          return std::nullopt;
        }
        distances.table_[from * nodes.size() + to] = distances.table_[to * nodes.size() + from] =
            static_cast<std::uint32_t>(std::min(distance(a, b), distance(b, a)));
      }
    }
    return distances;
  }

  std::size_t node_count_;
  std::uint32_t slots_;
  bool are_weighted_;
  std::vector<std::uint32_t> table_;
};

}  // namespace dcube
