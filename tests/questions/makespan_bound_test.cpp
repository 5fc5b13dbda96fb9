// No embedding makes a program faster than the bound of its makespan.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/questions/comparison.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "random_scenarios.hpp"
#include "scenario/temporary_folder.hpp"

namespace dcube {
namespace {

using testing::embedded;

constexpr double rounding = 1e-9;

double makespan_s(Scenario& scenario) {
  return to_seconds(run_scenario(scenario, nullptr, {}, Findings::report).report.makespan);
}

/// `part` of four, so that they run side by side.
void expect_no_faster_run(std::uint64_t part) {
  testing::expect_no_faster_run(
      part, TemporaryFolder{},
      [](testing::ScenarioDraws& draws, const TemporaryFolder&) { return draws.program(); });
}

TEST(RandomCasesMakespanBound, NoRunIsFaster) { expect_no_faster_run(0); }
TEST(RandomCasesMakespanBound, NoRunIsFasterInTheSecondQuarter) { expect_no_faster_run(1); }
TEST(RandomCasesMakespanBound, NoRunIsFasterInTheThirdQuarter) { expect_no_faster_run(2); }
TEST(RandomCasesMakespanBound, NoRunIsFasterInTheLastQuarter) { expect_no_faster_run(3); }

TEST(MakespanBound, NoRunOfAScenarioOfTheTreeIsFaster) {
  int bounds = 0;
  for (const auto& entry : std::filesystem::directory_iterator{DCUBE_SOURCE_DIR "/scenarios"}) {
    if (entry.path().extension() != ".json") {
      continue;
    }
    SCOPED_TRACE(entry.path().filename().string());
    std::optional<MakespanBound> bound;
    for (const std::string embedding : {"", R"(/embedding={"kind": "random", "seed": 3})"}) {
      std::vector<Override> overrides;
      if (!embedding.empty()) {
        overrides.push_back(parse_override(embedding));
      }
      std::optional<Scenario> scenario;
      try {
        scenario = load_scenario(entry.path(), overrides);
      } catch (const InputError&) {
        continue;  // its reader was not built, or random places do not fit
      }
      if (embedding.empty()) {
        bound = makespan_bound(*scenario, nullptr, 2e8);
        bounds += bound ? 1 : 0;
      }
      if (bound) {
        EXPECT_GE(makespan_s(*scenario), to_seconds(bound->makespan) * (1 - rounding))
            << bound->source;
      }
    }
  }
  EXPECT_GT(bounds, 45);
}

TEST(MakespanBound, IsReachedWhereEveryMessageGoesOneLinkAlone) {
  const TemporaryFolder folder;
  const std::string cube =
      R"({"topology": {"kind": "hypercube", "dimensions": 3}, "link": {"latency": "1us", "per_byte": "1ns"}})";
  const std::string ring =
      R"({"topology": {"kind": "ring", "nodes": 8}, "link": {"latency": "1us", "per_byte": "1ns"},
          "endpoint": {"send": "2us", "receive": "1us"}, "switching": "cut_through"})";
  for (
      const std::string& text :
      {embedded(cube,
                R"({"kind": "cc_dcube", "message": 70, "compute": {"uniform": ["1us", "5us"]}})",
                R"("identity")"),
       embedded(cube, R"({"kind": "broadcast", "values": 8})", R"("identity")"),
       embedded(
           ring,
           R"({"kind": "pattern", "guest": "ring:8", "phases": [{"compute": "3us"}, {"exchange": [64]}]})",
           R"("identity")")}) {
    SCOPED_TRACE(text);
    Scenario scenario = load_scenario(folder.write("x.json", text));
    const std::optional<MakespanBound> bound = makespan_bound(scenario);
    ASSERT_TRUE(bound);
    EXPECT_NEAR(makespan_s(scenario), to_seconds(bound->makespan), 1e-12) << bound->source;
  }
}

