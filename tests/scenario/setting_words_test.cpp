#include "dcube/scenario/setting_words.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

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
  EXPECT_EQ(told.at("hop"), "1 s, full duplex, first come first served");
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

}  // namespace
}  // namespace dcube
