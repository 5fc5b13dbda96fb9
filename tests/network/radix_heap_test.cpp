#include "network/radix_heap.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "dcube/core/random.hpp"
#include "network/fifo.hpp"

namespace dcube {
namespace {

struct Item {
  std::uint64_t time;
  std::uint32_t number;
};

TEST(RadixHeap, PopsInTheOrderOfABinaryHeap) {
  SplitMix64 random{7};
  RadixHeap<Item> heap;
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> reference;
  std::uint64_t now = 0;
  std::uint32_t number = 0;
  int onlys = 0;
  for (int round = 0; round < 20'000; ++round) {
    for (std::uint64_t pushes = bounded(random.next(), 4); pushes > 0; --pushes) {
      const std::uint64_t reach = std::uint64_t{1} << bounded(random.next(), 40);
      const std::uint64_t time = now + 1 + bounded(random.next(), reach);
      heap.push({time, number++});
      reference.push(time);
    }
    if (reference.empty()) {
      EXPECT_EQ(heap.earliest(), RadixHeap<Item>::never);
      continue;
    }
    ASSERT_EQ(heap.earliest(), reference.top());
    now = reference.top();
    bool was_only = false;
    std::size_t popped = 0;
    heap.pop_earliest([&](const Item& item, bool is_only) {
      ASSERT_EQ(item.time, now);
      ASSERT_TRUE(popped == 0 || !is_only);
      ++popped;
      was_only = is_only;
    });
    EXPECT_TRUE(!was_only || popped == 1);
    onlys += was_only ? 1 : 0;
    for (; popped > 0; --popped) {
      ASSERT_EQ(reference.top(), now);
      reference.pop();
    }
    ASSERT_TRUE(reference.empty() || reference.top() > now);
  }
  EXPECT_GT(onlys, 1000);
}

/// The topmost digit has fewer bits than the others.
TEST(RadixHeap, ReachesTheLastTimeAndFindsTheEarliestOfWhatIsKept) {
  constexpr std::uint64_t last = (std::uint64_t{1} << 63) - 1;
  for (unsigned bit = 0; bit < 63; ++bit) {
    RadixHeap<Item> heap;
    heap.push({last, 2});
    heap.push({std::uint64_t{1} << bit, 0});
    heap.push({(std::uint64_t{1} << bit) | 1U, 1});
    heap.filter([](const Item& item) { return item.number != 0; });
    std::vector<std::uint64_t> times;
    while (heap.earliest() != RadixHeap<Item>::never) {
      heap.pop_earliest([&](const Item& item, bool /*is_only*/) { times.push_back(item.time); });
    }
    EXPECT_EQ(times, (std::vector{(std::uint64_t{1} << bit) | 1U, last})) << bit;
  }
}

TEST(RadixHeap, TakesPushesBeforeTheTimeThatWasOnlyLookedAt) {
  RadixHeap<Item> heap;
  heap.push({1000, 0});
  EXPECT_EQ(heap.earliest(), 1000U);
  heap.push({10, 1});
  EXPECT_EQ(heap.earliest(), 10U);
}

TEST(Fifo, KeepsOrderWhileItGrowsAndWrapsAround) {
  Fifo<int> fifo;
  int pushed = 0;
  int popped = 0;
  for (int round = 0; round < 1000; ++round) {
    for (int i = 0; i < 3; ++i) {
      fifo.push(pushed++);
    }
    for (int i = 0; i < 2; ++i) {
      ASSERT_EQ(fifo.pop(), popped++);
    }
  }
  EXPECT_EQ(fifo.size(), 1000U);
  EXPECT_EQ(fifo.front(), popped);
  EXPECT_EQ(fifo.back(), pushed - 1);
}

}  // namespace
}  // namespace dcube
