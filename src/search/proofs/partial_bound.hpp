#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "dcube/search/partners.hpp"
#include "dcube/search/search.hpp"
#include "search/objectives/distances.hpp"
#include "search/objectives/hop_lengths.hpp"
#include "search/objectives/objective_kind.hpp"
#include "search/starts/starts.hpp"

namespace dcube {

/// A partial map, and a lower bound of the cost of all ways to complete it; the cost itself once
/// the map is complete. docs/theory/certificates.md ("Bounds of partial maps") has the bound of
/// each objective, so that a checker can do the same.
class PartialBound {
 public:
  PartialBound(const SearchProblem& problem, const Distances& distances)
      : problem_{problem},
        kind_{kind_of(problem.objective)},
        weighted_{weighted_distances(problem)},
        distances_{weighted_ ? *weighted_ : distances},
        map_(problem.traffic.process_count()),
        is_placed_(problem.traffic.process_count()),
        free_{slots_of_nodes(problem)},
        to_placed_(std::size_t{problem.traffic.process_count()} * problem.topology.node_count()) {
    const Partners partners{problem.traffic, problem.objective};
    for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
      const auto of_process = partners.of(process);
      heaviest_first_.emplace_back(of_process.begin(), of_process.end());
      std::ranges::stable_sort(heaviest_first_.back(), std::greater{}, &Partner::weight);
      for (Partner& partner : heaviest_first_.back()) {
        partner.weight = kind_.has_equal_partners ? 1 : partner.weight;
      }
    }
    for_each_free([&](NodeId node) { hosts_.push_back(node); });
    nearest_first_.resize(free_.size());
    for (const NodeId node : hosts_) {
      std::vector<NodeId>& others = nearest_first_[node.index()];
      others = hosts_;
      std::erase(others, node);
      std::ranges::stable_sort(others, std::less{},
                               [&](NodeId other) { return distances_(node, other); });
    }
  }

  void place(std::uint32_t process, NodeId node) {
    map_[process] = node;
    is_placed_[process] = true;
    --free_[node.index()];
    ++placed_;
    weigh(process, 1);
  }

  void remove(std::uint32_t process) {
    is_placed_[process] = false;
    ++free_[map_[process].index()];
    --placed_;
    weigh(process, ~std::uint64_t{0});  // -1: unsigned sums wrap around and come back
  }

  const SearchProblem& problem() const { return problem_; }
  std::uint32_t process_count() const { return static_cast<std::uint32_t>(map_.size()); }
  bool is_placed(std::uint32_t process) const { return is_placed_[process]; }
  bool is_complete() const { return placed_ == map_.size(); }
  bool is_free(NodeId node) const { return free_[node.index()] > 0; }
  /// Slots of each node that no process is on.
  std::span<const std::uint32_t> free() const { return free_; }
  const std::vector<NodeId>& map() const { return map_; }
  /// Partners of the process, heaviest first.
  std::span<const Partner> partners_of(std::uint32_t process) const {
    return heaviest_first_[process];
  }

  /// Stops counting when the bound passes `limit`.
  std::uint64_t least_cost(std::uint64_t limit) const { return kind_.least_cost(*this, limit); }

  // --- For least_cost() of objectives ---

  static constexpr std::uint64_t unbounded = std::numeric_limits<std::uint64_t>::max();

  template <class Visit>
  void for_each_free(Visit visit) const {
    for (std::uint32_t node = 0; node < free_.size(); ++node) {
      if (free_[node] > 0) {
        visit(NodeId{node});
      }
    }
  }

  /// Calls `visit(weight, distance)` for the placed partners of `process`, which is placed.
  template <class Visit>
  void for_each_placed(std::uint32_t process, Visit visit) const {
    for (const Partner& partner : heaviest_first_[process]) {
      if (is_placed(partner.process.index())) {
        visit(partner.weight, distance(map_[process], map_[partner.process.index()]));
      }
    }
  }