/// Under a fluid network the bytes pass the node's own servers and the link at one time.
TEST(MakespanBound, CountsTheBytesOfAFlowOnceAtItsSlowest) {
  const TemporaryFolder folder;
  for (const auto& [link, injection, least_s] :
       {std::tuple{"5ns", "5ns", 5e-3}, std::tuple{"5ns", "9ns", 9e-3},
        std::tuple{"8ns", "5ns", 8e-3}}) {
    const std::string machine =
        std::string{R"({"topology": {"kind": "line", "nodes": 2}, "network": "fluid", "link": )"} +
        R"({"latency": "0s", "per_byte": ")" + link +
        R"("}, "node": {"injection": {"per_byte": ")" + injection + R"("}}})";
    Scenario scenario = load_scenario(folder.write(
        "x.json", embedded(machine,
                           R"({"kind": "pattern", "guest": "line:2", "phases": [{"messages":
                               [{"from": 0, "to": 1, "bytes": 1000000}]}]})",
                           R"("identity")")));
    const std::optional<MakespanBound> bound = makespan_bound(scenario);
    ASSERT_TRUE(bound);
    EXPECT_LE(to_seconds(bound->makespan), makespan_s(scenario));
    EXPECT_NEAR(to_seconds(bound->makespan), least_s, 1e-5 * least_s);
  }
}

const std::string torus =
    R"({"topology": {"kind": "torus", "shape": [4, 4]}, "link": {"latency": "1s"}})";

TEST(MakespanBound, KnowsTheDistancesOfACubeWithAnyComputingTimes) {
  const TemporaryFolder folder;
  for (const std::string exchange : {"rendezvous", "eager"}) {
    Scenario scenario = load_scenario(folder.write(
        "x.json",
        embedded(R"({"topology": {"kind": "torus", "shape": [8, 8]}, "link": {"latency": "1s"}})",
                 R"({"kind": "cc_dcube", "compute": {"uniform": ["1s", "1.01s"]}, "exchange": ")" +
                     exchange + R"("})",
                 R"("xor")")));
    const std::optional<MakespanBound> bound = makespan_bound(scenario);
    ASSERT_TRUE(bound);
    // Six stages, and ten hops on the average.
    EXPECT_GT(to_seconds(bound->makespan), 16);
    EXPECT_LE(to_seconds(bound->makespan), makespan_s(scenario));
    EXPECT_TRUE(bound->source.starts_with("what a process computes and exchanges"))
        << bound->source;
  }
}

TEST(MakespanBound, OfOneComputingTimeIsTheTheoremAlone) {
  const TemporaryFolder folder;
  const Scenario scenario =
      load_scenario(folder.write("x.json", embedded(torus, R"({"kind": "cc_dcube"})", R"("xor")")));
  const std::optional<MakespanBound> bound = makespan_bound(scenario);
  const std::optional<MakespanBound> closed = closed_makespan_bound(scenario);
  ASSERT_TRUE(bound && closed);
  EXPECT_EQ(to_seconds(bound->makespan), to_seconds(closed->makespan));
  EXPECT_EQ(bound->source, closed->source);
}

TEST(MakespanBound, CountsScarceCores) {
  const TemporaryFolder folder;
  Scenario scenario = load_scenario(folder.write(
      "x.json",
      embedded(R"({"topology": {"kind": "ring", "nodes": 4}, "link": {"latency": "1us"},
                   "node": {"slots": 2, "cores": 1, "local": {"latency": "1us"}}})",
               R"({"kind": "cc_dcube", "dimensions": 3, "compute": {"uniform": ["1s", "2s"]}})",
               R"("standard")")));
  const std::optional<MakespanBound> bound = makespan_bound(scenario);
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->source, "what the program computes, over all cores");
  EXPECT_GT(to_seconds(bound->makespan), 6);
  EXPECT_LE(to_seconds(bound->makespan), makespan_s(scenario));
}

TEST(MakespanBound, PortsOfCollectivesHaveOne) {
  Scenario swing = load_scenario(DCUBE_SOURCE_DIR "/scenarios/torus-allreduce-swing.json");
  const std::optional<MakespanBound> bound = makespan_bound(swing);
  ASSERT_TRUE(bound);
  EXPECT_GT(to_seconds(bound->makespan), 0.5 * makespan_s(swing));
}

