#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dcube/topology/hop_weights.hpp"
#include "dcube/topology/routing.hpp"
#include "search/pairs.hpp"
#include "search/starts/starts.hpp"
#include "sum_cases.hpp"

namespace dcube {
namespace {

TEST(Scotch, PlacesEveryProcessOnASlotOfItsOwn) {
  for (const std::string settings :
       {"kind=line,nodes=9", "kind=ring,nodes=16", "kind=mesh,shape=5x4", "kind=torus,shape=4x4x2",
        "kind=hypercube,dimensions=4", "kind=ring,nodes=1"}) {
    const auto topology = searching::machine(settings);
    const std::uint32_t nodes = topology->node_count();
    for (const std::uint32_t processes : {nodes, (nodes + 1) / 2}) {
      for (const std::uint32_t flows : {0U, 3 * nodes}) {
        const Traffic traffic = searching::random_traffic(processes, flows, 11);
        const SearchProblem problem = searching::problem(*topology, traffic, Objective::hop_bytes);
        const FoundMap found = map_with_scotch(problem, 1);
        EXPECT_EQ(found.map.size(), processes);
        EXPECT_TRUE(searching::fits(found.map, *topology)) << settings;
        EXPECT_EQ(found.cost, cost_of(problem, found.map));
      }
    }
    for (const std::uint32_t slots : {2U, 3U, 8U}) {
      for (const std::uint32_t processes : {nodes * slots, nodes + 1}) {
        const Traffic traffic = searching::random_traffic(processes, 3 * processes, 5);
        SearchProblem problem = searching::problem(*topology, traffic, Objective::hop_bytes);
        problem.slots = slots;
        const FoundMap found = map_with_scotch(problem, 1);
        EXPECT_EQ(found.map.size(), processes);
        EXPECT_TRUE(searching::fits(found.map, *topology, slots)) << settings << ' ' << slots;
        EXPECT_EQ(found.cost, cost_of(problem, found.map));
      }
    }
  }
}

/// Pairs that talk to nobody else fill nodes of two slots.
TEST(Scotch, PutsPartnersOnOneNode) {
  const auto torus = searching::machine("kind=torus,shape=4x4");
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < 16; ++i) {
    flows.push_back({ProcessId{i}, ProcessId{31 - i}, 1, 1});
  }
  const Traffic pairs{32, flows};
  SearchProblem problem = searching::problem(*torus, pairs, Objective::hop_bytes);
  problem.slots = 2;
  EXPECT_EQ(map_with_scotch(problem, 1).cost, 0U);
}

/// Processes that eight or four of 256 nodes have room for, or one node, or four of five.
TEST(Scotch, FillsFewNodesWhereTheseAreEnough) {
  const auto torus = searching::machine("kind=torus,shape=16x16");
  const Traffic traffic = searching::random_traffic(128, 400, 7);
  SearchProblem problem = searching::problem(*torus, traffic, Objective::hop_bytes);
  for (const auto& [slots, used] : {std::pair{16U, 8U}, std::pair{32U, 4U}}) {
    problem.slots = slots;
    const std::vector<Start> starts = scotch_starts(problem, 1);
    ASSERT_EQ(starts.size(), 6U);
    EXPECT_EQ(starts[1].embedding, "scotch, few nodes");
    const std::set<NodeId> nodes{starts[1].map.begin(), starts[1].map.end()};
    EXPECT_EQ(nodes.size(), used);
    EXPECT_TRUE(searching::fits(starts[1].map, *torus, slots));
    EXPECT_LT(cost_of(problem, starts[1].map), cost_of(problem, starts[0].map));
  }
  problem.slots = 128;
  EXPECT_EQ(scotch_starts(problem, 1).size(), 3U);
  const auto ring = searching::machine("kind=ring,nodes=5");
  SearchProblem close = searching::problem(*ring, traffic, Objective::hop_bytes);
  close.slots = 32;
  // Less than half of the slots are free.
  const std::vector<Start> uneven = scotch_starts(close, 1);
  ASSERT_EQ(uneven.size(), 6U);
  EXPECT_EQ(uneven[1].embedding, "scotch, uneven");
  EXPECT_TRUE(searching::fits(uneven[1].map, *ring, 32));
}

TEST(Scotch, PutsAllOnTheOnlyNodeThatMayHost) {
  const auto ring =
      with_hosts_among(searching::machine("kind=ring,nodes=5"), {false, false, false, true, false});
  for (const std::uint32_t processes : {1U, 2U, 16U}) {
    const Traffic traffic = searching::random_traffic(processes, 2 * processes, 3);
    SearchProblem problem = searching::problem(*ring, traffic, Objective::hop_bytes);
    problem.slots = 16;
    EXPECT_EQ(map_with_scotch(problem, 1).map, std::vector<NodeId>(processes, NodeId{3}));
  }
}

TEST(Scotch, SameSeedSameMap) {
  const auto torus = searching::machine("kind=torus,shape=16x16");
  const Traffic traffic = Traffic::of(Guest::cube(8), searching::doubling(8));
  const SearchProblem problem = searching::problem(*torus, traffic, Objective::hop_bytes);
  const std::vector<NodeId> map = map_with_scotch(problem, 5).map;
  map_with_scotch(problem, 6);
  EXPECT_EQ(map_with_scotch(problem, 5).map, map);
}

/// Large graphs are those that several threads would share out.
TEST(Scotch, SameSeedSameMapOfALargeGraph) {
  const auto torus = searching::machine("kind=torus,shape=64x64");
  const Traffic traffic = searching::random_traffic(4096, 12'000, 2);
  const SearchProblem problem = searching::problem(*torus, traffic, Objective::hop_bytes);
  EXPECT_EQ(map_with_scotch(problem, 5).map, map_with_scotch(problem, 5).map);
}

TEST(Scotch, OneMapForEveryOrderOfNeighboursThatDiffers) {
  const auto torus = searching::machine("kind=torus,shape=4x4");
  const Traffic alike = searching::cube(4);
  EXPECT_EQ(scotch_starts(searching::problem(*torus, alike, Objective::hop_bytes), 1).size(), 1U);
  const Traffic unlike = Traffic::of(Guest::cube(4), std::vector<std::uint64_t>{4, 1, 8, 2});
  EXPECT_EQ(scotch_starts(searching::problem(*torus, unlike, Objective::hop_bytes), 1).size(), 3U);
}

/// What the pairs weigh whose processes are on two nodes.
std::uint64_t weight_between_nodes(const SearchProblem& problem, const std::vector<NodeId>& map) {
  std::uint64_t sum = 0;
  for_each_pair(Partners{problem.traffic, problem.objective},
                [&](std::uint32_t a, std::uint32_t b, std::uint64_t weight) {
                  sum += map[a] == map[b] ? 0 : weight;
                });
  return sum;
}

TEST(Scotch, OneStartPartsManyProcessesANodeByTraffic) {
  const auto grid = searching::machine("kind=torus,shape=32x32");
  const auto torus = searching::machine("kind=torus,shape=8x8");
  const Traffic traffic = searching::hidden_stencil(*grid, 3);
  SearchProblem problem = searching::problem(*torus, traffic, Objective::hop_bytes);
  const auto parts_among = [](const std::vector<Start>& starts) {
    return std::ranges::find(starts, "scotch, parts", &Start::embedding);
  };
  for (const std::uint32_t slots : {16U, 20U}) {
    problem.slots = slots;
    const std::vector<Start> starts = scotch_starts(problem, 1);
    const auto parts = parts_among(starts);
    ASSERT_NE(parts, starts.end());
    EXPECT_TRUE(searching::fits(parts->map, *torus, slots));
    for (const Start& start : starts) {
      EXPECT_LE(9 * weight_between_nodes(problem, parts->map),
                10 * weight_between_nodes(problem, start.map))
          << start.embedding;
    }
  }
  const Traffic few = searching::hidden_stencil(*torus, 3);
  const SearchProblem of_few = searching::problem(*torus, few, Objective::hop_bytes);
  const std::vector<Start> starts = scotch_starts(of_few, 1);
  EXPECT_EQ(parts_among(starts), starts.end());
}

/// A grid on a tree of three levels, as it is and without some leaves.
TEST(Scotch, OneStartPartsATreeFromTheHighestLevelDown) {
  const auto grid = searching::machine("kind=torus,shape=32x32");
  const Traffic traffic = searching::hidden_stencil(*grid, 3);
  std::shared_ptr<const Topology> tree =
      with_hop_weights(searching::machine("kind=fat_tree,down=[4,4,4],up=[1,1,1]"), {1, 9, 90});
  const Failures failures{
      {NodeId{5}, NodeId{6}, NodeId{16}, NodeId{17}, NodeId{18}, NodeId{19}}, {}, {}};
  for (const bool is_whole : {true, false}) {
    const auto machine = is_whole ? tree : with_failures(tree, failures);
    SearchProblem problem = searching::problem(*machine, traffic, Objective::hop_bytes);
    problem.slots = 18;
    const std::vector<Start> starts = scotch_starts(problem, 1);
    ASSERT_EQ(starts.size(), 2U);
    EXPECT_EQ(starts[0].embedding, "scotch, level by level");
    EXPECT_TRUE(searching::fits(starts[0].map, *machine, problem.slots));
    EXPECT_TRUE(
        std::ranges::all_of(starts[0].map, [&](NodeId node) { return machine->is_usable(node); }));
    EXPECT_LE(100 * cost_of(problem, starts[0].map), 101 * cost_of(problem, starts[1].map));
    EXPECT_EQ(starts[0].map, scotch_starts(problem, 1)[0].map);
  }
}

TEST(Scotch, HeavyTrafficIsScaledToItsIntegers) {
  const auto ring = searching::machine("kind=ring,nodes=4");
  const Traffic traffic{4,
                        {{ProcessId{0}, ProcessId{2}, std::uint64_t{1} << 50, 1},
                         {ProcessId{1}, ProcessId{3}, 1, 1}}};
  const SearchProblem problem = searching::problem(*ring, traffic, Objective::hop_bytes);
  const FoundMap found = map_with_scotch(problem, 1);
  EXPECT_EQ(ring->distance(found.map[0], found.map[2]), 1U);
}

}  // namespace
}  // namespace dcube
