#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcube/workload/schedule.hpp"

namespace dcube {

/// An operation of a graph while it runs: two of them are in a cache line.
struct alignas(32) GraphNode {
  explicit GraphNode(const Operation& of)
      : amount{of.amount}, peer{of.peer}, tag{of.tag}, kind{of.kind}, cpu{of.cpu}, interface {
    of.interface
  } {
  }

  /// Of a receive that waits for its message.
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
  std::uint32_t missing = 0;         ///< operations that it still waits for
  std::uint32_t first_follower = 0;  ///< in the list of all
  std::uint32_t follower_count = 0;
  Operation::Kind kind;
  std::uint8_t cpu;
  std::uint16_t interface;
};
static_assert(sizeof(GraphNode) == 32);

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
      : followers_(edges.size()) {
    nodes_.reserve(operations.size());
    for (const Operation& of : operations) {
      nodes_.emplace_back(of);
    }
    for (const OperationGraph::Edge& edge : edges) {
      ++nodes_[edge.before].follower_count;
      ++nodes_[edge.after].missing;
    }
    std::uint32_t end = 0;
    for (GraphNode& node : nodes_) {
      end += node.follower_count;
      node.first_follower = end;
    }
    for (std::size_t i = edges.size(); i-- > 0;) {
      followers_[--nodes_[edges[i].before].first_follower] = {edges[i].after, edges[i].is_started};
    }
  }

  std::size_t size() const { return nodes_.size(); }
  GraphNode& operator[](std::uint32_t operation) { return nodes_[operation]; }
  const GraphNode& operator[](std::uint32_t operation) const { return nodes_[operation]; }
  std::span<const Follower> followers(const GraphNode& of) const {
    return {followers_.data() + of.first_follower, of.follower_count};
  }
  /// Starts to load an operation, if there is one of that number.
  void prefetch(std::uint32_t operation) const {
    if (operation < nodes_.size()) {
      __builtin_prefetch(&nodes_[operation], 1);
    }
  }
  /// Starts to load what follows those that come next.
  void prefetch_followers(const GraphNode& of) const {
    constexpr std::size_t ahead = 32;
    if (of.first_follower + ahead < followers_.size()) {
      __builtin_prefetch(&followers_[of.first_follower + ahead]);
    }
  }

 private:
  std::vector<GraphNode> nodes_;
  std::vector<Follower> followers_;
};

}  // namespace dcube
