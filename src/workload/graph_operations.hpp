#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcube/workload/schedule.hpp"

namespace dcube {

/// An operation of a graph while it runs: two of them are in a cache line.
struct alignas(32) GraphNode {
  std::uint64_t amount = 0;
  ProcessId peer{};
  Tag tag = 0;
  std::uint32_t missing = 0;  ///< operations that it still waits for
  std::uint32_t first = 0;    ///< of its followers
  Operation::Kind kind{};
  std::uint8_t cpu = 0;
  std::uint16_t interface = 0;
};

/// The operations of a process, each with what follows it.
class GraphOperations {
 public:
  class Follower {
   public:
    Follower() = default;
    Follower(std::uint32_t operation, bool is_started)
        : word_{operation << 1U | (is_started ? 1U : 0U)} {}
    std::uint32_t operation() const { return word_ >> 1U; }
    /// It waits for the start only.
    bool is_started() const { return (word_ & 1U) != 0; }

   private:
    std::uint32_t word_ = 0;  // a process has at most 2^31 operations
  };

  GraphOperations(const std::vector<Operation>& operations,
                  const std::vector<OperationGraph::Edge>& edges)
      : nodes_(operations.size() + 1), followers_(edges.size()) {
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const Operation& of = operations[i];
      nodes_[i] = {of.amount, of.peer, of.tag, 0, 0, of.kind, of.cpu, of.interface};
    }
    for (const OperationGraph::Edge& edge : edges) {
      ++nodes_[edge.before].first;
      ++nodes_[edge.after].missing;
    }
    std::uint32_t end = 0;
    for (GraphNode& node : nodes_) {
      end += node.first;
      node.first = end;
    }
    for (std::size_t i = edges.size(); i-- > 0;) {
      followers_[--nodes_[edges[i].before].first] = {edges[i].after, edges[i].is_started};
    }
  }

  std::size_t size() const { return nodes_.size() - 1; }
  GraphNode& operator[](std::uint32_t operation) { return nodes_[operation]; }
  const GraphNode& operator[](std::uint32_t operation) const { return nodes_[operation]; }
  std::span<const Follower> followers(std::uint32_t operation) const {
    const std::uint32_t first = nodes_[operation].first;
    return std::span{followers_}.subspan(first, nodes_[operation + 1].first - first);
  }

 private:
  std::vector<GraphNode> nodes_;  ///< and one more, for where the followers of the last end
  std::vector<Follower> followers_;
};

}  // namespace dcube
