#include "dcube/metrics/embedding_metrics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "irregular_graph.hpp"
#include "placements.hpp"

namespace dcube {
namespace {

using NodePair = std::pair<NodeId, NodeId>;

LoadSummary summary_of(const std::vector<std::uint64_t>& loads) {
  LoadSummary summary;
  if (loads.empty()) {
    return summary;
  }
  summary.min = *std::min_element(loads.begin(), loads.end());
  summary.max = *std::max_element(loads.begin(), loads.end());
  std::uint64_t total = 0;
  for (const std::uint64_t load : loads) {
    total += load;
  }
  summary.mean = static_cast<double>(total) / static_cast<double>(loads.size());
  return summary;
}

/// Loads, hop by hop.
class WalkedLoads {
 public:
  WalkedLoads(const Topology& topology, LinkSharing sharing)
      : sharing_{sharing}, nodes_(topology.node_count()) {
    for (const NodeId node : all_nodes(topology)) {
      for (const NodeId neighbour : topology.neighbours(node)) {
        links_[server(node, neighbour)] = 0;
      }
    }
  }

  void add(const std::vector<NodeId>& route) {
    for (std::size_t i = 0; i + 1 < route.size(); ++i) {
      ++links_.at(server(route[i], route[i + 1]));
      if (i > 0) {
        ++nodes_[route[i].index()];
      }
    }
  }

  void expect_equal(const LoadSummary& node, const LoadSummary& link) const {
    expect_equal(node, nodes_);
    std::vector<std::uint64_t> links;
    for (const auto& [ends, load] : links_) {
      links.push_back(load);
    }
    expect_equal(link, links);
  }

 private:
  static void expect_equal(const LoadSummary& actual, const std::vector<std::uint64_t>& loads) {
    const LoadSummary expected = summary_of(loads);
    EXPECT_EQ(actual.min, expected.min);
    EXPECT_EQ(actual.max, expected.max);
    EXPECT_DOUBLE_EQ(actual.mean, expected.mean);
  }

  NodePair server(NodeId from, NodeId to) const {
    return sharing_ == LinkSharing::directed ? NodePair{from, to} : NodePair{std::minmax(from, to)};
  }

  LinkSharing sharing_;
  std::map<NodePair, std::uint64_t> links_;
  std::vector<std::uint64_t> nodes_;
};

/// The definitions, hop by hop.
class ReferenceMetrics {
 public:
  ReferenceMetrics(const Topology& topology, const Guest& guest, const std::vector<NodeId>& map,
                   LinkSharing sharing)
      : both_ways_{topology, sharing}, one_way_{topology, LinkSharing::undirected} {
    for (std::uint32_t dimension = 0; dimension < guest.dimension_count(); ++dimension) {
      std::set<std::uint32_t> distances;
      for (std::uint32_t label = 0; label < guest.process_count(); ++label) {
        if (const auto partner = guest.partner(ProcessId{label}, dimension)) {
          const auto [lower, higher] = std::minmax({label, partner->index()});
          distances.insert(count_edge(topology.route(map[lower], map[higher]),
                                      topology.route(map[higher], map[lower])));
        }
      }
      distances.insert(distances.empty() ? 0 : *distances.begin());
      is_constant_ = is_constant_ && distances.size() == 1;
      constant_distances_.push_back(*distances.begin());
    }
  }

  void expect_equal(const EmbeddingMetrics& metrics) const {
    EXPECT_EQ(metrics.constant_distances,
              is_constant_ ? constant_distances_ : std::vector<std::uint32_t>{});
    EXPECT_EQ(metrics.spectrum, spectrum_);
    std::uint64_t edges = 0;
    std::uint64_t total = 0;
    for (const auto& [dilation, count] : spectrum_) {
      edges += count;
      total += count * dilation;
    }
    EXPECT_EQ(metrics.longest_dilation, spectrum_.empty() ? 0 : spectrum_.rbegin()->first);
    EXPECT_EQ(metrics.total_dilation, total);
    EXPECT_DOUBLE_EQ(metrics.average_dilation,
                     edges == 0 ? 0 : static_cast<double>(hops_) / static_cast<double>(2 * edges));
    both_ways_.expect_equal(metrics.node_load, metrics.link_load);
    one_way_.expect_equal(metrics.one_way.node, metrics.one_way.link);
  }

