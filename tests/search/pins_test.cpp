// Processes that have to be on given nodes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/topology/routing.hpp"
#include "problems.hpp"
#include "search/starts/starts.hpp"
#include "support/complaint.hpp"

namespace dcube {
namespace {

bool keeps_pins(const SearchProblem& problem, const std::vector<NodeId>& map) {
  for (std::uint32_t process = 0; process < map.size(); ++process) {
    if (problem.is_pinned(process) && map[process] != *problem.pins[process]) {
      return false;
    }
  }
  return true;
}

/// Pins some processes to nodes with free slots.
void pin(SearchProblem& problem, std::uint32_t count, std::uint64_t seed) {
  SplitMix64 random{seed};
  std::vector<std::uint32_t> free(problem.topology.node_count());
  for (std::uint32_t node = 0; node < free.size(); ++node) {
    free[node] = problem.topology.is_usable(NodeId{node}) ? problem.slots : 0;
  }
  problem.pins.assign(problem.traffic.process_count(), std::nullopt);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto process = bounded(random.next(), problem.pins.size());
    const auto node = static_cast<std::uint32_t>(bounded(random.next(), free.size()));
    if (!problem.pins[process] && free[node] > 0) {
      --free[node];
      problem.pins[process] = NodeId{node};
    }
  }
}

TEST(Pins, EveryMethodKeepsThem) {
  const std::vector<std::shared_ptr<const Topology>> machines{
      with_failures(searching::machine("kind=torus,shape=4x4"), {{}, {}, {NodeId{0}, NodeId{6}}}),
      with_failures(searching::machine("kind=torus,shape=4x4"), {{NodeId{5}}, {LinkId{0}}, {}}),
      searching::machine("kind=mesh,shape=8x3"), searching::machine("kind=hypercube,dimensions=4")};
  for (const auto& topology : machines) {
    for (const Traffic& traffic : {searching::cube(3), searching::random_traffic(13, 30, 2)}) {
      for (const Objective objective : searching::objectives(traffic)) {
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
          SearchProblem problem = searching::problem(*topology, traffic, objective);
          problem.slots = 1 + seed % 2;
          pin(problem, static_cast<std::uint32_t>(1 + 3 * seed), seed);
          SCOPED_TRACE(describe(*topology) + ' ' + std::string{to_string(objective)});
          for (const Start& start : structured_starts(problem)) {
            EXPECT_TRUE(keeps_pins(problem, start.map)) << start.embedding;
            EXPECT_TRUE(searching::fits(start.map, *topology, problem.slots)) << start.embedding;
          }
          for (const Start& start : scotch_starts(problem, seed)) {
            EXPECT_TRUE(keeps_pins(problem, start.map)) << start.embedding;
            EXPECT_TRUE(searching::fits(start.map, *topology, problem.slots)) << start.embedding;
          }
          const FoundMap found = anneal(problem, {.seed = seed, .effort = 2000});
          EXPECT_TRUE(keeps_pins(problem, found.map));
          EXPECT_TRUE(searching::fits(found.map, *topology, problem.slots));
          EXPECT_EQ(found.cost, cost_of(problem, found.map));
          EXPECT_GE(found.cost, cost_bounds(problem).front().cost);
        }
      }
    }
  }
}

