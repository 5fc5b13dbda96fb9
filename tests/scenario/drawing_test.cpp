#include "dcube/scenario/drawing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dcube/topology/routing.hpp"
#include "scenario/embed_result.hpp"
#include "support/renamed_topologies.hpp"

namespace dcube {
namespace {

std::unique_ptr<Topology> topology(const std::string& settings) {
  return make_topology(Params::parse(settings));
}

Drawing draw(const std::string& settings, Duplex duplex = Duplex::full) {
  const auto machine = topology(settings);
  return draw_machine(*machine, *machine, duplex);
}

TEST(Failures, AreDrawnInTheMiddleOfTheirLinks) {
  const auto machine = std::shared_ptr<const Topology>{topology("kind=torus,shape=4x4")};
  const LinkId wrap{3};  // 3->0
  const auto left = with_failures(machine, {.nodes = {NodeId{5}}, .links = {wrap}, .spares = {}});
  const std::vector<FailuresAt> failures{
      {Ticks{0}, {NodeId{5}}, {*machine->link(wrap)}},
      {Ticks{7}, {}, {*machine->link(LinkId{9})}},  // 9->10
  };
  const Drawing drawing = draw_machine(*left, *left, Duplex::full, failures);
  EXPECT_EQ(drawing.links.size(), 2 * left->link_count());
  ASSERT_EQ(drawing.failing_nodes.size(), 1U);
  EXPECT_EQ(drawing.failing_nodes.front().node, NodeId{5});
  ASSERT_EQ(drawing.failing_links.size(), 2U);
  const auto& [wrapping, from_start] = drawing.failing_links[0];
  EXPECT_EQ(from_start, Ticks{0});
  EXPECT_TRUE(wrapping.has_two_pieces);
  EXPECT_DOUBLE_EQ(wrapping.first.begin.y, drawing.nodes[3].y);
  EXPECT_GT(wrapping.first.end.x, drawing.nodes[3].x);
  EXPECT_LT(wrapping.second.begin.x, drawing.nodes[0].x);
  const auto& [straight, at] = drawing.failing_links[1];
  EXPECT_EQ(at, Ticks{7});
  EXPECT_FALSE(straight.has_two_pieces);
  EXPECT_DOUBLE_EQ(straight.first.begin.x + straight.first.end.x,
                   drawing.nodes[9].x + drawing.nodes[10].x);
}

// Twelve nodes, three switches above them and two above these.
TEST(Graph, NodesThatAreKeptFreeAreInsideOfTheOthers) {
  std::string edges;
  for (int node = 0; node < 12; ++node) {
    edges += "[" + std::to_string(node) + "," + std::to_string(12 + node / 4) + "],";
  }
  const auto graph = std::shared_ptr<const Topology>{
      topology("kind=graph,edges=[" + edges + "[12,15],[13,15],[14,15],[12,16],[13,16],[14,16]]")};
  std::vector<NodeId> switches;
  for (std::uint32_t node = 12; node < 17; ++node) {
    switches.emplace_back(node);
  }
  const auto left = with_failures(graph, {.nodes = {}, .links = {}, .spares = switches});
  const Drawing drawing = draw_machine(*left, *left, Duplex::full);
  Point middle;
  for (std::uint32_t node = 0; node < 12; ++node) {
    middle.x += drawing.nodes[node].x / 12;
    middle.y += drawing.nodes[node].y / 12;
  }
  const auto radius = [&](std::uint32_t node) {
    return std::hypot(drawing.nodes[node].x - middle.x, drawing.nodes[node].y - middle.y);
  };
  for (std::uint32_t node = 0; node < 12; ++node) {
    EXPECT_NEAR(radius(node), radius(0), 1e-9);
  }
  for (std::uint32_t node = 12; node < 15; ++node) {
    EXPECT_NEAR(radius(node), radius(0) - 1, 1e-9) << node;
  }
  for (std::uint32_t node = 15; node < 17; ++node) {
    EXPECT_NEAR(radius(node), radius(0) - 2, 1e-9) << node;
  }
  for (std::uint32_t a = 0; a < 17; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      EXPECT_GT(std::hypot(drawing.nodes[a].x - drawing.nodes[b].x,
                           drawing.nodes[a].y - drawing.nodes[b].y),
                drawing.node_size)
          << a << " " << b;
    }
  }
}

class EveryTopology : public testing::TestWithParam<std::string> {};

TEST_P(EveryTopology, NoTwoNodesAreInOnePlaceAndAllAreInside) {
  const Drawing drawing = draw(GetParam());
  std::set<std::pair<long, long>> places;
  for (const Point node : drawing.nodes) {
    EXPECT_TRUE(places.insert({std::lround(100 * node.x), std::lround(100 * node.y)}).second);
    EXPECT_GE(node.x, drawing.node_size / 2);
    EXPECT_LE(node.x, drawing.width - drawing.node_size / 2);
    EXPECT_GE(node.y, drawing.node_size / 2);
    EXPECT_LE(node.y, drawing.height - drawing.node_size / 2);
  }
}

TEST_P(EveryTopology, EveryLinkIsDrawnUnderItsNumberAndBeginsAtItsNode) {
  const auto machine = topology(GetParam());
  const Drawing drawing = draw_machine(*machine, *machine, Duplex::full);
  EXPECT_EQ(drawing.links.size(), 2 * machine->link_count());
  for (std::uint32_t slot = 0; slot < machine->link_slots(); ++slot) {
    const auto link = machine->link(LinkId{slot});
    if (!link) {
      continue;
    }
    const DrawnLink& drawn = drawing.links[drawing.link_at[slot]];
    EXPECT_EQ(drawn.from, link->from);
    EXPECT_EQ(drawn.to, link->to);
    const Piece& last = drawn.has_two_pieces ? drawn.second : drawn.first;
    const Point from = drawing.nodes[link->from.index()];
    const Point to = drawing.nodes[link->to.index()];
    EXPECT_LT(std::hypot(drawn.first.begin.x - from.x, drawn.first.begin.y - from.y),
              drawing.node_size);
    EXPECT_LT(std::hypot(last.end.x - to.x, last.end.y - to.y), drawing.node_size);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , EveryTopology,
    testing::Values("kind=line,nodes=1", "kind=line,nodes=16", "kind=line,nodes=100",
                    "kind=ring,nodes=5", "kind=ring,nodes=64", "kind=ring,nodes=65",
                    "kind=mesh,shape=4x3", "kind=mesh,shape=40", "kind=torus,shape=2x4",
                    "kind=torus,shape=8x8", "kind=torus,shape=4x4x4", "kind=mesh,shape=2x3x4x2",
                    "kind=hypercube,dimensions=1", "kind=hypercube,dimensions=6",
                    "kind=hypercube,dimensions=9"));

// Small ones, and ones of nearly 2,000 nodes, the most that places are named for.
const std::vector<std::string> fabrics{
    "kind=fat_tree,down=[2,3],up=[1,2]",
    "kind=fat_tree,k=4",
    "kind=fat_tree,k=16",
    "kind=fat_tree,down=[4,4,4],up=[2,2,2],parallel=[1,2,1]",
    "kind=fat_tree,down=[18,36],up=[1,18]",
    "kind=fat_tree,down=[1500],up=[1]",
    "kind=dragonfly,p=1,a=1,h=1",
    "kind=dragonfly,p=1,a=1,h=2",
    "kind=dragonfly,p=2,a=4,h=2",
    "kind=dragonfly,p=4,a=8,h=4",
    "kind=dragonfly,p=16,a=32,h=4,g=3",
    "kind=dragonfly,p=2,a=96,h=10,g=4,local=[6,16]",
    "kind=dragonfly_plus,p=2,leaves=2,spines=2,h=1",
    "kind=dragonfly_plus,p=8,leaves=8,spines=8,h=2",
    "kind=hyperx,shape=8,p=2",
    "kind=hyperx,shape=4x4,p=4",
    "kind=hyperx,shape=4x3x2,p=1",
    "kind=hyperx,shape=8x8x4,p=4",
    "kind=slim_fly,q=5,p=2",
    "kind=slim_fly,q=13,p=4",
    "kind=slim_fly,q=17,p=2",
    "kind=polarfly,q=3,p=2",
    "kind=polarfly,q=23,p=2",
    "kind=jellyfish,routers=10,degree=3,p=2",
    "kind=jellyfish,routers=160,degree=8,p=11",
    "kind=jellyfish,routers=501,degree=8,p=2",
    "kind=blocks,blocks=[ring:4]",
    "kind=blocks,blocks=[switch:8,switch:16]",
    "kind=blocks,blocks=[switch:4,ring:3]",
    "kind=blocks,blocks=[full:5,line:20]",
    "kind=blocks,blocks=[ring:6,full:7,switch:3]",
    "kind=blocks,blocks=[switch:8,switch:128]",
    "kind=blocks,blocks=[switch:8,fat_tree:4x4/1x2]",
};

INSTANTIATE_TEST_SUITE_P(Fabrics, EveryTopology, testing::ValuesIn(fabrics));

class Fabrics : public testing::TestWithParam<std::string> {};

TEST_P(Fabrics, NodesDoNotOverlap) {
  const Drawing drawing = draw(GetParam());
  for (std::size_t a = 0; a < drawing.nodes.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      ASSERT_GT(std::hypot(drawing.nodes[a].x - drawing.nodes[b].x,
                           drawing.nodes[a].y - drawing.nodes[b].y),
                drawing.node_size)
          << a << " " << b;
    }
  }
}

TEST_P(Fabrics, WholeLinesRunOverNoNode) {
  const Drawing drawing = draw(GetParam());
  for (const DrawnLink& link : drawing.links) {
    if (link.has_two_pieces || link.to < link.from) {
      continue;
    }
    const Point from = drawing.nodes[link.from.index()];
    const Point to = drawing.nodes[link.to.index()];
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    for (std::uint32_t node = 0; node < drawing.nodes.size(); ++node) {
      if (NodeId{node} == link.from || NodeId{node} == link.to) {
        continue;
      }
      const Point at = drawing.nodes[node];
      if (at.x < std::min(from.x, to.x) - 1 || at.x > std::max(from.x, to.x) + 1 ||
          at.y < std::min(from.y, to.y) - 1 || at.y > std::max(from.y, to.y) + 1) {
        continue;
      }
      const double share = std::clamp(
          ((at.x - from.x) * (to.x - from.x) + (at.y - from.y) * (to.y - from.y)) / length / length,
          0.0, 1.0);
      ASSERT_GT(std::hypot(from.x + share * (to.x - from.x) - at.x,
                           from.y + share * (to.y - from.y) - at.y),
                0.49 * drawing.node_size)
          << link.from.index() << "->" << link.to.index() << " over " << node;
    }
  }
}

TEST_P(Fabrics, SwitchesAreKeptFree) {
  const auto machine = topology(GetParam());
  const Drawing drawing = draw_machine(*machine, *machine, Duplex::full);
  ASSERT_EQ(drawing.kept_free.size(), machine->structure().switches);
  for (std::uint32_t i = 0; i < drawing.kept_free.size(); ++i) {
    EXPECT_EQ(drawing.kept_free[i], NodeId{machine->terminal_count() + i});
  }
}

INSTANTIATE_TEST_SUITE_P(, Fabrics, testing::ValuesIn(fabrics));

TEST(FatTree, EveryLevelIsAboveTheOneBelow) {
  for (const char* settings : {"kind=fat_tree,k=8", "kind=fat_tree,k=16"}) {
    const auto tree = topology(settings);
    const Drawing drawing = draw_machine(*tree, *tree, Duplex::full);
    for (const DrawnLink& link : drawing.links) {
      const bool is_up = link.from < link.to;  // terminals first, then level by level
      EXPECT_EQ(drawing.nodes[link.to.index()].y < drawing.nodes[link.from.index()].y, is_up);
    }
  }
}

TEST(Dragonfly, TerminalsAreOutsideAndGroupsAreApart) {
  const auto fly = topology("kind=dragonfly,p=2,a=4,h=2");
  const Drawing drawing = draw_machine(*fly, *fly, Duplex::full);
  Point middle;
  for (const Point node : drawing.nodes) {
    middle.x += node.x / static_cast<double>(drawing.nodes.size());
    middle.y += node.y / static_cast<double>(drawing.nodes.size());
  }
  for (std::uint32_t terminal = 0; terminal < 72; ++terminal) {
    const Point at = drawing.nodes[terminal];
    const Point router = drawing.nodes[72 + terminal / 2];
    EXPECT_GT(std::hypot(at.x - middle.x, at.y - middle.y),
              std::hypot(router.x - middle.x, router.y - middle.y));
  }
}

TEST(Drawing, LinesThatCouldNotBeToldApartAreNotShown) {
  EXPECT_TRUE(shows_lines(draw("kind=fat_tree,k=16")));
  EXPECT_TRUE(shows_lines(draw("kind=dragonfly,p=4,a=8,h=4")));
  EXPECT_FALSE(shows_lines(draw("kind=jellyfish,routers=501,degree=16,p=2")));
  EXPECT_FALSE(shows_lines(draw("kind=hypercube,dimensions=12")));
}

TEST(Drawing, OfARenamedKindIsThatOfTheShippedKind) {
  for (const char* settings :
       {"line,nodes=8", "line,nodes=40", "ring,nodes=16", "ring,nodes=80", "mesh,shape=4x3",
        "torus,shape=4x4", "torus,shape=3x4x5", "twisted_torus,shape=4x8", "hypercube,dimensions=4",
        "hypercube,dimensions=6", "graph,edges=[[0,1],[1,2]]"}) {
    SCOPED_TRACE(settings);
    const auto [shipped, renamed] = shipped_and_renamed(settings);
    const auto one = make_topology(shipped);
    const auto other = make_topology(renamed);
    ASSERT_NE(one->kind(), other->kind());
    const auto json = [](const Topology& machine) {
      return drawing_json(draw_machine(machine, machine, Duplex::full), LinkLines::included);
    };
    EXPECT_EQ(json(*one), json(*other));
  }
}

/// A star whose plug-in says where its nodes stand.
class Star final : public Rerouted {
 public:
  Star() : Rerouted{topology("kind=graph,edges=[[0,1],[0,2],[0,3]]")} {}

