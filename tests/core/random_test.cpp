#include "dcube/core/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace dcube {
namespace {

TEST(SplitMix64, GivesThePublishedStream) {
  SplitMix64 random{1234567};
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
  EXPECT_EQ(random.next(), 9817491932198370423U);
  EXPECT_EQ(random.next(), 4593380528125082431U);
  EXPECT_EQ(random.next(), 16408922859458223821U);
}

TEST(HashOf, OneWordIsTheFirstOfItsStream) { EXPECT_EQ(hash_of(1234567), 6457827717110365317U); }

TEST(HashOf, DependsOnEveryWordAndTheirOrder) {
  EXPECT_NE(hash_of(1, 2, 3), hash_of(1, 3, 2));
  EXPECT_NE(hash_of(1, 2, 3), hash_of(2, 1, 3));
  EXPECT_NE(hash_of(1, 2), hash_of(1, 2, 0));
}

TEST(Bounded, StaysBelowTheBound) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(bounded(most, 10), 9U);
  EXPECT_EQ(bounded(0, 10), 0U);
  EXPECT_EQ(bounded(most, most), most - 1);
  EXPECT_EQ(bounded(most, 1), 0U);
}

TEST(Bounded, ReachesEveryValueAboutEquallyOften) {
  std::array<int, 7> counts{};
  for (std::uint64_t i = 0; i < 70'000; ++i) {
    ++counts.at(bounded(hash_of(i, 5), counts.size()));
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 10'000, 400);
  }
}

}  // namespace
}  // namespace dcube
