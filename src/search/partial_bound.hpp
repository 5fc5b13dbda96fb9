#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "dcube/search/partners.hpp"
#include "dcube/search/search.hpp"
#include "distances.hpp"

namespace dcube {

/// A lower bound of the cost of all ways to complete a partial map; the cost itself once the map is
/// complete. docs/search.md says how, so that a checker can do the same.
class PartialBound {
 public:
  PartialBound(const SearchProblem& problem, const Distances& distances)
      : problem_{problem},
        distances_{distances},
        map_(problem.traffic.process_count()),
        is_placed_(problem.traffic.process_count()),
        free_(problem.topology.node_count(), problem.slots),
        to_placed_(std::size_t{problem.traffic.process_count()} * problem.topology.node_count()) {
    const Partners partners{problem.traffic, problem.objective};
    for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
      const auto of_process = partners.of(process);
      heaviest_first_.emplace_back(of_process.begin(), of_process.end());
      std::ranges::stable_sort(heaviest_first_.back(), std::greater{}, &Partner::weight);
      // In the time of a cube's exchanges every stage counts one distance, whatever its flows
      // carry.
      if (problem.objective == Objective::cc_time) {
        for (Partner& partner : heaviest_first_.back()) {
          partner.weight = 1;
        }
      }
    }
    for (std::uint32_t node = 0; node < problem.topology.node_count(); ++node) {
      free_[node] = problem.topology.is_usable(NodeId{node}) ? problem.slots : 0;
      std::vector<NodeId> others;
      for (std::uint32_t other = 0; free_[node] > 0 && other < problem.topology.node_count();
           ++other) {
        if (other != node && problem.topology.is_usable(NodeId{other})) {
          others.emplace_back(other);
        }
      }
      std::ranges::stable_sort(others, std::less{},
                               [&](NodeId other) { return distances(NodeId{node}, other); });
      nearest_first_.push_back(std::move(others));
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

  bool is_free(NodeId node) const { return free_[node.index()] > 0; }
  /// Slots of each node that no process is on.
  std::span<const std::uint32_t> free() const { return free_; }
  const std::vector<NodeId>& map() const { return map_; }

  /// Stops counting when the bound passes `limit`.
  std::uint64_t least_cost(std::uint64_t limit) const {
    switch (problem_.objective) {
      case Objective::longest_dilation:
        return least_longest();
      case Objective::cc_time:
        return least_time(limit);
      case Objective::link_load:
        return least_load();
      case Objective::link_time:
        return problem_.rates.time_of(least_load());
      default:
        return least_sum(limit);
    }
  }

 private:
  static constexpr std::uint64_t unbounded = std::numeric_limits<std::uint64_t>::max();

  bool is_placed(std::uint32_t process) const { return is_placed_[process]; }
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

  /// What those partners cost.
  std::uint64_t nearest(std::uint32_t process, NodeId node) const {
    std::uint64_t sum = 0;
    for_each_nearest(process, node, [&](std::uint64_t weight, std::uint64_t distance) {
      sum += weight * distance;
    });
    return sum;
  }

  std::uint64_t distance(NodeId a, NodeId b) const { return distances_(a, b); }
  /// Adds `sign` times what the process on its node costs its partners to to_placed().
  void weigh(std::uint32_t process, std::uint64_t sign) {
    for (const Partner& partner : heaviest_first_[process]) {
      std::uint64_t* const row =
          to_placed_.data() + std::size_t{partner.process.index()} * free_.size();
      const std::uint64_t weight = sign * partner.weight;
      for (std::uint32_t at = 0; at < free_.size(); ++at) {
        row[at] += weight * distance(NodeId{at}, map_[process]);
      }
    }
  }

  /// The sum of weight times distance to the placed partners if `process` were on `node`.
  std::uint64_t to_placed(std::uint32_t process, NodeId node) const {
    return to_placed_[std::size_t{process} * free_.size() + node.index()];
  }

  std::uint64_t least_sum(std::uint64_t limit) const {
    std::uint64_t placed_ends = 0;     // pairs of two placed processes, from both ends
    std::uint64_t from_placed = 0;     // from placed to unplaced ones
    std::uint64_t among_unplaced = 0;  // from both ends
    std::uint64_t from_unplaced = 0;  // twice to placed ones, and among_unplaced, for one node each
    for (std::uint32_t process = 0; process < map_.size(); ++process) {
      if (is_placed(process)) {
        placed_ends += to_placed(process, map_[process]);
        from_placed += nearest(process, map_[process]);
      }
    }
    if (placed_ends / 2 + from_placed > limit) {
      return placed_ends / 2 + from_placed;
    }
    for (std::uint32_t process = 0; process < map_.size(); ++process) {
      if (is_placed(process) || heaviest_first_[process].empty()) {
        continue;
      }
      std::uint64_t least_among = unbounded;
      std::uint64_t least_both = unbounded;
      for (std::uint32_t node = 0; node < free_.size(); ++node) {
        if (free_[node] > 0) {
          const std::uint64_t among = nearest(process, NodeId{node});
          least_among = std::min(least_among, among);
          least_both = std::min(least_both, 2 * to_placed(process, NodeId{node}) + among);
        }
      }
      among_unplaced += least_among;
      from_unplaced += least_both;
    }
    return placed_ends / 2 +
           std::max(from_placed + (among_unplaced + 1) / 2, (from_unplaced + 1) / 2);
  }

  std::uint64_t least_longest() const {
    std::uint64_t longest = 0;
    for (std::uint32_t process = 0; process < map_.size(); ++process) {
      if (!is_placed(process)) {
        continue;
      }
      for (const Partner& partner : heaviest_first_[process]) {
        if (is_placed(partner.process.index())) {
          longest = std::max(longest, distance(map_[process], map_[partner.process.index()]));
        }
      }
      for_each_nearest(process, map_[process], [&](std::uint64_t, std::uint64_t distance) {
        longest = std::max(longest, distance);
      });
    }
    return longest;
  }

  std::uint64_t least_time(std::uint64_t limit) const {
    if (placed_ == map_.size()) {
      return cost_of(problem_, map_);
    }
    const std::uint64_t stages = heaviest_first_.front().size();
    const auto time = [&](std::uint64_t hops) {
      return stages * static_cast<std::uint64_t>(problem_.cc_compute.count()) +
             hops * static_cast<std::uint64_t>(problem_.cc_hop.count());
    };
    std::uint64_t longest = 0;
    for (std::uint32_t process = 0; process < map_.size(); ++process) {
      std::uint64_t hops = unbounded;
      if (is_placed(process)) {
        hops = to_placed(process, map_[process]) + nearest(process, map_[process]);
      } else {
        for (std::uint32_t node = 0; node < free_.size(); ++node) {
          if (free_[node] > 0) {
            hops =
                std::min(hops, to_placed(process, NodeId{node}) + nearest(process, NodeId{node}));
          }
        }
      }
      longest = std::max(longest, hops);
      if (time(longest) > limit) {
        break;
      }
    }
    return time(longest);
  }

  /// In bytes, or units of link_time.
  std::uint64_t least_load() const {
    if (placed_ == map_.size() && problem_.objective == Objective::link_load) {
      return cost_of(problem_, map_);
    }
    std::vector<std::uint64_t> load(problem_.topology.link_slots());
    for (const Flow& flow : problem_.traffic.flows()) {
      if (!is_placed(flow.from.index()) || !is_placed(flow.to.index())) {
        continue;
      }
      for_each_link(problem_.topology, map_[flow.from.index()], map_[flow.to.index()],
                    [&](LinkId link) {
                      const LinkId server = problem_.sharing == LinkSharing::undirected
                                                ? std::min(link, problem_.topology.reverse(link))
                                                : link;
                      load[server.index()] += problem_.objective == Objective::link_time
                                                  ? flow.bytes * problem_.rates.units[link.index()]
                                                  : flow.bytes;
                    });
    }
    return load.empty() ? 0 : *std::ranges::max_element(load);
  }

  const SearchProblem& problem_;
  const Distances& distances_;
  std::vector<std::vector<Partner>> heaviest_first_;
  std::vector<std::vector<NodeId>> nearest_first_;
  std::vector<NodeId> map_;
  std::vector<bool> is_placed_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint64_t> to_placed_;
  std::uint32_t placed_ = 0;
};

/// The bounds of all terms of a problem, each times its weight; of one objective its own.
class PartialBounds {
 public:
  PartialBounds(const SearchProblem& problem, const Distances& distances) {
    if (problem.terms.empty()) {
      terms_.push_back({1, problem});
    }
    for (const ObjectiveTerm& term : problem.terms) {
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
