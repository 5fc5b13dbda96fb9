#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "dcube/topology/hop_weights.hpp"
#include "dcube/topology/routing.hpp"
#include "problems.hpp"
#include "search/starts/starts.hpp"
#include "search/sums/maps.hpp"
#include "search/sums/placement.hpp"
#include "search/sums/population.hpp"
#include "sum_cases.hpp"

// Searches on machines with switches: terminals that no distance tells apart, and boxes in boxes.

namespace dcube {
namespace {

std::shared_ptr<const Topology> network(const std::string& settings,
                                        std::vector<NodeId> avoided = {}) {
  return with_failures(make_topology(Params::parse("kind=" + settings)),
                       {{}, {}, std::move(avoided)});
}

/// Among the nodes that host processes, of the first `count`.
std::optional<Twins> twins(const Topology& topology, std::uint32_t count = ~0U) {
  const auto near = mapped(numbered(topology.node_count()), [&](std::uint32_t node) {
    return mapped(topology.neighbours(NodeId{node}), &NodeId::index);
  });
  const auto nodes = kept(numbered(std::min(count, topology.node_count())),
                          [&](std::uint32_t node) { return topology.is_usable(NodeId{node}); });
  return twins_of(nodes, near, Distances::weighted(topology));
}

TEST(Twins, AreTheTerminalsOfOneSwitch) {
  const auto tree = twins(*network("fat_tree,down=[3,2],up=[1,2]"));
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->apart, 2U);
  EXPECT_EQ((std::vector(tree->first.begin(), tree->first.begin() + 6)),
            (std::vector<std::uint32_t>{0, 0, 0, 3, 3, 3}));
  // The lowest that hosts processes stands for the others.
  const auto fewer = twins(*network("fat_tree,down=[3,2],up=[1,2]", {NodeId{0}, NodeId{4}}));
  ASSERT_TRUE(fewer);
  EXPECT_EQ((std::vector(fewer->first.begin(), fewer->first.begin() + 6)),
            (std::vector<std::uint32_t>{0, 1, 1, 3, 4, 3}));
  const auto dragonfly = twins(*network("dragonfly,p=2,a=3,h=1"));
  ASSERT_TRUE(dragonfly);
  EXPECT_EQ(dragonfly->first[7], 6U);
}

TEST(Twins, AreNoneWhereDistancesTellNodesApart) {
  const char* const a_terminal_a_switch = "fat_tree,down=[1,6],up=[1,2]";
  const char* const one_switch = "fat_tree,down=[6],up=[1]";
  const char* const nearer_to_others = "graph,edges=[[0,3],[0,4],[1,3],[1,4],[2,3],[2,4]]";
  for (const char* const settings :
       {a_terminal_a_switch, one_switch, nearer_to_others, "torus,shape=4x4"}) {
    EXPECT_FALSE(twins(*network(settings))) << settings;
  }
}

TEST(Twins, AreAllEquallyFarApart) {
  const std::string edges = R"([[0,4,"a"],[1,4,"a"],[2,5,"b"],[3,5,"b"],[4,5,"a"]])";
  const auto graph = network("graph,edges=" + edges);
  EXPECT_TRUE(twins(*with_hop_weights(graph, {3, 3}), 4));
  EXPECT_FALSE(twins(*with_hop_weights(graph, {1, 3}), 4));
}

TEST(Twins, OfOneSlotAreANodeOfSeveral) {
  const auto tree = network("fat_tree,down=[4,4],up=[1,2]");
  const Traffic traffic = searching::random_traffic(16, 40, 1);
  SearchProblem problem = searching::problem(*tree, traffic, Objective::hop_bytes);
  const PlacementProblem joined{problem};
  EXPECT_TRUE(joined.has_several_a_node());
  EXPECT_EQ(joined.first[4] - joined.first[0], 4U);
  EXPECT_EQ(joined.offset, 2 * joined.partners.total_weight());
  EXPECT_EQ(joined.distance(0, 3), 0U);
  EXPECT_EQ(joined.distance(0, 4), 2U);
  problem.slots = 2;
  EXPECT_EQ(PlacementProblem{problem}.offset, 0U);
}

/// Groups that fill a switch cost as much as their processes, also where switches are twins.
TEST(Twins, OfHigherLevelsAreThoseOfGroups) {
  const Traffic of_groups = searching::random_traffic(6, 20, 2);
  std::vector<Flow> flows;
  for (const Flow& flow : of_groups.flows()) {
    flows.push_back(
        {ProcessId{2 * flow.from.index()}, ProcessId{2 * flow.to.index() + 1}, flow.bytes, 1});
  }
  const Traffic of_processes{12, std::move(flows)};
  for (const char* const branches : {"2", "900"}) {  // the last is too large for a table
    const auto tree = network(std::string{"fat_tree,down=[2,3,"} + branches + "],up=[1,2,2]");
    const SearchProblem fine = searching::problem(*tree, of_processes, Objective::hop_bytes);
    const SearchProblem coarse = searching::problem(*tree, of_groups, Objective::hop_bytes);
    const PlacementProblem processes{fine};
    const PlacementProblem groups{coarse, processes};
    EXPECT_EQ(groups.first[6] - groups.first[0], 3U);
    SplitMix64 random{1};
    for (int i = 0; i < 10; ++i) {
      const auto places = random_places(groups, random);
      const std::vector<NodeId> nodes = groups.map_of(places);
      const auto map = numbered(12U, [&](std::uint32_t process) {
        return NodeId{nodes[process / 2].index() + process % 2};
      });
      EXPECT_EQ(groups.cost_of(places), cost_of(fine, map));
    }
  }
}

/// Groups that do not fit on their new switch give up processes.
TEST(Twins, SearchesKeepToTheNodesOfUnequalSwitches) {
  const auto tree = network("fat_tree,down=[8,8,5],up=[1,2,2]",
                            {NodeId{3}, NodeId{4}, NodeId{9}, NodeId{77}, NodeId{300}});
  const Traffic traffic = searching::random_traffic(tree->usable_count(), 900, 4);
  const SearchProblem problem = searching::problem(*tree, traffic, Objective::hop_bytes);
  const PlacementProblem placement{problem};
  SplitMix64 random{3};
  const Individual start{random_places(placement, random), 0, {}};
  std::uint64_t moves = 0;
  const auto rearranged =
      rearranged_places(placement, start.places, {.effort = 300'000}, {}, moves);
  const auto improved = improve(placement, {start}, {.effort = 3'000'000}, {}).best.places;
  for (const auto& places : {rearranged, improved}) {
    const std::vector<NodeId> map = placement.map_of(places);
    EXPECT_TRUE(searching::fits(map, *tree, 1));
    EXPECT_TRUE(std::ranges::all_of(map, [&](NodeId node) { return tree->is_usable(node); }));
    EXPECT_EQ(placement.cost_of(places), cost_of(problem, map));
  }
}

/// Without the boxes as a start, and numbered at random. Exchanges of single processes end at 8736.
TEST(Twins, ASearchFillsSwitchesAsByHand) {
  constexpr std::uint64_t by_hand = 8448;  // 2x2x2 in 4x4x4
  const auto tree = network("fat_tree,down=[8,8,8],up=[1,4,4]");
  const Traffic traffic = searching::hidden_stencil(*network("mesh,shape=8x8x8"), 7);
  const SearchProblem problem = searching::problem(*tree, traffic, Objective::hop_bytes);
  const PlacementProblem placement{problem};
  SplitMix64 random{1};
  const Individual start{random_places(placement, random), ~std::uint64_t{0}, {}};
  const auto found = improve(placement, {start}, {.effort = 60'000'000, .jobs = 2}, {});
  EXPECT_LE(found.best.cost, 3 * (by_hand + by_hand / 100));  // three bytes a flow
}

/// The least hop-bytes of all boxes in boxes, by going through them.
std::uint64_t least_of_boxes(const SearchProblem& problem, const std::vector<std::uint32_t>& shape,
                             const std::vector<std::uint32_t>& sizes) {
  using Box = std::vector<std::uint32_t>;
  const auto inside = [](const Box& box, std::uint32_t count) {
    std::vector<Box> boxes;
    for (std::uint32_t x = 1; x <= box[0]; ++x) {
      for (std::uint32_t y = 1; y <= box[1]; ++y) {
        for (std::uint32_t z = 1; z <= box[2]; ++z) {
          if (x * y * z == count && box[0] % x + box[1] % y + box[2] % z == 0) {
            boxes.push_back({x, y, z});
          }
        }
      }
    }
    return boxes;
  };
  std::uint64_t least = ~std::uint64_t{0};
  for (const Box& pod : inside(shape, sizes[0] * sizes[1])) {
    for (const Box& leaf : inside(pod, sizes[0])) {
      // Each process comes after all of its leaf, and of its pod, before it.
      const auto rank = [&](std::uint32_t process) {
        Box at{process % shape[0], process / shape[0] % shape[1], process / shape[0] / shape[1]};
        std::uint64_t key = 0;
        for (const Box* const box : {&pod, &leaf}) {
          for (std::size_t side = 0; side < 3; ++side) {
            key = key * 64 + at[side] / (*box)[side];
            at[side] %= (*box)[side];
          }
        }
        return std::pair{key, process};
      };
      std::vector<std::uint32_t> order = numbered(problem.traffic.process_count());
      std::ranges::sort(order, {}, rank);
      std::vector<NodeId> map(order.size());
      for (std::uint32_t node = 0; node < order.size(); ++node) {
        map[order[node]] = NodeId{node};
      }
      least = std::min(least, cost_of(problem, map));
    }
  }
  return least;
}

/// Shapes, weights and trees of three levels are drawn.
TEST(NestedBoxes, HaveTheFewestHopsOfAll) {
  constexpr std::uint32_t most_processes = 1024;
  SplitMix64 random{2};
  const auto draw_divisor = [&](std::uint32_t number) {
    std::uint32_t divisor = 1 + draw_below(random, number);
    while (number % divisor != 0) {
      divisor = 1 + draw_below(random, number);
    }
    return divisor;
  };
  int looked_at = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<std::uint32_t> shape;
    std::vector<std::uint64_t> weights;
    std::vector<std::uint32_t> sizes(3, 1);  // the lowest level first
    for (int side = 0; side < 3; ++side) {
      shape.push_back(2 * (1 + draw_below(random, 6)));
      weights.push_back(1 + draw_below(random, 9));
      const std::uint32_t pod = draw_divisor(shape.back());
      const std::uint32_t leaf = draw_divisor(pod);
      sizes[0] *= leaf;
      sizes[1] *= pod / leaf;
      sizes[2] *= shape.back() / pod;
    }
    if (shape[0] * shape[1] * shape[2] > most_processes || std::ranges::min(sizes) == 1) {
      continue;
    }
    ++looked_at;
    const std::string guest_name = (i % 2 == 0 ? "mesh:" : "torus:") + joined(shape, "x");
    SCOPED_TRACE(guest_name + " in " + joined(sizes, ","));
    const Guest guest = Guest::parse(guest_name);
    const auto tree = network("fat_tree,down=[" + joined(sizes, ",") + "],up=[1,2,2]");
    const Traffic traffic = Traffic::of(guest, weights);
    const SearchProblem problem = searching::problem(*tree, traffic, Objective::hop_bytes);
    const auto start = nested_boxes(problem, guest);
    ASSERT_TRUE(start);
    EXPECT_TRUE(searching::fits(start->map, *tree, 1));
    EXPECT_EQ(cost_of(problem, start->map), least_of_boxes(problem, shape, sizes));
  }
  EXPECT_GT(looked_at, 60);
}

TEST(NestedBoxes, SayTheirSides) {
  const Guest guest = Guest::parse("mesh:8x4x4");
  const Traffic traffic = Traffic::of(guest);
  const auto tree = network("fat_tree,down=[4,4,2],up=[1,2,2]");
  SearchProblem problem = searching::problem(*tree, traffic, Objective::hop_bytes);
  problem.slots = 4;
  const auto start = nested_boxes(problem, guest);
  ASSERT_TRUE(start);
  EXPECT_EQ(start->embedding, "boxes:1x2x2 in 2x2x4 in 4x4x4");
  EXPECT_TRUE(searching::fits(start->map, *tree, 4));
}

TEST(NestedBoxes, AreNoneWhereTheyDoNotFit) {
  const auto on = [](const std::string& machine, const std::string& shape,
                     std::vector<NodeId> avoided = {}) {
    const Guest guest = Guest::parse(shape);
    const Traffic traffic = Traffic::of(guest);
    const auto topology = network(machine, std::move(avoided));
    return nested_boxes(searching::problem(*topology, traffic, Objective::hop_bytes), guest);
  };
  EXPECT_TRUE(on("fat_tree,down=[4,4],up=[1,2]", "mesh:4x4"));
  EXPECT_FALSE(on("fat_tree,down=[4,4],up=[1,2]", "mesh:5x3"));
  EXPECT_FALSE(on("fat_tree,down=[4,4],up=[1,2]", "mesh:5x3", {NodeId{7}}));
  EXPECT_FALSE(on("fat_tree,down=[16],up=[1]", "mesh:4x4"));  // one switch
  EXPECT_FALSE(on("torus,shape=4x4", "mesh:4x4"));
}

}  // namespace
}  // namespace dcube