  /// Calls `visit(weight, distance)` for the unplaced partners of `process`, which is on `node` or
  /// could be, as if they were on the free slots nearest to it, the heaviest first.
  template <class Visit>
  void for_each_nearest(std::uint32_t process, NodeId node, Visit visit) const {
    auto next = nearest_first_[node.index()].begin();
    NodeId at = node;
    std::uint32_t left = free_[node.index()] - (is_placed(process) ? 0 : 1);
    for (const Partner& partner : heaviest_first_[process]) {
      if (is_placed(partner.process.index())) {
        continue;
      }
      while (left == 0) {
        at = *next++;
        left = free_[at.index()];
      }
      visit(partner.weight, distance(node, at));
      --left;
    }
  }

  /// The sum of weight times distance to the partners of for_each_nearest().
  std::uint64_t nearest(std::uint32_t process, NodeId node) const {
    std::uint64_t sum = 0;
    for_each_nearest(process, node, [&](std::uint64_t weight, std::uint64_t distance) {
      sum += weight * distance;
    });
    return sum;
  }

  /// The sum of weight times distance to the placed partners if `process` were on `node`.
  std::uint64_t to_placed(std::uint32_t process, NodeId node) const {
    return to_placed_[std::size_t{process} * free_.size() + node.index()];
  }

 private:
  std::uint64_t distance(NodeId a, NodeId b) const { return distances_(a, b); }
  /// Adds `sign` times what the process on its node costs its partners to to_placed().
  void weigh(std::uint32_t process, std::uint64_t sign) {
    for (const Partner& partner : heaviest_first_[process]) {
      std::uint64_t* const row =
          to_placed_.data() + std::size_t{partner.process.index()} * free_.size();
      const std::uint64_t weight = sign * partner.weight;
      for (const NodeId at : hosts_) {
        row[at.index()] += weight * distance(at, map_[process]);
      }
    }
  }

  const SearchProblem& problem_;
  const ObjectiveKind& kind_;
  std::shared_ptr<const Distances> weighted_;  ///< where the objective counts weights
  const Distances& distances_;
  std::vector<std::vector<Partner>> heaviest_first_;
  std::vector<NodeId> hosts_;
  std::vector<std::vector<NodeId>> nearest_first_;  ///< [host]
  std::vector<NodeId> map_;
  std::vector<bool> is_placed_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint64_t> to_placed_;
  std::uint32_t placed_ = 0;
};

/// Weighted sum of the bounds of a problem's terms, or the bound of its one objective.
class PartialBounds {
 public:
  PartialBounds(const SearchProblem& problem, const Distances& distances) {
    for (const ObjectiveTerm& term : problem.goal().parts()) {
      terms_.push_back({term.weight, problem.with_objective(term.objective)});
    }
    for (const Term& term : terms_) {
      bounds_.emplace_back(term.problem, distances);
    }
  }
  PartialBounds(const PartialBounds&) = delete;
  PartialBounds& operator=(const PartialBounds&) = delete;

  void place(std::uint32_t process, NodeId node) {
    for (PartialBound& bound : bounds_) {
      bound.place(process, node);
    }
  }
  void remove(std::uint32_t process) {
    for (PartialBound& bound : bounds_) {
      bound.remove(process);
    }
  }
  bool is_free(NodeId node) const { return bounds_.front().is_free(node); }
  std::span<const std::uint32_t> free() const { return bounds_.front().free(); }
  const std::vector<NodeId>& map() const { return bounds_.front().map(); }

  /// Stops counting when the bound passes `limit`.
  std::uint64_t least_cost(std::uint64_t limit) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < bounds_.size() && sum <= limit; ++i) {
      const std::uint64_t weight = terms_[i].weight;
      sum += weight * bounds_[i].least_cost((limit - sum) / weight);
    }
    return sum;
  }

 private:
  struct Term {
    std::uint64_t weight;
    SearchProblem problem;
  };

  std::vector<Term> terms_;
  std::vector<PartialBound> bounds_;  ///< of the terms; they refer to their problems
};

}  // namespace dcube
