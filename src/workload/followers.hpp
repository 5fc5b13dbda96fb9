#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcube/workload/schedule.hpp"

namespace dcube {

/// What follows each operation of a process.
class Followers {
 public:
  Followers(std::size_t operations, const std::vector<OperationGraph::Edge>& edges)
      : first_(operations + 1, 0), missing_(operations, 0) {
    for (const OperationGraph::Edge& edge : edges) {
      ++first_[edge.before + 1];
      ++missing_[edge.after];
    }
    for (std::size_t i = 0; i < operations; ++i) {
      first_[i + 1] += first_[i];
    }
    of_.resize(edges.size());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (const OperationGraph::Edge& edge : edges) {
      of_[next[edge.before]++] = {edge.after, edge.is_started};
    }
  }

  struct Follower {
    std::uint32_t operation;
    bool is_started;  ///< waits for the start only
  };
  std::span<const Follower> of(std::uint32_t operation) const {
    return std::span{of_}.subspan(first_[operation], first_[operation + 1] - first_[operation]);
  }
  bool is_free(std::uint32_t operation) const { return missing_[operation] == 0; }
  /// Whether the operation has waited for this alone.
  bool release(std::uint32_t operation) { return --missing_[operation] == 0; }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> missing_;  ///< that each operation still waits for
  std::vector<Follower> of_;
};

}  // namespace dcube
