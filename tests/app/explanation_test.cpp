#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "app/run/run_summary.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube::app {
namespace {

Scenario shipped(const std::string& name) {
  return load_scenario(std::string{DCUBE_SOURCE_DIR "/scenarios/"} + name + ".json");
}

PathPart computing(std::uint32_t process, int begin_s, int end_s) {
  PathPart part;
  part.begin = std::chrono::seconds{begin_s};
  part.end = std::chrono::seconds{end_s};
  part.process = ProcessId{process};
  part.peer = part.process;
  part.stage = 0;
  return part;
}

/// A made-up run of 10 s that process 3 ends by computing.
RunResult computed_to_the_end() {
  RunResult result;
  result.report.makespan = std::chrono::seconds{10};
  RunExplanation& why = result.explanation.emplace();
  why.path.last = ProcessId{3};
  why.path.length = result.report.makespan;
  why.path.parts = {computing(3, 0, 10)};
  why.path.by_kind[0] = result.report.makespan;
  why.path.computations = 1;
  why.path.advice = {{Change::faster_computing, {}, result.report.makespan / 2, true},
                     {Change::free_network, {}, Ticks{0}, true}};
  return result;
}

TEST(Explanation, OfARunThatOnlyComputesSaysThatNothingElseCouldHelp) {
  const std::string text =
      explanation_text(shipped("line-cc_dcube-standard"), computed_to_the_end());
  EXPECT_EQ(text,
            "why it takes 10 s\n"
            "100.0 % of the makespan is computing: a chain of 1 computation and 0 messages that "
            "ends with process 3.\n"
            "\n"
            "  from  stage  process\n"
            "   0 s      0        3  computes 10 s\n"
            "\n"
            "No process waits for another.\n"
            "What could help: faster computing. Twice as fast, it makes the run at most 5 s (50.0 "
            "%) shorter. The computations of this chain alone take 10 s, and no map or network "
            "makes the run shorter than that.\n");
}

TEST(Explanation, OfADeadlockFollowsWhoAwaitsWhom) {
  RunResult result = computed_to_the_end();
  result.report.outcome = Outcome::deadlock;
  result.explanation->path.advice.clear();
  const Ticks end = std::chrono::seconds{10};
  result.report.blocked = {{ProcessId{1}, ProcessId{3}, end},
                           {ProcessId{2}, ProcessId{1}, end},
                           {ProcessId{3}, ProcessId{2}, end}};
  const std::string text = explanation_text(shipped("line-cc_dcube-standard"), result);
  EXPECT_TRUE(
      text.starts_with("why it stops at 10 s\n"
                       "The run stops because process 3 awaits process 2, which awaits "
                       "process 1, which awaits process 3: a ring in which nobody can go "
                       "on.\n"))
      << text;
  EXPECT_EQ(text.find("What could help"), std::string::npos);
}

TEST(Explanation, OfADeadlockNamesTheProcessThatHasEnded) {
  RunResult result = computed_to_the_end();
  result.report.outcome = Outcome::deadlock;
  result.explanation->path.advice.clear();
  result.report.blocked = {{ProcessId{3}, ProcessId{2}, std::chrono::seconds{10}, Awaits::partner}};
  const std::string text = explanation_text(shipped("line-cc_dcube-standard"), result);
  EXPECT_NE(text.find("because process 3 awaits process 2, which has ended.\n"), std::string::npos)
      << text;
}

TEST(Explanation, OfADeadlockTellsAMessageFromSeveralRequests) {
  RunResult result = computed_to_the_end();
  result.report.outcome = Outcome::deadlock;
  result.explanation->path.advice.clear();
  const auto text_of = [&](Awaits what) {
    result.report.blocked = {{ProcessId{3}, anyone, std::chrono::seconds{10}, what}};
    return explanation_text(shipped("line-cc_dcube-standard"), result);
  };
  EXPECT_NE(text_of(Awaits::message).find("process 3 awaits a message that nobody sends.\n"),
            std::string::npos);
  EXPECT_NE(text_of(Awaits::nothing)
                .find("process 3 awaits several requests, none of which is complete.\n"),
            std::string::npos);
}

PathPart following(PathPart part, Follows follows) {
  part.follows = follows;
  return part;
}
PathPart message(std::uint32_t from, std::uint32_t to, CauseKind kind, int begin_s, int end_s) {
  PathPart part = computing(from, begin_s, end_s);
  part.kind = kind;
  part.peer = ProcessId{to};
  part.is_message = true;
  return part;
}

TEST(Explanation, OfAChainSaysForWhatItsProcessesWaited) {
  RunResult result = computed_to_the_end();
  CriticalPath& path = result.explanation->path;
  path.parts = {
      computing(0, 0, 1),
      following(computing(1, 1, 2), Follows::core),
      following(message(5, 1, CauseKind::hop, 2, 3), Follows::receiver),
      following(computing(7, 3, 4), Follows::receiver),
      following(message(2, 6, CauseKind::hop, 4, 5), Follows::order),
      following(computing(4, 5, 6), Follows::order),
      following(computing(3, 6, 7), Follows::partner),
      message(3, 1, CauseKind::endpoint, 7, 8),
      computing(1, 8, 10),
  };
  path.advice.push_back({Change::no_eager_limit, {}, std::nullopt, false});
  const std::string text = explanation_text(shipped("line-cc_dcube-standard"), result);
  const auto says = [&text](const std::string& line) {
    EXPECT_NE(text.find(line + "\n"), std::string::npos) << line << "\n" << text;
  };
  says("   0 s      0        0  computes 1 s");
  says("   1 s      0        1  has waited for a core of node 1 that process 0 had; computes 1 s");
  says("   2 s      0        5  message to 1 leaves when 1 is ready: 1 hop 1 s");
  says("   3 s      0        7  has waited until 1 was ready for its message; computes 1 s");
  says("   4 s      0        2  message to 6 leaves after an earlier receive of 6: 1 hop 1 s");
  says("   5 s      0        4  gets its message after that of an earlier receive; computes 1 s");
  says("   6 s      0        3  has waited for 4; computes 1 s; message to 1: inside the node 1 s");
  says("   8 s      0        1  computes 2 s");
  says(
      "In this chain a receiver is waited for 2 times, since messages above the eager limit leave "
      "no earlier: receives that are posted earlier, or a higher limit, could help, too.");
}

TEST(Explanation, OfAChainThatWaitsForCoresSaysThatMapsCouldHelp) {
  RunResult result = computed_to_the_end();
  result.explanation->path.parts = {computing(2, 0, 4),
                                    following(computing(3, 4, 10), Follows::core)};
  result.explanation->path.advice = {{Change::more_cores, {}, std::nullopt, false}};
  result.explanation->path.unbound = Unbound::waits_for_cores;
  const std::string text = explanation_text(shipped("line-cc_dcube-standard"), result);
  EXPECT_TRUE(
      text.ends_with("What could help: more cores, or a map that places processes which "
                     "compute at the same time on different nodes: 1 computation of this "
                     "chain waits for a core. All of them take 10 s.\n"))
      << text;
}

TEST(Explanation, OfAChainWithAnOrderOfTheRunsOwnPromisesNoBound) {
  RunResult result = computed_to_the_end();
  CriticalPath& path = result.explanation->path;
  path.by_kind = {};
  path.by_kind[static_cast<std::size_t>(CauseKind::queueing)] = std::chrono::seconds{4};
  path.unbound = Unbound::takes_what_comes_first;
  path.advice = {{Change::no_endpoint_costs, {}, Ticks{std::chrono::seconds{5}}, false}};
  const std::string text = explanation_text(shipped("line-cc_dcube-standard"), result);
  EXPECT_TRUE(text.ends_with(
      "What could help: fewer or larger messages. No send/receive overhead at all makes this chain "
      "5 s "
      "(50.0 %) shorter, up to 4 s of it by less queueing. This is a hint and no bound for the "
      "run: processes act by what comes first, so another order may be faster.\n"))
      << text;
}

TEST(Explanation, OfWaitingNamesCoresAndReceivers) {
  RunResult result = computed_to_the_end();
  WaitingCauses& waiting = result.explanation->waiting;
  waiting.sum_s = 10;
  waiting.total_s[static_cast<std::size_t>(WaitingCause::peer_compute)] = 10;
  waiting.for_s[static_cast<std::size_t>(Awaits::core)] = 4;
  waiting.for_s[static_cast<std::size_t>(Awaits::receiver)] = 1;
  const std::string text = explanation_text(shipped("line-cc_dcube-standard"), result);
  EXPECT_NE(
      text.find("Of the waiting, 40.0 % is for a core of the node, 10.0 % for the receiver of "
                "a message above the eager limit.\n"),
      std::string::npos)
      << text;
}

TEST(Explanation, OfARunWithoutTimeSaysSo) {
  RunResult result;
  result.explanation.emplace();
  EXPECT_EQ(explanation_text(shipped("line-cc_dcube-standard"), result),
            "why it takes 0 s\nNothing in it takes any time.\n");
}

}  // namespace
}  // namespace dcube::app
