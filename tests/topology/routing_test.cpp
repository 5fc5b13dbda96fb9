#include "dcube/topology/routing.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/core/random.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/plain/paths.hpp"

namespace dcube {
namespace {

using Shared = std::shared_ptr<const Topology>;

Shared network(const std::string& settings) {
  return make_topology(Params::parse("kind=" + settings, "m.json: /topology"));
}

Shared routed(const std::string& settings, const std::string& routing) {
  return with_routing(network(settings), Params::parse("kind=" + routing, "m.json: /routing"));
}

std::string routing_problem(const std::string& settings, const std::string& routing) {
  try {
    routed(settings, routing);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::vector<std::uint32_t> route_in(const Topology& topology, std::uint32_t from,
                                    std::uint32_t to) {
  std::vector<std::uint32_t> nodes;
  for (const NodeId node : topology.route(NodeId{from}, NodeId{to})) {
    nodes.push_back(node.index());
  }
  return nodes;
}

/// What every routing promises: routes walk links that are there, as many as distance() says, end
/// where asked, and what is left of a route is the route from there.
void check_laws(const Topology& topology) {
  for (std::uint32_t from = 0; from < topology.node_count(); ++from) {
    for (std::uint32_t to = 0; to < topology.node_count(); ++to) {
      if (!topology.reaches(NodeId{from}, NodeId{to})) {
        continue;
      }
      std::uint32_t hops = 0;
      NodeId at{from};
      while (at != NodeId{to}) {
        const dcube::Run run = topology.next_run(at, NodeId{to});
        ASSERT_GT(run.hops, 0U);
        const auto blocks = topology.link_directions();
        ASSERT_LT(run.block, blocks.size());
        ASSERT_LT(run.first.index() - blocks[run.block].first.index(), blocks[run.block].count);
        ASSERT_EQ(run.stride, blocks[run.block].stride);
        for (std::uint32_t hop = 0; hop < run.hops; ++hop) {
          const LinkId number{run.first.index() + hop * static_cast<std::uint32_t>(run.stride)};
          const std::optional<Link> link = topology.link(number);
          ASSERT_TRUE(link.has_value()) << from << " to " << to;
          ASSERT_EQ(link->from, at);
          at = link->to;
          ASSERT_TRUE(topology.is_alive(at));
        }
        ASSERT_EQ(at, run.end);
        hops += run.hops;
        ASSERT_LE(hops, 4 * topology.node_count()) << "a loop";
      }
      ASSERT_EQ(hops, topology.distance(NodeId{from}, NodeId{to})) << from << " to " << to;
      const std::vector<NodeId> nodes = topology.route(NodeId{from}, NodeId{to});
      if (nodes.size() > 1) {
        ASSERT_EQ(topology.route(nodes[1], NodeId{to}),
                  std::vector<NodeId>(nodes.begin() + 1, nodes.end()));
      }
    }
  }
}

void expect_shortest(const Topology& topology) {
  const reference::Graph graph = reference::graph_of(topology);
  for (std::uint32_t from = 0; from < topology.node_count(); ++from) {
    const auto expected = reference::breadth_first_distances(graph, NodeId{from});
    for (std::uint32_t to = 0; to < topology.node_count(); ++to) {
      if (topology.reaches(NodeId{from}, NodeId{to})) {
        ASSERT_EQ(topology.distance(NodeId{from}, NodeId{to}), expected[to]);
      } else if (topology.is_alive(NodeId{from}) && topology.is_alive(NodeId{to})) {
        ASSERT_GE(expected[to], topology.node_count());
      }
    }
  }
}

TEST(DimensionOrder, GoesThroughTheDimensionsAsAsked) {
  const Shared plain = network("mesh,shape=4x4");
  EXPECT_EQ(route_in(*plain, 0, 10), (std::vector<std::uint32_t>{0, 1, 2, 6, 10}));
  const Shared other = routed("mesh,shape=4x4", "dimension_order,order=[1,0]");
  EXPECT_EQ(route_in(*other, 0, 10), (std::vector<std::uint32_t>{0, 4, 8, 9, 10}));
  EXPECT_EQ(other->routing(), "dimension_order 1 0");
  EXPECT_EQ(routed("mesh,shape=4x4", "dimension_order,order=[0,1]")->routing(), "dimension_order");
  EXPECT_EQ(routed("mesh,shape=4x4", "dimension_order")->routing(), "dimension_order");
}

TEST(DimensionOrder, KeepsTheLawsInEveryOrder) {
  for (const char* settings : {"torus,shape=4x5x3", "torus,shape=4x4x2,tie=positive",
                               "mesh,shape=3x4x2", "torus,shape=4x5x3,wrap=[true,false,true]"}) {
    for (const char* order : {"[2,1,0]", "[1,2,0]", "[0,2,1]"}) {
      SCOPED_TRACE(fmt::format("{} {}", settings, order));
      const Shared topology = routed(settings, fmt::format("dimension_order,order={}", order));
      check_laws(*topology);
      expect_shortest(*topology);
    }
  }
  check_laws(*routed("hypercube,dimensions=5", "dimension_order,order=[4,0,3,1,2]"));
}

TEST(DimensionOrder, AnOrderThatDoesNotFitIsAnInputError) {
  EXPECT_EQ(routing_problem("mesh,shape=4x4", "dimension_order,order=[0,2]"),
            "m.json: /routing/order: [0, 2] does not name each of the 2 dimensions once (they are "
            "numbered from 0)");
  EXPECT_EQ(routing_problem("graph,edges=[[0,1]]", "dimension_order"),
            "m.json: /routing/kind: dimension_order does not fit the graph of 2 nodes and 1 link "
            "(it has no dimensions); shortest or table would");
  EXPECT_EQ(
      routing_problem("twisted_torus,shape=2x4", "dimension_order,order=[1,0]"),
      "m.json: /routing/order: the 2x4 twisted torus goes through its dimensions in ascending "
      "order alone; leave `order` out");
  EXPECT_EQ(routing_problem("mesh,shape=4x4", "shortes"),
            "m.json: /routing/kind: \"shortes\" is unknown; did you mean "
            "`shortest`?");
  EXPECT_EQ(routing_problem("mesh,shape=4x4", "shortest,order=[1,0]"),
            "m.json: /routing/order: unknown key; known: kind");
}

TEST(ShortestRouting, IsShortestOnEveryTopology) {
  for (const char* settings :
       {"torus,shape=4x5", "twisted_torus,shape=4x8", "mesh,shape=3x4", "hypercube,dimensions=4",
        "ring,nodes=9", "line,nodes=1", "graph,edges=[[0,1],[1,2],[2,3],[3,0],[1,3]]"}) {
    SCOPED_TRACE(settings);
    const Shared topology = routed(settings, "shortest");
    check_laws(*topology);
    expect_shortest(*topology);
    EXPECT_EQ(topology->routing(), "shortest");
  }
  // Of two ways round, the one over the lower node.
  EXPECT_EQ(route_in(*routed("ring,nodes=4", "shortest"), 2, 0),
            (std::vector<std::uint32_t>{2, 1, 0}));
  EXPECT_EQ(route_in(*routed("ring,nodes=4", "shortest"), 3, 1),
            (std::vector<std::uint32_t>{3, 0, 1}));
}

TEST(TableRouting, FollowsTheTable) {
  // A ring of 3 that always goes upwards.
  const Shared topology =
      routed("ring,nodes=3", "table,routes=[[0,1,1],[0,2,1],[1,2,2],[1,0,2],[2,0,0],[2,1,0]]");
  check_laws(*topology);
  EXPECT_EQ(topology->distance(NodeId{0}, NodeId{2}), 2U);
  EXPECT_EQ(topology->distance(NodeId{2}, NodeId{0}), 1U);
  EXPECT_EQ(topology->routing(), "table");
}

TEST(TableRouting, ATableOfTheUsualRoutesChangesNothing) {
  const TemporaryFolder folder;
  const Shared plain = network("torus,shape=4x3");
  std::string text = "at,to,next\n";
  for (std::uint32_t at = 0; at < plain->node_count(); ++at) {
    for (std::uint32_t to = 0; to < plain->node_count(); ++to) {
      if (at != to) {
        text += fmt::format("{},{},{}\n", at, to, route_in(*plain, at, to)[1]);
      }
    }
  }
  Params settings{"m.json: /routing"};
  settings.set("kind", "table");
  settings.set("file", folder.write("routes.csv", text).string());
  const Shared topology = with_routing(plain, settings);
  check_laws(*topology);
  for (std::uint32_t at = 0; at < plain->node_count(); ++at) {
    for (std::uint32_t to = 0; to < plain->node_count(); ++to) {
      EXPECT_EQ(route_in(*topology, at, to), route_in(*plain, at, to));
    }
  }
}

TEST(TableRouting, HolesAndLoopsAreInputErrors) {
  const auto problem = [](const std::string& routes) {
    return routing_problem("ring,nodes=4", "table,routes=" + routes);
  };
  EXPECT_EQ(
      problem("[[0,1,1]]"),
      "m.json: /routing/routes: there is no route from node 1 to node 0 (every two nodes need "
      "one)");
  EXPECT_EQ(problem("[[1,0,2],[2,0,1],[3,0,0]]"),
            "m.json: /routing/routes: the route from node 1 to node 0 comes back to node 1 and "
            "never ends");
  EXPECT_EQ(problem("[[1,0,0],[2,0,1],[3,0,2],[1,0,2]]"),
            "m.json: /routing/routes/3: node 1 to node 0 is routed twice");
  EXPECT_EQ(problem("[[0,1,2]]"), "m.json: /routing/routes/0: no link leads from node 0 to node 2");
  EXPECT_EQ(problem("[[0,9,1]]"),
            "m.json: /routing/routes/0: 9 is not a node of the machine (0 to 3)");
  EXPECT_EQ(problem("[[1,1,2]]"),
            "m.json: /routing/routes/0: routes node 1 to itself (no link is next there)");
  EXPECT_EQ(problem("[[1,2]]"),
            "m.json: /routing/routes/0: [1, 2] is no route (three nodes: at, to, next)");
  EXPECT_EQ(routing_problem("ring,nodes=4", "table"),
            "m.json: /routing: a table of routes is either in a `file` or under `routes` (give one "
            "of them)");
}

TEST(TableRouting, TerminalsThatDoNotForwardPassNothingOn) {
  // Terminals 0 and 1, each linked to the switches 2 and 3, which do not reach each other.
  const std::string to_terminals = "[2,0,0],[2,1,1],[3,0,0],[3,1,1]";
  const std::string rails =
      "table,routes=[[0,1,2],[1,0,3],[0,2,2],[0,3,3],[1,2,2],[1,3,3]," + to_terminals + "]";
  const Shared topology = routed("fat_tree,down=[2],up=[2]", rails);
  check_laws(*topology);
  EXPECT_EQ(route_in(*topology, 1, 0), (std::vector<std::uint32_t>{1, 3, 0}));
  EXPECT_FALSE(topology->reaches(NodeId{2}, NodeId{3}));
  EXPECT_EQ(routing_problem("fat_tree,down=[2],up=[2]", "table,routes=[[0,1,2],[2,3,0]]"),
            "m.json: /routing/routes/1: node 0 is a terminal, which passes no messages on to node "
            "3");
  EXPECT_EQ(
      routing_problem("fat_tree,down=[2],up=[2]", "table,routes=[" + to_terminals + "]"),
      "m.json: /routing/routes: there is no route from node 1 to node 0 (every two nodes need "
      "one)");
}

TEST(Failures, NothingFailedIsTheMachineItself) {
  const Shared plain = network("torus,shape=4x4");
  EXPECT_EQ(with_failures(plain, {}), plain);
}

TEST(Failures, RoutesThatWorkStayAndOthersAreShortest) {
  for (const char* settings :
       {"torus,shape=5x4", "mesh,shape=4x5", "hypercube,dimensions=4", "twisted_torus,shape=4x8",
        "ring,nodes=9", "graph,edges=[[0,1],[1,2],[2,3],[3,0],[1,3],[3,4],[4,0]]"}) {
    const Shared plain = network(settings);
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      SCOPED_TRACE(fmt::format("{} seed {}", settings, seed));
      SplitMix64 random{seed};
      Failures failures;
      if (seed % 3 != 0) {
        failures.nodes.emplace_back(
            static_cast<std::uint32_t>(bounded(random.next(), plain->node_count())));
      }
      for (std::uint64_t i = 0; i < seed / 2; ++i) {
        const LinkId link{static_cast<std::uint32_t>(bounded(random.next(), plain->link_slots()))};
        if (plain->link(link)) {
          failures.links.push_back(link);
        }
      }
      const Shared topology = with_failures(plain, failures);
      check_laws(*topology);
      expect_shortest(*topology);
      for (std::uint32_t from = 0; from < plain->node_count(); ++from) {
        for (std::uint32_t to = 0; to < plain->node_count(); ++to) {
          bool works = topology->is_alive(NodeId{from}) && topology->is_alive(NodeId{to});
          for_each_link(*plain, NodeId{from}, NodeId{to},
                        [&](LinkId link) { works = works && topology->link(link).has_value(); });
          if (works) {
            ASSERT_EQ(route_in(*topology, from, to), route_in(*plain, from, to));
          }
        }
      }
    }
  }
}

TEST(Failures, RoutesThatAreCutLeaveTheUsualWayBeforeTheCut) {
  const Shared plain = network("mesh,shape=4x4");
  EXPECT_EQ(route_in(*plain, 0, 7), (std::vector<std::uint32_t>{0, 1, 2, 3, 7}));
  const Shared topology =
      with_failures(plain, {{}, {plain->next_run(NodeId{3}, NodeId{7}).first}, {}});
  EXPECT_EQ(route_in(*topology, 0, 7), (std::vector<std::uint32_t>{0, 1, 2, 6, 7}));
}

TEST(Failures, LongRoutesOfATableStayWhereTheyWork) {
  // A ring of 5 that always goes upwards, its link 2-3 cut.
  std::string routes;
  for (int to = 0; to < 5; ++to) {
    for (int at = 0; at < 5; ++at) {
      routes += at == to ? "" : fmt::format("[{},{},{}],", at, to, (at + 1) % 5);
    }
  }
  routes.pop_back();
  const Shared upwards = routed("ring,nodes=5", "table,routes=[" + routes + "]");
  const Shared plain = network("ring,nodes=5");
  const Shared topology =
      with_failures(upwards, {{}, {plain->next_run(NodeId{2}, NodeId{3}).first}, {}});
  check_laws(*topology);
  EXPECT_EQ(route_in(*topology, 3, 2), (std::vector<std::uint32_t>{3, 4, 0, 1, 2}));
  EXPECT_EQ(route_in(*topology, 4, 3), (std::vector<std::uint32_t>{4, 3}));
  EXPECT_EQ(route_in(*topology, 2, 3), (std::vector<std::uint32_t>{2, 1, 0, 4, 3}));
  EXPECT_EQ(route_in(*topology, 1, 0), (std::vector<std::uint32_t>{1, 0}));
}

TEST(Failures, DeadNodesAndLinksAreNotThere) {
  const Shared plain = network("torus,shape=4x4");
  const LinkId cut = plain->next_run(NodeId{0}, NodeId{1}).first;
  const Shared topology = with_failures(plain, {{NodeId{5}}, {cut}, {NodeId{10}}});
  EXPECT_FALSE(topology->is_alive(NodeId{5}));
  EXPECT_TRUE(topology->is_alive(NodeId{10}));
  EXPECT_FALSE(topology->is_usable(NodeId{10}));
  EXPECT_EQ(topology->usable_count(), 14U);
  EXPECT_EQ(topology->node_count(), 16U);
  EXPECT_EQ(topology->link_count(), 32U - 4U - 1U);
  EXPECT_TRUE(topology->neighbours(NodeId{5}).empty());
  EXPECT_FALSE(topology->link(cut));
  EXPECT_FALSE(topology->link(plain->reverse(cut)));
  EXPECT_FALSE(topology->reaches(NodeId{0}, NodeId{5}));
  EXPECT_TRUE(topology->reaches(NodeId{0}, NodeId{10}));
  EXPECT_THROW(topology->distance(NodeId{0}, NodeId{5}), ContractViolation);
  EXPECT_THROW(topology->next_run(NodeId{0}, NodeId{5}), ContractViolation);
  EXPECT_TRUE(cut_off_nodes(*topology).empty());
  EXPECT_THROW(with_failures(plain, {{NodeId{16}}, {}, {}}), ContractViolation);
}

TEST(Failures, PartsThatAreCutOffAreNamed) {
  const Shared plain = network("line,nodes=6");
  const Shared topology = with_failures(plain, {{NodeId{4}}, {}, {}});
  EXPECT_EQ(cut_off_nodes(*topology), std::vector<NodeId>{NodeId{5}});
  EXPECT_TRUE(topology->reaches(NodeId{0}, NodeId{3}));
  EXPECT_FALSE(topology->reaches(NodeId{0}, NodeId{5}));
  const Shared halves =
      with_failures(plain, {{}, {plain->next_run(NodeId{2}, NodeId{3}).first}, {}});
  EXPECT_EQ(cut_off_nodes(*halves), (std::vector<NodeId>{NodeId{3}, NodeId{4}, NodeId{5}}));
}

TEST(Failures, NodesThatHostNothingKeepWhatHasFailed) {
  const Shared broken = with_failures(network("torus,shape=4x4"), {{NodeId{5}}, {LinkId{0}}, {}});
  std::vector<bool> may_host(16, true);
  may_host[0] = may_host[5] = may_host[9] = false;
  const Shared chosen = with_hosts_among(broken, may_host);
  EXPECT_EQ(chosen->usable_count(), 13U);
  EXPECT_TRUE(chosen->is_alive(NodeId{0}));
  EXPECT_FALSE(chosen->is_usable(NodeId{0}));
  EXPECT_FALSE(chosen->is_alive(NodeId{5}));
  EXPECT_EQ(failures_of(*chosen).spares, (std::vector<NodeId>{NodeId{0}, NodeId{9}}));
  for (std::uint32_t from = 0; from < 16; ++from) {
    for (std::uint32_t to = 0; to < 16; ++to) {
      if (broken->reaches(NodeId{from}, NodeId{to})) {
        EXPECT_EQ(chosen->route(NodeId{from}, NodeId{to}), broken->route(NodeId{from}, NodeId{to}));
      }
    }
  }
  EXPECT_THROW(with_hosts_among(broken, std::vector<bool>(3)), ContractViolation);
}

}  // namespace
}  // namespace dcube
