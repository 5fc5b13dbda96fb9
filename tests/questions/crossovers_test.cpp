#include "questions/collective/crossovers.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dcube {
namespace {

/// A latency and a time of a byte, in picoseconds.
struct Cost {
  std::int64_t latency;
  std::int64_t per_byte;
};

class Ways {
 public:
  explicit Ways(std::vector<Cost> costs) : costs_{std::move(costs)} {
    for (std::size_t way = 0; way < costs_.size(); ++way) {
      numbers_.push_back(way);
    }
  }

  std::optional<std::vector<Crossover>> found(const std::vector<std::uint64_t>& sizes,
                                              std::uint64_t grain = 1) {
    std::vector<FastestWay> fastest;
    for (const std::uint64_t bytes : sizes) {
      std::size_t best = 0;
      for (const std::size_t way : numbers_) {
        best = time(way, bytes) < time(best, bytes) ? way : best;
      }
      fastest.push_back({bytes, best});
    }
    return find_crossovers(fastest, numbers_, grain, [&](std::span<const TimeRequest> requests) {
      std::vector<std::optional<Ticks>> times;
      for (const TimeRequest& request : requests) {
        EXPECT_EQ(request.bytes % grain, 0U);
        times.emplace_back(time(request.way, request.bytes));
      }
      asked += is_interrupted ? 0 : requests.size();
      return is_interrupted ? std::vector<std::optional<Ticks>>{} : times;
    });
  }

  std::size_t asked = 0;
  bool is_interrupted = false;

 private:
  Ticks time(std::size_t way, std::uint64_t bytes) const {
    return Ticks{costs_[way].latency + costs_[way].per_byte * static_cast<std::int64_t>(bytes)};
  }

  std::vector<Cost> costs_;
  std::vector<std::size_t> numbers_;
};

void expect_near(const Crossover& crossover, std::uint64_t bytes, std::size_t from,
                 std::size_t to) {
  EXPECT_GE(crossover.bytes, bytes);
  EXPECT_LE(static_cast<double>(crossover.bytes), 1.01 * static_cast<double>(bytes) + 1);
  EXPECT_EQ(crossover.from, from);
  EXPECT_EQ(crossover.to, to);
}

TEST(Crossovers, AreFoundToAPercent) {
  Ways ways{{{1000, 10}, {50'000, 3}}};  // 7 bytes x = 49,000
  const auto found = ways.found({1024, 1048576});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  expect_near(found->front(), 7000, 0, 1);
  EXPECT_LE(ways.asked, 30U);
}

TEST(Crossovers, AreExactToTheGrainWhereThatIsCoarser) {
  Ways ways{{{1000, 10}, {50'000, 3}}};
  const auto found = ways.found({1024, 1048576}, 1024);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->front().bytes, 7168U);
}

TEST(Crossovers, AThirdWayInBetweenHasTwo) {
  Ways ways{{{1000, 100}, {20'000, 20}, {200'000, 1}}};
  const auto found = ways.found({16, 1048576});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2U);
  expect_near(found->front(), 238, 0, 1);
  expect_near(found->back(), 9474, 1, 2);
}

TEST(Crossovers, ThereAreNoneWhereNothingChanges) {
  Ways ways{{{1000, 1}, {2000, 2}}};
  EXPECT_EQ(ways.found({16, 1024, 1048576}), std::vector<Crossover>{});
  EXPECT_EQ(ways.asked, 0U);
  EXPECT_EQ(ways.found({16}), std::vector<Crossover>{});
}

TEST(Crossovers, AnEndedSearchFindsNothing) {
  Ways ways{{{1000, 10}, {50'000, 3}}};
  ways.is_interrupted = true;
  EXPECT_FALSE(ways.found({1024, 1048576}));
}

}  // namespace
}  // namespace dcube
