#include "dcube/collective/collective.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "dcube/collective/calls.hpp"
#include "support/complaint.hpp"
#include "support/simulated_program.hpp"
#include "support/warnings_of.hpp"

namespace dcube::testing {
namespace {

std::string problem_with(const std::string& settings) {
  return complaint<InputError>([&] {
    SimulatedProgram{"kind=ring,nodes=6", "standard", settings};
  });
}

std::string answer(const SimulatedProgram& run, const char* key) {
  return run.program->answer().required(key).describe();
}

/// The settings of an operation's data, as far as it has any.
std::string data_of(CollectiveKind kind, std::uint32_t bytes, std::uint32_t root) {
  return (kind == CollectiveKind::barrier ? "" : fmt::format(",bytes={}", bytes)) +
         (has_root(kind) ? fmt::format(",root={}", root) : "");
}

TEST(CollectiveProgram, ChecksEveryAlgorithmOfEveryOperation) {
  for (const CollectiveKind kind : collective_kinds()) {
    if (kind == CollectiveKind::all_to_allv) {
      continue;
    }
    for (const CollectiveAlgorithm* const algorithm : collective_catalog(kind)) {
      for (const std::uint32_t processes : {1U, 8U, 12U}) {
        if (collective_obstacle(*algorithm, {.kind = kind}, processes)) {
          continue;
        }
        for (const std::uint32_t repeat : {1U, 3U}) {
          const SimulatedProgram run{
              "kind=ring,nodes=12", "standard",
              fmt::format(
                  "kind=collective,operation={},algorithm={},processes={},"
                  "repeat={}{}{}",
                  name_of(kind), algorithm->name, processes, repeat,
                  reduces(kind) ? ",compute=1ns" : "",
                  data_of(kind, kind == CollectiveKind::all_to_all ? 576 : 480, processes - 1))};
          const RunReport report = run.run();
          EXPECT_EQ(report.outcome, Outcome::completed);
          EXPECT_EQ(run.program->verify(), true) << name_of(kind) << " " << algorithm->name;
        }
      }
    }
  }
}

TEST(CollectiveProgram, ChecksEveryAlgorithmInGroups) {
  for (const CollectiveKind kind : collective_kinds()) {
    if (kind == CollectiveKind::all_to_allv) {
      continue;
    }
    for (const CollectiveAlgorithm* const algorithm : collective_catalog(kind)) {
      const SimulatedProgram run{
          "kind=ring,nodes=13", "standard",
          fmt::format("kind=collective,operation={},algorithm={},repeat=2,"
                      "processes=13,over=[[0,1,2,3],[4,6,8,10],[12,9,7,5]]{}",
                      name_of(kind), algorithm->name, data_of(kind, 480, 3))};
      const RunReport report = run.run();
      EXPECT_EQ(report.outcome, Outcome::completed);
      EXPECT_EQ(run.program->verify(), true) << name_of(kind) << " " << algorithm->name;
      if (kind != CollectiveKind::barrier) {
        EXPECT_EQ(answer(run, "holders"), "12");
      }
    }
  }
}

TEST(CollectiveProgram, SaysWhatWasPickedAndWhetherItHadValues) {
  const SimulatedProgram small{"kind=ring,nodes=8", "standard", "kind=allreduce,bytes=4096"};
  small.run();
  EXPECT_EQ(answer(small, "algorithm"), "\"rabenseifner\"");
  EXPECT_EQ(answer(small, "values"), "\"checked\"");
  EXPECT_EQ(answer(small, "holders"), "8");
  const SimulatedProgram large{"kind=ring,nodes=8", "standard", "kind=allreduce,bytes=1GiB"};
  const RunReport report = large.run();
  EXPECT_EQ(large.program->verify(), std::nullopt);
  EXPECT_EQ(answer(large, "values"), "\"sizes only\"");
  EXPECT_EQ(report.bytes, std::uint64_t{2 * 7} << 30);
  const SimulatedProgram by_sizes{"kind=ring,nodes=8", "standard",
                                  "kind=allreduce,bytes=4096,data=false"};
  EXPECT_EQ(by_sizes.run().fingerprint, small.run().fingerprint);
  EXPECT_EQ(by_sizes.program->verify(), std::nullopt);
}

TEST(CollectiveProgram, ATorusOfProcessesIsItsShape) {
  const SimulatedProgram run{"kind=torus,shape=4x4", "standard",
                             "kind=allreduce,bytes=1KiB,shape=4x4,ports=0,algorithm=bucket"};
  EXPECT_EQ(run.run().outcome, Outcome::completed);
  EXPECT_EQ(run.program->verify(), true);
  EXPECT_EQ(answer(run, "ports"), "4");
  EXPECT_EQ(run.program->guest().name(), "torus:4x4");
}

TEST(CollectiveProgram, ATwistIsThatOfTheMachine) {
  const SimulatedProgram run{"kind=twisted_torus,shape=4x8", "identity",
                             "kind=allreduce,bytes=1KiB,shape=4x8,twist=[[0,4],[0,0]],ports=0,"
                             "algorithm=bucket"};
  const RunReport report = run.run();
  EXPECT_EQ(run.program->verify(), true);
  EXPECT_EQ(report.hops, report.messages);
  EXPECT_EQ(problem_with("kind=allreduce,twist=[[0]]"), "/twist: needs shape");
  EXPECT_EQ(problem_with("kind=allreduce,shape=2x3,twist=[[0,1]]"),
            "/twist/0: 2 shifts for 1 coordinates (one for each)");
  EXPECT_EQ(problem_with("kind=allreduce,shape=2x3,twist=[[0,3],[0,0]]"),
            "/twist: allreduce has a twist by 3 of a coordinate of side 3");
}

TEST(CollectiveProgram, WhatIsWrongIsNamed) {
  EXPECT_EQ(problem_with("kind=collective,operation=allredcue"),
            "/operation: \"allredcue\" is unknown; did you mean `allreduce`?");
  EXPECT_EQ(problem_with("kind=allreduce,algorithm=rign"),
            "/algorithm: `rign` is not an algorithm of allreduce; did you mean `ring`?");
  EXPECT_EQ(problem_with("kind=allreduce,algorithm=ring,ports=3"),
            "/ports: the algorithm ring of allreduce uses at most 2 ports, not 3");
  EXPECT_EQ(problem_with("kind=collective,operation=all_to_all,bytes=56"),
            "/bytes: 56 bytes are not the same number of values of 8 for each of 6 processes");
  EXPECT_EQ(problem_with("kind=allreduce,bytes=9"),
            "/bytes: 9 bytes are no whole number of values of 8");
  EXPECT_EQ(problem_with("kind=allreduce,shape=2x4"), "/shape: 2x4 has 8 processes (at most 6)");
  EXPECT_EQ(problem_with("kind=allreduce,shape=2x2,processes=3"),
            "/shape: 2x2 has 4 processes (there are 3)");
  EXPECT_EQ(problem_with("kind=collective,operation=reduce,root=6"),
            "/root: 6 is not one of the processes 0 to 5");
  EXPECT_EQ(problem_with("kind=collective,operation=allreduce,root=0"),
            "/root: allreduce has no root");
  EXPECT_EQ(problem_with("kind=collective,operation=barrier,bytes=8"),
            "/bytes: is for collectives that move data, and a barrier moves none");
  EXPECT_EQ(
      problem_with("kind=allreduce,over=[[0,1],[2,3,4]]"),
      "/over: has groups of 2 and 3 processes; those of a collective have one size (phases of "
      "a pattern may have several)");
  EXPECT_EQ(problem_with("kind=allreduce,guest=ring:4,processes=4"),
            "/processes: stands beside guest, which says how many processes there are");
  for (const auto& [operation, setting] : {std::pair{"allgather", "compute=1us"},
                                           {"allgather", "node_size=2"},
                                           {"gather", "radix=3"},
                                           {"allreduce", "distances=doubling"},
                                           {"broadcast", "child_by_child=true"},
                                           {"barrier", "segment=8"},
                                           {"barrier", "value_bytes=8"},
                                           {"barrier", "shape=2x2"}}) {
    const std::string text = fmt::format("kind=collective,operation={},{}", operation, setting);
    const std::string_view key{setting};
    const std::string warnings = warnings_of([&text] { EXPECT_EQ(problem_with(text), ""); });
    EXPECT_EQ(warnings, fmt::format("/{}: means nothing for {}; leave it out\n",
                                    key.substr(0, key.find('=')), operation));
  }
  EXPECT_EQ(problem_with("kind=allreduce,value_bytes=0"),
            "/value_bytes: 0 is not a size (at least 1 byte)");
  EXPECT_EQ(problem_with("kind=collective,operation=broadcast,radix=1"),
            "/radix: 1 is not a radix (2 to 65536)");
  EXPECT_EQ(problem_with("kind=collective,operation=broadcast,distances=doublng"),
            "/distances: \"doublng\" is unknown; did you mean `doubling`?");
}

TEST(CollectiveProgram, TreesTakeSegmentsRadixAndDistances) {
  const auto messages_of = [](const std::string& settings) {
    const SimulatedProgram run{"kind=ring,nodes=6", "standard", settings};
    const RunReport report = run.run();
    EXPECT_EQ(run.program->verify(), true) << settings;
    return report.messages;
  };
  const std::string broadcast = "kind=collective,operation=broadcast,bytes=240,root=2,algorithm=";
  EXPECT_EQ(messages_of(broadcast + "binomial"), 5U);
  EXPECT_EQ(messages_of(broadcast + "binomial,segment=100,distances=doubling"), 15U);
  EXPECT_EQ(messages_of(broadcast + "kary,segment=0,radix=5"), 5U);
}

}  // namespace
}  // namespace dcube::testing
