#include "app/run/explanation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

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
            "What could help: faster computing. The computations of this chain alone take 10 s, "
            "and no map or network makes the run shorter than that.\n");
}

TEST(Explanation, OfADeadlockFollowsWhoAwaitsWhom) {
  RunResult result = computed_to_the_end();
  result.report.outcome = Outcome::deadlock;
  const Ticks end = std::chrono::seconds{10};
  result.report.blocked = {{ProcessId{1}, ProcessId{3}, end, false},
                           {ProcessId{2}, ProcessId{1}, end, false},
                           {ProcessId{3}, ProcessId{2}, end, false}};
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
  result.report.blocked = {{ProcessId{3}, ProcessId{2}, std::chrono::seconds{10}, true}};
  const std::string text = explanation_text(shipped("line-cc_dcube-standard"), result);
  EXPECT_NE(text.find("because process 3 awaits process 2, which has ended.\n"), std::string::npos)
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