TEST(Pins, EnumerationAgreesWithTryingEveryMap) {
  for (const std::string settings :
       {"kind=ring,nodes=6", "kind=mesh,shape=3x2", "kind=torus,shape=2x3", "kind=line,nodes=5"}) {
    const auto topology = searching::machine(settings);
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const Traffic traffic =
          seed % 2 == 0 ? searching::cube(2) : searching::random_traffic(5, 7, seed);
      for (const Objective objective : searching::objectives(traffic)) {
        SearchProblem problem = searching::problem(*topology, traffic, objective);
        pin(problem, static_cast<std::uint32_t>(1 + seed / 2), seed);
        std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
        std::uint64_t optima = 0;
        std::uint64_t fixed = 0;
        searching::for_each_map(*topology, 1, traffic.process_count(),
                                [&](const std::vector<NodeId>& map) {
                                  if (!keeps_pins(problem, map)) {
                                    return;
                                  }
                                  const std::uint64_t cost = cost_of(problem, map);
                                  if (cost < least) {
                                    optima = fixed = 0;
                                    least = cost;
                                  }
                                  optima += cost == least ? 1 : 0;
                                  fixed += cost == least && map[0] == NodeId{0} ? 1 : 0;
                                });
        const ExhaustiveProof proof = enumerate(problem, {});
        SCOPED_TRACE(settings + ' ' + std::string{to_string(objective)});
        EXPECT_TRUE(proof.is_complete);
        EXPECT_TRUE(keeps_pins(problem, proof.found.map));
        EXPECT_EQ(proof.found.cost, least);
        for (const CostBound& bound : cost_bounds(problem)) {
          EXPECT_LE(bound.cost, least) << bound.source;
        }
        EXPECT_EQ(proof.optima, optima);
        EXPECT_EQ(proof.optima_fixed, fixed);
      }
    }
  }
}

/// Nothing is left to move: the search ends.
TEST(Pins, OfAllProcessesLeaveOneMap) {
  const auto ring = searching::machine("kind=ring,nodes=8");
  const Traffic cube = searching::cube(3);
  SearchProblem problem = searching::problem(*ring, cube, Objective::hop_bytes);
  EXPECT_TRUE(problem.has_choice());
  for (std::uint32_t process = 0; process < 8; ++process) {
    problem.pins.emplace_back(NodeId{7 - process});
  }
  EXPECT_FALSE(problem.has_choice());
  const FoundMap found = anneal(problem, {.effort = 1000});
  EXPECT_TRUE(keeps_pins(problem, found.map));
  problem.pins[3].reset();
  EXPECT_FALSE(problem.has_choice());
  EXPECT_TRUE(keeps_pins(problem, anneal(problem, {.effort = 1000}).map));
  problem.pins[5].reset();
  EXPECT_TRUE(problem.has_choice());
}

TEST(Pins, ThatDoNotFitAreInputErrors) {
  const auto topology =
      with_failures(searching::machine("kind=ring,nodes=8"), {{NodeId{3}}, {}, {NodeId{4}}});
  const Traffic traffic = searching::random_traffic(4, 9, 1);
  const auto complaint_of = [&](std::vector<std::optional<NodeId>> pins) {
    SearchProblem problem = searching::problem(*topology, traffic, Objective::hop_bytes);
    problem.pins = std::move(pins);
    return complaint([&] { check_problem(problem); });
  };
  EXPECT_EQ(complaint_of({{}, NodeId{3}, {}, {}}),
            "process 1 is pinned to node 3, which has failed");
  EXPECT_EQ(complaint_of({{}, {}, NodeId{4}, {}}),
            "process 2 is pinned to node 4, which is to host no process");
  EXPECT_EQ(complaint_of({{}, NodeId{1}, {}, NodeId{1}}),
            "2 processes are pinned to node 1, which hosts one");
  const auto ring = searching::machine("kind=ring,nodes=8");
  const Traffic cube = searching::cube(3);
  SearchProblem constant = searching::problem(*ring, cube, Objective::average_dilation);
  constant.pins.assign(8, std::nullopt);
  constant.pins[2] = NodeId{0};
  EXPECT_THROW(enumerate_constant_distances(constant, {}), InputError);
}

