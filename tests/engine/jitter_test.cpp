#include "dcube/engine/jitter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {
namespace {

using std::chrono::seconds;

std::string part_of(const std::string& text) {
  try {
    return std::to_string(parse_jitter_part(text));
  } catch (const InputError& error) {
    return error.problem();
  }
}

TEST(JitterPart, IsReadExactly) {
  EXPECT_EQ(part_of("0"), "0");
  EXPECT_EQ(part_of("1e-6"), "1000000000000");
  EXPECT_EQ(part_of("0.25"), "250000000000000000");
  EXPECT_EQ(part_of("25.0E-2"), "250000000000000000");
  EXPECT_EQ(part_of("1e-18"), "1");
  EXPECT_EQ(part_of("1e-19"), "0");
  EXPECT_EQ(part_of("1.5e-400000000000"), "0");
  EXPECT_EQ(part_of("0.9999999999999999999"), "999999999999999999");
}

TEST(JitterPart, IsBelowOne) {
  for (const char* text : {"1", "1.0", "-1e-6", "1e400000000000", "1e-6s", "", "little", "nan"}) {
    EXPECT_NE(
        part_of(text).find("is not a relative amplitude (a number >= 0 and < 1, such as 1e-6)"),
        std::string::npos)
        << text;
  }
}

TEST(JitterDraws, AreUpToTheirPartMoreOrLess) {
  std::set<Ticks> drawn;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    const Jitter jitter{parse_jitter_part("0.01"), seed};
    for (std::uint64_t i = 0; i < 100; ++i) {
      drawn.insert(jitter.varied(Ticks{1000}, ProcessId{3}, i));
    }
  }
  EXPECT_EQ(*drawn.begin(), Ticks{990});
  EXPECT_EQ(*drawn.rbegin(), Ticks{1010});
  EXPECT_EQ(drawn.size(), 21U);
}

TEST(JitterDraws, AreToOneHalfThoseOfTheWholeRun) {
  Ticks sum_least = Ticks::max();
  Ticks sum_greatest{0};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Jitter jitter{parse_jitter_part("0.1"), seed};
    std::set<Ticks> drawn;
    Ticks sum{0};
    for (std::uint64_t i = 0; i < 2'000; ++i) {
      const Ticks time = jitter.varied(Ticks{1000}, ProcessId{3}, i);
      drawn.insert(time);
      sum += time;
    }
    EXPECT_LE(*drawn.rbegin() - *drawn.begin(), Ticks{101});
    EXPECT_GE(*drawn.rbegin() - *drawn.begin(), Ticks{95});
    sum_least = std::min(sum_least, sum);
    sum_greatest = std::max(sum_greatest, sum);
  }
  EXPECT_LT(sum_least / 2'000, Ticks{960});
  EXPECT_GT(sum_greatest / 2'000, Ticks{1040});
}

TEST(JitterDraws, DependOnSeedProcessAndComputation) {
  const Jitter one{Jitter::whole / 2, 1};
  const Jitter two{Jitter::whole / 2, 2};
  const std::set<Ticks> drawn{
      one.varied(seconds{1}, ProcessId{0}, 0), one.varied(seconds{1}, ProcessId{0}, 1),
      one.varied(seconds{1}, ProcessId{1}, 0), two.varied(seconds{1}, ProcessId{0}, 0)};
  EXPECT_EQ(drawn.size(), 4U);
  EXPECT_EQ(one.varied(seconds{1}, ProcessId{0}, 0), one.varied(seconds{1}, ProcessId{0}, 0));
}

TEST(JitterDraws, AreNotBelowTheLeastOfTheRun) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    const Jitter jitter{Jitter::whole / 10, seed};
    const Ticks least = jitter.least(Ticks{1'000});
    EXPECT_GE(least, Ticks{900});
    EXPECT_LE(least, Ticks{1'000});
    Ticks drawn{2'000};
    for (std::uint64_t computation = 0; computation < 2'000; ++computation) {
      drawn = std::min(drawn, jitter.varied(Ticks{1'000}, ProcessId{7}, computation));
    }
    EXPECT_GE(drawn, least);
    EXPECT_LE(drawn, least + Ticks{1});
  }
  EXPECT_EQ((Jitter{1, 1}.least(Ticks{5})), Ticks{5});
}

TEST(JitterDraws, LeaveWhatIsShorterThanAPicosecondOfThem) {
  const Jitter jitter{parse_jitter_part("1e-6"), 1};
  EXPECT_EQ(jitter.varied(Ticks{0}, ProcessId{0}, 0), Ticks{0});
  EXPECT_EQ(jitter.varied(Ticks{999'999}, ProcessId{0}, 0), Ticks{999'999});
}

TEST(JitterDraws, RefuseWhatIsTooLong) {
  const Jitter jitter{Jitter::whole - 1, 1};
  const Ticks longest{std::numeric_limits<Ticks::rep>::max()};
  int refused = 0;
  for (std::uint64_t i = 0; i < 20; ++i) {
    try {
      EXPECT_GT(jitter.varied(longest, ProcessId{0}, i), Ticks{0});
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 20);
}

TEST(JitteredRun, VariesEveryComputationOfEveryProcess) {
  Machine machine;
  machine.topology = make_topology(Params::parse("kind=line,nodes=2", "line: "));
  machine.links.per_dimension = {{ExactTime{seconds{1}}, {}}};
  const std::vector<NodeId> map{NodeId{0}, NodeId{1}};
  const Jitter jitter{parse_jitter_part("1e-3"), 7};
  const RunReport report = simulate({.machine = machine,
                                     .map = map,
                                     .body = [](Process& process) -> Task<> {
                                       co_await process.compute(seconds{5});
                                       co_await process.compute(seconds{0});
                                       co_await process.compute(seconds{9});
                                     },
                                     .jitter = jitter});
  for (const ProcessId process : {ProcessId{0}, ProcessId{1}}) {
    EXPECT_EQ(report.process_ends[process.index()],
              jitter.varied(seconds{5}, process, 0) + jitter.varied(seconds{9}, process, 1));
  }
  EXPECT_NE(report.process_ends[0], report.process_ends[1]);
}

}  // namespace
}  // namespace dcube
