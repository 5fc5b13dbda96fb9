#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/core/random.hpp"
#include "dcube/topology/routing.hpp"
#include "dcube/topology/topology.hpp"
#include "support/complaint.hpp"
#include "support/plain/fabrics.hpp"
#include "support/plain/paths.hpp"

// Networks with switches against plain constructions from their definitions.

namespace dcube {
namespace {

TEST(Fabric, NodesAndLinksAreThoseOfTheDefinition) {
  for (const auto& [settings, plain] : all_fabrics()) {
    const auto topology = made(settings);
    EXPECT_EQ(topology->terminal_count(), plain.terminals) << settings;
    EXPECT_EQ(topology->node_count(), plain.nodes) << settings;
    EXPECT_EQ(topology->link_count(), plain.links.size()) << settings;
    EXPECT_EQ(links_of(*topology), plain.links) << settings;
  }
}

TEST(Fabric, DiametersAndSumsOfHopsAreThoseOfThePlainGraph) {
  for (const auto& [settings, plain] : all_fabrics()) {
    const auto shortest = fabric_with(settings, "shortest");
    const auto usual = made(settings);
    const reference::Graph graph = plain.graph();
    std::uint64_t plain_sum = 0;
    std::uint64_t sum = 0;
    std::uint32_t plain_diameter = 0;
    std::uint32_t diameter = 0;
    for (std::uint32_t from = 0; from < plain.terminals; ++from) {
      const auto hops = reference::breadth_first_distances(graph, NodeId{from}, plain.terminals);
      for (std::uint32_t to = 0; to < plain.terminals; ++to) {
        plain_sum += hops[to];
        plain_diameter = std::max(plain_diameter, hops[to]);
        const std::uint32_t distance = shortest->distance(NodeId{from}, NodeId{to});
        sum += distance;
        diameter = std::max(diameter, distance);
        if (usual->structure().are_routes_shortest) {
          EXPECT_EQ(usual->distance(NodeId{from}, NodeId{to}), hops[to]) << settings;
        }
      }
    }
    EXPECT_EQ(sum, plain_sum) << settings;
    EXPECT_EQ(diameter, plain_diameter) << settings;
  }
}

TEST(Fabric, KnownFigures) {
  const auto tree = made("fat_tree,k=8");
  EXPECT_EQ(describe(*tree), "fat_tree of 128 terminals, 80 switches and 384 links");
  EXPECT_EQ(tree->name_of(NodeId{127}), "node 127");
  EXPECT_EQ(tree->name_of(NodeId{128}), "switch 0 of level 1");
  EXPECT_EQ(tree->name_of(NodeId{128 + 32}), "switch 0 of level 2");
  EXPECT_EQ(tree->name_of(NodeId{207}), "switch 15 of level 3");
  const auto dragonfly = made("dragonfly,p=4,a=8,h=4");
  EXPECT_EQ(describe(*dragonfly), "dragonfly of 1,056 terminals, 264 switches and 2,508 links");
  EXPECT_EQ(dragonfly->name_of(NodeId{1056 + 9}), "switch 1 of group 1");
  const auto cray = made("dragonfly,p=4,a=96,h=10,g=4,local=[6,16]");
  EXPECT_EQ(std::ranges::count_if(links_of(*cray),
                                  [&](const PlainLink& link) {
                                    const std::uint32_t router = cray->terminal_count();
                                    return std::get<0>(link) == router ||
                                           std::get<1>(link) == router;
                                  }),
            4 + 15 + 5 + 10);
  for (const std::uint32_t q : {5U, 7U, 11U, 13U}) {
    const auto slim_fly = made(fmt::format("slim_fly,q={}", q));
    const std::uint32_t degree = q % 4 == 1 ? (3 * q - 1) / 2 : (3 * q + 1) / 2;
    EXPECT_EQ(slim_fly->terminal_count(), 2 * q * q);
    EXPECT_EQ(slim_fly->link_count(), q * q * (std::uint64_t{degree} + 2));
  }
  EXPECT_EQ(made("polarfly,q=7")->link_count(), 57U + (57 * 8 - 8) / 2);
}

TEST(Fabric, JellyfishIsRegularConnectedAndDrawnFromTheSeed) {
  for (const char* const settings :
       {"jellyfish,routers=20,degree=3", "jellyfish,routers=20,degree=3,seed=7",
        "jellyfish,routers=15,degree=8", "jellyfish,routers=2,degree=1",
        "jellyfish,routers=9,degree=2,seed=3", "jellyfish,routers=200,degree=12,p=3"}) {
    const auto topology = made(settings);
    const std::uint32_t p = topology->terminal_count() / topology->structure().switches;
    const auto degree = topology->neighbours(NodeId{topology->terminal_count()}).size();
    for (std::uint32_t router = topology->terminal_count(); router < topology->node_count();
         ++router) {
      EXPECT_EQ(topology->neighbours(NodeId{router}).size(), degree) << settings;
      EXPECT_GE(degree, p + std::size_t{1});
    }
    const auto hops = reference::breadth_first_distances(reference::graph_of(*topology), NodeId{0});
    EXPECT_EQ(std::ranges::count(hops, std::numeric_limits<std::uint32_t>::max()), 0) << settings;
    EXPECT_EQ(links_of(*made(settings)), links_of(*topology));
  }
  EXPECT_NE(links_of(*made("jellyfish,routers=20,degree=3")),
            links_of(*made("jellyfish,routers=20,degree=3,seed=7")));
  // Of two links each, the first draw is several rings more often than not.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto ring = made(fmt::format("jellyfish,routers=12,degree=2,seed={}", seed));
    const auto hops = reference::breadth_first_distances(reference::graph_of(*ring), NodeId{0});
    EXPECT_EQ(std::ranges::max(hops), 8U) << seed;
  }
}

TEST(Fabric, BlocksAreProducts) {
  // A node of 4 around a switch; rings of 3 across nodes.
  const auto topology = made("blocks,blocks=[switch:4,ring:3]");
  PlainFabric plain{12, 12 + 3, {}};
  for (std::uint32_t t = 0; t < 12; ++t) {
    plain.links.insert(plain_link(t, 12 + t / 4, "block 0"));
    plain.links.insert(plain_link(t, (t + 4) % 12, "block 1"));
  }
  EXPECT_EQ(links_of(*topology), plain.links);
  // Switches that cross: 2 x 3 terminals, switches of rows, then of columns.
  const auto rails = made("blocks,blocks=[switch:2,switch:3]");
  plain = {6, 6 + 3 + 2, {}};
  for (std::uint32_t t = 0; t < 6; ++t) {
    plain.links.insert(plain_link(t, 6 + t / 2, "block 0"));
    plain.links.insert(plain_link(t, 9 + t % 2, "block 1"));
  }
  EXPECT_EQ(links_of(*rails), plain.links);
  EXPECT_EQ(rails->route(NodeId{0}, NodeId{5}),
            (std::vector<NodeId>{NodeId{0}, NodeId{6}, NodeId{1}, NodeId{10}, NodeId{5}}));
  // A fat tree across nodes has switches of its own for every rail.
  const auto trees_across = made("blocks,blocks=[full:3,fat_tree:2x2/1x2]");
  EXPECT_EQ(trees_across->terminal_count(), 12U);
  EXPECT_EQ(trees_across->structure().switches, 3U * (2 + 2));
  EXPECT_EQ(trees_across->link_count(), 4U * 3 + 3 * (4 + 4));
  const auto torus = made("blocks,blocks=[ring:5,ring:4]");
  const auto grid = make_topology(Params::parse("kind=torus,shape=5x4"));
  for (std::uint32_t from = 0; from < 20; ++from) {
    for (std::uint32_t to = 0; to < 20; ++to) {
      EXPECT_EQ(torus->route(NodeId{from}, NodeId{to}), grid->route(NodeId{from}, NodeId{to}));
    }
  }
}

// --- Routings ---

TEST(FabricRouting, LoadsOfDModKAreThosePlainlyComputed) {
  for (const PlainTree& tree : trees) {
    EXPECT_EQ(loads_of(*made(tree.settings())), tree.loads()) << tree.settings();
  }
}

TEST(FabricRouting, DModKIsTheLoadOfOneDestinationOnEveryLinkDown) {
  // Zahavi 2012: an all-to-all of a tree with as many ports up as down loads all links of a level
  // alike.
  std::map<std::string, std::set<std::uint32_t>> loads;
  const auto tree = made("fat_tree,k=4");
  for (const auto& [link, load] : loads_of(*tree)) {
    const auto [from, to, parallel] = link;
    loads[fmt::format("{}", std::max(from, to))].insert(load);
  }
  for (const auto& [node, of] : loads) {
    EXPECT_EQ(of.size(), 1U) << node;
  }
}

TEST(FabricRouting, LoadsOfMinimalAreThosePlainlyComputed) {
  for (const PlainDragonfly& dragonfly : dragonflies) {
    Loads loads;
    for (std::uint32_t s = 0; s < dragonfly.terminals(); ++s) {
      for (std::uint32_t d = 0; d < dragonfly.terminals(); ++d) {
        const std::vector<std::uint32_t> way = dragonfly.way(s, d);
        for (std::size_t hop = 1; hop < way.size(); ++hop) {
          ++loads[{way[hop - 1], way[hop], 0}];
        }
      }
    }
    EXPECT_EQ(loads_of(*made(dragonfly.settings())), loads) << dragonfly.settings();
  }
}

/// Loads of routes that go on to one of the neighbours a hop nearer: the lowest, or as `draw` of
/// (source, destination, node, number of links) says.
Loads plain_loads(const PlainFabric& plain,
                  const std::function<std::uint64_t(std::uint32_t, std::uint32_t, std::uint32_t,
                                                    std::uint64_t)>& draw) {
  const reference::Graph graph = plain.graph();
  Loads loads;
  for (std::uint32_t d = 0; d < plain.terminals; ++d) {
    const auto hops = reference::breadth_first_distances(graph, NodeId{d}, plain.terminals);
    for (std::uint32_t s = 0; s < plain.terminals; ++s) {
      for (std::uint32_t at = s; at != d;) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> next;  // node, parallel link
        for (const NodeId beside : graph[at]) {
          const bool passes = beside.index() == d || beside.index() >= plain.terminals;
          if (passes && hops[beside.index()] + 1 == hops[at]) {
            const std::uint32_t parallel = plain.parallel(at, beside.index());
            for (std::uint32_t n = 0; n < parallel; ++n) {
              next.emplace_back(beside.index(), n);
            }
          }
        }
        const auto [to, parallel] = next.at(draw(s, d, at, next.size()));
        ++loads[{at, to, parallel}];
        at = to;
      }
    }
  }
  return loads;
}