TEST(MakespanBound, SomeLinkCarriesWhatEverybodySends) {
  const TemporaryFolder folder;
  Scenario scenario = load_scenario(folder.write(
      "x.json",
      embedded(R"({"topology": {"kind": "line", "nodes": 8}, "link": {"per_byte": "1us"}})",
               R"({"kind": "all_to_all", "processes": 8, "message": 10})", R"("identity")")));
  const std::optional<MakespanBound> bound = makespan_bound(scenario);
  ASSERT_TRUE(bound);
  // Four times four messages of 10 us over the middle of the line, each way.
  EXPECT_NEAR(to_seconds(bound->makespan), 160e-6, 1e-9);
  EXPECT_TRUE(bound->source.starts_with("what the busiest link carries; cut")) << bound->source;
}

/// The link is free when the bytes have left, and the last ones arrive a latency later.
TEST(MakespanBound, TheLastBytesOfTheBusiestLinkStillArrive) {
  const TemporaryFolder folder;
  for (const std::string switching : {"cut_through", "store_and_forward"}) {
    Scenario scenario = load_scenario(folder.write(
        "x.json",
        embedded(R"({"topology": {"kind": "line", "nodes": 2}, "switching": ")" + switching +
                     R"(", "link": {"latency": "1us", "per_byte": "1ns", "pipelined": true}})",
                 R"({"kind": "pattern", "guest": "line:2", "phases": [{"messages":
                     [{"from": 0, "to": 1, "bytes": 1000}, {"from": 0, "to": 1, "bytes": 3000}]}]})",
                 R"("identity")")));
    const std::optional<MakespanBound> bound = makespan_bound(scenario);
    ASSERT_TRUE(bound);
    EXPECT_NEAR(to_seconds(bound->makespan), 5e-6, 1e-12) << bound->source;
    EXPECT_NEAR(makespan_s(scenario), 5e-6, 1e-12);
  }
}

TEST(MakespanBound, InsideANodeNoBytesArriveALatencyLater) {
  const TemporaryFolder folder;
  Scenario scenario = load_scenario(folder.write(
      "x.json", embedded(R"({"topology": {"kind": "line", "nodes": 2}, "link": {"latency": "1ms",
                             "per_byte": "1ns"}, "switching": "cut_through",
                             "node": {"slots": 2, "local": {"latency": "1us"}}})",
                         R"({"kind": "pattern", "guest": "line:2", "phases": [{"messages":
                             [{"from": 0, "to": 1, "bytes": 1000}]}]})",
                         R"({"kind": "explicit", "map": [0, 0]})")));
  const std::optional<MakespanBound> bound = makespan_bound(scenario);
  ASSERT_TRUE(bound);
  EXPECT_LE(to_seconds(bound->makespan), makespan_s(scenario));
}

TEST(MakespanBound, AMachineWithoutLinksHasOneOfTheRest) {
  const TemporaryFolder folder;
  for (const std::string switching : {"cut_through", "store_and_forward"}) {
    Scenario scenario = load_scenario(folder.write(
        "x.json",
        embedded(R"({"topology": {"kind": "hypercube", "dimensions": 0}, "switching": ")" +
                     switching + R"(", "node": {"slots": 4, "local": {"latency": "1us"}}})",
                 R"({"kind": "pattern", "guest": "ring:4", "phases": [{"exchange": 1000}]})",
                 R"("block")")));
    const std::optional<MakespanBound> bound = makespan_bound(scenario);
    ASSERT_TRUE(bound);
    EXPECT_GT(bound->makespan, Ticks{0});
    EXPECT_LE(to_seconds(bound->makespan), makespan_s(scenario));
  }
}

TEST(MakespanBound, NoLinkHasToCarryAFlowAloneWhereLinksFailLater) {
  const TemporaryFolder folder;
  const auto source_of_bound = [&](const std::string& failed) {
    const std::string ring =
        R"({"topology": {"kind": "ring", "nodes": 8}, "link": {"per_byte": "1us"})" + failed + "}";
    const auto bound = makespan_bound(load_scenario(folder.write(
        "x.json", embedded(ring, R"({"kind": "all_to_all", "processes": 8, "message": 10})",
                           R"("identity")"))));
    return bound ? bound->source : "";
  };
  EXPECT_TRUE(source_of_bound("").starts_with("what the busiest link carries"));
  EXPECT_FALSE(source_of_bound(R"(, "failed": {"links": [[0, 1]], "at": "1s"})")
                   .starts_with("what the busiest link carries"));
}

