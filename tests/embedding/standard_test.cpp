#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "placing.hpp"

namespace dcube {
namespace {

using Distances = std::vector<std::uint32_t>;

TEST(Standard, DistancesOnARingDouble) {
  Distances expected;
  for (std::uint32_t d = 1; d <= 8; ++d) {
    expected.push_back(1U << (d - 1));
    const auto distances = placing::constant_distances(fmt::format("kind=ring,nodes={}", 1U << d),
                                                       fmt::format("cube:{}", d), "kind=standard");
    EXPECT_EQ(distances, expected);
  }
}

TEST(Standard, DistancesAreConstantWhateverTheSides) {
  EXPECT_EQ(placing::constant_distances("kind=torus,shape=4x8", "cube:5", "kind=standard"),
            (Distances{1, 2, 1, 2, 4}));
  EXPECT_EQ(placing::constant_distances("kind=mesh,shape=2x8x4", "cube:6", "kind=standard"),
            (Distances{1, 1, 2, 4, 1, 2}));
}

TEST(Standard, HasDilationOneOnAHypercube) {
  EXPECT_EQ(placing::longest_dilation("kind=hypercube,dimensions=6", "cube:6", "kind=standard"),
            1U);
}

}  // namespace
}  // namespace dcube
