#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "irregular_graph.hpp"
#include "placements.hpp"

namespace dcube {
namespace {

double average_dilation(const Topology& topology, const Guest& guest,
                        const std::vector<NodeId>& map) {
  std::uint64_t edges = 0;
  std::uint64_t total = 0;
  for (std::uint32_t dimension = 0; dimension < guest.dimension_count(); ++dimension) {
    for (std::uint32_t label = 0; label < guest.process_count(); ++label) {
      if (const auto partner = guest.partner(ProcessId{label}, dimension)) {
        total += topology.distance(map[label], map[partner->index()]);
        ++edges;
      }
    }
  }
  return edges == 0 ? 0 : static_cast<double>(total) / static_cast<double>(edges);
}

/// Over all placements on as many nodes as processes.
double least_average_dilation(const Topology& topology, const Guest& guest) {
  std::vector<NodeId> map = all_nodes(topology);
  double least = std::numeric_limits<double>::max();
  do {
    least = std::min(least, average_dilation(topology, guest, map));
  } while (std::next_permutation(map.begin(), map.end()));
  return least;
}

TEST(DilationBound, RingOfEightNeedsFiveThirds) {
  const DilationBound bound = dilation_bound(*topology_of("kind=ring,nodes=8"), Guest::cube(3));
  EXPECT_EQ(bound.average_dilation, 1.6666666666666667);
  EXPECT_NE(bound.source.find("arXiv 2302.13237"), std::string::npos);
}

TEST(DilationBound, IsReachedByEveryOptimalEmbedding) {
  const auto expect_reached = [](const std::string& machine, const std::string& embedding) {
    SCOPED_TRACE(machine);
    const auto topology = topology_of(machine);
    const Guest guest = cube_of(*topology);
    EXPECT_DOUBLE_EQ(dilation_bound(*topology, guest).average_dilation,
                     average_dilation(*topology, guest, map_of(*topology, guest, embedding)));
  };
  expect_reached("kind=ring,nodes=64", "xor");
  expect_reached("kind=torus,shape=8x4x2", "xor");
  expect_reached("kind=line,nodes=64", "standard");
  expect_reached("kind=mesh,shape=8x4x2", "standard");
  expect_reached("kind=hypercube,dimensions=6", "standard");
}

TEST(DilationBound, IsTheLeastOverAllPlacementsOfACubeOnEightNodes) {
  for (const char* machine :
       {"kind=line,nodes=8", "kind=ring,nodes=8", "kind=mesh,shape=4x2", "kind=mesh,shape=2x2x2",
        "kind=torus,shape=4x2", "kind=torus,shape=2x2x2", "kind=hypercube,dimensions=3"}) {
    SCOPED_TRACE(machine);
    const auto topology = topology_of(machine);
    EXPECT_DOUBLE_EQ(dilation_bound(*topology, Guest::cube(3)).average_dilation,
                     least_average_dilation(*topology, Guest::cube(3)));
  }
}

TEST(DilationBound, HoldsForAllPlacementsOfOtherGuestsOnTinyMachines) {
  const auto expect_bound = [](const std::string& machine, const std::string& name) {
    SCOPED_TRACE(name + " on " + machine);
    const auto topology = topology_of(machine);
    const Guest guest = Guest::parse(name);
    const double least = least_average_dilation(*topology, guest);
    const double bound = dilation_bound(*topology, guest).average_dilation;
    EXPECT_LE(bound, least);
    EXPECT_GE(bound, 1.0);
  };
  for (const char* guest : {"ring:6", "mesh:2x3", "torus:2x3", "line:6"}) {
    for (const char* machine : {"kind=line,nodes=6", "kind=ring,nodes=6", "kind=mesh,shape=3x2",
                                "kind=torus,shape=3x2"}) {
      expect_bound(machine, guest);
    }
  }
  for (const char* machine : {"kind=line,nodes=7", "kind=ring,nodes=7", "kind=torus,shape=7x1"}) {
    expect_bound(machine, "tree:7");
    expect_bound(machine, "ring:7");
  }
}

TEST(DilationBound, NeverExceedsARandomPlacement) {
  std::mt19937_64 random{17};
  for (const char* machine :
       {"kind=line,nodes=20", "kind=ring,nodes=16", "kind=ring,nodes=17", "kind=mesh,shape=5x4",
        "kind=torus,shape=4x4", "kind=torus,shape=3x3x2", "kind=hypercube,dimensions=5"}) {
    const auto topology = topology_of(machine);
    for (const char* name : {"cube:4", "cube:3", "ring:9", "mesh:4x4", "torus:2x2x4", "tree:15"}) {
      const Guest guest = Guest::parse(name);
      SCOPED_TRACE(std::string{name} + " on " + machine);
      const double bound = dilation_bound(*topology, guest).average_dilation;
      EXPECT_GE(bound, 1.0);
      for (int i = 0; i < 200; ++i) {
        const auto map = random_map(*topology, guest.process_count(), random);
        EXPECT_LE(bound, average_dilation(*topology, guest, map));
      }
    }
  }
}

TEST(DilationBound, HoldsWhereLinksFormNoLines) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random{seed};
    const IrregularGraph graph{7, 3, random};
    const Guest guest = Guest::parse("mesh:7x1");
    EXPECT_LE(dilation_bound(graph, guest).average_dilation, least_average_dilation(graph, guest));
  }
}