TEST(FabricRouting, LoadsOfShortestAndEcmpAreThosePlainlyComputed) {
  for (const auto& [settings, plain] : all_fabrics()) {
    if (plain.terminals > 110) {
      continue;
    }
    EXPECT_EQ(loads_of(*fabric_with(settings, "shortest")),
              plain_loads(plain, [](auto, auto, auto, auto) { return 0; }))
        << settings;
    for (const std::uint64_t seed : {0U, 9U}) {
      const auto draw = [&](std::uint64_t s, std::uint64_t d, std::uint64_t at,
                            std::uint64_t count) {
        return bounded(hash_of(seed, s << 32U | d, at), count);
      };
      EXPECT_EQ(loads_of(*fabric_with(settings, fmt::format("ecmp,seed={}", seed))),
                plain_loads(plain, draw))
          << settings << " seed " << seed;
    }
  }
}

TEST(FabricRouting, HyperXGoesThroughItsDimensionsInOrder) {
  const auto topology = made("hyperx,shape=3x4x2");
  EXPECT_EQ(topology->routing(), "dimension_order");
  const NodeId router{24};
  EXPECT_EQ(topology->route(NodeId{0}, NodeId{23}),
            (std::vector<NodeId>{NodeId{0}, router, NodeId{24 + 2}, NodeId{24 + 11},
                                 NodeId{24 + 23}, NodeId{23}}));
}

