#include <gtest/gtest.h>

#include <chrono>

#include "dcube/questions/collective.hpp"

namespace dcube {
namespace {

TEST(Bandwidth, BusFactorsAreThoseOfNcclTests) {
  EXPECT_DOUBLE_EQ(*bus_factor(CollectiveKind::allreduce, 4), 1.5);
  for (const CollectiveKind kind :
       {CollectiveKind::allgather, CollectiveKind::reduce_scatter, CollectiveKind::all_to_all,
        CollectiveKind::gather, CollectiveKind::scatter}) {
    EXPECT_DOUBLE_EQ(*bus_factor(kind, 8), 0.875);
  }
  EXPECT_EQ(bus_factor(CollectiveKind::broadcast, 8), 1);
  EXPECT_EQ(bus_factor(CollectiveKind::reduce, 8), 1);
  EXPECT_FALSE(bus_factor(CollectiveKind::scan, 8));
  EXPECT_EQ(bus_factor(CollectiveKind::allreduce, 1), 0);
}

TEST(Bandwidth, IsSizeOverTime) {
  const auto rates =
      bandwidth_of(CollectiveKind::allreduce, 4, 1'000'000, std::chrono::milliseconds{1});
  ASSERT_TRUE(rates);
  EXPECT_DOUBLE_EQ(rates->algorithm, 1e9);
  EXPECT_DOUBLE_EQ(*rates->bus, 1.5e9);
  EXPECT_FALSE(bandwidth_of(CollectiveKind::scan, 4, 8, std::chrono::seconds{1})->bus);
}

TEST(Bandwidth, OfNoTimeIsNone) {
  EXPECT_FALSE(bandwidth_of(CollectiveKind::allreduce, 1, 1024, Ticks{0}));
}

}  // namespace
}  // namespace dcube