  std::string_view kind() const override { return "star"; }
  const Structure& structure() const override {
    static const Structure structure{.places = {{0, 0}, {0, -2}, {2, 1}, {-2, 1}}};
    return structure;
  }
};

TEST(Drawing, NodesStandWhereTheTopologyWants) {
  const Star star;
  const Drawing drawing = draw_machine(star, star, Duplex::half);
  ASSERT_EQ(drawing.nodes.size(), 4U);
  EXPECT_DOUBLE_EQ(drawing.nodes[2].x - drawing.nodes[3].x, 4);
  EXPECT_DOUBLE_EQ(drawing.nodes[0].y - drawing.nodes[1].y, 2);
  for (const DrawnLink& link : drawing.links) {
    EXPECT_FALSE(link.has_two_pieces);
  }
}

TEST(Drawing, LinksAroundATorusAreInTwoPieces) {
  const Drawing drawing = draw("kind=torus,shape=4x4");
  int around = 0;
  for (const DrawnLink& link : drawing.links) {
    around += link.has_two_pieces ? 1 : 0;
  }
  EXPECT_EQ(around, 2 * 8);
}

TEST(Drawing, DirectionsOfAHalfDuplexLinkLieOnOneLine) {
  const Drawing drawing = draw("kind=line,nodes=2", Duplex::half);
  EXPECT_DOUBLE_EQ(drawing.links[0].first.begin.y, drawing.links[1].first.begin.y);
  const Drawing full = draw("kind=line,nodes=2");
  EXPECT_GT(std::abs(full.links[0].first.begin.y - full.links[1].first.begin.y), 0.1);
}

TEST(Drawing, SlicesOfAGridStandSideBySideForAPictureWiderThanHigh) {
  const Drawing drawing = draw("kind=mesh,shape=4x4x2");
  EXPECT_GT(drawing.width, 1.5 * drawing.height);
}

TEST(Drawing, ARingGoesRound) {
  const Drawing drawing = draw("kind=ring,nodes=4");
  EXPECT_NEAR(drawing.nodes[0].x, drawing.nodes[2].x, 1e-9);
  EXPECT_NEAR(drawing.nodes[1].y, drawing.nodes[3].y, 1e-9);
  EXPECT_LT(drawing.nodes[0].y, drawing.nodes[2].y);
}

TEST(Tiles, HoldEveryNodeOnce) {
  const Drawing drawing = draw("kind=torus,shape=100x50");
  const Tiles tiles = cut_into_tiles(drawing);
  EXPECT_LE(tiles.centres.size(), 32U * 32U);
  EXPECT_EQ(tiles.tile_of.size(), 5000U);
  std::uint32_t nodes = 0;
  for (const std::uint32_t count : tiles.node_counts) {
    nodes += count;
  }
  EXPECT_EQ(nodes, 5000U);
}

TEST(Tiles, AreSingleNodesWhereTheseAreFew) {
  const Tiles tiles = cut_into_tiles(draw("kind=mesh,shape=8x8"));
  EXPECT_EQ(tiles.centres.size(), 64U);
  EXPECT_EQ(tiles.size, 1);
}

}  // namespace
}  // namespace dcube
