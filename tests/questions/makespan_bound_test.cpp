// No embedding makes a program faster than the bound of its makespan.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "dcube/core/random.hpp"
#include "dcube/questions/comparison.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/random_cases.hpp"

namespace dcube {
namespace {

constexpr double rounding = 1e-9;

double makespan_s(Scenario& scenario) {
  return to_seconds(run_scenario(scenario, nullptr, {}, Findings::report).report.makespan);
}

std::string embedded(const std::string& machine, const std::string& program,
                     const std::string& embedding, const std::string& more = "") {
  return R"({"schema_version": 1, "seed": 5, "machine": )" + machine + R"(, "program": )" +
         program + R"(, "embedding": )" + embedding + more + "}";
}

/// Draws parts of scenarios.
class ScenarioDraws {
 public:
  explicit ScenarioDraws(std::uint64_t seed) : random_{seed} {}

  std::uint64_t below(std::uint64_t bound) { return bounded(random_.next(), bound); }
  std::string one_of(const std::vector<std::string>& choices) {
    return choices[below(choices.size())];
  }
  bool happens_once_in(std::uint64_t times) { return below(times) == 0; }

  std::string machine() {
    const std::string topology =
        one_of({R"({"kind": "ring", "nodes": 8})", R"({"kind": "line", "nodes": 8})",
                R"({"kind": "mesh", "shape": [4, 2]})", R"({"kind": "torus", "shape": [4, 4]})",
                R"({"kind": "torus", "shape": [3, 3], "tie": "positive"})",
                R"({"kind": "torus", "shape": [4, 3], "wrap": [false, true]})",
                R"({"kind": "hypercube", "dimensions": 3})",
                R"({"kind": "twisted_torus", "shape": [4, 8]})",
                R"({"kind": "twisted_torus", "shape": [2, 4]})",
                R"({"kind": "graph", "edges": [[0, 1], [1, 2], [2, 3], [3, 0], [2, 4], [4, 5],
                   [5, 6], [6, 7], [7, 0], [1, 8], [8, 3]]})"});
    std::string text = R"({"topology": )" + topology + R"(, "link": )" + link();
    const bool is_fluid = happens_once_in(4);
    if (is_fluid) {
      text += R"(, "network": )" + one_of({R"("fluid")", R"({"kind": "fluid", "model": "CM02"})",
                                           R"({"kind": "fluid", "model": "LV08"})"});
    } else {
      text += R"(, "switching": ")" + one_of({"store_and_forward", "cut_through"}) + R"(")";
    }
    if (happens_once_in(3)) {
      text += R"(, "endpoint": {)" +
              one_of({R"("send": "2us", "receive": "3us")", R"("send_per_byte": "11ns")",
                      R"("send": "1us", "gap": "2us", "gap_per_byte": "3ns")"}) +
              one_of({"", R"(, "eager_limit": 20)", R"(, "eager_limit": 0)"}) + "}";
    }
    if (!is_fluid && happens_once_in(4)) {
      text += R"(, "routing": {"kind": ")" +
              one_of({"random_order", "valiant", "minimal_adaptive", "shortest"}) + R"("})";
    }
    if (happens_once_in(5)) {
      text += R"(, "links": [{"from": 0, "to": 1, "latency": ")" + one_of({"0s", "3ns", "9us"}) +
              R"(", "per_byte": ")" + one_of({"0s", "1ps", "20ns"}) + R"("}])";
    }
    if (happens_once_in(6)) {
      text += R"(, "failed": )" +
              one_of({R"({"nodes": [1]})", R"({"links": [[0, 1]]})", R"({"spares": [0, 3]})",
                      R"([{"links": [[0, 1]], "at": "4us"}])", R"([{"nodes": [1], "at": "9us"}])"});
    }
    const std::string node = this->node();
    return text + (node.empty() ? "" : R"(, "node": {)" + node + "}") + "}";
  }

  std::string jitter() { return happens_once_in(6) ? R"(, "jitter": 0.01)" : ""; }

  std::string program() {
    return one_of(
        {R"({"kind": "cc_dcube", "dimensions": 3, "compute": "2us", "message": 30})",
         R"({"kind": "cc_dcube", "dimensions": 3, "compute": {"uniform": ["0s", "9us"]}, "message": 40})",
         R"({"kind": "cc_dcube", "dimensions": 3, "compute": {"uniform": ["1us", "3us"]}, "exchange": "eager"})",
         R"({"kind": "bitonic_sort", "processes": 8, "keys_per_process": 8})",
         R"({"kind": "broadcast", "processes": 7, "values": 8})",
         R"({"kind": "all_to_all", "processes": 6, "message": 50, "order": ")" +
             one_of({"shifted", "at_once"}) + R"("})",
         R"({"kind": "allreduce", "processes": 8, "bytes": 400, "compute": "1ns"})",
         R"({"kind": "barrier", "processes": 5})",
         R"({"kind": "pattern", "guest": "line:2", "phases": [{"messages": [{"from": 0, "to": 1, "bytes": 1000}]}]})",
         R"({"kind": "pattern", "guest": "ring:5", "phases": [{"messages": [{"from": 0, "to": 3, "bytes": 999}, {"from": 1, "to": 0, "bytes": 7}, {"from": 1, "to": 4, "bytes": 100}]}, {"compute": "700ns"}, {"exchange": [33]}]})",
         R"({"kind": "allgather", "processes": 7, "bytes": 560, "algorithm": "ring", "ports": 2})",
         R"({"kind": "allreduce", "processes": 8, "bytes": 640, "algorithm": "swing_bandwidth", "shape": [4, 2], "ports": 4, "compute": "3ns"})",
         R"({"kind": "allreduce", "processes": 8, "bytes": 960, "algorithm": "bucket", "shape": [4, 2], "repeat": 2, "data": false})",
         R"({"kind": "reduce_scatter", "processes": 6, "bytes": 240, "algorithm": "ring", "ports": 2, "compute": "200ns"})",
         R"({"kind": "pattern", "guest": "ring:8", "phases": [{"repeat": 2, "phases": [{"compute": "3us"}, {"exchange": [64]}]}, {"collective": "allreduce", "bytes": 8}]})",
         R"({"kind": "pattern", "guest": "mesh:4x2", "phases": [{"exchange": [64, 16], "meanwhile": [{"compute": "5us"}]}, {"compute": "1us"}]})"});
  }

 private:
  std::string link() {
    std::string link = R"({"latency": ")" + one_of({"1us", "0s", "7us"}) + R"(", "per_byte": ")" +
                       one_of({"1ns", "0s", "10ns"}) + R"(", "contention": )" +
                       one_of({"true", "true", "false"}) + R"(, "duplex": )" +
                       one_of({R"("full")", R"("full")", R"("half")"});
    if (happens_once_in(5)) {
      link += R"(, "pipelined": true)";
    }
    if (happens_once_in(3)) {
      link += R"(, "packet": )" + one_of({"16", "100"});
    }
    return link + "}";
  }

  std::string node() {
    std::string node = happens_once_in(3)
                           ? R"("slots": )" + one_of({"2", "2", "8"}) +
                                 R"(, "local": {"latency": ")" + one_of({"100ns", "20us"}) +
                                 one_of({"", R"(", "per_byte": "30ns)"}) + R"("})" +
                                 one_of({"", R"(, "cores": 1)"})
                           : std::string{};
    if (happens_once_in(3)) {
      node += (node.empty() ? "" : ", ") + std::string{R"("injection": {"latency": ")"} +
              one_of({"0s", "500ns"}) + R"(", "per_byte": ")" + one_of({"0s", "10ns", "1us"}) +
              R"("})";
    }
    return node;
  }

  SplitMix64 random_;
};