TEST(MakespanBound, OfAProgramThatHeedsTheTimeEndsWhereItDoes) {
  const TemporaryFolder folder;
  folder.write("x.ti",
               "0 init\n0 send 1 0 100 0\n0 finalize\n1 init\n1 recv -1 0 100 0\n1 finalize\n");
  const Scenario scenario = load_scenario(
      folder.write("x.json", embedded(R"({"topology": {"kind": "line", "nodes": 8},
                                         "link": {"per_byte": "1us"}, "compute": {"flop": "1ns"}})",
                                      R"({"kind": "ti", "file": "x.ti"})", R"("identity")")));
  const std::optional<RunReport> run = contention_free_run(scenario);
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->heeds_time);
  EXPECT_EQ(run->makespan, Ticks{0});
}

TEST(MakespanBound, SchedulesThatHeedTheTimeSendAndComputeTheSameInEveryRun) {
  const TemporaryFolder folder;
  const std::string machine = R"({"topology": {"kind": "line", "nodes": 8},
                                  "link": {"per_byte": "1us"}, "compute": {"flop": "1ns"}})";
  const auto bound_of = [&](const std::string& end_of_both, const std::string& computes) {
    std::string text;
    for (int rank = 0; rank < 8; ++rank) {
      const std::string name = std::to_string(rank);
      text += name + " init\n" + name + " compute " + computes + "\n";
      if (rank < 7) {
        text += name + " send 7 0 100 0\n" + name + " finalize\n";
      }
    }
    text += end_of_both + "7 finalize\n";
    folder.write("x.ti", text);
    const Scenario scenario = load_scenario(folder.write(
        "x.json", embedded(machine, R"({"kind": "ti", "file": "x.ti"})", R"("identity")")));
    return makespan_bound(scenario);
  };
  std::string seven;
  for (int i = 0; i < 7; ++i) {
    seven += "7 recv -1 0 100 0\n";
  }
  // Seven messages of 100 numbers of 8 bytes come to the node of process 7 over two links at most.
  const std::optional<MakespanBound> bound = bound_of(seven, "10");
  ASSERT_TRUE(bound);
  EXPECT_NEAR(to_seconds(bound->makespan), 3200e-6, 1e-12) << bound->source;
  // Where nobody waits for one of them, computing is what is sure.
  seven.replace(0, 6, "7 irecv");
  const std::optional<MakespanBound> other = bound_of(seven, "5000");
  ASSERT_TRUE(other);
  EXPECT_NEAR(to_seconds(other->makespan), 5e-6, 1e-12) << other->source;
}

/// The flows of all seeds are the same, so each has the bound of the busiest link that took long.
TEST(MakespanBound, OfEverySeedIsThatOfTheSeedAlone) {
  const TemporaryFolder folder;
  std::string messages;
  for (const auto& [times, plus] : {std::pair{3, 1}, std::pair{5, 2}, std::pair{7, 4}}) {
    for (int from = 0; from < 16; ++from) {
      const int to = (times * from + plus) % 16;
      if (to != from) {
        messages += fmt::format(R"({}{{"from": {}, "to": {}, "bytes": {}}})",
                                messages.empty() ? "" : ", ", from, to, 1000 * (from + 1));
      }
    }
  }
  Scenario scenario = load_scenario(
      folder.write(
          "x.json",
          embedded(R"({"topology": {"kind": "line", "nodes": 16}, "link": {"per_byte": "1ns"}})",
                   R"({"kind": "pattern", "guest": "ring:16", "phases":
                  [{"compute": "3us"}, {"messages": [)" +
                       messages + "]}]}",
                   R"("identity")")),
      std::vector{parse_override("/jitter=0.2")});
  scenario.jitter.seed = 7;
  constexpr double link_work = 2e8;
  const auto all = makespan_bounds_over_seeds(scenario, 3, link_work);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(scenario.jitter.seed, 7U);
  for (const MakespanBound& bound : all) {
    const auto alone = makespan_bound(scenario, nullptr, link_work);
    EXPECT_EQ(bound.makespan, alone.value().makespan);
    EXPECT_EQ(bound.source, alone->source);
    EXPECT_NE(bound.source.find("semidefinite"), std::string::npos) << bound.source;
    ++scenario.jitter.seed;
  }
}

}  // namespace
}  // namespace dcube
