#include "dcube/topology/graph.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/json_reading.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/random.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/plain/paths.hpp"
#include "support/warnings_of.hpp"
#include "topology/shortest_paths.hpp"

namespace dcube {
namespace {

std::unique_ptr<Topology> graph_of(const std::string& edges) {
  return make_topology(Params::parse("kind=graph,edges=" + edges, "m.json: /topology"));
}

std::string graph_problem(const std::string& edges) {
  try {
    graph_of(edges);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// A cycle of all nodes and as many chords.
std::vector<GraphEdge> random_edges(std::uint32_t nodes, std::uint64_t seed) {
  SplitMix64 random{seed};
  std::vector<GraphEdge> edges;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    edges.push_back({NodeId{node}, NodeId{(node + 1) % nodes}});
  }
  for (std::uint32_t node = 0; node + 2 < nodes; ++node) {
    const auto other =
        node + 2 + static_cast<std::uint32_t>(bounded(random.next(), nodes - node - 2));
    if (node != 0 || other != nodes - 1) {
      edges.push_back({NodeId{node}, NodeId{other}});
    }
  }
  return edges;
}

std::unique_ptr<Topology> random_graph(std::uint32_t nodes, std::uint64_t seed) {
  Params settings{"m.json: /topology"};
  settings.set("edges", "random");
  return make_graph_topology(random_edges(nodes, seed), settings);
}

TEST(Graph, RoutesGoToTheLowestNearerNode) {
  //   0 - 1 - 3        from 0 to 3 by 1, not by 2; back from 3 by 1
  //    \- 2 -/
  const auto topology = graph_of("[[0,1],[0,2],[1,3],[2,3]]");
  EXPECT_EQ(topology->route(NodeId{0}, NodeId{3}),
            (std::vector<NodeId>{NodeId{0}, NodeId{1}, NodeId{3}}));
  EXPECT_EQ(topology->routing(), "shortest");
  EXPECT_EQ(describe(*topology), "graph of 4 nodes and 4 links");
}

TEST(Graph, DistancesOfRandomGraphsAreThoseOfBreadthFirstSearch) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto topology = random_graph(5 + static_cast<std::uint32_t>(3 * seed), seed);
    const reference::Graph graph = reference::graph_of(*topology);
    for (std::uint32_t from = 0; from < topology->node_count(); ++from) {
      const auto expected = reference::breadth_first_distances(graph, NodeId{from});
      for (std::uint32_t to = 0; to < topology->node_count(); ++to) {
        ASSERT_EQ(topology->distance(NodeId{from}, NodeId{to}), expected[to]);
        ASSERT_EQ(topology->route(NodeId{from}, NodeId{to}).size(), expected[to] + 1U);
      }
    }
  }
}

TEST(Graph, EdgesThatMakeNoMachineAreInputErrors) {
  EXPECT_EQ(graph_problem("[[0,1],[2,3]]"),
            "m.json: /topology/edges: the graph is not connected: 2 of its 4 nodes, node 2 first, "
            "cannot be reached from node 0; add an edge, or make machines of the parts");
  EXPECT_EQ(graph_problem("[[0,1],[1,0]]"),
            "m.json: /topology/edges: the edge 0-1 is named twice (an edge is both directions of a "
            "link); leave one out");
  EXPECT_EQ(graph_problem("[[0,1],[1,1]]"),
            "m.json: /topology/edges: an edge joins node 1 to itself (messages inside a node need "
            "none); leave it out");
  EXPECT_EQ(graph_problem("[[0,1],[1,3]]"),
            "m.json: /topology/edges: no edge names node 2 (nodes are 0 to 3, the greatest number "
            "named, without a gap); number them anew");
  EXPECT_EQ(graph_problem("[[0,4000000000]]"),
            "m.json: /topology/edges: no edge names node 1 (nodes are 0 to 4000000000, the "
            "greatest number named, without a gap); number them anew");
  EXPECT_EQ(graph_problem("[[0,1,2]]"),
            "m.json: /topology/edges/0: [0, 1, 2] is no edge (two nodes [0, 1], with a class "
            "[0, 1, \"wide\"], or a group {\"from\": 0, \"to\": 1})");
  EXPECT_EQ(graph_problem("[[0,-1]]"),
            "m.json: /topology/edges/0/1: -1 is not the number of a node (0 or more)");
  EXPECT_NE(graph_problem("[]"), "no error");
}

TEST(Graph, ReadsATable) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& text) {
    Params settings{"m.json: /topology"};
    settings.set("edges", folder.write("edges.csv", text).string());
    return read_graph_edges(settings);
  };
  const auto edges = read(
      "# a triangle\nfrom,to,latency,per_byte,bandwidth\n\n0,1,2us,,1GBps # fast\n 1 , 2 "
      ",,3ns,\n2,0,,,\n");
  ASSERT_EQ(edges.size(), 3U);
  EXPECT_EQ(edges[0].latency, ExactTime(2'000'000, 1));
  EXPECT_EQ(edges[0].per_byte, ExactTime(1'000, 1));
  EXPECT_EQ(edges[1].to, NodeId{2});
  EXPECT_FALSE(edges[1].latency);
  EXPECT_EQ(edges[1].per_byte, ExactTime(3'000, 1));
  EXPECT_FALSE(edges[2].latency || edges[2].per_byte);
  const auto problem = [&](const std::string& text) {
    try {
      read(text);
    } catch (const InputError& error) {
      return folder.shortened(error.what());
    }
    return std::string{"no error"};
  };
  EXPECT_EQ(problem(""),
            "edges.csv: is empty (its first line names the columns: "
            "from,to,latency,bandwidth,per_byte,class)");
  EXPECT_EQ(problem("0,1\n"),
            "edges.csv: line 1: 0 is no column; known: from, to, latency, bandwidth, per_byte, "
            "class");
  EXPECT_EQ(problem("from,latency\n"), "edges.csv: line 1: there is no column `to`");
  EXPECT_EQ(problem("from,to,to\n"), "edges.csv: line 1: the column `to` is there twice");
  EXPECT_EQ(problem("from,to\n0,1\n1\n"), "edges.csv: line 3: 1 cells where the first line has 2");
  EXPECT_EQ(problem("from,to\n0,x\n"), "edges.csv: line 2: \"x\" is not the number of a node");
  EXPECT_EQ(problem("from,to,bandwidth,per_byte\n0,1,1GBps,1ns\n"),
            "edges.csv: line 2: `bandwidth` beside `per_byte` (one of them says what a byte "
            "costs)");
  EXPECT_EQ(problem("from,to,latency\n0,1,fast\n").substr(0, 18), "edges.csv: line 2:");
}

TEST(Graph, LinksAreNumberedClassByClass) {
  const auto topology =
      make_topology(*read_json(R"({"kind": "graph", "edges": [[0, 1, "wide"], [1, 2],
                     {"from": 2, "to": 3, "class": "thin"}, [0, 3, "wide"], [1, 3, "default"]]})",
                               "m.json")
                         .group());
  EXPECT_EQ(topology->structure().link_classes,
            (std::vector<std::string>{"wide", "thin", "default"}));
  EXPECT_EQ(topology->class_count(), 3U);
  std::vector<std::uint32_t> classes;
  for (std::uint32_t link = 0; link < topology->link_slots(); ++link) {
    classes.push_back(topology->link(LinkId{link})->dimension);
  }
  EXPECT_EQ(classes, (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 2, 2, 2, 2}));
  EXPECT_EQ(topology->kind(), "graph");
  EXPECT_EQ(topology->routing(), "shortest");
  EXPECT_EQ(describe(*topology), "graph of 4 nodes and 5 links");
}

