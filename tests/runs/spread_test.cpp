#include <gtest/gtest.h>

#include <cmath>

#include "dcube/runs/record.hpp"

namespace dcube {
namespace {

TEST(Spread, MeanDeviationAndIntervalAreThoseOfTheTextbook) {
  // Ten numbers; the interval by R: t.test(c(1:10))$conf.int is 3.334149 .. 7.665851.
  const Spread spread = spread_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  EXPECT_EQ(spread.count, 10U);
  EXPECT_DOUBLE_EQ(spread.mean, 5.5);
  EXPECT_NEAR(spread.deviation, 3.02765, 1e-5);
  EXPECT_NEAR(spread.half_interval, 2.165851, 1e-5);
  EXPECT_EQ(spread.least, 1);
  EXPECT_EQ(spread.greatest, 10);
}

TEST(Spread, OfManyNumbersTheQuantileComesFromAnExpansion) {
  std::vector<double> numbers;
  for (int i = 0; i < 101; ++i) {
    numbers.push_back(i);
  }
  // qt(0.975, 100) is 1.983972.
  const Spread spread = spread_of(numbers);
  EXPECT_NEAR(spread.half_interval, 1.983972 * spread.deviation / std::sqrt(101.0), 1e-5);
}

TEST(Spread, OneNumberHasNoSpread) {
  const Spread spread = spread_of({7});
  EXPECT_EQ(spread.mean, 7);
  EXPECT_EQ(spread.deviation, 0);
  EXPECT_EQ(spread.half_interval, 0);
  EXPECT_EQ(spread_of({}).count, 0U);
}

TEST(Spread, EqualNumbersHaveNoDeviationAtAll) {
  const Spread spread = spread_of({0.1, 0.1, 0.1});
  EXPECT_EQ(spread.mean, 0.1);
  EXPECT_EQ(spread.deviation, 0);
}

}  // namespace
}  // namespace dcube
