// No bound of a problem of any kind is above the cost of a map.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/search/partners.hpp"
#include "random_problem.hpp"
#include "search/bounds/bounds.hpp"
#include "support/random_cases.hpp"

namespace dcube {
namespace {

/// `part` of four, so that they run side by side.
void expect_bounds_hold(std::uint64_t part) {
  const testing::RandomCases cases = testing::random_cases(5'000);
  std::uint64_t reached = 0;
  std::uint64_t refused = 0;
  for (std::uint64_t i = 0; i < cases.count; ++i) {
    const std::uint64_t seed = cases.first_seed + part * cases.count + i;
    searching::RandomProblem problem{seed};
    try {
      check_problem(*problem);
    } catch (const InputError&) {
      ++refused;  // sums past 63 bits
      continue;
    }
    const std::uint64_t cost = problem.reached();
    const std::vector<CostBound> bounds = cost_bounds(*problem);
    ASSERT_FALSE(bounds.empty());
    for (const CostBound& bound : bounds) {
      ASSERT_LE(bound.cost, cost) << "seed " << seed << ": " << problem.description() << ": "
                                  << bound.source;
    }
    if (traits_of(problem->objective).is_sum) {
      const Partners partners{problem->traffic, problem->objective};
      ASSERT_EQ(cost % sum_unit(*problem, partners), 0U)
          << "seed " << seed << ": " << problem.description();
    }
    reached += bounds.front().cost == cost ? 1 : 0;
  }
  EXPECT_GT(2 * reached, cases.count);  // the bounds say something
  EXPECT_LT(20 * refused, cases.count);
}

TEST(RandomCasesBounds, NoneIsAboveTheCostOfAMap) { expect_bounds_hold(0); }
TEST(RandomCasesBounds, NoneIsAboveTheCostOfAMapInTheSecondQuarter) { expect_bounds_hold(1); }
TEST(RandomCasesBounds, NoneIsAboveTheCostOfAMapInTheThirdQuarter) { expect_bounds_hold(2); }
TEST(RandomCasesBounds, NoneIsAboveTheCostOfAMapInTheLastQuarter) { expect_bounds_hold(3); }

TEST(RefutedBounds, AreThoseAboveWhatIsFoundAndAboveEveryStart) {
  std::vector<CostBound> bounds{{9, "first"}, {7, "second"}, {5, "third"}};
  FoundMap found;
  found.cost = 9;
  EXPECT_EQ(take_refuted(bounds, found), "");
  found.starts = {{"standard", 12}, {"xor", 7}};
  EXPECT_NE(take_refuted(bounds, found), "");
  EXPECT_EQ(bounds.front().cost, 7U);
}

/// A search that comes below it goes on to what is least.
TEST(RefutedBounds, EndNoSearch) {
  const auto ring = searching::machine("kind=ring,nodes=16");
  const Traffic traffic = Traffic::of(Guest::parse("ring:16"));
  for (const Objective objective : {Objective::hop_bytes, Objective::link_load}) {
    const SearchProblem problem = searching::problem(*ring, traffic, objective);
    const FoundMap found = anneal(problem, {.seed = 1, .effort = 50'000});
    const AnnealingSettings settings{.seed = 1, .effort = 50'000, .bound = found.cost + 1};
    EXPECT_EQ(anneal(problem, settings).cost, found.cost);
  }
  const Traffic random = searching::random_traffic(16, 40, 3);
  const SearchProblem problem = searching::problem(*ring, random, Objective::hop_bytes);
  const std::uint64_t start = best_start(problem).cost;
  const std::uint64_t least = anneal(problem, {.seed = 1, .effort = 50'000}).cost;
  ASSERT_LT(least, start);
  EXPECT_EQ(anneal(problem, {.seed = 1, .effort = 50'000, .bound = start + 1}).cost, least);
}

}  // namespace
}  // namespace dcube
