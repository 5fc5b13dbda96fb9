// Graphs, other routes and what has failed, as machine files say it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/json_reading.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/scenario/documents.hpp"
#include "dcube/scenario/machines.hpp"
#include "dcube/scenario/validation.hpp"
#include "dcube/topology/hop_weights.hpp"
#include "support/complaint.hpp"
#include "support/schema_check.hpp"
#include "support/warnings_of.hpp"
#include "temporary_folder.hpp"

namespace dcube {
namespace {

std::shared_ptr<const Machine> read_network(const std::string& text) {
  EXPECT_FALSE(schema_complaint("machine", "{\"schema_version\": 1, " + text.substr(1)));
  return read_machine(*read_json(text, "m.json").group(), "unnamed", VersionKey::optional);
}

std::string network_complaint(const std::string& text) {
  return complaint(
      [&] { read_machine(*read_json(text, "m.json").group(), "unnamed", VersionKey::optional); });
}

TransferCost seconds(std::int64_t fixed, std::int64_t per_byte = 0) {
  return {ExactTime{std::chrono::seconds{fixed}}, ExactTime{std::chrono::seconds{per_byte}}};
}

LinkId first_link(const Machine& machine, std::uint32_t from, std::uint32_t to) {
  return machine.topology->next_run(NodeId{from}, NodeId{to}).first;
}

TEST(GraphMachine, EdgesMayHaveCosts) {
  const auto machine = read_network(R"({"topology": {"kind": "graph", "edges": [[0, 1],
      {"from": 1, "to": 2, "latency": "2s"}, {"from": 2, "to": 0, "per_byte": "3s"}]},
      "link": {"latency": "1s"}, "links": [{"from": 2, "to": 1, "latency": "5s"}]})");
  const auto& overrides = machine->links.overrides;
  EXPECT_EQ(overrides.size(), 4U);
  EXPECT_EQ(overrides.at(first_link(*machine, 1, 2)), seconds(2));
  EXPECT_EQ(overrides.at(first_link(*machine, 2, 1)), seconds(5));
  EXPECT_EQ(overrides.at(first_link(*machine, 0, 2)), seconds(1, 3));
  EXPECT_EQ(overrides.at(first_link(*machine, 2, 0)), seconds(1, 3));
}

TEST(LinkClasses, AKeyThatEveryClassSaysItselfIsWarnedOf) {
  const auto warnings = [](const std::string& link) {
    return warnings_of([&] {
      read_network(R"({"topology": {"kind": "graph", "edges": [[0, 1, "wide"], [1, 2]]},
          "link": {"latency": "1us", )" +
                   link + "}}");
    });
  };
  const std::string wide = R"("bandwidth": "1GBps", "classes": {"wide": {"bandwidth": "4GBps"})";
  EXPECT_EQ(warnings(wide + "}"), "");
  EXPECT_EQ(
      warnings(wide + R"(, "default": {"per_byte": "1ns"}})"),
      "m.json: /link/bandwidth: changes nothing, because each of the `classes` says it itself; "
      "change it there\n");
  EXPECT_EQ(warnings(wide + R"(, "default": {"latency": "2us"}})"), "");
  EXPECT_EQ(warnings_of([] {
              read_network(R"({"topology": {"kind": "hypercube", "dimensions": 0},
                  "link": {"latency": "1us"}})");
            }),
            "");
}

