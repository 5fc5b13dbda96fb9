#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dcube/scenario/result_json.hpp"
#include "dcube/trace/trace_file.hpp"

namespace dcube {
namespace {

nlohmann::json json_of(std::size_t listed, ListOutput lists) {
  TraceSummary summary;
  summary.processes.resize(listed);
  summary.links.resize(listed);
  return nlohmann::json::parse(trace_summary_json(summary, lists));
}

TEST(TraceSummaryJson, LeavesLongListsOutUnlessAsked) {
  for (const char* list : {"links", "process_times"}) {
    EXPECT_EQ(json_of(most_listed, ListOutput::when_small).at(list).size(), most_listed);
    EXPECT_FALSE(json_of(most_listed + 1, ListOutput::when_small).contains(list));
    EXPECT_EQ(json_of(most_listed + 1, ListOutput::always).at(list).size(), most_listed + 1);
  }
}

}  // namespace
}  // namespace dcube
