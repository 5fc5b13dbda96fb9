#include "dcube/embedding/traffic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"

namespace dcube {
namespace {

Flow flow(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, std::uint64_t messages = 1) {
  return {ProcessId{from}, ProcessId{to}, bytes, messages};
}

TEST(Traffic, FlowsOfAPairAddUpInOrder) {
  const Traffic traffic{3, {flow(2, 0, 5), flow(0, 1, 1), flow(2, 0, 6, 2), flow(1, 1, 9)}};
  EXPECT_TRUE(std::ranges::equal(traffic.flows(), std::vector{flow(0, 1, 1), flow(2, 0, 11, 3)}));
  EXPECT_EQ(traffic.total_bytes(), 12U);
  EXPECT_EQ(traffic.own_bytes(), 9U);
}

TEST(Traffic, OnlyFlowsOfNeitherBytesNorMessagesAreLeftOut) {
  const Traffic traffic{3, {flow(0, 1, 0, 0), flow(0, 2, 0, 4), flow(1, 2, 7, 0)}};
  EXPECT_TRUE(std::ranges::equal(traffic.flows(), std::vector{flow(0, 2, 0, 4), flow(1, 2, 7, 0)}));
}

TEST(Traffic, ACubeSendsItsWeightsBothWays) {
  const Traffic traffic = Traffic::of(Guest::cube(2), std::vector<std::uint64_t>{1, 8});
  EXPECT_EQ(traffic.process_count(), 4U);
  EXPECT_TRUE(std::ranges::equal(
      traffic.flows(), std::vector{flow(0, 1, 1), flow(0, 2, 8), flow(1, 0, 1), flow(1, 3, 8),
                                   flow(2, 0, 8), flow(2, 3, 1), flow(3, 1, 8), flow(3, 2, 1)}));
}

TEST(Traffic, ATreeHasAFlowEachWayOverEveryEdge) {
  EXPECT_EQ(Traffic::of(Guest::parse("tree:7")).flows().size(), 12U);
}

TEST(Traffic, OwnBytesAreLimitedAndNotRefused) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ((Traffic{2, {flow(1, 1, most), flow(1, 1, most)}}.own_bytes()), most);
}

TEST(Traffic, TooMuchIsRefused) {
  constexpr std::uint64_t half = std::numeric_limits<std::int64_t>::max() / 2 + 1;
  EXPECT_THROW(Traffic(2, {flow(0, 1, half), flow(0, 1, half)}), InputError);
  EXPECT_THROW(Traffic(2, {flow(0, 1, half), flow(1, 0, half)}), InputError);
  EXPECT_THROW(Traffic(2, {flow(0, 1, std::numeric_limits<std::uint64_t>::max())}), InputError);
}

TEST(Traffic, OfAHugeGuestIsRefusedBeforeItTakesMemory) {
  EXPECT_THROW(Traffic::of(Guest::cube(31)), MemoryError);  // 1.6 TB
}

TEST(Traffic, ProcessesOutsideAreADefect) {
  EXPECT_THROW(Traffic(2, {flow(0, 2, 1)}), ContractViolation);
}

}  // namespace
}  // namespace dcube