TEST(GraphMachine, ClassesHaveCostsInOnePlace) {
  const auto machine = read_network(R"({"topology": {"kind": "graph", "edges": [[0, 1, "wide"],
      [1, 2], {"from": 2, "to": 3, "class": "wide", "latency": "2s"}, [3, 0, "far"]]},
      "link": {"latency": "1s", "per_byte": "4s", "classes": {"wide": {"per_byte": "1s"},
      "far": {"latency": "9s", "weight": 5}}}})");
  EXPECT_EQ(machine->links.per_dimension,
            (std::vector{seconds(1, 1), seconds(9, 4), seconds(1, 4)}));
  EXPECT_EQ(machine->links.overrides.size(), 2U);
  EXPECT_EQ(machine->links.overrides.at(first_link(*machine, 2, 3)), seconds(2, 1));
  EXPECT_EQ(HopLengths{*machine->topology}(NodeId{0}, NodeId{3}), 5U);
  EXPECT_EQ(network_complaint(R"({"topology": {"kind": "graph", "edges": [[0, 1, "wide"]]},
      "link": {"classes": {"wied": {"latency": "1s"}}}})"),
            "m.json: /link/classes/wied: unknown key; did you mean `wide`?");
  const auto edges_beside = [](const char* classes) {
    return network_complaint(fmt::format(R"({{"topology": {{"kind": "graph", "edges":
        [[0, 1, "wide"], [1, 2, "wied"], [2, 3, "default"], [3, 0]]}}, "link": {}}})",
                                         classes));
  };
  EXPECT_EQ(edges_beside(R"({"classes": {"wide": {"latency": "1s"}}})"),
            "m.json: /topology/edges: the edge 1-2 is of the class `wied`, which `link.classes` "
            "lacks (there, `{}` gives a class the costs of `link`); did you mean `wide`?");
  EXPECT_EQ(edges_beside(R"({"classes": {"wide": {"latency": "1s"}, "wied": {}}})"), "");
  EXPECT_EQ(edges_beside(R"({"latency": "1s"})"), "");
}

TEST(GraphMachine, EdgesWithoutAClassAreOfTheDefaultOne) {
  for (const char* edges : {"[[0, 1], [1, 2]]", R"([[0, 1, "default"], [1, 2]])"}) {
    const auto machine = read_network(
        fmt::format(R"({{"topology": {{"kind": "graph", "edges": {}}}, "link": {{"latency": "1s",
        "per_byte": "2s", "classes": {{"default": {{"latency": "3s", "weight": 5}}}}}}}})",
                    edges));
    EXPECT_EQ(machine->links.per_dimension, (std::vector{seconds(3, 2)}));
    EXPECT_EQ(HopLengths{*machine->topology}(NodeId{0}, NodeId{2}), 10U);
  }
  EXPECT_EQ(network_complaint(R"({"topology": {"kind": "graph", "edges": [[0, 1]]},
      "link": {"classes": {"wide": {"latency": "1s"}}}})"),
            "m.json: /link/classes/wide: unknown key; known: default");
}

TEST(GraphMachine, FilesAreRelativeToTheFileThatNamesThem) {
  const TemporaryFolder folder;
  folder.write("data/ring.csv", "from,to,latency\n0,1,\n1,2,7s\n2,0,\n");
  folder.write("data/ring.json",
               R"({"edges": [[0, 1], {"from": 1, "to": 2, "latency": "7s"}, [2, 0]]})");
  folder.write("data/routes.csv", "at,to,next\n0,1,2\n0,2,2\n1,0,0\n1,2,2\n2,0,0\n2,1,1\n");
  for (const char* edges : {"ring.csv", "ring.json"}) {
    const auto file = folder.write(
        "data/m.json",
        fmt::format(R"({{"schema_version": 1, "topology": {{"kind": "graph", "edges": "{}"}},
            "routing": {{"kind": "table", "file": "routes.csv"}}, "link": {{"latency": "1s"}}}})",
                    edges));
    const auto machine = load_machine(file.string());
    EXPECT_EQ(machine->topology->route(NodeId{0}, NodeId{1}).size(), 3U);
    EXPECT_EQ(machine->links.overrides.size(), 2U);
    EXPECT_EQ(machine->links.overrides.at(first_link(*machine, 1, 2)), seconds(7));
    EXPECT_NO_THROW(validate_document(file));
    const auto scenario = folder.write("s.json", R"({"schema_version": 1, "machine": "data/m.json",
        "program": {"kind": "cc_dcube", "dimensions": 1}})");
    EXPECT_NO_THROW(validate_document(scenario));
    const auto inline_machine = folder.write(
        "t.json", fmt::format(R"({{"schema_version": 1, "machine": {{"topology": {{"kind": "graph",
        "edges": "data/{}"}}}}, "program": {{"kind": "cc_dcube", "dimensions": 1}}}})",
                              edges));
    EXPECT_NO_THROW(validate_document(inline_machine));
  }
  const auto broken =
      folder.write("data/b.json",
                   R"({"schema_version": 1, "topology": {"kind": "graph", "edges": "none.csv"}})");
  EXPECT_EQ(folder.shortened(complaint([&] { load_machine(broken.string()); })),
            "data/none.csv: cannot be read (No such file or directory)");
}

