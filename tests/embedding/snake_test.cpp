#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "placing.hpp"

namespace dcube {
namespace {

using Numbers = std::vector<std::uint32_t>;

TEST(Snake, TurnsRoundAtEveryEnd) {
  EXPECT_EQ(placing::map_of("kind=mesh,shape=3x4", "line:12", "kind=snake"),
            (Numbers{0, 1, 2, 5, 4, 3, 6, 7, 8, 11, 10, 9}));
}

TEST(Snake, ARingHasDilationOneWhereASideIsEven) {
  for (const auto& [torus, ring] : {std::pair{"kind=torus,shape=4x4x8", "ring:128"},
                                    {"kind=torus,shape=3x5x4", "ring:60"},
                                    {"kind=torus,shape=8x3", "ring:24"},
                                    {"kind=torus,shape=2x3x2x5", "ring:60"},
                                    {"kind=twisted_torus,shape=4x4x8", "ring:128"},
                                    {"kind=twisted_torus,shape=4x8", "ring:32"}}) {
    EXPECT_EQ(placing::longest_dilation(torus, ring, "kind=snake"), 1U) << torus;
  }
}

TEST(Snake, ALineHasDilationOneOnEveryMesh) {
  EXPECT_EQ(placing::longest_dilation("kind=mesh,shape=3x5x7", "line:105", "kind=snake"), 1U);
  EXPECT_EQ(placing::longest_dilation("kind=mesh,shape=4x2x6", "line:48", "kind=snake"), 1U);
}

TEST(Snake, ReachesEveryNodeOnceWhateverTheSides) {
  Numbers map = placing::map_of("kind=torus,shape=3x5x7", "ring:105", "kind=snake");
  std::ranges::sort(map);
  for (std::uint32_t node = 0; node < map.size(); ++node) {
    EXPECT_EQ(map[node], node);
  }
}

TEST(Snake, FillsTheSlotsOfANode) {
  EXPECT_EQ(placing::map_of("kind=mesh,shape=2x2", "line:7", "kind=snake", 2),
            (Numbers{0, 0, 1, 1, 3, 3, 2}));
}

TEST(Snake, OtherShapesDoNotFit) {
  EXPECT_EQ(placing::problem_of("kind=torus,shape=4x4", "cube:4", "kind=snake"),
            "/kind: snake does not fit the 4x4 torus (it places lines and rings, not cube:4); "
            "by_weight, gray, identity, standard, xor, explicit, random or weighted_xor would fit");
  const std::string problem = placing::problem_of("kind=ring,nodes=8", "ring:8", "kind=snake");
  EXPECT_NE(problem.find("it needs a mesh or torus of several dimensions"), std::string::npos)
      << problem;
}

}  // namespace
}  // namespace dcube
