#include "report/link_bytes.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "core/json_reading.hpp"
#include "dcube/scenario/run.hpp"

namespace dcube::report {
namespace {

struct Counted {
  RunReport report;
  Drawing drawing;
  nlohmann::json json;
};

/// CC of 100 bytes on such a machine (settings without braces).
Counted counted_on(const std::string& machine, std::size_t most_pairs = 1000,
                   const std::string& embedding = "standard") {
  Scenario scenario = build_scenario(
      *read_json(R"({"schema_version": 1, "machine": {"schema_version": 1, )" + machine +
                     R"(}, "embedding": ")" + embedding +
                     R"(", "program": {"kind": "cc_dcube", "compute": "1s", "message": 100}})",
                 "scenario")
           .group(),
      "scenario.json");
  Drawing drawing = draw_machine(*scenario.machine->topology, *scenario.run_machine->topology,
                                 scenario.run_machine->links.duplex);
  LinkBytes bytes{scenario, drawing, most_pairs};
  RunReport report = run_scenario(scenario, &bytes).report;
  const std::string text = bytes.json();
  return {std::move(report), std::move(drawing),
          text.empty() ? nlohmann::json() : nlohmann::json::parse(text)};
}

constexpr const char* line_of_4 =
    R"("topology": {"kind": "line", "nodes": 4}, "link": {"latency": "1s", "per_byte": "1ms"})";

TEST(LinkBytes, AreThoseOfEveryMessageOnItsWay) {
  // 0-1 and 2-3 exchange over one link; 0-2 and 1-3 over two, both of them over 1-2.
  const Counted line = counted_on(line_of_4);
  ASSERT_EQ(line.json["bytes"].size(), 6);
  for (std::size_t i = 0; i < 6; ++i) {
    const DrawnLink& link = line.drawing.links[i];
    EXPECT_EQ(line.json["bytes"][i], 200) << link.from.index() << "->" << link.to.index();
  }
  EXPECT_TRUE(line.json["time_s"].is_null());  // all links are alike
  const nlohmann::json& first = line.json["busiest"][0];
  EXPECT_EQ(first["link"], "0->1");
  EXPECT_EQ(first["of_mean"], 1.0);
  EXPECT_DOUBLE_EQ(first["time_s"].get<double>(), 0.2);
  EXPECT_EQ(first["flows"], 2);
  EXPECT_EQ(
      first["heaviest"],
      nlohmann::json::parse(R"([{"from":0,"to":1,"bytes":100},{"from":0,"to":2,"bytes":100}])"));
}

TEST(LinkBytes, BothDirectionsOfAHalfDuplexLinkAreOne) {
  const Counted line = counted_on(
      R"("topology": {"kind": "line", "nodes": 4}, "link": {"latency": "1s", "duplex": "half"})");
  std::vector<int> bytes = line.json["bytes"].get<std::vector<int>>();
  std::ranges::sort(bytes);
  EXPECT_EQ(bytes, (std::vector<int>{-1, -1, -1, 400, 400, 400}));
  EXPECT_EQ(line.json["busiest"][0]["link"], "0-1");
  EXPECT_EQ(line.json["busiest"][0]["flows"], 4);
  EXPECT_FALSE(line.json["busiest"][0].contains("time_s"));
}

TEST(LinkBytes, OfASlowLinkComeFirst) {
  const Counted line = counted_on(std::string{line_of_4} +
                                  R"(, "links": [{"from": 2, "to": 1, "per_byte": "2ms"}])");
  EXPECT_EQ(line.json["busiest"][0]["link"], "2->1");
  EXPECT_DOUBLE_EQ(line.json["busiest"][0]["time_s"].get<double>(), 0.4);
  const std::size_t drawn = line.json["busiest"][0]["at"];
  EXPECT_EQ(line.drawing.links[drawn].from, NodeId{2});
  EXPECT_DOUBLE_EQ(line.json["time_s"][drawn].get<double>(), 0.4);
}

TEST(LinkBytes, OfPacketsThatDrawTheirWayAreAllThere) {
  const Counted torus = counted_on(
      R"("topology": {"kind": "torus", "shape": [4, 4]}, "routing": {"kind": "valiant", "seed": 3},
                    "link": {"latency": "1s", "per_byte": "1ms", "packet": 30})",
      1000, "xor");
  const auto bytes = torus.json["bytes"].get<std::vector<std::uint64_t>>();
  std::uint64_t sum = 0;
  for (const nlohmann::json& link : torus.json["busiest"]) {
    sum += link["bytes"].get<std::uint64_t>();
  }
  EXPECT_GT(std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}), torus.report.bytes);
  EXPECT_EQ(torus.json["busiest"].size(), 5);
  EXPECT_GT(sum, 0);
}

TEST(LinkBytes, WithoutRoomForThePairsLinksAreKnownAlone) {
  const Counted line = counted_on(line_of_4, 3);
  EXPECT_EQ(line.json["busiest"][0]["bytes"], 200);
  EXPECT_FALSE(line.json["busiest"][0].contains("heaviest"));
}

TEST(LinkBytes, AreNoneWhereNoMessageMakesAHop) {
  EXPECT_TRUE(counted_on(R"("topology": {"kind": "line", "nodes": 1}, "link": {"latency": "1s"})")
                  .json.is_null());
}

}  // namespace
}  // namespace dcube::report