TEST(FabricMachine, ClassesOfLinksHaveCostsOfTheirOwn) {
  const auto machine = read_network(R"({"topology": {"kind": "dragonfly", "p": 1, "a": 2, "h": 1},
      "link": {"latency": "1us", "bandwidth": "1GBps", "classes":
               {"global": {"latency": "3us"}, "terminal": {"per_byte": "2ns"}}}})");
  const std::vector<TransferCost>& costs = machine->links.per_dimension;
  ASSERT_EQ(costs.size(), 3U);
  EXPECT_EQ(costs[0], (TransferCost{parse_duration("1us"), parse_duration("2ns")}));
  EXPECT_EQ(costs[1], (TransferCost{parse_duration("1us"), parse_duration("1ns")}));
  EXPECT_EQ(costs[2], (TransferCost{parse_duration("3us"), parse_duration("1ns")}));
  const auto grid = read_network(R"({"topology": {"kind": "mesh", "shape": [3, 3]},
      "link": {"latency": "1us", "classes": {"dimension 1": {"latency": "2us"}}}})");
  EXPECT_EQ(grid->links.per_dimension[1].fixed, parse_duration("2us"));
  EXPECT_EQ(network_complaint(R"({"topology": {"kind": "mesh", "shape": [3, 3]},
      "link": {"classes": {"global": {}}}})"),
            "m.json: /link/classes/global: unknown key; known: dimension 0, dimension 1");
  EXPECT_EQ(network_complaint(R"({"topology": {"kind": "mesh", "shape": [3, 3]},
      "link": [{"classes": {}}, {}]})"),
            "m.json: /link/0/classes: given in a list, whose entries are classes already");
}

TEST(FabricMachine, RoutingsHaveKeysOfTheirOwn) {
  const auto with = [](const std::string& kind, const std::string& routing) {
    return R"({"topology": )" + kind + R"(, "routing": )" + routing + "}";
  };
  const std::string dragonfly = R"({"kind": "dragonfly", "p": 1, "a": 2, "h": 1})";
  const std::string tree = R"({"kind": "fat_tree", "k": 4})";
  const RoutingModel ugal =
      read_network(with(dragonfly, R"({"kind": "ugal", "seed": 4, "threshold": 7})"))
          ->links.routing;
  EXPECT_EQ(ugal.kind, Routing::ugal);
  EXPECT_EQ(ugal.seed, 4U);
  EXPECT_EQ(ugal.threshold, 7U);
  EXPECT_EQ(ugal.sight, Sight::first_link);
  EXPECT_EQ(
      read_network(with(dragonfly, R"({"kind": "ugal", "sees": "way"})"))->links.routing.sight,
      Sight::way);
  EXPECT_EQ(network_complaint(with(dragonfly, R"({"kind": "ugal", "sees": "all"})")),
            "m.json: /routing/sees: \"all\" is unknown; known: first_link, way");
  const auto by_pair = read_network(with(tree, R"({"kind": "ecmp", "seed": 4})"));
  EXPECT_EQ(by_pair->links.routing.kind, Routing::fixed);
  EXPECT_EQ(by_pair->topology->routing(), "ecmp, seed 4");
  const auto by_message = read_network(with(tree, R"({"kind": "ecmp", "by": "message"})"));
  EXPECT_EQ(by_message->links.routing.kind, Routing::ecmp);
  EXPECT_TRUE(by_message->topology->are_routes_by_flow());
  EXPECT_EQ(read_network(with(tree, R"({"kind": "d_mod_k"})"))->topology->routing(), "d_mod_k");
  EXPECT_EQ(read_network(with(dragonfly, R"({"kind": "minimal_adaptive"})"))->topology->routing(),
            "shortest");
  EXPECT_EQ(network_complaint(with(tree, R"({"kind": "ugal"})")),
            "m.json: /routing/kind: ugal does not suit the fat_tree of 16 terminals, 20 switches "
            "and 48 links; d_mod_k, shortest, ecmp, minimal_adaptive or table would");
}

