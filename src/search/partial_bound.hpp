#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "dcube/search/search.hpp"
#include "distances.hpp"
#include "partners.hpp"

namespace dcube {

/// A lower bound of the cost of all ways to complete a partial map; the cost itself once the map is
/// complete. docs/search.md says how, so that a checker can do the same.
class PartialBound {
 public:
  PartialBound(const SearchProblem& problem, const Distances& distances);

  void place(std::uint32_t process, NodeId node);
  void remove(std::uint32_t process);
  bool is_free(NodeId node) const { return is_free_[node.index()]; }
  const std::vector<NodeId>& map() const { return map_; }

  /// Stops counting when the bound passes `limit`.
  std::uint64_t least_cost(std::uint64_t limit) const;

 private:
  bool is_placed(std::uint32_t process) const { return is_placed_[process]; }
  /// The cost of the unplaced partners of `process` if they were on the free nodes nearest to
  /// `node`, the heaviest first; `node` itself does not count as free.
  std::uint64_t nearest(std::uint32_t process, NodeId node) const;
  std::uint64_t distance(NodeId a, NodeId b) const { return distances_(a, b); }
  /// The sum of weight times distance to the placed partners if `process` were on `node`.
  std::uint64_t to_placed(std::uint32_t process, NodeId node) const {
    return to_placed_[std::size_t{process} * is_free_.size() + node.index()];
  }

  std::uint64_t least_sum(std::uint64_t limit) const;
  std::uint64_t least_longest() const;
  std::uint64_t least_time(std::uint64_t limit) const;
  std::uint64_t least_load() const;

  const SearchProblem& problem_;
  const Distances& distances_;
  Partners partners_;
  std::vector<std::vector<Partner>> heaviest_first_;
  std::vector<std::vector<NodeId>> nearest_first_;
  std::vector<NodeId> map_;
  std::vector<bool> is_placed_;
  std::vector<bool> is_free_;
  std::vector<std::uint64_t> to_placed_;
  std::uint32_t placed_ = 0;
};

}  // namespace dcube