/// A part of a machine: moves are drawn among its nodes alone.
TEST(Allocation, OfFewNodesIsSearchedAsWellAsAMachineOfItsOwn) {
  const auto torus = searching::machine("kind=torus,shape=32x32");
  Failures kept_free;
  for (std::uint32_t node = 0; node < torus->node_count(); ++node) {
    const bool is_in = node % 32 >= 3 && node % 32 < 11 && node / 32 >= 20 && node / 32 < 28;
    if (!is_in) {
      kept_free.spares.emplace_back(node);
    }
  }
  const auto part = with_failures(searching::machine("kind=torus,shape=32x32"), kept_free);
  const Traffic grid = Traffic::of(Guest::parse("mesh:8x8"));
  const SearchProblem problem = searching::problem(*part, grid, Objective::hop_bytes);
  EXPECT_EQ(problem.topology.usable_count(), 64U);
  const FoundMap found = anneal(problem, {.seed = 1, .effort = 200'000});
  EXPECT_EQ(found.cost, cost_bounds(problem).front().cost);
}

/// What is known is a start; who is on a node that hosts nothing goes to the nearest that does.
TEST(KnownMaps, AreStartsAndMended) {
  const auto ring =
      with_failures(searching::machine("kind=ring,nodes=8"), {{NodeId{3}}, {}, {NodeId{6}}});
  const Traffic traffic = Traffic::of(Guest::parse("line:4"));
  SearchProblem problem = searching::problem(*ring, traffic, Objective::hop_bytes);
  const std::vector<NodeId> map{NodeId{2}, NodeId{3}, NodeId{6}, NodeId{7}};
  EXPECT_EQ(mended(problem, map),
            (std::vector<NodeId>{NodeId{2}, NodeId{4}, NodeId{5}, NodeId{7}}));
  problem.known = {{"today", map}};
  EXPECT_EQ(structured_starts(problem).front().embedding, "today, repaired");
  problem.pins = {{}, {}, {}, NodeId{0}};
  EXPECT_EQ(structured_starts(problem).front().map.back(), NodeId{0});
  problem.pins.clear();
  problem.slots = 2;
  EXPECT_EQ(mended(problem, std::vector<NodeId>(4, NodeId{2})),
            (std::vector<NodeId>{NodeId{2}, NodeId{2}, NodeId{1}, NodeId{1}}));
}

TEST(KnownMaps, AreMendedWithTheLowestOfTheNearestNodes) {
  const auto ring = with_failures(searching::machine("kind=ring,nodes=8"), {{NodeId{5}}, {}, {}});
  const Traffic traffic = Traffic::of(Guest::parse("line:2"));
  const SearchProblem problem = searching::problem(*ring, traffic, Objective::hop_bytes);
  EXPECT_EQ(mended(problem, {NodeId{1}, NodeId{5}}), (std::vector<NodeId>{NodeId{1}, NodeId{4}}));
}

std::shared_ptr<const Topology> part_of(const std::string& settings,
                                        const std::vector<std::uint32_t>& nodes) {
  const std::shared_ptr<const Topology> whole = searching::machine(settings);
  std::vector<bool> may_host(whole->node_count());
  for (const std::uint32_t node : nodes) {
    may_host[node] = true;
  }
  return with_hosts_among(whole, may_host);
}

TEST(Box, HoldsTheUsableNodesAlsoOverTheEndsOfACycle) {
  const auto in_torus = part_of("kind=torus,shape=8x4", {7, 0, 15, 8, 16, 23});
  const std::optional<Box> box = box_of_usable_nodes(*in_torus);
  ASSERT_TRUE(box);
  EXPECT_EQ(describe(*box->topology), "2x3 mesh");
  EXPECT_EQ(box->nodes, (std::vector<NodeId>{NodeId{7}, NodeId{0}, NodeId{15}, NodeId{8},
                                             NodeId{23}, NodeId{16}}));
  const auto in_mesh = part_of("kind=mesh,shape=8x4", {7, 0, 15, 8});
  EXPECT_EQ(box_of_usable_nodes(*in_mesh)->nodes.size(), 16U);
  EXPECT_EQ(box_of_usable_nodes(*in_mesh)->topology->usable_count(), 4U);
  const auto rows = part_of("kind=torus,shape=4x8", {4, 5, 6, 7, 8, 9, 10, 11});
  const auto two_rows = box_of_usable_nodes(*rows);
  EXPECT_EQ(two_rows->topology->kind(), "torus");
  EXPECT_EQ(two_rows->topology->link_count(), 4U + 4 + 4);
  EXPECT_FALSE(box_of_usable_nodes(*searching::machine("kind=torus,shape=4x4")));
  EXPECT_FALSE(box_of_usable_nodes(*part_of("kind=ring,nodes=8", {3})));
  EXPECT_FALSE(box_of_usable_nodes(*part_of("kind=ring,nodes=4", {0, 1, 2, 3})));
  const auto subcube = part_of("kind=hypercube,dimensions=5", {16, 18, 24, 26});
  EXPECT_EQ(describe(*box_of_usable_nodes(*subcube)->topology), "2x2 mesh");
}

/// Boxes that go over ends, that a way round passes by, and with holes.
TEST(Box, BoundsHoldForEveryMap) {
  for (const auto& [settings, nodes] :
       std::vector<std::pair<std::string, std::vector<std::uint32_t>>>{
           {"kind=ring,nodes=8", {6, 7, 0, 1}},
           {"kind=ring,nodes=8", {1, 2, 3, 4, 5}},
           {"kind=torus,shape=6x4", {0, 1, 2, 6, 7, 8}},
           {"kind=torus,shape=6x4", {0, 1, 6, 7, 8}},
           {"kind=torus,shape=4x4", {0, 1, 2, 4, 5}},
           {"kind=torus,shape=4x4", {4, 5, 6, 7}},
           {"kind=mesh,shape=4x4", {5, 6, 9, 10, 11}},
           {"kind=hypercube,dimensions=4", {4, 5, 12, 13}}}) {
    const auto part = part_of(settings, nodes);
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const Traffic traffic =
          seed == 0 ? searching::cube(2) : searching::random_traffic(4, 8, seed);
      for (const Objective objective : searching::objectives(traffic)) {
        const SearchProblem problem = searching::problem(*part, traffic, objective);
        const ExhaustiveProof proof = enumerate(problem, {});
        for (const CostBound& bound : cost_bounds(problem)) {
          EXPECT_LE(bound.cost, proof.found.cost)
              << settings << ' ' << to_string(objective) << ' ' << bound.source;
        }
      }
    }
  }
}

/// What is known of an 8x8 mesh is known of that part of a machine.
TEST(Box, HasTheStructuredMapsOfAMachineOfItsSize) {
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t row = 0; row < 8; ++row) {
    for (std::uint32_t column = 0; column < 8; ++column) {
      nodes.push_back((row + 28) % 32 * 32 + column + 5);
    }
  }
  const auto part = part_of("kind=torus,shape=32x32", nodes);
  const auto mesh = searching::machine("kind=mesh,shape=8x8");
  const Traffic cube = Traffic::of(Guest::cube(6), searching::doubling(6));
  const SearchProblem in_part = searching::problem(*part, cube, Objective::hop_bytes);
  const FoundMap found = best_start(in_part);
  EXPECT_EQ(found.cost, best_start(searching::problem(*mesh, cube, Objective::hop_bytes)).cost);
  EXPECT_EQ(found.origin, "weighted_xor in the 8x8 mesh");
  EXPECT_EQ(cost_bounds(in_part).front().cost,
            cost_bounds(searching::problem(*mesh, cube, Objective::hop_bytes)).front().cost);
  for (const Start& start : structured_starts(in_part)) {
    EXPECT_TRUE(searching::fits(start.map, *part)) << start.embedding;
    EXPECT_TRUE(std::ranges::all_of(start.map, [&](NodeId node) { return part->is_usable(node); }))
        << start.embedding;
  }
}

}  // namespace
}  // namespace dcube