TEST(FabricMachine, AHostIsJoinedToATerminal) {
  EXPECT_EQ(network_complaint(R"({"topology": {"kind": "fat_tree", "k": 4},
      "host": {"attached_to": 16}})"),
            "m.json: /host/attached_to: switch 0 of level 1 is no terminal (those are nodes 0 to "
            "15)");
}

TEST(RoutingMachine, RoutesFollowTheMachineFile) {
  const auto machine = read_network(R"({"topology": {"kind": "mesh", "shape": [3, 3]},
      "routing": {"kind": "dimension_order", "order": [1, 0]},
      "links": [{"from": 0, "to": 1, "latency": "5s"}]})");
  EXPECT_EQ(machine->topology->route(NodeId{0}, NodeId{4}),
            (std::vector<NodeId>{NodeId{0}, NodeId{3}, NodeId{4}}));
  EXPECT_EQ(machine->links.overrides.size(), 1U);
  EXPECT_EQ(
      network_complaint(R"({"topology": {"kind": "mesh", "shape": [3, 3]},
      "routing": {"kind": "random"}})"),
      "m.json: /routing/kind: \"random\" is unknown; known: dimension_order, shortest, table, "
      "d_mod_k, minimal, random_order, valiant, minimal_adaptive, valiant_group, ugal, ecmp");
  EXPECT_EQ(network_complaint(R"({"topology": {"kind": "mesh", "shape": [3, 3]}, "routing": {}})"),
            "m.json: /routing: `kind` is missing");
}

TEST(FailedMachine, ReadsNodesLinksAndSpares) {
  const auto machine = read_network(R"({"topology": {"kind": "torus", "shape": [4, 4]},
      "failed": {"nodes": [5], "links": [[0, 1]], "spares": [15]},
      "links": [{"from": 0, "to": 1, "latency": "5s"}, {"from": 0, "to": 4, "latency": "5s"}]})");
  const Topology& topology = *machine->topology;
  EXPECT_FALSE(topology.is_alive(NodeId{5}));
  EXPECT_EQ(topology.usable_count(), 14U);
  EXPECT_EQ(topology.distance(NodeId{0}, NodeId{1}), 3U);
  EXPECT_EQ(machine->links.overrides.size(), 1U) << "that of a link that has failed is dropped";
}

TEST(FailedMachine, ComplaintsSayWhatIsWrong) {
  const auto complaint_about = [](const std::string& failed) {
    return network_complaint(R"({"topology": {"kind": "line", "nodes": 6}, "failed": )" + failed +
                             "}");
  };
  EXPECT_EQ(complaint_about(R"({"nodes": [6]})"),
            "m.json: /failed/nodes/0: 6 is not a node (0 to 5)");
  EXPECT_EQ(complaint_about(R"({"links": [[0, 2]]})"),
            "m.json: /failed/links/0/1: no link joins node 0 to node 2 (its neighbours: 1)");
  EXPECT_EQ(complaint_about(R"({"links": [3]})"),
            "m.json: /failed/links/0: 3 is no link (the two nodes it joins)");
  EXPECT_EQ(complaint_about(R"({"node": [3]})"),
            "m.json: /failed/node: unknown key; did you mean `nodes`?");
  EXPECT_EQ(
      complaint_about(R"({"nodes": [4]})"),
      "m.json: /failed: disconnects the machine: node 5 cannot reach the others; name it under "
      "`nodes`, too");
  EXPECT_EQ(
      complaint_about(R"({"links": [[2, 3]]})"),
      "m.json: /failed: disconnects the machine: nodes 3, 4, 5 cannot reach the others; name them "
      "under `nodes`, too");
  EXPECT_EQ(complaint_about(R"({"nodes": [0, 1, 2, 3, 4, 5]})"),
            "m.json: /failed: leaves no node that could host a process");
  EXPECT_EQ(network_complaint(R"({"topology": {"kind": "ring", "nodes": 6},
      "failed": {"nodes": [2]}, "host": {"attached_to": 2}})"),
            "m.json: /host/attached_to: node 2 has failed");
}

