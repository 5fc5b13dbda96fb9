#pragma once

#include <cstdint>
#include <memory>

#include "dcube/search/partners.hpp"
#include "hop_lengths.hpp"
#include "map_cost.hpp"
#include "objective_kind.hpp"
#include "search/pairs.hpp"

namespace dcube {

/// Costs of pairs of partners by their distances.
class PairCost : public MapCost {
 public:
  PairCost(const SearchProblem& problem, const Distances& distances)
      : MapCost{problem.traffic.process_count()},
        partners_{problem.traffic, problem.objective},
        weighted_{weighted_distances(problem)},
        distances_{weighted_ ? *weighted_ : distances} {}

 protected:
  /// Calls `visit(weight, distance)` for every pair.
  template <class Visit>
  void for_each_pair(Visit visit) const {
    dcube::for_each_pair(partners_, [&](std::uint32_t a, std::uint32_t b, std::uint64_t weight) {
      visit(weight, distances_(node_of(a), node_of(b)));
    });
  }

  /// Calls `visit(weight, distance before, distance)` for every pair of which a process has moved.
  template <class Visit>
  void for_each_changed_pair(Visit visit) const {
    for (const std::uint32_t process : changed()) {
      for (const Partner& partner : partners_.of(process)) {
        const std::uint32_t other = partner.process.index();
        if (!has_moved(other) || other > process) {  // a pair of two that have moved counts once
          visit(partner.weight, distances_(before(process), before(other)),
                distances_(node_of(process), node_of(other)));
        }
      }
    }
  }

  std::uint64_t total_weight() const { return partners_.total_weight(); }

 private:
  Partners partners_;
  std::shared_ptr<const Distances> weighted_;  ///< where the objective counts weights
  const Distances& distances_;
};

// The functions of objectives that add up a weight times a distance over all pairs of processes.

std::unique_ptr<MapCost> pair_sum_cost(const SearchProblem& problem, const Distances& distances);
std::vector<CostBound> pair_sum_bounds(const SearchProblem& problem);
std::uint64_t least_pair_sum(const PartialBound& placed, std::uint64_t limit);

}  // namespace dcube
