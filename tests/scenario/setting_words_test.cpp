#include "dcube/scenario/setting_words.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "dcube/scenario/machines.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/write_file.hpp"
#include "temporary_folder.hpp"

namespace dcube {
namespace {

std::map<std::string, std::string> told;   // by header
std::map<std::string, std::string> noted;  // by key

void read_columns(const std::string& machine, const std::string& more) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "small.json";
  write_file(file, R"({ "schema_version": 1, "program": { "kind": "cc_dcube" }, "machine": {
    "topology": { "kind": "ring", "nodes": 16 }, "link": { "latency": "1s" })" +
                       machine + "}" + more + "}");
  const Scenario scenario = load_scenario(file);
  const RunResult result;
  told.clear();
  noted.clear();
  for (const Column<RunInWords>& column : setting_columns()) {
    if (const CellValue value = column.value({scenario, result}); !value.is_missing()) {
      (column.key.empty() ? told[column.header] : noted[column.key]) = std::get<std::string>(value);
    }
  }
}

TEST(SettingWords, LeaveOutWhatIsNotSet) {
  read_columns("", "");
  EXPECT_EQ(noted,
            (std::map<std::string, std::string>{
                {"hop", "latency 1 s + 0 s/byte"},
                {"switching", "store_and_forward, full duplex, links first come first served"}}));
  EXPECT_EQ(told.at("hop"),
            "1 s (no bandwidth), full duplex, store and forward, first come first served");
  EXPECT_EQ(told.at("embedding"), "standard");
  EXPECT_FALSE(told.contains("failed") || told.contains("node") || told.contains("jitter"));
}

TEST(SettingWords, SayEverySettingToPeopleAndInResults) {
  read_columns(R"(, "node": { "slots": 2, "injection": { "latency": "4s" } },
                  "endpoint": { "send": "2s", "gap": "3s", "eager_limit": 64 })",
               R"(, "jitter": 0.5)");
  for (const char* const header : {"endpoint", "gap", "eager", "node", "injection", "jitter"}) {
    EXPECT_TRUE(told.contains(header)) << header;
    EXPECT_TRUE(noted.contains(header == std::string{"eager"} ? "eager_limit" : header)) << header;
  }
}

TEST(SettingWords, SayInjectionOutAndInApart) {
  read_columns(R"(, "node": { "injection": { "out": { "latency": "4s" }, "interfaces": 6 } })", "");
  EXPECT_EQ(told.at("injection"), "4 s to leave a node, nothing to enter one (6 NICs)");
  EXPECT_EQ(noted.at("injection"), "out: latency 4 s + 0 s/byte; in: none x 6");
}

Machine told_machine(const std::string& settings) {
  const TemporaryFolder folder;
  return *load_machine(folder
                           .write("m.json", R"({ "schema_version": 1, "topology":
    { "kind": "torus", "shape": [4, 4] })" + settings +
                                                "}")
                           .string());
}

TEST(SettingWords, SayWhatAHopCosts) {
  EXPECT_EQ(hop_words(*load_machine("torus:4x4x8")), "a hop takes 1 s (no bandwidth)");
  EXPECT_EQ(hop_words(told_machine(R"(, "link": { "latency": "1us", "bandwidth": "50GBps" })")),
            "a hop takes 1 us + 20 ps a byte (50 GB/s)");
  EXPECT_EQ(hop_words(told_machine(R"(, "link": [{ "latency": "1us" },
                                               { "latency": "2us", "per_byte": "1us" }])")),
            "a hop takes 1 us (no bandwidth), 2 us + 1 us a byte (1 MB/s) in dimensions 0, 1, ..");
}

TEST(SettingWords, SayHowANetworkWorks) {
  EXPECT_EQ(network_words(*load_machine("torus:4x4")),
            "full duplex, store and forward, first come first served");
  const Machine machine = told_machine(R"(, "link": { "latency": "1us", "duplex": "half",
    "packet": 4096, "service": "round_robin" }, "switching": "cut_through",
    "routing": { "kind": "minimal_adaptive" }, "failed": { "nodes": [5], "links": [[0, 1]] })");
  EXPECT_EQ(network_words(machine),
            "half duplex, cut-through, packets of 4.10 kB, round robin, routing minimal_adaptive; "
            "failed: node 5, link 0-1");
  EXPECT_EQ(network_words(machine, NetworkWords::common),
            "half duplex, packets of 4.10 kB, routing minimal_adaptive; failed: node 5, link 0-1");
  EXPECT_EQ(network_words(told_machine(R"(, "link": { "latency": "1us", "bandwidth": "1GBps" },
                                        "network": { "kind": "fluid" })")),
            "full duplex, shared by SimGrid (CM02, factors 1)");
}

}  // namespace
}  // namespace dcube