std::vector<NodeId> nodes(std::initializer_list<std::uint32_t> numbers) {
  std::vector<NodeId> list;
  for (const std::uint32_t number : numbers) {
    list.emplace_back(number);
  }
  return list;
}

TEST(FailedMachine, EmbeddingsLeaveOutWhatHasFailed) {
  const auto machine = read_network(R"({"topology": {"kind": "ring", "nodes": 8},
      "node": {"slots": 2}, "failed": {"nodes": [1], "spares": [3]}})");
  const auto map = [&](const char* embedding, const char* guest) {
    return make_embedding(*machine->topology, Guest::parse(guest), Params::parse(embedding), 2)
        ->map();
  };
  EXPECT_EQ(map("kind=identity", "line:5"), nodes({0, 0, 2, 2, 4}));
  EXPECT_EQ(map("kind=block", "line:5"), nodes({0, 0, 2, 2, 4}));
  EXPECT_EQ(map("kind=cyclic", "line:7"), nodes({0, 2, 4, 5, 6, 7, 0}));
  EXPECT_EQ(map("kind=standard", "cube:2"), nodes({0, 2, 4, 5}));
  EXPECT_EQ(map("kind=standard", "cube:3"), nodes({0, 0, 2, 2, 4, 4, 5, 5}));
  EXPECT_EQ(map("kind=standard", "line:12"), nodes({0, 0, 2, 2, 4, 4, 5, 5, 6, 6, 7, 7}));
  for (const NodeId node : map("kind=random,seed=3", "line:12")) {
    EXPECT_TRUE(machine->topology->is_usable(node));
  }
  const auto problem = [&](const char* embedding, const char* guest) {
    return complaint([&] { map(embedding, guest); });
  };
  for (const char* kind : {"xor", "by_weight", "gray", "weighted_xor"}) {
    const std::string message = problem(fmt::format("kind={}", kind).c_str(), "cube:3");
    EXPECT_NE(message.find("it needs every node, and 2 of 8 have failed or are kept free"),
              std::string::npos)
        << message;
  }
  EXPECT_EQ(problem("kind=explicit,map=[0,1]", "line:2"),
            "/map/1: node 1 has failed (see the machine's `failed`)");
  EXPECT_EQ(
      problem("kind=explicit,map=[3,0]", "line:2"),
      "/map/0: node 3 hosts no process: a spare, or it fails later (see the machine's `failed`)");
  EXPECT_EQ(problem("kind=identity", "line:13"),
            "/kind: identity does not fit the ring of 8 (line:13 has 13 processes, the machine 12 "
            "slots on 6 usable nodes); a machine of at least 7 nodes of 2 slots would fit");
}

TEST(FailedMachine, SwitchesHaveNotFailed) {
  const auto machine = read_network(R"({"topology": {"kind": "fat_tree", "down": [4, 4],
      "up": [1, 2]}})");
  const auto problem = [&](const char* kind) {
    return complaint(
        [&] { make_embedding(*machine->topology, Guest::parse("cube:4"), Params::parse(kind)); });
  };
  for (const char* kind : {"kind=xor", "kind=gray", "kind=by_weight"}) {
    EXPECT_NE(problem(kind).find("(a fat_tree has no sides)"), std::string::npos) << problem(kind);
  }
}

}  // namespace
}  // namespace dcube
