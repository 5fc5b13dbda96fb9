#include <algorithm>
#include <utility>

#include "objective_kind.hpp"
#include "pair_cost.hpp"
#include "power_mean.hpp"
#include "search/bounds/bounds.hpp"
#include "search/proofs/partial_bound.hpp"

namespace dcube {
namespace {

/// The longest pair. Annealing compares power means of all distances.
class LongestCost final : public PairCost {
 public:
  LongestCost(const SearchProblem& problem, const Distances& distances)
      : PairCost{problem, distances}, pairs_(problem.topology.node_count() + 1) {}

 private:
  void compute() override {
    std::ranges::fill(pairs_, 0);
    for_each_pair([&](std::uint64_t, std::uint32_t distance) { ++pairs_[distance]; });
    find_longest(pairs_.size() - 1);
    add_all();
    energy_ = mean_.value();
  }

  void update() override {
    moved_pairs_.clear();
    mean_before_ = mean_;
    for_each_changed_pair([&](std::uint64_t, std::uint32_t was, std::uint32_t distance) {
      --pairs_[was];
      ++pairs_[distance];
      mean_.take(was);
      mean_.add(distance);
      moved_pairs_.emplace_back(was, distance);
      cost_ = std::max<std::uint64_t>(cost_, distance);
    });
    find_longest(cost_);
    if (mean_.is_passed_by(cost_)) {
      add_all();
    }
    energy_ = mean_.value();
  }

  void undo() override {
    mean_ = mean_before_;
    for (const auto& [was, distance] : moved_pairs_) {
      ++pairs_[was];
      --pairs_[distance];
    }
  }

  void add_all() {
    mean_.reset(cost_, total_weight());
    for (std::uint64_t distance = 1; distance <= cost_; ++distance) {
      mean_.add(distance, pairs_[distance]);
    }
  }

  /// Needs that no pair is farther apart than `longest`.
  void find_longest(std::uint64_t longest) {
    while (longest > 0 && pairs_[longest] == 0) {
      --longest;
    }
    cost_ = longest;
  }

  std::vector<std::uint64_t> pairs_;                                  ///< by distance
  std::vector<std::pair<std::uint32_t, std::uint32_t>> moved_pairs_;  ///< by update()
  PowerMean mean_;                                                    ///< of the distances
  PowerMean mean_before_;
};

std::uint64_t least_longest(const PartialBound& placed, std::uint64_t /*limit*/) {
  std::uint64_t longest = 0;
  const auto take = [&](std::uint64_t, std::uint64_t distance) {
    longest = std::max(longest, distance);
  };
  for (std::uint32_t process = 0; process < placed.process_count(); ++process) {
    if (placed.is_placed(process)) {
      placed.for_each_placed(process, take);
      placed.for_each_nearest(process, placed.map()[process], take);
    }
  }
  return longest;
}

}  // namespace

/// The hops of the longest flow.
const ObjectiveKind longest_dilation_objective{
    .traits = {.name = "longest-dilation",
               .quantity = "longest hops",
               .counted = "hop",
               .place = "of the longest flow",
               .flow_weight = FlowWeight::one,
               .is_longest = true,
               .is_reason = true,
               .models = {Objective::hop_bytes}},
    .most_cost =
        [](const SearchProblem& problem) { return UInt128{problem.topology.node_count()}; },
    .cost = [](const SearchProblem& problem, std::span<const NodeId> map) -> std::uint64_t {
      std::uint32_t longest = 0;
      for (const Flow& flow : problem.traffic.flows()) {
        longest = std::max(longest,
                           problem.topology.distance(map[flow.from.index()], map[flow.to.index()]));
      }
      return longest;
    },
    .map_cost = [](const SearchProblem& problem, const Distances& distances)
        -> std::unique_ptr<MapCost> { return std::make_unique<LongestCost>(problem, distances); },
    .bounds =
        [](const SearchProblem& problem) {
          return longest_bounds(problem, Partners{problem.traffic, problem.objective});
        },
    .least_cost = least_longest};

}  // namespace dcube