TEST(FabricRouting, WhatSuitsNoFabricIsRefused) {
  const auto said = [](const std::string& settings, const std::string& routing) {
    return dcube::complaint([&] { fabric_with(settings, routing); });
  };
  EXPECT_EQ(said("fat_tree,k=4", "minimal"),
            "/kind: minimal does not suit the fat_tree of 16 terminals, 20 switches and 48 links; "
            "d_mod_k, shortest, ecmp, minimal_adaptive or table would");
  EXPECT_EQ(said("torus,shape=4x4", "d_mod_k"),
            "/kind: d_mod_k does not suit the 4x4 torus; dimension_order, random_order, shortest, "
            "ecmp, valiant, minimal_adaptive or table would");
  EXPECT_EQ(
      said("slim_fly,q=5", "dimension_order"),
      "/kind: dimension_order does not suit the slim_fly of 50 terminals, 50 switches and 225 "
      "links; shortest, ecmp, valiant, minimal_adaptive or table would");
}

// --- Failures ---

TEST(FabricFailures, RoutesGoAroundSwitchesAndLinksThatFailed) {
  const std::shared_ptr<const Topology> tree = made("fat_tree,down=[2,2],up=[2,2]");
  // Terminals 0 to 3, switches of level 1 4 to 7: terminals 0 and 1 below 4 and 5.
  Failures failures;
  failures.nodes = {NodeId{4}};
  const auto left = with_failures(tree, failures);
  EXPECT_EQ(left->usable_count(), 4U);
  for (std::uint32_t from = 0; from < 4; ++from) {
    for (std::uint32_t to = 0; to < 4; ++to) {
      const std::vector<NodeId> route = left->route(NodeId{from}, NodeId{to});
      EXPECT_EQ(std::ranges::count(route, NodeId{4}), 0);
      EXPECT_EQ(route.size(), tree->route(NodeId{from}, NodeId{to}).size());
    }
  }
  EXPECT_TRUE(cut_off_nodes(*left).empty());
}

