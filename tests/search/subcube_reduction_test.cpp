// The reduction of [TS 3] to single nodes, and why its copies must be joined along all edges of a
// cube.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <set>
#include <vector>

#include "dcube/search/subcubes.hpp"
#include "subcube_graphs.hpp"

namespace dcube::testing {
namespace {

/// The example of [TS Fig 2, 4]: weights 1, 2 and 3.
SubcubeProblem example(std::uint32_t d, std::uint32_t n) {
  return {graph_of(4, {{0, 1, 3}, {0, 2, 2}, {0, 3, 1}}), d, n};
}

/// Every cycle of single links through 8 different nodes of the 4-cube.
void each_8_cycle(const std::function<void(const std::vector<NodeId>&)>& visit) {
  std::vector<NodeId> path;
  const std::function<void(std::uint32_t)> walk = [&](std::uint32_t node) {
    path.emplace_back(node);
    if (path.size() == 8) {
      const bool is_closed = std::popcount(node ^ path.front().index()) == 1;
      // Each way round once.
      if (is_closed && path[1] < path[7]) {
        visit(path);
      }
    }
    for (std::uint32_t bit = 1; path.size() < 8 && bit < 16; bit <<= 1U) {
      const NodeId next{node ^ bit};
      // From its lowest node on, so that each cycle comes once.
      if (next > path.front() && std::ranges::find(path, next) == path.end()) {
        walk(next.index());
      }
    }
    path.pop_back();
  };
  for (std::uint32_t start = 0; start < 16; ++start) {
    walk(start);
  }
}

/// Nodes of copies for any optimiser of single nodes.
std::vector<NodeId> nodes_of(const SubcubeMapping& mapping) {
  std::vector<NodeId> nodes;
  for (const Subcube& node : mapping) {
    nodes.push_back(node.node(0));
  }
  return nodes;
}

std::uint64_t cost_of(const Traffic& graph, const std::vector<NodeId>& nodes) {
  std::uint64_t cost = 0;
  for (const Flow& flow : graph.flows()) {
    cost += flow.bytes * static_cast<std::uint64_t>(std::popcount(nodes[flow.from.index()].index() ^
                                                                  nodes[flow.to.index()].index()));
  }
  return cost;
}

TEST(SubcubeReduction, MostCyclesOfEightLinksAreNoSubcube) {
  const SubcubeProblem one_task{Traffic{1, {}}, 3, 4};
  int cycles = 0;
  int subcubes = 0;
  each_8_cycle([&](const std::vector<NodeId>& cycle) {
    ++cycles;
    subcubes += mapping_of_copies(one_task, cycle) ? 1 : 0;
  });
  EXPECT_EQ(cycles, 696);
  EXPECT_EQ(cycles - subcubes, 648);
}

TEST(SubcubeReduction, JoinedInACycleCopiesMayStandWhereTheyFormNoSubcube) {
  const SubcubeProblem one_task{Traffic{1, {}}, 3, 4};
  const Traffic cycle_graph = reduced_graph(one_task, 1, CopyEdges::cycle);
  const Traffic cube_graph = reduced_graph(one_task, 1, CopyEdges::cube);
  EXPECT_EQ(cycle_graph.flows().size(), 8U);
  EXPECT_EQ(cube_graph.flows().size(), 12U);
  each_8_cycle([&](const std::vector<NodeId>& cycle) {
    // No placing of the cycle costs less, subcube or not.
    EXPECT_EQ(cost_of(cycle_graph, cycle), 8U);
    if (!mapping_of_copies(one_task, cycle)) {
      EXPECT_GT(cost_of(cube_graph, cycle), 12U);
    }
  });
}

TEST(SubcubeReduction, TheExampleOfThePaperNeedsJointsAbove24) {
  EXPECT_EQ(sufficient_joint(example(1, 3)), 25U);
}

TEST(SubcubeReduction, AnOptimumOfSingleNodesIsAnOptimalMapping) {
  for (const auto& [d, n] : {std::pair{1U, 3U}, std::pair{2U, 3U}, std::pair{1U, 2U}}) {
    const std::uint32_t tasks = std::uint32_t{1} << (n - d);
    SplitMix64 random{n};
    const SubcubeProblem problem{random_graph(tasks, random), d, n};
    const std::uint64_t joint = sufficient_joint(problem);
    const SubcubeProblem single{reduced_graph(problem, joint), 0, n};
    const SubcubeSearchResult found = best_mapping(single, MappingKind::any);
    ASSERT_TRUE(found.is_optimal);
    const auto mapping = mapping_of_copies(problem, nodes_of(found.mapping));
    ASSERT_TRUE(mapping);
    check_mapping(problem, *mapping);
    EXPECT_EQ(bandwidth(problem, *mapping), best_mapping(problem, MappingKind::any).bandwidth);
    // What is left are the joints, each of one link.
    const std::uint64_t joints = std::uint64_t{tasks} * d << (d - 1);
    EXPECT_EQ(found.bandwidth, bandwidth(problem, *mapping) + joint * joints);
  }
}

TEST(SubcubeReduction, CopiesThatShareNoSubcubeAreNoMapping) {
  const SubcubeProblem problem{graph_of(2, {{0, 1, 1}}), 1, 3};
  EXPECT_TRUE(mapping_of_copies(problem, std::vector{NodeId{0}, NodeId{1}, NodeId{6}, NodeId{4}}));
  EXPECT_FALSE(mapping_of_copies(problem, std::vector{NodeId{0}, NodeId{3}, NodeId{6}, NodeId{4}}));
}

TEST(SubcubeReduction, CopiesNeverCostLessThanTheirMapping) {
  // A copy sends to the copy of the same number, while nodes may choose their partners.
  const SubcubeProblem problem{graph_of(3, {{0, 1, 1}, {1, 2, 1}, {0, 2, 1}}), 2, 4};
  const Traffic graph = reduced_graph(problem, 1);
  const SubcubeMapping mapping{Subcube::parse("00**"), Subcube::parse("*10*"),
                               Subcube::parse("1*1*")};
  SplitMix64 random{3};
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < 500; ++i) {
    std::vector<NodeId> nodes;
    for (const Subcube& subcube : mapping) {
      std::vector<std::uint32_t> order{0, 1, 2, 3};
      for (std::uint32_t left = 4; left > 1; --left) {
        std::swap(order[left - 1], order[bounded(random.next(), left)]);
      }
      for (const std::uint32_t index : order) {
        nodes.push_back(subcube.node(index));
      }
    }
    ASSERT_EQ(mapping_of_copies(problem, nodes), mapping);
    const std::uint64_t joints = cost_of(reduced_graph({Traffic{3, {}}, 2, 4}, 1), nodes);
    EXPECT_GE(cost_of(graph, nodes) - joints, bandwidth(problem, mapping));
    least = std::min(least, cost_of(graph, nodes) - joints);
  }
  EXPECT_EQ(least, bandwidth(problem, mapping));
}

}  // namespace
}  // namespace dcube::testing
