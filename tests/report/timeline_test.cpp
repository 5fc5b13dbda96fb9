#include "report/timeline.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "core/json_reading.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube::report {
namespace {

Ticks at(std::int64_t seconds) { return std::chrono::seconds{seconds}; }

TEST(BinnedTimes, ShareATimeOverTheBinsItCovers) {
  BinnedTimes times{1, 1, 4, {Ticks{0}, at(8)}};
  times.add(0, 0, at(1), at(5));
  EXPECT_EQ(times.shares(0, 1), (std::vector<int>{50, 100, 50, 0}));
  EXPECT_EQ(times.shares(0, 2), (std::vector<int>{25, 50, 25, 0}));
}

TEST(BinnedTimes, LeaveOutWhatIsOutsideTheWindow) {
  BinnedTimes times{2, 2, 2, {at(10), at(12)}};
  times.add(1, 1, at(0), at(11));
  times.add(1, 0, at(11), at(99));
  times.add(0, 0, at(2), at(3));
  EXPECT_EQ(times.shares(1, 1), (std::vector<int>{0, 100, 100, 0}));
  EXPECT_EQ(times.shares(0, 1), (std::vector<int>{0, 0, 0, 0}));
}

TEST(BinnedTimes, ALastBinThatIsCutShortIsWhole) {
  BinnedTimes times{1, 1, 4, {Ticks{0}, Ticks{10}}};  // 3, 3, 3 and 1 ps
  times.add(0, 0, Ticks{0}, Ticks{10});
  EXPECT_EQ(times.shares(0, 1), (std::vector<int>{100, 100, 100, 100}));
}

TEST(BinnedTimes, TheLongestWindowHasAsManyBins) {
  constexpr std::size_t bins = 240;
  BinnedTimes times{1, 1, bins, {Ticks{0}, Ticks::max()}};
  times.add(0, 0, Ticks{0}, Ticks::max());
  EXPECT_EQ(times.shares(0, 1), std::vector<int>(bins, 100));
}

/// The timeline of CC on a line of 8 under by_weight, which has processes waiting.
Params timeline_of(TimeWindow window, TimelineLimits limits) {
  Scenario scenario = load_scenario(DCUBE_SOURCE_DIR "/scenarios/line-cc_dcube-by_weight.json");
  const Topology& topology = *scenario.machine->topology;
  const Drawing drawing = draw_machine(topology, topology, Duplex::full);
  Timeline timeline{scenario, drawing, window, limits};
  run_scenario(scenario, &timeline);
  return *read_json(timeline.json(), "timeline").group();
}

std::vector<double> list(const Params& group, std::string_view key) {
  std::vector<double> numbers;
  for (const Setting& entry : *group.find(key)->list()) {
    numbers.push_back(std::stod(entry.number()->text));
  }
  return numbers;
}

double sum(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

TEST(Timeline, HasEveryIntervalAndHopOfASmallRun) {
  const Params timeline = timeline_of({Ticks{0}, at(12)}, {1000, 1000});
  const double unit_s = std::stod(timeline.find("unit_s")->number()->text);
  const Params& hops = timeline.group("hops");
  EXPECT_EQ(list(hops, "link").size(), 60U);
  EXPECT_EQ(list(hops, "source").size(), 24U);
  EXPECT_NEAR(sum(list(hops, "length")) * unit_s, 60, 1e-9);
  const Params& intervals = timeline.group("intervals");
  EXPECT_EQ(list(intervals, "first").size(), 9U);
  const std::vector<double> lengths = list(intervals, "length");
  const std::vector<double> activities = list(intervals, "activity");
  double computing = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    computing += activities[i] == 0 ? lengths[i] : 0;
  }
  EXPECT_NEAR(computing * unit_s, 24, 1e-9);
  for (const double bytes : list(hops, "bytes")) {
    EXPECT_EQ(bytes, 1);
  }
}

TEST(Timeline, HasSumsAloneWhereTheLimitsAreExceeded) {
  const Params timeline = timeline_of({Ticks{0}, at(12)}, {10, 10});
  EXPECT_EQ(timeline.find("intervals")->group(), nullptr);
  EXPECT_EQ(timeline.find("hops")->group(), nullptr);
  EXPECT_EQ(timeline.group("groups").find("shares")->list()->size(), 8U);
  const Params& tiles = timeline.group("tiles");
  EXPECT_EQ(tiles.find("busy")->list()->size(), 8U);
  EXPECT_EQ(timeline.find("hop_count")->number()->text, "60");
}

TEST(Timeline, HasWhatTouchesTheWindowAlone) {
  // Every process computes in the first second, and sends or forwards in the next.
  const Params timeline = timeline_of({Ticks{0}, at(1)}, {1000, 1000});
  EXPECT_EQ(list(timeline.group("intervals"), "length").size(), 8U);
  EXPECT_EQ(list(timeline.group("hops"), "link").size(), 0U);
}

}  // namespace
}  // namespace dcube::report
