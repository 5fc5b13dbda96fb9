// No bound of a problem of any kind is above the cost of a map.

#include <gtest/gtest.h>

#include <cstdint>

#include "dcube/core/errors.hpp"
#include "random_problem.hpp"
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
    reached += bounds.front().cost == cost ? 1 : 0;
  }
  EXPECT_GT(2 * reached, cases.count);  // the bounds say something
  EXPECT_LT(20 * refused, cases.count);
}

TEST(RandomCasesBounds, NoneIsAboveTheCostOfAMap) { expect_bounds_hold(0); }
TEST(RandomCasesBounds, NoneIsAboveTheCostOfAMapInTheSecondQuarter) { expect_bounds_hold(1); }
TEST(RandomCasesBounds, NoneIsAboveTheCostOfAMapInTheThirdQuarter) { expect_bounds_hold(2); }
TEST(RandomCasesBounds, NoneIsAboveTheCostOfAMapInTheLastQuarter) { expect_bounds_hold(3); }

}  // namespace
}  // namespace dcube