/// `part` of four, so that they run side by side.
void expect_no_faster_run(std::uint64_t part) {
  const TemporaryFolder folder;
  const testing::RandomCases cases = testing::random_cases(400);
  std::uint64_t bounds = 0;
  std::uint64_t refused = 0;
  std::set<std::string> complaints;
  for (std::uint64_t i = 0; i < cases.count; ++i) {
    const std::uint64_t seed = cases.first_seed + part * cases.count + i;
    ScenarioDraws draws{hash_of(seed)};
    const std::string machine = draws.machine();
    const std::string program = draws.program();
    const std::string jitter = draws.jitter();
    std::optional<MakespanBound> bound;
    for (const std::string embedding : {R"("identity")", R"({"kind": "random", "seed": 1})",
                                        R"({"kind": "random", "seed": 2})"}) {
      const std::string text = embedded(machine, program, embedding, jitter);
      SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text);
      std::optional<Scenario> scenario;
      try {
        scenario = load_scenario(folder.write("x.json", text));
      } catch (const InputError& error) {
        ++refused;
        complaints.insert(error.problem());
        continue;
      }
      bound = bound ? bound : makespan_bound(*scenario);
      if (!bound) {
        continue;
      }
      ++bounds;
      const RunReport report = run_scenario(*scenario, nullptr, {}, Findings::report).report;
      if (report.outcome == Outcome::completed) {
        ASSERT_GE(to_seconds(report.makespan), to_seconds(bound->makespan)) << bound->source;
      }
    }
  }
  EXPECT_GT(bounds, cases.count) << refused << " refused: " << ::testing::PrintToString(complaints);
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
        bound = makespan_bound(*scenario);
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

TEST(MakespanBound, OfAProgramThatHeedsTheTimeEndsWhereItDoes) {
  const TemporaryFolder folder;
  folder.write("x.ti",
               "0 init\n0 send 1 0 100 0\n0 finalize\n1 init\n1 recv -1 0 100 0\n1 finalize\n");
  const Scenario scenario = load_scenario(
      folder.write("x.json", embedded(R"({"topology": {"kind": "line", "nodes": 8},
                                         "link": {"per_byte": "1us"}, "compute": {"flop": "1ns"}})",
                                      R"({"kind": "ti", "file": "x.ti"})", R"("identity")")));
  const std::optional<RunReport> run = least_run(scenario);
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

}  // namespace
}  // namespace dcube
