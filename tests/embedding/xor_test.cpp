#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "placing.hpp"

namespace dcube {
namespace {

using Numbers = std::vector<std::uint32_t>;

TEST(Xor, OrderOfARingOfSixteenIsThatOfThePaper) {
  EXPECT_EQ(placing::node_order("kind=ring,nodes=16", "cube:4", "kind=xor"),
            (Numbers{0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 8, 9, 10, 11}));
}

TEST(Xor, DistancesOnARingEndWithTwoQuarterTurns) {
  for (std::uint32_t d = 2; d <= 9; ++d) {
    Numbers expected;
    for (std::uint32_t i = 0; i + 2 < d; ++i) {
      expected.push_back(1U << i);
    }
    expected.insert(expected.end(), 2, 1U << (d - 2));
    const auto distances = placing::constant_distances(fmt::format("kind=ring,nodes={}", 1U << d),
                                                       fmt::format("cube:{}", d), "kind=xor");
    ASSERT_TRUE(distances.has_value()) << d;
    EXPECT_EQ(*distances, expected);
    EXPECT_EQ(std::accumulate(distances->begin(), distances->end(), 0U), 3 * (1U << (d - 2)) - 1);
  }
}

TEST(Xor, WorksDimensionByDimension) {
  EXPECT_EQ(placing::constant_distances("kind=torus,shape=8x2x16", "cube:8", "kind=xor"),
            (Numbers{1, 2, 2, 1, 1, 2, 4, 4}));
}

TEST(Xor, IsTheIdentityOnAHypercube) {
  EXPECT_EQ(placing::map_of("kind=hypercube,dimensions=5", "cube:5", "kind=xor"),
            placing::map_of("kind=hypercube,dimensions=5", "cube:5", "kind=identity"));
}

}  // namespace
}  // namespace dcube
