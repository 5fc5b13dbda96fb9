#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "placing.hpp"

namespace dcube {
namespace {

TEST(Identity, KeepsNumbersAndLeavesSurplusNodesEmpty) {
  EXPECT_EQ(placing::map_of("kind=mesh,shape=3x5", "ring:6", "kind=identity"),
            (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
}

TEST(Identity, HasDilationOneOnAMachineOfTheGuestsShape) {
  EXPECT_EQ(placing::longest_dilation("kind=hypercube,dimensions=6", "cube:6", "kind=identity"),
            1U);
  EXPECT_EQ(placing::longest_dilation("kind=torus,shape=5x7", "torus:5x7", "kind=identity"), 1U);
}

}  // namespace
}  // namespace dcube
