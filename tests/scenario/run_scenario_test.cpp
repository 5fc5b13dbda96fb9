#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/address_sanitizer.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "shipped_files.hpp"

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

Scenario shipped_scenario(const std::string& name, const std::vector<Override>& overrides = {}) {
  return load_scenario(DCUBE_SOURCE_DIR "/scenarios/" + name + ".json", overrides);
}

TEST(RunScenario, StagesAreThoseOfTheMessagesThatWereSent) {
  // Two messages between neighbours where one has a load to give, and else one.
  Scenario uneven = shipped_scenario(
      "line-cc_dcube-standard",
      {parse_override(
          R"(/program={"kind":"load_balance","heuristic":2,"loads":[8,0,0,0,0,0,0,0]})")});
  const RunResult result = run_scenario(uneven);
  EXPECT_EQ(result.report.messages, 3U * 8 + 1 + 2 + 4);
  EXPECT_EQ(result.stage_dilation_max, (std::vector<std::uint32_t>{1, 2, 4}));
  EXPECT_EQ(result.stage_link_load_max, (std::vector<std::uint64_t>{2, 4, 8}));
  // The tree of knapsack has no message in its first stage.
  Scenario tree = shipped_scenario("line-cc_dcube-standard",
                                   {parse_override(R"(/program={"kind":"knapsack"})")});
  EXPECT_EQ(run_scenario(tree).stage_link_load_max, (std::vector<std::uint64_t>{0, 4}));
}

TEST(RunScenario, WithoutAFormulaTheoryIsTheProgramWithoutContention) {
  Scenario scenario = shipped_scenario("hypercube-subcube_exchange");
  const RunResult result = run_scenario(scenario);
  ASSERT_TRUE(result.theory);
  EXPECT_EQ(result.theory->source, run_without_contention);
  EXPECT_LT(result.theory->makespan, result.report.makespan);
  Scenario free = shipped_scenario("hypercube-subcube_exchange",
                                   {parse_override("/machine/link/contention=false")});
  const RunResult without = run_scenario(free);
  EXPECT_EQ(result.theory->makespan, without.report.makespan);
  ASSERT_TRUE(without.theory);
  EXPECT_EQ(without.theory->source, run_in_which_nothing_queued);
  EXPECT_EQ(without.theory->makespan, without.report.makespan);
}

TEST(RunScenario, TheSecondRunLeavesTheFirstAsItIs) {
  Scenario whole = shipped_scenario("hypercube-maze");
  Scenario alone = shipped_scenario("hypercube-maze");
  const RunResult result = run_scenario(whole);
  const RunResult report = run_scenario(alone, nullptr, {}, Findings::report);
  EXPECT_TRUE(result.theory);
  EXPECT_FALSE(report.theory);
  EXPECT_TRUE(report.stage_dilation_max.empty());
  EXPECT_EQ(result.report.fingerprint, report.report.fingerprint);
  EXPECT_EQ(result.verified, report.verified);
  EXPECT_EQ(whole.program->answer().keys(), alone.program->answer().keys());
}

TEST(RunScenario, AProgramIsNotMadeAgainOfInputThatIsGone) {
  Scenario scenario = shipped_scenario("hypercube-subcube_exchange");
  scenario.program_inputs["/program/input"] = "/dev/null";
  EXPECT_FALSE(run_scenario(scenario).theory);
}

TEST(RunScenario, LargeRunsAreNotMadeTwice) {
  Scenario scenario =
      shipped_scenario("torus-bitonic_sort", {parse_override("/machine/topology/shape=[64,64]"),
                                              parse_override("/embedding={\"kind\":\"random\"}"),
                                              parse_override("/program/keys_per_process=1")});
  const RunResult result = run_scenario(scenario);
  EXPECT_GT(result.report.queued_hops, 0U);
  EXPECT_GT(result.report.hops, 1'000'000U);
  EXPECT_FALSE(result.theory);
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

std::vector<NodeId> reversed(std::vector<NodeId> map) {
  std::ranges::reverse(map);
  return map;
}

TEST(RepeatedRuns, GiveWhatARunAloneGives) {
  for (const std::filesystem::path& file : shipped_files("scenarios")) {
    Scenario alone = load_scenario(file);
    const std::vector<NodeId> map = alone.embedding->map();
    RepeatedRuns runs{load_scenario(file)};
    const RunReport elsewhere = runs.run(reversed(map));
    const RunReport again = runs.run(map);
    const RunReport report = run_scenario(alone, nullptr, {}, Findings::report).report;
    EXPECT_EQ(again.fingerprint, report.fingerprint) << file;
    EXPECT_EQ(again.outcome, report.outcome) << file;
    EXPECT_EQ(runs.run(reversed(map)).fingerprint, elsewhere.fingerprint) << file;
  }
}

TEST(RepeatedRuns, PutProcessesWhereTheMapSays) {
  RepeatedRuns runs{shipped_scenario("quickstart")};
  const std::vector<NodeId> standard =
      shipped_scenario("quickstart", {parse_override("/embedding=standard")}).embedding->map();
  EXPECT_EQ(runs.run(standard).makespan, std::chrono::seconds{20});
  EXPECT_EQ(runs.run(shipped_scenario("quickstart").embedding->map()).makespan,
            std::chrono::seconds{16});
}

TEST(RepeatedRuns, GoOnAfterAMapThatIsNone) {
  RepeatedRuns runs{shipped_scenario("quickstart")};
  EXPECT_THROW(runs.run({}), ContractViolation);
  EXPECT_THROW(runs.run(std::vector<NodeId>(64, NodeId{0})), ContractViolation);
  EXPECT_THROW(runs.run(std::vector<NodeId>(64, NodeId{64})), ContractViolation);
  EXPECT_EQ(runs.run(shipped_scenario("quickstart").embedding->map()).outcome, Outcome::completed);
}

#ifndef DCUBE_ADDRESS_SANITIZER  // which keeps what is freed
TEST(RepeatedRuns, TakeNoMoreMemoryThanOne) {
  RepeatedRuns runs{shipped_scenario("quickstart")};
  const std::vector<NodeId> map = shipped_scenario("quickstart").embedding->map();
  const auto memory_after = [&](int count) {
    for (int i = 1; i < count; ++i) {
      runs.run(map);
    }
    return runs.run(map).peak_memory_bytes;
  };
  const std::uint64_t before = memory_after(200);
  EXPECT_LE(memory_after(3'000), before + (std::uint64_t{1} << 20));
}
#endif

}  // namespace
}  // namespace dcube
