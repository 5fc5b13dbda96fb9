#include <algorithm>
#include <utility>
#include <vector>

#include "pair_cost.hpp"
#include "search/bounds/bounds.hpp"
#include "search/parts.hpp"
#include "search/proofs/partial_bound.hpp"

namespace dcube {
namespace {

class PairSumCost final : public PairCost {
 public:
  using PairCost::PairCost;

 private:
  void compute() override {
    cost_ = 0;
    for_each_pair(
        [&](std::uint64_t weight, std::uint32_t distance) { cost_ += weight * distance; });
    energy_ = static_cast<double>(cost_);
  }

  void update() override {
    // Unsigned sums wrap around and come back.
    for_each_changed_pair([&](std::uint64_t weight, std::uint64_t was, std::uint64_t distance) {
      cost_ += weight * (distance - was);
    });
    energy_ = static_cast<double>(cost_);
  }

  void undo() override {}
};

}  // namespace

std::unique_ptr<MapCost> pair_sum_cost(const SearchProblem& problem, const Distances& distances) {
  return std::make_unique<PairSumCost>(problem, distances);
}

std::vector<CostBound> pair_sum_bounds(const SearchProblem& problem) {
  const auto simple_bounds = [](const SearchProblem& one) {
    return sum_bounds(one, Partners{one.traffic, one.objective});
  };
  std::vector<CostBound> bounds = simple_bounds(problem);
  CostBound parts =
      bound_of_parts(kinds_of_parts(problem.traffic), problem,
                     [&](const SearchProblem& part) { return greatest(simple_bounds(part)); });
  if (parts.cost > 0) {
    bounds.push_back(std::move(parts));
  }
  return bounds;
}

std::uint64_t least_pair_sum(const PartialBound& placed, std::uint64_t limit) {
  std::uint64_t placed_ends = 0;     // pairs of two placed processes, from both ends
  std::uint64_t from_placed = 0;     // from placed to unplaced ones
  std::uint64_t among_unplaced = 0;  // from both ends
  std::uint64_t from_unplaced = 0;   // twice to placed ones, and among_unplaced, for one node each
  for (std::uint32_t process = 0; process < placed.process_count(); ++process) {
    if (placed.is_placed(process)) {
      const NodeId node = placed.map()[process];
      placed_ends += placed.to_placed(process, node);
      from_placed += placed.nearest(process, node);
    }
  }
  if (placed_ends / 2 + from_placed > limit) {
    return placed_ends / 2 + from_placed;
  }
  for (std::uint32_t process = 0; process < placed.process_count(); ++process) {
    if (placed.is_placed(process) || placed.partners_of(process).empty()) {
      continue;
    }
    std::uint64_t least_among = PartialBound::unbounded;
    std::uint64_t least_both = PartialBound::unbounded;
    placed.for_each_free([&](NodeId node) {
      const std::uint64_t among = placed.nearest(process, node);
      least_among = std::min(least_among, among);
      least_both = std::min(least_both, 2 * placed.to_placed(process, node) + among);
    });
    among_unplaced += least_among;
    from_unplaced += least_both;
  }
  return placed_ends / 2 +
         std::max(from_placed + (among_unplaced + 1) / 2, (from_unplaced + 1) / 2);
}

}  // namespace dcube
