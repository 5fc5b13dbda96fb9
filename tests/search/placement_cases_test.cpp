// Branch and bound over placements: the least cost is that of all maps, however early it ends.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/search/cases.hpp"
#include "problems.hpp"
#include "random_problem.hpp"
#include "search/proofs/dual_ascent.hpp"
#include "support/draw.hpp"
#include "support/random_cases.hpp"

namespace dcube {
namespace {

/// The least cost of all maps.
class AllMaps {
 public:
  explicit AllMaps(const SearchProblem& problem)
      : problem_{problem},
        map_(problem.traffic.process_count()),
        used_(problem.topology.node_count()) {
    place(0);
  }
  std::uint64_t least() const { return least_; }
  std::uint64_t greatest() const { return greatest_; }

 private:
  void place(std::uint32_t process) {
    if (process == map_.size()) {
      const std::uint64_t cost = cost_of(problem_, map_);
      least_ = std::min(least_, cost);
      greatest_ = std::max(greatest_, cost);
      return;
    }
    for (std::uint32_t node = 0; node < used_.size(); ++node) {
      const bool fits = !problem_.is_pinned(process) || *problem_.pins[process] == NodeId{node};
      if (fits && problem_.topology.is_usable(NodeId{node}) && used_[node] < problem_.slots) {
        ++used_[node];
        map_[process] = NodeId{node};
        place(process + 1);
        --used_[node];
      }
    }
  }

  const SearchProblem& problem_;
  std::vector<NodeId> map_;
  std::vector<std::uint32_t> used_;
  std::uint64_t least_ = ~std::uint64_t{0};
  std::uint64_t greatest_ = 0;
};

/// Whether the maps of the problem are few.
bool has_few_maps(const SearchProblem& problem) {
  std::uint64_t maps = 1;
  for (std::uint32_t i = 0; i < problem.traffic.process_count(); ++i) {
    maps *= problem.topology.usable_count();
  }
  return problem.traffic.process_count() <= 7 && maps <= 60'000;
}

TEST(RandomCasesPlacementCases, HaveTheLeastCostOfAllMaps) {
  const testing::RandomCases cases = testing::random_cases(3'000);
  std::uint64_t compared = 0;
  std::uint64_t stopped = 0;
  for (std::uint64_t seed = cases.first_seed; seed < cases.first_seed + cases.count; ++seed) {
    const searching::RandomProblem problem{seed};
    try {
      check_problem(*problem);
    } catch (const InputError&) {
      continue;  // sums past 63 bits
    }
    if (!has_placement_cases(*problem) || !has_few_maps(*problem)) {
      continue;
    }
    const AllMaps all{*problem};
    testing::Draw draw{seed};
    // The map that is known is the best one or the worst one.
    const std::uint64_t known = draw.one_in(2) ? all.least() : all.greatest();
    if (known == 0) {
      continue;
    }
    ++compared;
    std::uint32_t polls = draw.one_in(3) ? draw.below(12) : ~0U;
    bool has_stopped = false;
    std::uint64_t told = 0;
    const auto result = place_by_cases(
        *problem, {.reached = known,
                   .jobs = 1 + draw.below(3),
                   .should_stop = [&] { return has_stopped = has_stopped || polls-- == 0; },
                   .on_bound =
                       [&](std::uint64_t bound) {
                         EXPECT_GT(bound, told) << "seed " << seed;
                         told = bound;
                       }});
    ASSERT_TRUE(result);
    const std::string where = "seed " + std::to_string(seed) + ": " + problem.description();
    EXPECT_LE(told, result->bound) << where;
    ASSERT_LE(result->bound, all.least()) << where;
    if (!result->map.empty()) {
      EXPECT_EQ(cost_of(*problem, result->map), result->cost) << where;
      EXPECT_LT(result->cost, known) << where;
    }
    stopped += has_stopped ? 1 : 0;
    if (!has_stopped) {
      ASSERT_EQ(result->bound, all.least()) << where;
      EXPECT_EQ(result->map.empty() ? known : result->cost, all.least()) << where;
    }
  }
  EXPECT_GT(10 * compared, cases.count);
  EXPECT_GT(stopped, 0U);
}

/// Every way of a small square problem costs what bound, leaders and pairs say, or the limit.
TEST(DualAscent, NeverPassesTheCostOfAWay) {
  constexpr std::size_t size = 6;
  testing::Draw draw{11};
  for (int trial = 0; trial < 40; ++trial) {
    std::vector<DualAscent::Cost> weights(size * size);
    std::vector<DualAscent::Cost> lengths(size * size);
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        weights[a * size + b] = weights[b * size + a] =
            static_cast<DualAscent::Cost>(draw.below(900));
        lengths[a * size + b] = lengths[b * size + a] =
            static_cast<DualAscent::Cost>(1 + draw.below(5));
      }
    }
    std::vector<std::size_t> way{0, 1, 2, 3, 4, 5};
    DualAscent::Cost least = DualAscent::most_limit;
    do {
      DualAscent::Cost cost = 0;
      for (std::size_t a = 0; a < size; ++a) {
        for (std::size_t b = 0; b < a; ++b) {
          cost += weights[a * size + b] * lengths[way[a] * size + way[b]];
        }
      }
      least = std::min(least, cost);
    } while (std::next_permutation(way.begin(), way.end()));
    for (const DualAscent::Cost limit : {least, least + 1, DualAscent::most_limit}) {
      DualAscent ascent{weights, lengths, size, limit};
      const DualAscent::Cost before = ascent.bound();
      for (int sweep = 0; sweep < 50 && !ascent.reaches_limit(); ++sweep) {
        ascent.sweep();
        ASSERT_LE(ascent.bound(), least);
      }
      EXPECT_GT(ascent.bound(), before);
    }
  }
}

}  // namespace
}  // namespace dcube
