#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "placing.hpp"

namespace dcube {
namespace {

using Numbers = std::vector<std::uint32_t>;

std::uint32_t binomial(std::uint32_t n, std::uint32_t k) {
  std::uint32_t result = 1;
  for (std::uint32_t i = 1; i <= k; ++i) {
    result = result * (n - k + i) / i;
  }
  return result;
}

TEST(ByWeight, OrderOfALineOfEightIsThatOfThePaper) {
  EXPECT_EQ(placing::node_order("kind=line,nodes=8", "cube:3", "kind=by_weight"),
            (Numbers{0, 4, 2, 1, 6, 5, 3, 7}));
}

TEST(ByWeight, OrdersEveryCoordinateOfAMesh) {
  const Numbers order = placing::node_order("kind=mesh,shape=8x4", "cube:5", "kind=by_weight");
  EXPECT_EQ(Numbers(order.begin(), order.begin() + 8), (Numbers{0, 4, 2, 1, 6, 5, 3, 7}));
  EXPECT_EQ(Numbers(order.end() - 8, order.end()), (Numbers{24, 28, 26, 25, 30, 29, 27, 31}));
}

// Harper (1966): the bandwidth of the d-cube is the sum over k < d of binomial(k, floor(k/2)).
TEST(ByWeight, LongestDilationOnALineIsTheLeastPossible) {
  std::uint32_t least = 0;
  for (std::uint32_t d = 1; d <= 9; ++d) {
    least += binomial(d - 1, (d - 1) / 2);
    EXPECT_EQ(placing::longest_dilation(fmt::format("kind=line,nodes={}", 1U << d),
                                        fmt::format("cube:{}", d), "kind=by_weight"),
              least);
  }
}

TEST(ByWeight, DistancesAreNotConstant) {
  EXPECT_FALSE(placing::constant_distances("kind=line,nodes=8", "cube:3", "kind=by_weight"));
}

TEST(ByWeight, IsTheIdentityOnAHypercube) {
  EXPECT_EQ(placing::map_of("kind=hypercube,dimensions=5", "cube:5", "kind=by_weight"),
            placing::map_of("kind=hypercube,dimensions=5", "cube:5", "kind=identity"));
}

}  // namespace
}  // namespace dcube
