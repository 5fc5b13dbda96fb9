#include <gtest/gtest.h>

#include <stdexcept>

#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube {
namespace {

RunReport deadlock(std::vector<std::pair<std::uint32_t, std::uint32_t>> awaits,
                   std::size_t processes) {
  RunReport report;
  report.outcome = Outcome::deadlock;
  report.process_ends.resize(processes);
  for (const auto& [process, awaited] : awaits) {
    report.blocked.push_back({.process = ProcessId{process}, .awaits = ProcessId{awaited}});
  }
  return report;
}

std::vector<std::uint32_t> cycle(const RunReport& report) {
  std::vector<std::uint32_t> ranks;
  for (const ProcessId process : waiting_cycle(report)) {
    ranks.push_back(process.index());
  }
  return ranks;
}

TEST(WaitingCycle, IsFoundBehindATail) {
  EXPECT_EQ(cycle(deadlock({{0, 1}, {1, 3}, {2, 1}, {3, 4}, {4, 1}}, 5)),
            (std::vector<std::uint32_t>{1, 3, 4}));
  EXPECT_EQ(cycle(deadlock({{2, 2}}, 3)), std::vector<std::uint32_t>{2});
}

TEST(WaitingCycle, IsEmptyWhenSomebodyAwaitsAnEndedProcess) {
  EXPECT_TRUE(cycle(deadlock({{0, 1}, {1, 3}, {2, 1}}, 4)).empty());
  EXPECT_TRUE(cycle(deadlock({}, 4)).empty());
}

TEST(RunScenario, LineOfEightAsInTheFigure) {
  Scenario scenario = load_scenario(DCUBE_SOURCE_DIR "/scenarios/line-cc_dcube-by_weight.json");
  const RunResult result = run_scenario(scenario);
  EXPECT_EQ(result.report.outcome, Outcome::completed);
  EXPECT_EQ(result.report.makespan, std::chrono::seconds{12});
  EXPECT_EQ(result.report.waiting_processes, 6U);
  EXPECT_EQ(result.verified, std::nullopt);
  ASSERT_TRUE(result.theory);
  EXPECT_EQ(result.theory->makespan, std::chrono::seconds{12});
  EXPECT_EQ(result.stage_dilation_max.size(), 3U);
  EXPECT_EQ(result.stage_link_load_max.size(), 3U);
}

TEST(RunScenario, StagesOfTheStandardEmbedding) {
  Scenario scenario = load_scenario(DCUBE_SOURCE_DIR "/scenarios/line-cc_dcube-standard.json");
  const RunResult result = run_scenario(scenario);
  EXPECT_EQ(result.stage_dilation_max, (std::vector<std::uint32_t>{1, 2, 4}));
  EXPECT_EQ(result.stage_link_load_max, (std::vector<std::uint64_t>{1, 2, 4}));
}

TEST(RunScenario, HalfDuplexLinksCountBothDirections) {
  Scenario scenario = load_scenario(DCUBE_SOURCE_DIR "/scenarios/line-cc_dcube-standard.json",
                                    {parse_override("/machine/link/duplex=half")});
  const RunResult result = run_scenario(scenario);
  EXPECT_EQ(result.stage_link_load_max, (std::vector<std::uint64_t>{2, 4, 8}));
}

/// A program that gives a wrong answer.
class Wrong final : public Program {
 public:
  std::string_view kind() const override { return "wrong"; }
  Guest guest() const override { return Guest::cube(3); }
  Task<> run(Process& process) override {
    co_await process.compute(std::chrono::seconds{1});
    co_return;
  }
  std::optional<bool> verify() override { return false; }
};

TEST(RunScenario, WrongAnswerIsNotVerified) {
  Scenario scenario = load_scenario(DCUBE_SOURCE_DIR "/scenarios/line-cc_dcube-standard.json");
  scenario.program = std::make_unique<Wrong>();
  const RunResult result = run_scenario(scenario);
  EXPECT_EQ(result.report.outcome, Outcome::not_verified);
  EXPECT_EQ(result.verified, false);
  EXPECT_FALSE(result.theory);
}

}  // namespace
}  // namespace dcube
