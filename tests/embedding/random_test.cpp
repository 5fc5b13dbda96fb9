#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "placing.hpp"

namespace dcube {
namespace {

using Numbers = std::vector<std::uint32_t>;

Numbers drawn(const std::string& settings) {
  return placing::map_of("kind=torus,shape=3x5", "cube:3", "kind=random" + settings);
}

// The map is part of every result made with it, so it must never change.
TEST(Random, MapOfASeedIsTheSameOnEveryPlatform) {
  EXPECT_EQ(drawn(",seed=7"), (Numbers{5, 1, 13, 9, 8, 7, 10, 3}));
}

TEST(Random, SeedIsZeroUnlessGiven) { EXPECT_EQ(drawn(""), drawn(",seed=0")); }

TEST(Random, SeedsDiffer) { EXPECT_NE(drawn(",seed=1"), drawn(",seed=2")); }

TEST(Random, PlacesAProcessOnEveryNodeAboutEquallyOften) {
  constexpr int draws = 3000;
  std::vector<int> hits(15);
  for (int seed = 0; seed < draws; ++seed) {
    ++hits[drawn(",seed=" + std::to_string(seed))[3]];
  }
  for (const int count : hits) {
    EXPECT_NEAR(count, draws / 15, 60);  // over four standard deviations
  }
}

TEST(Random, SeedMustBeANonNegativeInteger) {
  EXPECT_NE(placing::problem_of("kind=ring,nodes=8", "cube:3", "kind=random,seed=-1"), "no error");
}

}  // namespace
}  // namespace dcube
