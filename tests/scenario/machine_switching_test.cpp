// Switching, packets, ways that messages draw or choose, and what fails during a run, as machine
// files say it.

#include <gtest/gtest.h>

#include <string>

#include "core/json_reading.hpp"
#include "dcube/scenario/documents.hpp"
#include "dcube/scenario/machines.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "support/complaint.hpp"
#include "support/schema_check.hpp"

namespace dcube {
namespace {

std::shared_ptr<const Machine> torus_with(const std::string& keys) {
  const std::string text =
      R"({"schema_version": 1, "topology": {"kind": "torus", "shape": [4, 4]})" +
      (keys.empty() ? "" : ", " + keys) + "}";
  EXPECT_FALSE(schema_complaint("machine", text));
  return read_machine(*read_json(text, "m.json").group(), "unnamed", VersionKey::optional);
}

std::string complaint_with(const std::string& keys) {
  const std::string text = R"({"topology": {"kind": "torus", "shape": [4, 4]}, )" + keys + "}";
  return complaint(
      [&] { read_machine(*read_json(text, "m.json").group(), "unnamed", VersionKey::optional); });
}

TEST(SwitchingKeys, AreReadIntoTheLinkModel) {
  EXPECT_EQ(torus_with("")->links.switching, Switching::store_and_forward);
  EXPECT_EQ(torus_with(R"("switching": "cut_through")")->links.switching, Switching::cut_through);
  EXPECT_EQ(torus_with(R"("link": {"pipelined": true})")->links.switching, Switching::pipelined);
  EXPECT_EQ(
      torus_with(R"("switching": "cut_through", "link": {"pipelined": true})")->links.switching,
      Switching::cut_through);
  EXPECT_EQ(torus_with(R"("link": {"packet": "2KiB"})")->links.packet_bytes, 2048U);
  EXPECT_EQ(torus_with(R"("link": {"packet": 9})")->links.service,
            Service::first_come_first_served);
  EXPECT_EQ(torus_with(R"("link": {"packet": 9, "service": "round_robin"})")->links.service,
            Service::round_robin);
  EXPECT_EQ(torus_with(R"("link": {"service": "first_come_first_served"})")->links.service,
            Service::first_come_first_served);
}

TEST(SwitchingKeys, ThatMakeNoSenseAreRefused) {
  EXPECT_EQ(
      complaint_with(R"("link": {"packet": 0})"),
      "m.json: /link/packet: 0 bytes carry nothing (a size in bytes, or no key where messages "
      "travel whole)");
  EXPECT_EQ(complaint_with(R"("switching": "cut_through", "link": {"pipelined": false})"),
            "m.json: /switching: is cut_through, whose links are always pipelined (leave out "
            "`pipelined`: false)");
  EXPECT_NE(complaint_with(R"("switching": "wormhole")").find("cut_through"), std::string::npos);
  EXPECT_EQ(complaint_with(R"("link": [{}, {"service": "round_robin"}])"),
            "m.json: /link/1/service: is round_robin, which serves a packet of each message in "
            "turn (give `packet`)");
  EXPECT_EQ(
      complaint_with(R"("link": {"packet": 9, "service": "round_robin"}, "network": "fluid")"),
      "m.json: /network: is fluid, and SimGrid's flows know neither packets, nor routes that "
      "messages draw or choose, nor failures during a run");
  EXPECT_NE(complaint_with(R"("link": {"packet": 9, "service": "fair"})").find("round_robin"),
            std::string::npos);
  EXPECT_NE(complaint_with(R"("link": [{"packet": 5}, {"packet": 6}])").find("/link/1/packet"),
            std::string::npos);
}

TEST(RoutingKeys, OfWaysThatAreDrawnOrChosen) {
  const RoutingModel valiant =
      torus_with(R"("routing": {"kind": "valiant", "seed": 5})")->links.routing;
  EXPECT_EQ(valiant.kind, Routing::valiant);
  EXPECT_EQ(valiant.seed, 5U);
  EXPECT_EQ(torus_with(R"("routing": {"kind": "random_order"})")->links.routing.kind,
            Routing::random_order);
  EXPECT_EQ(torus_with(R"("routing": {"kind": "minimal_adaptive"})")->links.routing.kind,
            Routing::minimal_adaptive);
  EXPECT_EQ(complaint_with(R"("routing": {"kind": "minimal_adaptive", "seed": 5})"),
            "m.json: /routing/seed: is for routes that are drawn (random_order, valiant)");
  EXPECT_NE(complaint_with(R"("routing": {"kind": "vailant"})").find("valiant"), std::string::npos)
      << complaint_with(R"("routing": {"kind": "vailant"})");
}

TEST(FailureKeys, OfALaterInstant) {
  const auto machine = torus_with(R"("failed": [{"nodes": [5], "at": "2ms"},
                                                {"links": [[0, 1]]},
                                                {"links": [[2, 3]], "at": "1ms"}])");
  ASSERT_EQ(machine->links.faults.size(), 2U);
  EXPECT_EQ(machine->links.faults[0].at, Ticks{std::chrono::milliseconds{1}});
  EXPECT_TRUE(machine->topology->is_alive(NodeId{5}));
  EXPECT_FALSE(machine->topology->is_usable(NodeId{5}));
  EXPECT_EQ(machine->topology->link_count(), 31U);
  EXPECT_EQ(machine->links.faults[0].left->link_count(), 30U);
  EXPECT_EQ(machine->links.faults[1].left->link_count(), 26U);
  EXPECT_FALSE(machine->links.faults[1].left->is_alive(NodeId{5}));
  EXPECT_NE(complaint_with(R"("failed": {"nodes": [5], "at": 1}, "link": {"contention": false})")
                .find("contention"),
            std::string::npos);
  EXPECT_NE(complaint_with(R"("failed": {"at": "1us"})")
                .find("/failed/at: is an instant at which nothing fails (give `nodes` or `links`)"),
            std::string::npos);
  EXPECT_NE(
      complaint_with(R"("failed": [{"nodes": [5], "spares": [6], "at": "1us"}])")
          .find("/failed/0/spares: given beside `at`, but spares are kept free from the start"),
      std::string::npos);
}

TEST(FailureKeys, DoNotGoWithAFluidNetwork) {
  for (const char* key : {R"("failed": {"nodes": [5], "at": 1})", R"("link": {"packet": 5})",
                          R"("routing": {"kind": "valiant"})"}) {
    EXPECT_NE(complaint_with(std::string{key} + R"(, "network": "fluid")").find("fluid"),
              std::string::npos);
  }
}

RunResult run_with(const std::string& machine_keys, const std::string& program) {
  const std::string text =
      R"({"schema_version": 1, "machine": {"topology": {"kind": "ring", "nodes": 8},
      "link": {"latency": "1s"}, )" +
      machine_keys + R"(}, "embedding": "identity", "program": )" + program + "}";
  Scenario scenario = build_scenario(*read_json(text, "s.json").group(), "s.json");
  return run_scenario(scenario);
}

