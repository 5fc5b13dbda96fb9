#include "app/run/run_summary.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "dcube/scenario/scenario.hpp"
#include "dcube/scenario/write_file.hpp"
#include "scenario/temporary_folder.hpp"

namespace dcube::app {
namespace {

/// A scenario to report on; nothing of it runs.
Scenario small_scenario() {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "small.json";
  write_file(file, R"({ "schema_version": 1,
    "machine": { "topology": { "kind": "ring", "nodes": 16 }, "link": { "latency": "1s" } },
    "program": { "kind": "cc_dcube" } })");
  Scenario scenario = load_scenario(file);
  scenario.source = "small.json";
  return scenario;
}

BlockedProcess blocked(std::uint32_t process, std::uint32_t awaits, Awaits what = Awaits::message) {
  return {ProcessId{process}, ProcessId{awaits}, std::chrono::seconds{2}, what};
}

RunReport deadlock(std::vector<BlockedProcess> blocked) {
  RunReport report;
  report.outcome = Outcome::deadlock;
  report.makespan = std::chrono::seconds{3};
  report.process_ends.resize(16);
  report.blocked = std::move(blocked);
  return report;
}

TEST(FailureReport, IsEmptyWhenTheRunCompleted) {
  EXPECT_EQ(failure_report(small_scenario(), RunReport{}), "");
}

TEST(FailureReport, OfADeadlockSaysWhoWaitsForWhom) {
  EXPECT_EQ(
      failure_report(small_scenario(), deadlock({blocked(0, 1), blocked(1, 4, Awaits::partner),
                                                 blocked(4, 1, Awaits::receiver)})),
      "small.json: deadlock at 3 s (3 of 16 processes wait for ever)\n"
      "  process 0 awaits a message from process 1 since 2 s\n"
      "  process 1 wants to exchange with process 4 since 2 s\n"
      "  process 4 wants to send to process 1 since 2 s\n"
      "  cycle: 1 -> 4 -> 1");
}

TEST(FailureReport, OfADeadlockKnowsAWaitForAnyone) {
  const std::uint32_t someone = anyone.index();
  const std::string text = failure_report(
      small_scenario(), deadlock({blocked(0, someone), blocked(1, someone, Awaits::nothing)}));
  EXPECT_NE(text.find("process 0 awaits a message from anyone since 2 s\n"), std::string::npos);
  EXPECT_NE(text.find("process 1 awaits one of several requests since 2 s"), std::string::npos);
}

TEST(FailureReport, OfADeadlockCountsAHostComputerAmongTheProcesses) {
  std::vector<BlockedProcess> all;
  for (std::uint32_t i = 0; i <= 16; ++i) {
    all.push_back(blocked(i, 0));
  }
  RunReport report = deadlock(all);
  report.process_ends.resize(17);
  EXPECT_NE(failure_report(small_scenario(), report).find("(17 of 17 processes wait for ever)"),
            std::string::npos);
}

TEST(FailureReport, OfALargeDeadlockNamesTenProcesses) {
  std::vector<BlockedProcess> all;
  for (std::uint32_t i = 1; i < 16; ++i) {
    all.push_back(blocked(i, 0));
  }
  const std::string text = failure_report(small_scenario(), deadlock(all));
  EXPECT_NE(text.find("process 10 awaits"), std::string::npos);
  EXPECT_EQ(text.find("process 11 awaits"), std::string::npos);
  EXPECT_NE(text.find("\n  and 5 more\n  no cycle"), std::string::npos);
}

TEST(FailureReport, OfAWrongAnswerSaysSo) {
  RunReport report;
  report.outcome = Outcome::not_verified;
  EXPECT_EQ(failure_report(small_scenario(), report),
            "small.json: the answer is wrong (a sequential computation gives another)");
}

}  // namespace
}  // namespace dcube::app
