#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "placement.hpp"

namespace dcube {

/// Of processes and of nodes: what is kept of more of them does not fit in a cache.
inline constexpr std::uint32_t most_tabled_places = 512;

/// What each process costs on each node while all others stay where they are. An exchange is then
/// valued by a few look-ups, however many partners the two processes have; an exchange that is made
/// changes a row for each partner. No sum may pass what Number holds.
template <class Number>
class PlaceCosts {
 public:
  /// `problem` must outlive it.
  explicit PlaceCosts(const PlacementProblem& problem)
      : problem_{problem},
        nodes_{problem.near.size()},
        processes_{problem.process_count()},
        weights_(processes_ * processes_),
        costs_(processes_ * nodes_),
        steps_(nodes_) {
    distances_.reserve(nodes_ * nodes_);
    for (std::uint32_t a = 0; a < nodes_; ++a) {
      for (std::uint32_t b = 0; b < nodes_; ++b) {
        distances_.push_back(static_cast<Number>(problem.distances(NodeId{a}, NodeId{b})));
      }
    }
    for (std::uint32_t process = 0; process < processes_; ++process) {
      for (const Partner& partner : problem.partners.of(process)) {
        weights_[process * processes_ + partner.process.index()] =
            static_cast<Number>(partner.weight);
      }
    }
  }

  void assign(std::span<const NodeId> node_of_process) {
    costs_.assign(costs_.size(), 0);
    for (std::uint32_t process = 0; process < processes_; ++process) {
      add(process, distances_from(node_of_process[process]), 1);
    }
  }

  /// What it adds to the cost when `process` goes from one node to another, and `other`, if any,
  /// the other way.
  std::int64_t increase(std::uint32_t process, NodeId from, NodeId to, std::uint32_t other) const {
    const Number* const costs = &costs_[process * nodes_];
    Number sum = costs[to.index()] - costs[from.index()];
    if (other != nobody) {
      const Number* const back = &costs_[other * nodes_];
      // The sums take their own pair for gone, once from either side.
      sum += back[from.index()] - back[to.index()] +
             2 * weights_[process * processes_ + other] * distances_from(from)[to.index()];
    }
    return sum;
  }

  void move(std::uint32_t process, NodeId from, NodeId to, std::uint32_t other) {
    const Number* const before = distances_from(from);
    const Number* const after = distances_from(to);
    for (std::size_t node = 0; node < nodes_; ++node) {
      steps_[node] = after[node] - before[node];
    }
    add(process, steps_.data(), 1);
    if (other != nobody) {
      add(other, steps_.data(), -1);
    }
  }

 private:
  const Number* distances_from(NodeId node) const { return &distances_[node.index() * nodes_]; }

  /// Adds to what the partners of the process cost.
  void add(std::uint32_t process, const Number* distances, Number sign) {
    for (const Partner& partner : problem_.partners.of(process)) {
      const Number weight = sign * static_cast<Number>(partner.weight);
      Number* const costs = &costs_[partner.process.index() * nodes_];
      for (std::size_t node = 0; node < nodes_; ++node) {
        costs[node] += weight * distances[node];
      }
    }
  }

  const PlacementProblem& problem_;
  std::size_t nodes_;
  std::size_t processes_;
  std::vector<Number> weights_;    ///< of two processes
  std::vector<Number> distances_;  ///< of two nodes
  std::vector<Number> costs_;      ///< of a process on a node
  std::vector<Number> steps_;      ///< to each node, of one move
};

}  // namespace dcube