TEST(Graph, RoutesDoNotDependOnClasses) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::uint32_t nodes = 5 + static_cast<std::uint32_t>(2 * seed);
    std::vector<GraphEdge> edges = random_edges(nodes, seed);
    const auto plain = random_graph(nodes, seed);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      edges[i].link_class = i % 3 == 0 ? "" : i % 3 == 1 ? "a" : "b";
    }
    Params settings{"m.json: /topology"};
    settings.set("edges", "random");
    const auto classed = make_graph_topology(edges, settings);
    for (std::uint32_t from = 0; from < nodes; ++from) {
      for (std::uint32_t to = 0; to < nodes; ++to) {
        ASSERT_EQ(classed->route(NodeId{from}, NodeId{to}), plain->route(NodeId{from}, NodeId{to}));
      }
    }
  }
}

TEST(Graph, ClassesHaveNames) {
  const auto problem = [](const std::string& edges) {
    try {
      make_topology(*read_json(R"({"kind": "graph", "edges": )" + edges + "}", "m.json").group());
    } catch (const InputError& error) {
      return std::string{error.what()};
    }
    return std::string{"no error"};
  };
  EXPECT_EQ(problem(R"([[0, 1, ""]])"),
            "m.json: /edges/0/2: \"\" is no name of a class of links (a text of at least one "
            "letter)");
  EXPECT_EQ(problem(R"([{"from": 0, "to": 1, "class": 3}])"),
            "m.json: /edges/0/class: 3 is not a text");
  const auto edges_of_classes = [](std::uint32_t count) {
    std::string edges;
    for (std::uint32_t node = 0; node < count; ++node) {
      edges += fmt::format("{}[{}, {}, \"{}\"]", node > 0 ? ", " : "", node, node + 1, node);
    }
    return "[" + edges + "]";
  };
  EXPECT_EQ(problem(edges_of_classes(63)), "no error");
  EXPECT_EQ(problem(edges_of_classes(64)),
            "m.json: /edges: 64 classes of links (a graph has at most 63; edges may have costs of "
            "their own)");
  const TemporaryFolder folder;
  Params settings{"m.json: /topology"};
  settings.set("edges", folder.write("edges.csv", "from,to,class\n0,1,wide\n1,2,\n").string());
  const std::vector<GraphEdge> edges = read_graph_edges(settings);
  EXPECT_EQ(edges[0].link_class, "wide");
  EXPECT_EQ(edges[1].link_class, "");
}

