#include <gtest/gtest.h>

#include <string>

#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "support/complaint.hpp"
#include "temporary_folder.hpp"

namespace dcube {
namespace {

/// Template matching on a line of 4 with hops of 1 s, told to use the host.
std::string scenario_text(const std::string& host) {
  return R"({"schema_version": 1,
    "machine": {"name": "line", "topology": {"kind": "line", "nodes": 4}, "link": {"latency": "1s"})" +
         host + R"(},
    "program": {"kind": "template_matching", "size": 8, "template_size": 3, "host": true,
                "variant": "replicated_borders", "host_collects": true}})";
}

TEST(Host, MachineWithoutOneIsAnInputErrorWhenTheProgramUsesIt) {
  const TemporaryFolder folder;
  const auto file = folder.write("x.json", scenario_text(""));
  EXPECT_EQ(folder.shortened(complaint([&] { load_scenario(file); })),
            "x.json: /machine: line has no host computer, which this template_matching talks to; "
            "add one (\"host\": {\"attached_to\": 0, \"latency\": ..} in the machine)");
}

TEST(Host, TakesPartInTheRunAsOneMoreNodeAndProcess) {
  const TemporaryFolder folder;
  Scenario scenario = load_scenario(
      folder.write("x.json", scenario_text(R"(, "host": {"attached_to": 1, "latency": "3s"})")));
  EXPECT_EQ(scenario.machine->topology->node_count(), 4U);
  EXPECT_EQ(scenario.run_machine->topology->node_count(), 5U);
  EXPECT_EQ(run_size(scenario).processes, 5U);
  const RunResult result = run_scenario(scenario);
  EXPECT_EQ(result.verified, true);
  EXPECT_EQ(result.report.process_ends.size(), 5U);
  // Template and blocks leave the host one after the other, each 3 s after the one before, and it
  // is the last to end.
  EXPECT_GE(result.report.makespan, std::chrono::seconds{15 + 3});
  EXPECT_EQ(result.report.process_ends[4], result.report.makespan);
  const std::string json = run_result_json(scenario, result);
  EXPECT_NE(json.find("\"nodes\": 4"), std::string::npos);
  EXPECT_NE(json.find("\"host\": \"joined to node 1, latency 3 s + 0 s/byte\""), std::string::npos)
      << json;
  EXPECT_NE(json.find("\"busiest\": \"1->4\""), std::string::npos) << json;
}

TEST(Host, IsLeftOutWhereTheProgramDoesNotUseIt) {
  const TemporaryFolder folder;
  const Scenario scenario =
      load_scenario(folder.write("x.json", scenario_text(R"(, "host": {"attached_to": "all"})")),
                    {{"/program", R"({"kind": "cc_dcube"})"}});
  EXPECT_EQ(scenario.run_machine, scenario.machine);
  EXPECT_EQ(run_size(scenario).processes, 4U);
}

TEST(Host, JoinedToAllNodesServesThemAtOnce) {
  const TemporaryFolder folder;
  Scenario scenario = load_scenario(folder.write(
      "x.json", scenario_text(R"(, "host": {"attached_to": "all", "latency": "3s"})")));
  const RunResult result = run_scenario(scenario);
  EXPECT_EQ(result.verified, true);
  EXPECT_EQ(result.report.process_ends.size(), 5U);
  EXPECT_NE(run_result_json(scenario, result).find("joined to every node"), std::string::npos);
}

}  // namespace
}  // namespace dcube
