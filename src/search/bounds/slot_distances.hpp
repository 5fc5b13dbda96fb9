#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "dcube/search/search.hpp"

namespace dcube {

/// The nodes that may host processes, ascending.
std::vector<NodeId> usable_nodes(const Topology& topology);

/// The hops between the nodes that may host processes. Where a table of routes makes one way longer
/// than the other, the shorter counts.
class SlotDistances {
 public:
  static constexpr std::uint32_t most_nodes = 512;

  /// Nothing on machines of more usable nodes, and where there is no way between two of them.
  static std::optional<SlotDistances> of(const SearchProblem& problem);
  /// Lengths of routes by weights of links in place of hops.
  static std::optional<SlotDistances> weighted(const SearchProblem& problem);

  bool are_weighted() const { return are_weighted_; }

  std::size_t node_count() const { return node_count_; }
  std::uint32_t slots() const { return slots_; }
  std::size_t slot_count() const { return node_count_ * slots_; }
  /// Distances no longer than by way of other nodes. Routes around failures and along tables may be
  /// longer.
  SlotDistances shortened() const;

  /// Distance of two nodes, numbered from 0 among those that may host processes.
  std::uint32_t operator()(std::size_t from, std::size_t to) const {
    return table_[from * node_count_ + to];
  }

  /// Distances from a slot of the node to the 1, 2, .. nearest others, ascending.
  std::vector<std::uint32_t> nearest(std::size_t node) const;

 private:
  template <class Distance>
  static std::optional<SlotDistances> filled(const SearchProblem& problem, Distance distance);
  SlotDistances(std::size_t nodes, std::uint32_t slots)
      : node_count_{nodes}, slots_{slots}, table_(nodes * nodes) {}

  std::size_t node_count_;
  std::uint32_t slots_;
  bool are_weighted_ = false;
  std::vector<std::uint32_t> table_;
};

}  // namespace dcube
