// Folded sides of a torus against the same machine as a hypercube, on which the embedding "gray"
// places a torus.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/json_reading.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube {
namespace {

Scenario built(const std::string& topology, const std::string& rest) {
  return build_scenario(
      *read_json(R"({"schema_version": 1, "machine": {"topology": )" + topology + rest + "}",
                 "x.json")
           .group(),
      "x.json");
}

TEST(FoldedSides, TakeTheTimesOfGrayInAHypercube) {
  const std::string collective = R"("program": {"kind": "collective", "bytes": 4096, )";
  const std::vector<std::string> programs{
      collective +
          R"("operation": "allreduce", "algorithm": "swing_bandwidth", "shape": [4, 4], "ports": 4})",
      collective +
          R"("operation": "allreduce", "algorithm": "bucket", "shape": [4, 4], "ports": 2})",
      collective + R"("operation": "all_to_all", "algorithm": "pairwise"})",
      collective + R"("operation": "broadcast", "algorithm": "binomial"})",
      R"("program": {"kind": "pattern", "guest": "torus:4x4", "phases": [{"exchange": 512}]})"};
  const std::vector<std::string> networks{
      R"(, "link": {"latency": "100ns", "bandwidth": "1GBps"})",
      R"(, "switching": "cut_through", "link": [{"latency": "1us"}, {"latency": "2us"},
         {"latency": "3us"}, {"latency": "4us", "bandwidth": "1GBps"}])",
      R"(, "routing": {"kind": "dimension_order", "order": [3, 1, 0, 2]},
         "link": {"latency": "100ns", "bandwidth": "1GBps", "packet": 256}, "switching": "cut_through")",
      R"(, "routing": {"kind": "minimal_adaptive"}, "link": {"latency": "100ns"})",
      R"(, "network": "fluid", "link": {"latency": "100ns", "bandwidth": "1GBps"})"};
  for (const std::string& program : programs) {
    for (const std::string& network : networks) {
      SCOPED_TRACE(program + network);
      Scenario folded =
          built(R"({"kind": "torus", "shape": [[2, 2], [2, 2]]})", network + "}, " + program);
      Scenario gray =
          built(R"({"kind": "hypercube", "dimensions": 4})",
                network + R"(}, "embedding": {"kind": "gray", "guest": "torus:4x4"}, )" + program);
      const RunResult one = run_scenario(folded);
      const RunResult other = run_scenario(gray);
      EXPECT_EQ(one.report.makespan, other.report.makespan);
      EXPECT_EQ(one.report.fingerprint, other.report.fingerprint);
    }
  }
}

TEST(FoldedSides, HaveCostsByDimensionOfTheMachine) {
  try {
    built(R"({"kind": "torus", "shape": [[2, 2], 4]})",
          R"(, "link": [{"latency": 1}, {"latency": 1}]}, "program": {"kind": "cc_dcube"})");
    FAIL() << "no complaint";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string{error.what()},
              "x.json: /machine/link: 2 entries for 3 dimensions (one for each, or one group for "
              "all)");
  }
}

}  // namespace
}  // namespace dcube
