// No run of a schedule that somebody wrote is faster than the bound of its makespan, whatever the
// machine.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dcube/questions/comparison.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "questions/random_scenarios.hpp"
#include "random_goal.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/plain/loggp.hpp"
#ifndef DCUBE_WITHOUT_CHAKRA
#include "chakra_file.hpp"
#endif

namespace dcube::testing {
namespace {

std::string drawn_goal(ScenarioDraws& draws, const TemporaryFolder& folder) {
  const LogGp costs{.L = 1000, .o = 2000, .S = 20};
  folder.write("x.goal", goal_text(random_schedule_of_round_times(draws.below(1U << 31U), costs)));
  return R"({"kind": "goal", "file": "x.goal"})";
}

TEST(RandomCasesGraphBound, NoRunOfAGoalScheduleIsFaster) {
  expect_no_faster_run(0, TemporaryFolder{}, drawn_goal);
}
TEST(RandomCasesGraphBound, NoRunOfAGoalScheduleIsFasterInTheSecondHalf) {
  expect_no_faster_run(1, TemporaryFolder{}, drawn_goal);
}

TEST(GraphBound, WhatFollowsTheStartOfAReceiveDoesNotWaitForItsMessage) {
  const TemporaryFolder folder;
  folder.write(
      "x.goal",
      goal_text(
          {{recv(8, 1), {.amount = 1'000'000, .requires_of = {{0, true}}}},
           {calc(500'000),
            {.kind = PlainOperation::Kind::send, .amount = 8, .requires_of = {{0, false}}}}}));
  Scenario scenario = load_scenario(folder.write(
      "x.json",
      embedded(R"({"topology": {"kind": "line", "nodes": 2}, "link": {"per_byte": "1ns"}})",
               R"({"kind": "goal", "file": "x.goal"})", R"("identity")")));
  const std::optional<MakespanBound> bound = makespan_bound(scenario);
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->makespan, std::chrono::milliseconds{1});
  EXPECT_EQ(run_scenario(scenario, nullptr, {}, Findings::report).report.makespan, bound->makespan);
}

/// Messages that are waited for at once, a while after, or by whoever comes first; computations and
/// collectives between them.
std::string drawn_ti(ScenarioDraws& draws, const TemporaryFolder& folder) {
  const std::uint64_t ranks = 2 + draws.below(5);
  const bool is_open = draws.happens_once_in(3);
  std::vector<std::string> lines(ranks);
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    lines[rank] = fmt::format("{} init\n", rank);
  }
  for (std::uint64_t round = 1 + draws.below(4); round > 0; --round) {
    std::vector<std::string> receives(ranks);
    std::vector<std::string> sends(ranks);
    std::vector<int> requests(ranks);
    for (std::uint64_t message = draws.below(2 * ranks); message > 0; --message) {
      const std::uint64_t from = draws.below(ranks);
      const std::uint64_t to = (from + 1 + draws.below(ranks - 1)) % ranks;
      const std::string values = draws.one_of({"1", "7", "300"});
      receives[to] += is_open ? fmt::format("{} irecv -1 0 {} 0\n", to, 300)
                              : fmt::format("{} irecv {} 0 {} 0\n", to, from, values);
      sends[from] += fmt::format("{} isend {} 0 {} 0\n", from, to, values);
      ++requests[from];
      ++requests[to];
    }
    const std::string all = draws.one_of({"", "", "allreduce 9 4 0", "barrier", "bcast 30 0 0"});
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
      lines[rank] += receives[rank];
      if (draws.happens_once_in(2)) {
        lines[rank] += fmt::format("{} compute {}\n", rank, draws.one_of({"10", "900", "4000"}));
      }
      lines[rank] += sends[rank];
      if (requests[rank] > 0) {
        lines[rank] += fmt::format("{} waitall {}\n", rank, requests[rank]);
      }
      if (!all.empty()) {
        lines[rank] += fmt::format("{} {}\n", rank, all);
      }
    }
  }
  std::string text;
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    text += lines[rank] + fmt::format("{} finalize\n", rank);
  }
  folder.write("x.ti", text);
  return R"({"kind": "ti", "file": "x.ti"})";
}

TEST(RandomCasesGraphBound, NoRunOfATimeIndependentTraceIsFaster) {
  expect_no_faster_run(0, TemporaryFolder{}, drawn_ti);
}

#ifndef DCUBE_WITHOUT_CHAKRA
std::string drawn_chakra(ScenarioDraws& draws, const TemporaryFolder& folder) {
  const std::uint64_t ranks = 2 + draws.below(4);
  std::vector<ChakraFile> files(ranks);
  std::vector<std::vector<ChakraFile::Id>> of_rank(ranks);
  ChakraFile::Id next = 0;
  const auto after = [&](std::uint64_t rank) {
    ChakraFile::Dependencies before;
    for (const ChakraFile::Id id : of_rank[rank]) {
      if (draws.happens_once_in(4)) {
        before.push_back(id);
      }
    }
    of_rank[rank].push_back(++next);
    return before;
  };
  const auto peer = [](std::uint64_t rank) { return static_cast<std::int32_t>(rank); };
  for (std::uint32_t i = 0; i < 12; ++i) {
    const std::uint64_t rank = draws.below(ranks);
    const std::uint64_t other = draws.below(ranks);
    const std::uint64_t bytes = 1 + draws.below(draws.happens_once_in(3) ? 2000 : 20);
    if (draws.happens_once_in(8)) {
      const std::int64_t type =
          draws.happens_once_in(2) ? ChakraFile::all_reduce : ChakraFile::barrier;
      for (std::uint64_t each = 0; each < ranks; ++each) {
        const ChakraFile::Dependencies before = after(each);
        files[each].collective(next, type, type == ChakraFile::barrier ? 0 : bytes, before);
      }
    } else if (rank == other) {
      const ChakraFile::Dependencies before = after(rank);
      const bool is_host = draws.happens_once_in(2);
      files[rank].compute(next, draws.below(9), before, is_host);
    } else {
      const ChakraFile::Dependencies before = after(rank);
      files[rank].send(next, peer(other), bytes, i, before);
      const ChakraFile::Dependencies of_receive = after(other);
      files[other].receive(next, peer(rank), bytes, i, of_receive);
    }
  }
  std::string names;
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    const std::string name = fmt::format("x.{}.et", rank);
    folder.write(name, files[rank].bytes());
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", name);
  }
  return R"({"kind": "chakra", "file": [)" + names + "]}";
}

TEST(RandomCasesGraphBound, NoRunOfAChakraTraceIsFaster) {
  expect_no_faster_run(0, TemporaryFolder{}, drawn_chakra);
}
TEST(RandomCasesGraphBound, NoRunOfAChakraTraceIsFasterInTheSecondHalf) {
  expect_no_faster_run(1, TemporaryFolder{}, drawn_chakra);
}
#endif

}  // namespace
}  // namespace dcube::testing