TEST(DilationBound, CountsTheNearestNodesOfTheBestPlace) {
  // Three partners in the middle of a line: two at distance 1, one at distance 2.
  EXPECT_DOUBLE_EQ(
      dilation_bound(*topology_of("kind=line,nodes=9"), Guest::cube(3)).average_dilation, 4.0 / 3);
  // Six partners on a torus: four at distance 1, two at distance 2.
  EXPECT_DOUBLE_EQ(
      dilation_bound(*topology_of("kind=torus,shape=9x9"), Guest::cube(6)).average_dilation,
      8.0 / 6);
}

TEST(DilationBound, IsAWholeNumberOfHopsInAll) {
  // Of three processes of a cube two pairs are neighbours, so of 16 processes ten pairs are inside
  // nodes and 22 are not.
  const auto ring = topology_of("kind=ring,nodes=6");
  EXPECT_EQ(dilation_bound(*ring, Guest::cube(4), 3).total_dilation, 22U);
  EXPECT_EQ(dilation_bound(*ring, Guest::cube(4), 3).average_dilation, 22.0 / 32);
  // Five processes in a row have eight ends of edges at four edges of a hop.
  EXPECT_EQ(dilation_bound(*ring, Guest::parse("line:5")).total_dilation, 4U);
  const auto torus = topology_of("kind=torus,shape=64x64");
  EXPECT_EQ(dilation_bound(*torus, Guest::cube(12)).total_dilation,
            closed_form(*torus, "xor")->total_dilation);
}

TEST(DilationBound, GivesWayToTheNextBestWhereLessIsMeasured) {
  const auto ring = topology_of("kind=ring,nodes=8");
  const Guest cube = Guest::cube(3);
  EmbeddingMetrics metrics;
  metrics.total_dilation = 20;
  EXPECT_EQ(held_dilation_bound(*ring, cube, 1, metrics).refuted, "");
  EXPECT_EQ(held_dilation_bound(*ring, cube, 1, metrics).bound.total_dilation, 20U);
  metrics.total_dilation = 19;
  const HeldDilationBound held = held_dilation_bound(*ring, cube, 1, metrics);
  EXPECT_TRUE(held.refuted.starts_with("a lower bound of 20 is false, because 19 was reached"))
      << held.refuted;
  EXPECT_EQ(held.bound.total_dilation, 16U);
  EXPECT_TRUE(held.bound.source.starts_with("degree bound")) << held.bound.source;
}

TEST(DilationBound, IsZeroWithoutEdges) {
  EXPECT_EQ(dilation_bound(*topology_of("kind=ring,nodes=1"), Guest::cube(0)).average_dilation, 0);
  EXPECT_EQ(
      dilation_bound(*topology_of("kind=ring,nodes=5"), Guest::parse("tree:1")).average_dilation,
      0);
}

TEST(DilationBound, AnswersForSixteenMillionNodes) {
  const auto torus = topology_of("kind=torus,shape=4096x4096");
  EXPECT_DOUBLE_EQ(dilation_bound(*torus, Guest::cube(24)).average_dilation, 2.0 * 3071 / 24);
  EXPECT_EQ(dilation_bound(*torus, Guest::parse("torus:4096x4096")).average_dilation, 1);
}

TEST(DilationBound, GuestLargerThanTheMachineIsAContractViolation) {
  EXPECT_THROW(dilation_bound(*topology_of("kind=ring,nodes=7"), Guest::cube(3)),
               ContractViolation);
}

}  // namespace
}  // namespace dcube