TEST(Graph, WarnsOfCostsInCsvThatOnlyAForgottenUnitExplains) {
  const TemporaryFolder folder;
  const auto warnings = [&](const std::string& text) {
    Params settings = Params::parse("kind=graph");
    settings.set("edges", folder.write("edges.csv", text).string());
    return folder.shortened(warnings_of([&] { read_graph_edges(settings); }));
  };
  EXPECT_EQ(warnings("from,to,latency,bandwidth\n0,1,1us,1GBps\n1,2,600,1e9\n2,3,700,10GBps\n"),
            "edges.csv: line 3: `latency` is above 1 ms on a machine with a bandwidth (a number "
            "without a unit is seconds); write the unit, such as \"600ns\" or \"600s\"\n");
  EXPECT_EQ(warnings("from,to,bandwidth\n0,1,10\n"),
            "edges.csv: line 2: `bandwidth` is below 1 kB/s (a number without a unit is bytes per "
            "second); write the unit, such as \"10GBps\"\n");
  EXPECT_EQ(warnings("from,to,latency,bandwidth\n0,1,600s,10Bps\n"), "");
  EXPECT_EQ(warnings("from,to,latency\n0,1,600\n"), "");
}

TEST(ShortestPaths, TablesMakeRoomForEachOther) {
  const auto topology = random_graph(300, 7);
  const ShortestPaths roomy{adjacency_of(*topology)};
  const ShortestPaths tight{adjacency_of(*topology), 4 * 75};
  SplitMix64 random{3};
  for (int i = 0; i < 5000; ++i) {
    const NodeId from{static_cast<std::uint32_t>(bounded(random.next(), 300))};
    const NodeId to{static_cast<std::uint32_t>(bounded(random.next(), 300))};
    ASSERT_EQ(tight.distance(from, to), roomy.distance(from, to));
    if (from != to) {
      ASSERT_EQ(tight.next(from, to).link, roomy.next(from, to).link);
    }
  }
}

TEST(ShortestPaths, ManyThreadsMayAsk) {
  const auto topology = random_graph(200, 11);
  const reference::Graph graph = reference::graph_of(*topology);
  for (const std::uint64_t bytes : {ShortestPaths::most_table_bytes, std::uint64_t{500}}) {
    const ShortestPaths paths{adjacency_of(*topology), bytes};
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (std::uint32_t thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        for (std::uint32_t to = 0; to < 200; ++to) {
          const NodeId end{(to * 7 + thread * 50) % 200};
          const auto expected = reference::breadth_first_distances(graph, end);
          for (std::uint32_t from = 0; from < 200; ++from) {
            wrong += paths.distance(NodeId{from}, end) != expected[from] ? 1 : 0;
          }
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    EXPECT_EQ(wrong, 0);
  }
}

TEST(Graph, AHundredThousandNodesTakeMemoryLinearInTheLinks) {
  const auto topology = random_graph(100'000, 5);
  EXPECT_EQ(topology->node_count(), 100'000U);
  const reference::Graph graph = reference::graph_of(*topology);
  for (const std::uint32_t to : {0U, 77U, 99'999U}) {
    const auto expected = reference::breadth_first_distances(graph, NodeId{to});
    for (std::uint32_t from = 0; from < topology->node_count(); from += 997) {
      EXPECT_EQ(topology->distance(NodeId{from}, NodeId{to}), expected[from]);
    }
  }
}

}  // namespace
}  // namespace dcube