 private:
  std::uint32_t count_edge(const std::vector<NodeId>& there, const std::vector<NodeId>& back) {
    both_ways_.add(there);
    both_ways_.add(back);
    one_way_.add(there);
    hops_ += there.size() + back.size() - 2;
    const auto longer = static_cast<std::uint32_t>(std::max(there.size(), back.size()) - 1);
    ++spectrum_[longer];
    return longer;
  }

  WalkedLoads both_ways_;
  WalkedLoads one_way_;
  std::uint64_t hops_ = 0;
  std::map<std::uint32_t, std::uint64_t> spectrum_;
  std::vector<std::uint32_t> constant_distances_;
  bool is_constant_ = true;
};

void expect_reference_metrics(const Topology& topology, const Guest& guest,
                              const std::vector<NodeId>& map) {
  for (const LinkSharing sharing : {LinkSharing::directed, LinkSharing::undirected}) {
    ReferenceMetrics{topology, guest, map, sharing}.expect_equal(
        measure_embedding(topology, guest, map, sharing));
  }
}

TEST(EmbeddingMetrics, StandardOnARingOfEightIsTheWorkedExample) {
  const auto ring = topology_of("kind=ring,nodes=8");
  const EmbeddingMetrics metrics =
      measure_embedding(*ring, Guest::cube(3), map_of(*ring, Guest::cube(3), "standard"));
  EXPECT_EQ(metrics.dimensions, 3U);
  EXPECT_EQ(metrics.constant_distances, (std::vector<std::uint32_t>{1, 2, 4}));
  EXPECT_EQ(metrics.longest_dilation, 4U);
  EXPECT_EQ(metrics.total_dilation, 28U);
  EXPECT_EQ(metrics.average_dilation, 2.3333333333333335);
  EXPECT_EQ(metrics.spectrum, (std::map<std::uint32_t, std::uint64_t>{{1, 4}, {2, 4}, {4, 4}}));
  EXPECT_EQ(metrics.node_load.min, 0U);
  EXPECT_EQ(metrics.node_load.max, 6U);
  EXPECT_EQ(metrics.node_load.mean, 4.0);
  EXPECT_EQ(metrics.link_load.min, 0U);
  EXPECT_EQ(metrics.link_load.max, 5U);
  EXPECT_EQ(metrics.link_load.mean, 3.5);
  EXPECT_EQ(metrics.one_way.node.max, 3U);
  EXPECT_EQ(metrics.one_way.link.max, 5U);
}

TEST(EmbeddingMetrics, MessagesBackGoTheirOwnWay) {
  const auto mesh = topology_of("kind=mesh,shape=2x2");
  const EmbeddingMetrics metrics =
      measure_embedding(*mesh, Guest::parse("line:2"), std::vector{NodeId{0}, NodeId{3}});
  EXPECT_EQ(metrics.link_load.max, 1U);    // 0->1->3 and 3->2->0
  EXPECT_EQ(metrics.node_load.mean, 0.5);  // nodes 1 and 2
  EXPECT_EQ(metrics.one_way.node.mean, 0.25);
}

TEST(EmbeddingMetrics, HypercubeOnItselfUsesEveryLinkOnce) {
  const auto cube = topology_of("kind=hypercube,dimensions=5");
  const EmbeddingMetrics metrics = measure_embedding(*cube, Guest::cube(5), all_nodes(*cube));
  EXPECT_EQ(metrics.constant_distances, std::vector<std::uint32_t>(5, 1));
  EXPECT_EQ(metrics.link_load.min, 1U);
  EXPECT_EQ(metrics.link_load.max, 1U);
  EXPECT_EQ(metrics.node_load.max, 0U);
}

TEST(EmbeddingMetrics, DistancesThatDifferAreNotConstant) {
  const auto line = topology_of("kind=line,nodes=8");
  const EmbeddingMetrics metrics =
      measure_embedding(*line, Guest::cube(3), map_of(*line, Guest::cube(3), "by_weight"));
  EXPECT_TRUE(metrics.constant_distances.empty());
}

TEST(EmbeddingMetrics, NeedANumberPerNodeAndOnePerNodeAndDimension) {
  // The marks of a dimension are followed by a margin of one stride.
  EXPECT_EQ(measuring_bytes(*topology_of("kind=torus,shape=8x4"), Guest::cube(5)),
            4U * (32 + (32 + 1) + (32 + 8)));
  EXPECT_EQ(measuring_bytes(*topology_of("kind=torus,shape=32768x16384"), Guest::cube(29)),
            8U * (std::uint64_t{3} << 29) + 8U * (1 + 32768));
}

TEST(EmbeddingMetrics, OneNodeHasNoLoadAndNoDilation) {
  const auto line = topology_of("kind=line,nodes=1");
  const EmbeddingMetrics metrics = measure_embedding(*line, Guest::cube(0), all_nodes(*line));
  EXPECT_EQ(metrics.dimensions, 0U);
  EXPECT_TRUE(metrics.spectrum.empty());
  EXPECT_EQ(metrics.average_dilation, 0);
  EXPECT_EQ(metrics.link_load.min, 0U);
  EXPECT_EQ(metrics.link_load.mean, 0);
  EXPECT_EQ(metrics.node_load.max, 0U);
}

TEST(EmbeddingMetrics, OneProcessOnManyNodesLeavesAllLinksIdle) {
  const auto torus = topology_of("kind=torus,shape=4x3");
  expect_reference_metrics(*torus, Guest::cube(0), {NodeId{7}});
}

TEST(EmbeddingMetrics, DimensionWithoutEdgesHasDistanceZero) {
  const auto line = topology_of("kind=line,nodes=4");
  const EmbeddingMetrics metrics =
      measure_embedding(*line, Guest::parse("mesh:1x4"), all_nodes(*line));
  EXPECT_EQ(metrics.constant_distances, (std::vector<std::uint32_t>{0, 1}));
}

TEST(EmbeddingMetrics, MapOfAnotherSizeIsAContractViolation) {
  const auto ring = topology_of("kind=ring,nodes=8");
  EXPECT_THROW(measure_embedding(*ring, Guest::cube(2), all_nodes(*ring)), ContractViolation);
}

/// Every machine with every guest that fits, placed at random, against the hop-by-hop reference.
class RandomEmbedding : public testing::TestWithParam<const char*> {};

TEST_P(RandomEmbedding, EqualsTheHopByHopReference) {
  const auto topology = topology_of(GetParam());
  for (const char* name :
       {"cube:0",   "cube:1",     "cube:2",    "cube:3",    "cube:4",    "cube:5",
        "cube:6",   "line:7",     "ring:2",    "ring:3",    "ring:9",    "ring:12",
        "mesh:3x4", "mesh:2x2x3", "torus:2x4", "torus:3x4", "torus:4x4", "torus:3x2x3",
        "tree:1",   "tree:3",     "tree:7",    "tree:15"}) {
    const Guest guest = Guest::parse(name);
    for (std::uint64_t seed = 0; seed < 8 && guest.process_count() <= topology->node_count();
         ++seed) {
      SCOPED_TRACE(std::string{name} + ", seed " + std::to_string(seed));
      std::mt19937_64 random{seed};
      expect_reference_metrics(*topology, guest,
                               random_map(*topology, guest.process_count(), random));
    }
  }
}

TEST_P(RandomEmbedding, WithSeveralProcessesOnANodeEqualsTheReference) {
  const auto topology = topology_of(GetParam());
  for (const char* name : {"cube:2", "cube:5", "ring:12", "mesh:3x4", "torus:4x4", "tree:15"}) {
    const Guest guest = Guest::parse(name);
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE(std::string{name} + ", seed " + std::to_string(seed));
      std::mt19937_64 random{seed};
      std::uniform_int_distribution<std::uint32_t> node{0, topology->node_count() - 1};
      std::vector<NodeId> map;
      for (std::uint32_t process = 0; process < guest.process_count(); ++process) {
        map.emplace_back(node(random));
      }
      expect_reference_metrics(*topology, guest, map);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Machines, RandomEmbedding,
    testing::Values("kind=line,nodes=2", "kind=line,nodes=12", "kind=line,nodes=17",
                    "kind=ring,nodes=2", "kind=ring,nodes=3", "kind=ring,nodes=4",
                    "kind=ring,nodes=4,tie=positive", "kind=ring,nodes=12",
                    "kind=ring,nodes=12,tie=positive", "kind=ring,nodes=13", "kind=mesh,shape=4x4",
                    "kind=mesh,shape=1x9", "kind=mesh,shape=3x5x2", "kind=torus,shape=2x2",
                    "kind=torus,shape=4x4", "kind=torus,shape=4x4,tie=positive",
                    "kind=torus,shape=6x1x4", "kind=torus,shape=3x5x2",
                    "kind=torus,shape=2x6x4,tie=positive", "kind=torus,shape=8x8",
                    "kind=torus,shape=8x8,tie=positive", "kind=torus,shape=4x4x4",
                    "kind=hypercube,dimensions=4", "kind=hypercube,dimensions=6"),
    [](const auto& instance) {
      std::string name = instance.param;
      std::replace_if(
          name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
      return name;
    });

TEST(EmbeddingMetrics, EqualTheReferenceOnEveryTopologyOfTheCatalogue) {
  for (const TopologyKind* kind : topology_catalog()) {
    if (kind->example.empty()) {
      continue;  // it is made from a file
    }
    const auto topology = topology_of("kind=" + kind->name + "," + kind->example);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE(kind->name + ", seed " + std::to_string(seed));
      std::mt19937_64 random{seed};
      const Guest guest = cube_of(*topology);
      expect_reference_metrics(*topology, guest,
                               random_map(*topology, guest.process_count(), random));
    }
  }
}

TEST(EmbeddingMetrics, EqualTheReferenceWhereLinksFormNoLines) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random{seed};
    const IrregularGraph graph{20, 12, random};
    for (const char* name : {"cube:4", "tree:15", "ring:20"}) {
      const Guest guest = Guest::parse(name);
      expect_reference_metrics(graph, guest, random_map(graph, guest.process_count(), random));
    }
  }
}

TEST(MaxLinkLoad, NoMessagesLoadNothing) {
  const auto ring = topology_of("kind=ring,nodes=8");
  EXPECT_EQ(max_link_load(*ring, {}, LinkSharing::directed), 0U);
  EXPECT_EQ(max_link_load(*topology_of("kind=line,nodes=1"), {}, LinkSharing::undirected), 0U);
}

TEST(MaxLinkLoad, OppositeMessagesMeetOnlyWhenALinkIsShared) {
  const auto ring = topology_of("kind=ring,nodes=8");
  const std::vector<NodePair> messages{{NodeId{6}, NodeId{1}}, {NodeId{0}, NodeId{7}}};
  EXPECT_EQ(max_link_load(*ring, messages, LinkSharing::directed), 1U);
  EXPECT_EQ(max_link_load(*ring, messages, LinkSharing::undirected), 2U);
}

std::uint64_t walked_max_link_load(const Topology& topology, const std::vector<NodePair>& messages,
                                   LinkSharing sharing) {
  std::map<NodePair, std::uint64_t> loads;
  std::uint64_t most = 0;
  for (const auto& [from, to] : messages) {
    const std::vector<NodeId> route = topology.route(from, to);
    for (std::size_t i = 0; i + 1 < route.size(); ++i) {
      const NodePair link = sharing == LinkSharing::directed
                                ? NodePair{route[i], route[i + 1]}
                                : NodePair{std::minmax(route[i], route[i + 1])};
      most = std::max(most, ++loads[link]);
    }
  }
  return most;
}

TEST(MaxLinkLoad, EqualsTheHopByHopReferenceForRandomMessages) {
  for (const char* machine :
       {"kind=line,nodes=9", "kind=ring,nodes=8", "kind=ring,nodes=11", "kind=mesh,shape=4x5",
        "kind=torus,shape=4x5", "kind=torus,shape=4x6x2,tie=positive",
        "kind=hypercube,dimensions=4"}) {
    const auto topology = topology_of(machine);
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      SCOPED_TRACE(std::string{machine} + ", seed " + std::to_string(seed));
      std::mt19937_64 random{seed};
      std::uniform_int_distribution<std::uint32_t> node{0, topology->node_count() - 1};
      std::vector<NodePair> messages;
      for (int i = 0; i < 40; ++i) {
        const NodeId from{node(random)};
        messages.emplace_back(from, NodeId{node(random)});
      }
      for (const LinkSharing sharing : {LinkSharing::directed, LinkSharing::undirected}) {
        EXPECT_EQ(max_link_load(*topology, messages, sharing),
                  walked_max_link_load(*topology, messages, sharing));
      }
    }
  }
}

}  // namespace
}  // namespace dcube
