#include "dcube/metrics/lower_bounds.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace dcube {
namespace {

TEST(LowerBounds, AreTakenOutAndReportedWhereLessWasReached) {
  const std::vector<CostBound> all{{9, "first"}, {7, "second"}, {5, "third"}, {0, "last"}};
  std::vector<CostBound> bounds = all;
  EXPECT_EQ(take_refuted(bounds, 9), "");
  EXPECT_EQ(bounds.size(), 4U);
  EXPECT_EQ(take_refuted(bounds, 6),
            "a lower bound of 9 is false, because 6 was reached, and is left out. Unless this is "
            "about a program whose processes share variables, which has no bound, it is a defect "
            "of dcube: please report it with the machine and the program or traffic (the bound: "
            "first)");
  ASSERT_EQ(bounds.size(), 2U);
  EXPECT_EQ(bounds.front().cost, 5U);
  bounds = {{9, "only"}};
  EXPECT_NE(take_refuted(bounds, 8), "");
  ASSERT_EQ(bounds.size(), 1U);
  EXPECT_EQ(bounds.front().cost, 0U);
}

}  // namespace
}  // namespace dcube
