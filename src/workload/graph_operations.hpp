#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/huge_pages.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/workload/schedule.hpp"

namespace dcube {

/// An operation of a running graph; two fit in a cache line.
struct alignas(32) GraphNode {
  explicit GraphNode(const Operation& of)
      : amount{of.amount}, peer{of.peer}, tag{of.tag}, kind{of.kind}, cpu{of.cpu}, interface {
    of.interface
  } {
  }

  /// State of a receive that waits for its message.
  struct Posted {
    std::uint32_t next;   ///< see MessageQueues
    std::uint32_t order;  ///< of posting
  };
  union {
    std::uint64_t amount;
    Posted posted;
  };
  ProcessId peer;
  Tag tag;
  std::uint32_t missing = 0;         ///< number of operations that it still waits for
  std::uint32_t first_follower = 0;  ///< index in the list of all
  std::uint32_t follower_count = 0;
  Operation::Kind kind;
  std::uint8_t cpu;
  std::uint16_t interface;
};
static_assert(sizeof(GraphNode) == 32);

/// Those of all processes.
using GraphNodes = std::vector<GraphNode, HugePages<GraphNode>>;

/// The operations of a process with their followers.
class GraphOperations {
 public:
  /// Appends the operations to `nodes`, which must have room. Refers to both others.
  GraphOperations(const std::vector<Operation>& operations, const OperationGraph& graph,
                  GraphNodes& nodes)
      : nodes_{append(operations, nodes)}, followers_{graph.followers()} {
    std::uint32_t number = 0;
    std::uint32_t first = 0;
    for (GraphNode& node : nodes_) {
      node.first_follower = first;
      node.follower_count = static_cast<std::uint32_t>(graph.followers(number).size());
      first += node.follower_count;
      ++number;
    }
    for (const OperationGraph::Follower& follower : followers_) {
      ++nodes_[follower.operation()].missing;
    }
  }

  std::size_t size() const { return nodes_.size(); }
  GraphNode& operator[](std::uint32_t operation) { return nodes_.data()[operation]; }
  const GraphNode& operator[](std::uint32_t operation) const { return nodes_.data()[operation]; }
  std::span<const OperationGraph::Follower> followers(const GraphNode& of) const {
    return followers_.subspan(of.first_follower, of.follower_count);
  }
  /// Prefetches an operation, if that number exists.
  [[gnu::always_inline]] void prefetch(std::uint32_t operation) const {
    if (operation < nodes_.size()) {
      __builtin_prefetch(&nodes_[operation], 1);
    }
  }
  [[gnu::always_inline]] void prefetch_nodes(
      std::span<const OperationGraph::Follower> followers) const {
    for (const OperationGraph::Follower follower : followers) {
      __builtin_prefetch(nodes_.data() + follower.operation(), 1);
    }
  }
  /// Prefetches the followers of operations that come next.
  [[gnu::always_inline]] void prefetch_followers(const GraphNode& of) const {
    constexpr std::size_t ahead = 32;
    if (of.first_follower + ahead < followers_.size()) {
      __builtin_prefetch(&followers_[of.first_follower + ahead]);
    }
  }

 private:
  static std::span<GraphNode> append(const std::vector<Operation>& operations, GraphNodes& nodes) {
    const std::size_t first = nodes.size();
    expects(nodes.capacity() - first >= operations.size(), "nodes of a graph stay where they are");
    for (const Operation& operation : operations) {
      nodes.emplace_back(operation);
    }
    return std::span{nodes}.subspan(first);
  }

  std::span<GraphNode> nodes_;
  std::span<const OperationGraph::Follower> followers_;
};

}  // namespace dcube
