#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "placing.hpp"

namespace dcube {
namespace {

using Numbers = std::vector<std::uint32_t>;

// [N]: S_3 = 000, 001, 011, 010, 110, 111, 101, 100.
TEST(GrayCode, RingOfEightInACubeFollowsThePaper) {
  EXPECT_EQ(placing::map_of("kind=hypercube,dimensions=3", "ring:8", "kind=gray"),
            (Numbers{0b000, 0b001, 0b011, 0b010, 0b110, 0b111, 0b101, 0b100}));
}

TEST(GrayCode, RingInHypercubeHasDilationOne) {
  for (std::uint32_t d = 1; d <= 8; ++d) {
    EXPECT_EQ(placing::longest_dilation(fmt::format("kind=hypercube,dimensions={}", d),
                                        fmt::format("ring:{}", 1U << d), "kind=gray"),
              1U);
  }
}

TEST(GrayCode, MeshAndTorusInHypercubeHaveDilationOne) {
  for (const char* guest : {"mesh:4x2", "mesh:8x8", "torus:16x4", "torus:4x2x8", "mesh:1x64"}) {
    const std::uint32_t processes = Guest::parse(guest).process_count();
    EXPECT_EQ(placing::longest_dilation(
                  fmt::format("kind=hypercube,dimensions={}", processes == 8 ? 3 : 6), guest,
                  "kind=gray"),
              1U)
        << guest;
  }
}

TEST(GrayCode, CubeProcessSitsAtTheRankOfItsLabel) {
  EXPECT_EQ(placing::node_order("kind=ring,nodes=8", "cube:3", "kind=gray"),
            (Numbers{0, 1, 3, 2, 6, 7, 5, 4}));
  EXPECT_EQ(placing::node_order("kind=torus,shape=4x2", "cube:3", "kind=gray"),
            (Numbers{0, 1, 3, 2, 4, 5, 7, 6}));
}

TEST(GrayCode, IsTheIdentityBetweenEqualShapes) {
  for (const auto& [machine, guest] : std::vector<std::pair<std::string, std::string>>{
           {"kind=ring,nodes=16", "ring:16"},
           {"kind=mesh,shape=8x4", "mesh:8x4"},
           {"kind=hypercube,dimensions=4", "cube:4"}}) {
    EXPECT_EQ(placing::map_of(machine, guest, "kind=gray"),
              placing::map_of(machine, guest, "kind=identity"));
  }
}

TEST(GrayCode, RingOnATorusOfFourByFourHasDilationOne) {
  EXPECT_EQ(placing::longest_dilation("kind=torus,shape=4x4", "ring:16", "kind=gray"), 1U);
}

TEST(GrayCode, TreesAndOddSidesDoNotFit) {
  EXPECT_NE(placing::problem_of("kind=hypercube,dimensions=4", "mesh:3x5", "kind=gray")
                .find("it places cubes, lines, rings, meshes and tori with power-of-two sides, "
                      "not mesh:3x5"),
            std::string::npos);
  EXPECT_NE(placing::problem_of("kind=hypercube,dimensions=3", "tree:7", "kind=gray"), "no error");
  EXPECT_NE(placing::problem_of("kind=mesh,shape=3x5", "cube:3", "kind=gray")
                .find("sides must be powers of two"),
            std::string::npos);
}

}  // namespace
}  // namespace dcube