TEST(FabricFailures, TerminalsPassNothingOn) {
  // Each terminal below two switches; 0 keeps the one, 3 the other: 1 and 2 would have to forward.
  const std::shared_ptr<const Topology> planes = made("fat_tree,down=[4],up=[2]");
  const auto between = [&](std::uint32_t a, std::uint32_t b) {
    for (std::uint32_t slot = 0; slot < planes->link_slots(); ++slot) {
      const Link link = planes->link(LinkId{slot}).value();
      if (link.from == NodeId{a} && link.to == NodeId{b}) {
        return LinkId{slot};
      }
    }
    return LinkId{};
  };
  Failures failures;
  failures.links = {between(0, 5), between(3, 4)};
  const auto left = with_failures(planes, failures);
  EXPECT_FALSE(left->reaches(NodeId{0}, NodeId{3}));
  EXPECT_TRUE(left->reaches(NodeId{0}, NodeId{2}));
  EXPECT_TRUE(left->reaches(NodeId{3}, NodeId{2}));
  EXPECT_FALSE(left->reaches(NodeId{4}, NodeId{5}));
  EXPECT_EQ(cut_off_nodes(*left), (std::vector<NodeId>{NodeId{0}}));
  failures.links = {between(0, 5)};
  EXPECT_TRUE(cut_off_nodes(*with_failures(planes, failures)).empty());
}

TEST(FabricFailures, LongWaysOfTerminalsBelowSeveralSwitchesEnd) {
  // Every set of up to three failed links of a tree with two switches above each terminal.
  const std::shared_ptr<const Topology> tree = made("fat_tree,down=[2,3],up=[2,2]");
  const std::uint32_t links = tree->link_slots() / 2;
  for (std::uint32_t a = 0; a < links; ++a) {
    for (std::uint32_t b = a; b < links; ++b) {
      Failures failures;
      failures.links = {LinkId{2 * a}, LinkId{2 * b}, LinkId{2 * ((a * 7 + b) % links)}};
      const auto left = with_failures(tree, failures);
      const reference::Graph graph = reference::graph_of(*left);
      for (std::uint32_t from = 0; from < tree->terminal_count(); ++from) {
        const auto hops =
            reference::breadth_first_distances(graph, NodeId{from}, tree->terminal_count());
        for (std::uint32_t to = 0; to < tree->terminal_count(); ++to) {
          const bool reaches = hops[to] != std::numeric_limits<std::uint32_t>::max();
          ASSERT_EQ(left->reaches(NodeId{from}, NodeId{to}), reaches);
          if (reaches) {
            ASSERT_EQ(left->distance(NodeId{from}, NodeId{to}), hops[to]);
            ASSERT_EQ(left->route(NodeId{from}, NodeId{to}).size(), hops[to] + std::size_t{1});
          }
        }
      }
    }
  }
}

// --- Bad input ---

TEST(Fabric, UnusableSettingsAreRefusedInOneLine) {
  const auto said = [](const std::string& settings) {
    return dcube::complaint([&] { made(settings); });
  };
  EXPECT_EQ(said("fat_tree,k=5"),
            "/k: 5 ports cannot be halved into those down and those up (an even number)");
  EXPECT_EQ(said("fat_tree,up=[1,2]"),
            "/up: given without `down`, the ports downwards of a switch of each level");
  EXPECT_EQ(said("fat_tree,down=[4,4],up=[1]"),
            "/up: 1 entry for the 2 levels that `down` has (one for each)");
  EXPECT_EQ(said("fat_tree,down=[4,4],up=[1,2],k=4"),
            "/down: given beside `k` (which says it all; give `down` and `up`, or `k` alone)");
  EXPECT_EQ(said("fat_tree,down=[65536,65536],up=[1,1]"),
            "4294967296 terminals and 65537 switches are too many for 32-bit node numbers");
  EXPECT_EQ(said("dragonfly,p=2,a=3,h=1,g=5"),
            "/g: 5 groups are more than the 3 global ports of a group reach (at most 4)");
  EXPECT_EQ(said("dragonfly,p=2,a=6,h=1,local=[4,2]"),
            "/local: [4, 2] is no grid of the 6 routers of a group (rows, columns)");
  EXPECT_EQ(said("slim_fly,q=9"), "/q: 9 is no prime");
  EXPECT_EQ(said("slim_fly,q=3"), "/q: 3 is not a prime (5 to 4093)");
  EXPECT_EQ(said("jellyfish,routers=5,degree=3"),
            "/degree: 5 routers of 3 ports have an odd number of ports, which no links fill");
  EXPECT_EQ(said("hyperx,shape=4x4,width=[1]"), "/width: 1 entry for 2 dimensions (one for each)");
  EXPECT_EQ(said("blocks,blocks=[switch]"),
            "/blocks/0: \"switch\" is no block (a group with its kind and size, or \"switch:8\")");
}

}  // namespace
}  // namespace dcube
