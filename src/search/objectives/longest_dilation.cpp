#include <algorithm>
#include <utility>

#include "objective_kind.hpp"
#include "pair_cost.hpp"
#include "search/bounds/bounds.hpp"
#include "search/proofs/partial_bound.hpp"

namespace dcube {
namespace {

/// Of two maps with equally long longest flows, the one with fewer of them is nearer to a better
/// map.
class LongestCost final : public PairCost {
 public:
  LongestCost(const SearchProblem& problem, const Distances& distances)
      : PairCost{problem, distances}, pairs_(problem.topology.node_count() + 1) {}

 private:
  void compute() override {
    std::ranges::fill(pairs_, 0);
    for_each_pair([&](std::uint64_t, std::uint32_t distance) { ++pairs_[distance]; });
    summarise(pairs_.size() - 1);
  }

  void update() override {
    moved_pairs_.clear();
    for_each_changed_pair([&](std::uint64_t, std::uint32_t was, std::uint32_t distance) {
      --pairs_[was];
      ++pairs_[distance];
      moved_pairs_.emplace_back(was, distance);
      cost_ = std::max<std::uint64_t>(cost_, distance);
    });
    summarise(cost_);
  }

  void undo() override {
    for (const auto& [was, distance] : moved_pairs_) {
      ++pairs_[was];
      --pairs_[distance];
    }
  }

  /// Needs that no pair is farther apart than `longest`.
  void summarise(std::uint64_t longest) {
    while (longest > 0 && pairs_[longest] == 0) {
      --longest;
    }
    cost_ = longest;
    // Pairs one hop short of the longest weigh a hundredth of it: they are the next in the way.
    const double most = static_cast<double>(pairs_[longest]);
    const double next = longest > 0 ? static_cast<double>(pairs_[longest - 1]) : 0;
    const double all = static_cast<double>(total_weight()) + 1;
    energy_ = static_cast<double>(cost_) + (most + 0.01 * next) / (1.01 * all + 1);
  }

  std::vector<std::uint64_t> pairs_;                                  ///< by distance
  std::vector<std::pair<std::uint32_t, std::uint32_t>> moved_pairs_;  ///< by update()
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