constexpr const char* two_neighbours =
    R"({"kind": "cc_dcube", "dimensions": 1, "compute": "10s", "message": 1})";

TEST(Failures, LetMessagesGoTheOtherWayRound) {
  const Ticks whole = run_with(R"("name": "r")", two_neighbours).report.makespan;
  EXPECT_EQ(whole, Ticks{std::chrono::seconds{11}});
  const RunResult result =
      run_with(R"("failed": {"links": [[0, 1]], "at": "10.5s"})", two_neighbours);
  EXPECT_EQ(result.report.outcome, Outcome::completed);
  EXPECT_EQ(result.report.makespan, Ticks{std::chrono::milliseconds{17500}});
}

TEST(Failures, ThatCutAMessageOffEndTheRun) {
  const RunResult result =
      run_with(R"("failed": {"links": [[0, 1], [1, 2]], "at": "10.5s"})", two_neighbours);
  EXPECT_EQ(result.report.outcome, Outcome::unreachable);
  ASSERT_TRUE(result.report.cut_off.has_value());
  EXPECT_EQ(result.report.cut_off->source, ProcessId{0});
  EXPECT_EQ(result.report.cut_off->at, NodeId{0});
  EXPECT_EQ(result.report.cut_off->to, NodeId{1});
  EXPECT_EQ(result.report.cut_off->time, Ticks{std::chrono::milliseconds{10500}});
}

TEST(Failures, AtTheEndOfTimeChangeNothing) {
  const std::string cube =
      R"({"kind": "cc_dcube", "dimensions": 3, "compute": "1s", "message": 4})";
  EXPECT_EQ(run_with(R"("failed": {"links": [[0, 1]], "at": 9000000})", cube).report.fingerprint,
            run_with(R"("name": "r")", cube).report.fingerprint);
}

}  // namespace
}  // namespace dcube
