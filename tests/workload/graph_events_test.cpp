#include "workload/graph_events.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dcube/core/random.hpp"

namespace dcube {
namespace {

GraphEvent event_at(std::uint64_t time, std::uint32_t number) {
  return {Ticks{static_cast<Ticks::rep>(time)}, {}, number, number, GraphEvent::What::start};
}

TEST(EventQueue, IsSortedWhereverEventsComeBetween) {
  SplitMix64 random{7};
  EventQueue queue;
  std::vector<GraphEvent> expected;
  const auto take_first = [&] {
    const auto first = std::ranges::min_element(
        expected, [](const GraphEvent& a, const GraphEvent& b) { return b > a; });
    ASSERT_TRUE(queue.front().is(*first)) << queue.front().order << " for " << first->order;
    EXPECT_EQ(queue.pop().index, first->index);
    expected.erase(first);
  };
  for (std::uint32_t number = 0; number < 3000; ++number) {
    const GraphEvent event = event_at(bounded(random.next(), 40), number);
    queue.push(event);
    expected.push_back(event);
    if (bounded(random.next(), 30) > 14) {
      take_first();
    }
  }
  while (!expected.empty()) {
    take_first();
  }
  EXPECT_TRUE(queue.is_empty());
}

TEST(EventQueue, KeepsTheOrderInWhichEqualEventsCame) {
  EventQueue queue;
  for (std::uint32_t i = 0; i < 12; ++i) {
    queue.push(event_at(i, i));
  }
  for (std::uint32_t i = 0; i < 6; ++i) {
    queue.pop();
  }
  GraphEvent equal = event_at(7, 7);  // near the front, which has room
  equal.index = 100;
  queue.push(equal);
  EXPECT_EQ(queue.pop().index, 6);
  EXPECT_EQ(queue.pop().index, 7);
  EXPECT_EQ(queue.pop().index, 100);
  EXPECT_EQ(queue.pop().index, 8);
}

}  // namespace
}  // namespace dcube
