#include <gtest/gtest.h>

#include "core/json_reading.hpp"
#include "dcube/scenario/documents.hpp"
#include "dcube/scenario/machines.hpp"
#include "support/complaint.hpp"
#include "temporary_folder.hpp"

namespace dcube {
namespace {

std::shared_ptr<const Machine> read(std::string_view text) {
  return read_machine(*read_json(text, "m.json").group(), "unnamed", VersionKey::optional);
}

TEST(MachineReader, ReadsEveryCostExactly) {
  const auto machine = load_machine("ncube10-64");
  EXPECT_EQ(machine->name, "ncube10-64");
  EXPECT_EQ(machine->topology->node_count(), 64U);
  ASSERT_EQ(machine->links.per_dimension.size(), 6U);
  const TransferCost hop{ExactTime{210'420'000, 1}, ExactTime{1'229'300, 1}};
  EXPECT_EQ(machine->links.per_dimension.front(), hop);
  EXPECT_EQ(machine->links.per_dimension.back(), hop);
  EXPECT_EQ(machine->endpoint.send,
            (TransferCost{ExactTime{116'920'000, 1}, ExactTime{591'150, 1}}));
  EXPECT_EQ(machine->endpoint.receive, machine->endpoint.send);
  EXPECT_EQ(machine->compute.at("add"), ExactTime(11'200'000, 1));
  EXPECT_EQ(machine->compute.at("multiply"), ExactTime(14'700'000, 1));
  EXPECT_FALSE(machine->host);
}

TEST(MachineReader, WhatIsLeftOutHasDefaults) {
  const auto machine = read(R"({"topology": {"kind": "ring", "nodes": 8}})");
  EXPECT_EQ(machine->name, "unnamed");
  EXPECT_EQ(machine->links.per_dimension, std::vector<TransferCost>(1));
  EXPECT_EQ(machine->links.duplex, Duplex::full);
  EXPECT_EQ(machine->links.contention, Contention::on);
  EXPECT_TRUE(machine->links.overrides.empty());
  EXPECT_EQ(machine->endpoint.send, TransferCost{});
  EXPECT_TRUE(machine->compute.empty());
}

TEST(MachineReader, BandwidthStandsForTimePerByte) {
  const auto machine = read(
      R"({"topology": {"kind": "ring", "nodes": 8}, "link": {"latency": "1us", "bandwidth": "400GBps"}})");
  EXPECT_EQ(machine->links.per_dimension.front(),
            (TransferCost{ExactTime{1'000'000, 1}, ExactTime{5, 2}}));
}

TEST(MachineReader, LargerMessagesHaveCostsOfTheirOwn) {
  const auto endpoint = [](const std::string& text) {
    return read(R"({"topology": {"kind": "ring", "nodes": 8}, "endpoint": )" + text + "}")
        ->endpoint;
  };
  const EndpointModel costs = endpoint(
      R"({"send": "3us", "send_per_byte": "2ps", "receive": "1us", "call": "7us", "combine_per_byte": "5ps",
          "larger": [{"above": "1KiB", "send": "9us", "send_per_byte": 0}, {"above": "1MiB", "receive": "2us"}]})");
  EXPECT_EQ(costs.send_time(0), round_cost(parse_duration("3us"), ExactTime{}, 0));
  EXPECT_EQ(costs.send_time(1024), round_cost(parse_duration("3.002048us"), ExactTime{}, 0));
  EXPECT_EQ(costs.send_time(1025), round_cost(parse_duration("9us"), ExactTime{}, 0));
  EXPECT_EQ(costs.send_time(1 << 21), round_cost(parse_duration("9us"), ExactTime{}, 0));
  EXPECT_EQ(costs.receive_time(1 << 20), round_cost(parse_duration("1us"), ExactTime{}, 0));
  EXPECT_EQ(costs.receive_time((1 << 20) + 1), round_cost(parse_duration("2us"), ExactTime{}, 0));
  EXPECT_EQ(costs.call, parse_duration("7us"));
  EXPECT_TRUE(costs.call_per_port.is_zero());
  EXPECT_EQ(costs.combine_per_byte, parse_duration("5ps"));
  EXPECT_EQ(costs.combining(6), (TransferCost{{}, parse_duration("5ps")}));
  EXPECT_FALSE(costs.several_ports.in_step);
  const EndpointModel threads = endpoint(
      R"({"combine": "8us", "combine_per_byte": "15ps", "copy_per_byte": "40ps", "plan": "4us", "piece": "1us", "exchange": "3us",
          "several_ports": {"combine_per_byte": "45ps", "copy_per_byte": 0, "plan": "6us", "in_step": true, "threads": true}})");
  EXPECT_EQ(threads.combining(1), (TransferCost{parse_duration("8us"), parse_duration("15ps")}));
  EXPECT_EQ(threads.combining(2), (TransferCost{parse_duration("8us"), parse_duration("45ps")}));
  EXPECT_EQ(threads.planning(1), parse_duration("4us"));
  EXPECT_EQ(threads.planning(2), parse_duration("6us"));
  EXPECT_EQ(threads.piece, parse_duration("1us"));
  EXPECT_EQ(threads.copying(1), parse_duration("40ps"));
  EXPECT_TRUE(threads.copying(2).is_zero());
  EXPECT_TRUE(threads.several_ports.in_step);
  EXPECT_TRUE(threads.several_ports.threads);
  EXPECT_EQ(threads.exchange, parse_duration("3us"));
  EXPECT_NE(complaint([&] {
              endpoint(R"({"several_ports": {"send": "1us"}})");
            }).find("/endpoint/several_ports/send"),
            std::string::npos);
  EXPECT_NE(complaint([&] {
              endpoint(R"({"larger": [{"above": 8, "send": 1}, {"above": 8}]})");
            }).find("/endpoint/larger/1/above: 8 bytes are not above"),
            std::string::npos);
  EXPECT_NE(complaint([&] {
              endpoint(R"({"larger": [{"above": 8}]})");
            }).find("/endpoint/larger/0: overrides nothing (give send, send_per_byte, "),
            std::string::npos);
  EXPECT_NE(complaint([&] { endpoint(R"({"larger": [{"send": 8}]})"); }).find("above"),
            std::string::npos);
  EXPECT_NE(
      complaint([&] { endpoint(R"({"larger": [{"above": 8, "sent": 8}]})"); }).find("did you mean"),
      std::string::npos);
}

TEST(MachineReader, NetworkIsSwitchedOrOneOfSimGridsModels) {
  const auto model = [](const std::string& network) {
    return read(R"({"topology": {"kind": "ring", "nodes": 8}, "network": )" + network + "}")->fluid;
  };
  EXPECT_EQ(read(R"({"topology": {"kind": "ring", "nodes": 8}})")->fluid, std::nullopt);
  EXPECT_EQ(model(R"("switched")"), std::nullopt);
  EXPECT_EQ(model(R"({"kind": "switched"})"), std::nullopt);
  EXPECT_EQ(model(R"("fluid")"), FluidModel::cm02);
  EXPECT_EQ(model(R"({"kind": "fluid"})"), FluidModel::cm02);
  EXPECT_EQ(model(R"({"kind": "fluid", "model": "CM02"})"), FluidModel::cm02);
  EXPECT_EQ(model(R"({"kind": "fluid", "model": "LV08"})"), FluidModel::lv08);
}

TEST(MachineReader, OtherNetworksAreRefused) {
  const auto refused = [](const std::string& network) {
    return complaint(
        [&] { read(R"({"topology": {"kind": "ring", "nodes": 8}, "network": )" + network + "}"); });
  };
  EXPECT_EQ(refused(R"("flud")"), "m.json: /network: \"flud\" is unknown; did you mean `fluid`?");
  EXPECT_EQ(refused(R"({"kind": "fluid", "modle": "LV08"})"),
            "m.json: /network/modle: unknown key; did you mean `model`?");
  EXPECT_EQ(refused(R"({"kind": "fluid", "model": "SMPI"})"),
            "m.json: /network/model: \"SMPI\" is unknown; known: CM02, LV08");
  EXPECT_EQ(refused(R"({"model": "LV08"})"), "m.json: /network: `kind` is missing");
  EXPECT_EQ(refused(R"({"kind": "switched", "model": "LV08"})"),
            "m.json: /network/model: given for a switched network (only a fluid one has a model)");
}

TEST(MachineReader, DecimalsOfJsonNumbersAreExact) {
  const auto machine = read(
      R"({"topology": {"kind": "ring", "nodes": 8}, "link": {"latency": 0.1, "per_byte": 1e-13}})");
  EXPECT_EQ(machine->links.per_dimension.front(),
            (TransferCost{ExactTime{100'000'000'000, 1}, ExactTime{1, 10}}));
}

TEST(MachineReader, LinksMayDifferByDimension) {
  const auto machine = read(R"({"topology": {"kind": "torus", "shape": [4, 8]},
                                "link": [{"latency": "1s", "duplex": "half"}, {"latency": "2s"}]})");
  EXPECT_EQ(machine->links.per_dimension.at(0).fixed, ExactTime(1'000'000'000'000, 1));
  EXPECT_EQ(machine->links.per_dimension.at(1).fixed, ExactTime(2'000'000'000'000, 1));
  EXPECT_EQ(machine->links.duplex, Duplex::half);
}

TEST(MachineReader, OverridesReplaceWhatTheyGive) {
  const auto machine = read(R"({"topology": {"kind": "torus", "shape": [4, 8]},
      "link": [{"latency": "1s"}, {"latency": "2s", "per_byte": "3s"}],
      "links": [{"from": 0, "to": 4, "latency": "5s"}, {"from": 0, "to": 3, "per_byte": "7s"}]})");
  const LinkId up = machine->topology->next_run(NodeId{0}, NodeId{4}).first;
  const LinkId back = machine->topology->next_run(NodeId{0}, NodeId{3}).first;
  const auto seconds = [](std::int64_t count) { return ExactTime{std::chrono::seconds{count}}; };
  ASSERT_EQ(machine->links.overrides.size(), 2U);
  EXPECT_EQ(machine->links.overrides.at(up), (TransferCost{seconds(5), seconds(3)}));
  EXPECT_EQ(machine->links.overrides.at(back), (TransferCost{seconds(1), seconds(7)}));
}

TEST(MachineReader, HostIsJoinedToOneNodeOrToAll) {
  const auto one = read(R"({"topology": {"kind": "ring", "nodes": 8},
                            "host": {"attached_to": 3, "latency": "1s", "bandwidth": 4}})");
  ASSERT_TRUE(one->host);
  EXPECT_EQ(one->host->attached_to, NodeId{3});
  EXPECT_EQ(one->host->link.per_byte, ExactTime(250'000'000'000, 1));
  const auto all =
      read(R"({"topology": {"kind": "ring", "nodes": 8}, "host": {"attached_to": "all"}})");
  ASSERT_TRUE(all->host);
  EXPECT_FALSE(all->host->attached_to);
}

TEST(MachineReader, FileIsNamedAfterItself) {
  const TemporaryFolder folder;
  const auto file = folder.write(
      "mine.json", R"({"schema_version": 1, "topology": {"kind": "line", "nodes": 2}})");
  EXPECT_EQ(load_machine(file)->name, "mine");
}

TEST(MachineReader, FileNeedsAVersion) {
  const TemporaryFolder folder;
  const auto file = folder.write("mine.json", R"({"topology": {"kind": "line", "nodes": 2}})");
  EXPECT_EQ(folder.shortened(complaint([&] { load_machine(file); })),
            "mine.json: `schema_version` is missing; add \"schema_version\": 1");
}

}  // namespace
}  // namespace dcube
