// Bounds by parts of the flows are never above the least cost, and reach it where flows hang
// together.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/search/cases.hpp"
#include "dcube/topology/hop_weights.hpp"
#include "dcube/topology/routing.hpp"
#include "problems.hpp"
#include "random_problem.hpp"
#include "search/proofs/class_placements.hpp"
#include "support/draw.hpp"
#include "support/random_cases.hpp"

namespace dcube {
namespace {

/// All pairs of the first `count` processes, both ways.
Traffic clique(std::uint32_t count, std::uint64_t bytes) {
  std::vector<Flow> flows;
  for (std::uint32_t a = 0; a < count; ++a) {
    for (std::uint32_t b = 0; b < count; ++b) {
      if (a != b) {
        flows.push_back({ProcessId{a}, ProcessId{b}, bytes, 1});
      }
    }
  }
  return {count, std::move(flows)};
}

/// Classes of processes that mostly exchange alike, and some that exchange nothing.
Traffic nearly_clones(std::uint32_t processes, testing::Draw& draw) {
  const std::uint32_t classes = 1 + draw.below(3);
  std::vector<std::uint32_t> class_of;
  for (std::uint32_t process = 0; process < processes; ++process) {
    class_of.push_back(draw.below(classes + 1));
  }
  std::vector<std::uint64_t> weights;
  for (std::uint32_t pair = 0; pair < classes * classes; ++pair) {
    weights.push_back(draw.below(4));
  }
  const bool has_noise = draw.one_in(2);
  std::vector<Flow> flows{{ProcessId{0}, ProcessId{1}, 1, 1}};
  for (std::uint32_t a = 0; a < processes; ++a) {
    for (std::uint32_t b = 0; b < processes; ++b) {
      const bool is_idle = class_of[a] == classes || class_of[b] == classes;
      const std::uint64_t weight = (is_idle ? 0 : weights[class_of[a] * classes + class_of[b]]) +
                                   (has_noise && draw.one_in(6) ? 1 + draw.below(3) : 0);
      if (a != b && weight > 0) {
        flows.push_back({ProcessId{a}, ProcessId{b}, weight, 1});
      }
    }
  }
  return {processes, std::move(flows)};
}

bool hangs_together(const Traffic& traffic) {
  std::vector<std::uint32_t> part(traffic.process_count());
  for (std::uint32_t process = 0; process < part.size(); ++process) {
    part[process] = process;
  }
  std::vector<bool> talks(part.size());
  for (const Flow& flow : traffic.flows()) {
    if (flow.bytes == 0 || flow.from == flow.to) {
      continue;
    }
    talks[flow.from.index()] = talks[flow.to.index()] = true;
    const std::uint32_t gone = part[flow.from.index()];
    std::ranges::replace(part, gone, part[flow.to.index()]);
  }
  std::optional<std::uint32_t> first;
  for (std::uint32_t process = 0; process < part.size(); ++process) {
    if (talks[process] && part[process] != first.value_or(part[process])) {
      return false;
    }
    first = talks[process] ? part[process] : first;
  }
  return true;
}

TEST(RandomCasesFlowParts, AreNeverAboveTheLeastCost) {
  const testing::RandomCases cases = testing::random_cases(3'000);
  std::uint64_t compared = 0;
  for (std::uint64_t seed = cases.first_seed; seed < cases.first_seed + cases.count; ++seed) {
    searching::RandomProblem problem{seed};
    try {
      check_problem(*problem);
    } catch (const InputError&) {
      continue;  // sums past 63 bits
    }
    const std::uint64_t known = problem.reached();
    if (known == 0) {
      continue;
    }
    constexpr std::uint32_t most_polls = 3'000;
    std::uint32_t polls = 0;
    // Bounds end at what is reached, so that is more than the cost of a map.
    const auto parts = bound_by_parts(
        *problem,
        {.reached = known + known / 2 + 1, .should_stop = [&] { return ++polls > most_polls; }});
    if (!parts) {
      continue;
    }
    ++compared;
    ASSERT_LE(parts->cost, known) << "seed " << seed << ": " << problem.description();
    if (has_placement_cases(*problem) && problem->usable_slots() <= 8) {
      const auto placed = place_by_cases(*problem, {.reached = known});
      ASSERT_LE(parts->cost, placed->bound) << "seed " << seed << ": " << problem.description();
    }
  }
  EXPECT_GT(20 * compared, cases.count);
}

TEST(RandomCasesFlowParts, ReachTheLeastCostOfFlowsThatHangTogether) {
  const testing::RandomCases cases = testing::random_cases(150);
  std::uint64_t reached = 0;
  std::uint64_t stopped = 0;
  for (std::uint64_t seed = cases.first_seed; seed < cases.first_seed + cases.count; ++seed) {
    testing::Draw draw{seed};
    const auto machine = searching::machine(draw.one_of<const char*, 8>(
        {"kind=hypercube,dimensions=3", "kind=hypercube,dimensions=4", "kind=torus,shape=4x3",
         "kind=mesh,shape=3x3", "kind=mesh,shape=5x2", "kind=ring,nodes=10",
         "kind=twisted_torus,shape=2x4",
         "kind=graph,edges=[[0,1],[1,2],[2,3],[3,4],[4,5],[5,0],[0,6],"
         "[6,7],[7,8],[8,3],[8,9]]"}));
    const std::uint32_t processes = std::min(machine->node_count(), 4 + draw.below(9));
    const Traffic traffic = nearly_clones(processes, draw);
    const SearchProblem problem = searching::problem(
        *machine, traffic, draw.one_in(4) ? Objective::average_dilation : Objective::hop_bytes);
    constexpr std::uint64_t known = 1'000'000;
    const std::uint64_t least = place_by_cases(problem, {.reached = known})->bound;
    std::uint64_t polls = draw.one_in(4) ? draw.below(200) : ~std::uint64_t{0};
    std::uint64_t told = 0;
    const auto parts =
        bound_by_parts(problem, {.reached = draw.one_in(2) ? least : known,
                                 .should_stop = [&] { return polls == 0 || --polls == 0; },
                                 .on_bound =
                                     [&](std::uint64_t bound) {
                                       EXPECT_GT(bound, told) << "seed " << seed;
                                       told = bound;
                                     }});
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->cost, told);
    ASSERT_LE(parts->cost, least) << "seed " << seed;
    stopped += polls == 0 ? 1 : 0;
    if (polls > 0 && hangs_together(traffic)) {
      ++reached;
      ASSERT_EQ(parts->cost, least) << "seed " << seed;
    }
  }
  EXPECT_GT(4 * reached, cases.count);
  EXPECT_GT(stopped, 0U);
}

TEST(FlowParts, EndEarlyFarBelowWhatIsKnown) {
  const auto torus = searching::machine("kind=torus,shape=4x4");
  const Traffic traffic = searching::random_traffic(16, 40, 1);
  const SearchProblem problem = searching::problem(*torus, traffic, Objective::hop_bytes);
  constexpr std::uint64_t reached = 1'000'000;
  std::uint64_t first = 0;  // by parts of one class
  const auto whole = bound_by_parts(
      problem, {.reached = reached,
                .on_bound = [&](std::uint64_t bound) { first = first == 0 ? bound : first; }});
  ASSERT_TRUE(whole);
  ASSERT_LT(first, whole->cost);
  const auto brief = bound_by_parts(problem, {.reached = reached, .bound = 2 * whole->cost});
  ASSERT_TRUE(brief);
  EXPECT_EQ(brief->cost, 2 * whole->cost);
  EXPECT_LT(2 * brief->cases, whole->cases);
  const auto near = bound_by_parts(problem, {.reached = reached, .bound = first});
  ASSERT_TRUE(near);
  EXPECT_EQ(near->cost, whole->cost);
}

/// On machines whose maps are too many to go through, with hops that weigh more in some dimensions.
TEST(RandomCasesFlowParts, AreNotAboveWhatAnnealingFinds) {
  const testing::RandomCases cases = testing::random_cases(12);
  for (std::uint64_t seed = cases.first_seed; seed < cases.first_seed + cases.count; ++seed) {
    testing::Draw draw{seed};
    std::shared_ptr<const Topology> machine = searching::machine(draw.one_of<const char*, 8>(
        {"kind=hypercube,dimensions=5", "kind=torus,shape=5x5", "kind=mesh,shape=9x3",
         "kind=torus,shape=4x2x4", "kind=hypercube,dimensions=7",
         "kind=torus,shape=8x8,tie=positive", "kind=twisted_torus,shape=8x4",
         "kind=torus,shape=6x5,wrap=[true,false]"}));
    if (draw.one_in(3)) {
      std::vector<std::uint32_t> weights;
      for (std::uint32_t dimension = 0; dimension < machine->dimension_count(); ++dimension) {
        weights.push_back(2 * (1 + draw.below(3)));
      }
      machine = with_hop_weights(machine, std::move(weights));
    } else if (draw.one_in(4)) {
      machine = with_failures(
          machine,
          {.nodes = {NodeId{draw.below(machine->node_count())}}, .links = {}, .spares = {}});
    }
    const std::uint32_t processes = std::min(machine->usable_count(), 12 + draw.below(117));
    const Traffic traffic = draw.one_in(2)
                                ? nearly_clones(processes, draw)
                                : searching::random_traffic(processes, 3 * processes, seed);
    const SearchProblem problem = searching::problem(
        *machine, traffic, draw.one_in(4) ? Objective::average_dilation : Objective::hop_bytes);
    const std::uint64_t found = anneal(problem, {.seed = seed, .effort = 30'000, .bound = 0}).cost;
    std::uint64_t polls = 200;
    const auto parts = bound_by_parts(
        problem, {.reached = 2 * found, .should_stop = [&] { return polls == 0 || --polls == 0; }});
    ASSERT_TRUE(parts) << "seed " << seed;
    ASSERT_LE(parts->cost, found) << "seed " << seed;
  }
}

/// A clique of 2^k processes fits best into a k-cube.
TEST(FlowParts, KnowTheLeastCostOfCliquesInCubes) {
  for (const std::uint32_t dimensions : {4U, 6U, 7U}) {
    const auto cube = searching::machine("kind=hypercube,dimensions=" + std::to_string(dimensions));
    for (const auto& [count, pairs_cost] : {std::pair{4U, 8U}, {8U, 48U}}) {
      const Traffic traffic = clique(count, 3);
      const auto parts = bound_by_parts(searching::problem(*cube, traffic, Objective::hop_bytes),
                                        {.reached = 100'000});
      ASSERT_TRUE(parts);
      EXPECT_EQ(parts->cost, 6 * pairs_cost) << count << " in " << dimensions;
    }
  }
}

/// Two cliques that share a process, and a triangle.
TEST(FlowParts, AddUp) {
  std::vector<Flow> flows;
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    flows.push_back({ProcessId{a}, ProcessId{b}, 2, 1});
  };
  for (std::uint32_t a = 0; a < 9; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      join(a, b);
    }
  }
  for (std::uint32_t a = 8; a < 12; ++a) {
    for (std::uint32_t b = 8; b < a; ++b) {
      join(a, b);
    }
  }
  join(12, 13);
  join(13, 14);
  join(14, 12);
  const Traffic traffic{32, std::move(flows)};
  const auto cube = searching::machine("kind=hypercube,dimensions=5");
  const auto parts = bound_by_parts(searching::problem(*cube, traffic, Objective::hop_bytes),
                                    {.reached = 100'000});
  const Traffic nine = clique(9, 1);
  const auto of_nine =
      bound_by_parts(searching::problem(*cube, nine, Objective::hop_bytes), {.reached = 100'000});
  ASSERT_TRUE(parts);
  EXPECT_GE(parts->cost, of_nine->cost + 2 * 8 + 2 * 4);
}

TEST(FlowParts, TakeASlotANodeAndNoPins) {
  const auto ring = searching::machine("kind=ring,nodes=6");
  const Traffic traffic = clique(4, 1);
  SearchProblem problem = searching::problem(*ring, traffic, Objective::hop_bytes);
  EXPECT_TRUE(bound_by_parts(problem, {.reached = 100}));
  problem.slots = 2;
  EXPECT_FALSE(bound_by_parts(problem, {.reached = 100}));
  problem.slots = 1;
  problem.pins.resize(4);
  problem.pins[0] = NodeId{0};
  EXPECT_FALSE(bound_by_parts(problem, {.reached = 100}));
}

/// Cases are counted as they come, not once all of one more member are there.
TEST(ClassPlacements, GiveUpBeforeThereAreMoreCases) {
  constexpr std::uint32_t size = 64;
  std::vector<std::uint32_t> lengths;
  std::vector<PlaceGroup::Place> identity;
  for (std::uint32_t a = 0; a < size; ++a) {
    identity.push_back(static_cast<PlaceGroup::Place>(a));
    for (std::uint32_t b = 0; b < size; ++b) {
      lengths.push_back(static_cast<std::uint32_t>(std::popcount(a ^ b)));
    }
  }
  const Places places{.lengths = std::move(lengths),
                      .size = size,
                      .symmetries = PlaceGroup{std::move(identity), size},
                      .least_length = 1};
  const FlowClasses clones{.members = {std::vector<std::uint32_t>(10)}, .weights = {1}};
  constexpr std::uint64_t most_cases = 30'000;
  ClassPlacements placements{places, clones, most_cases, {}};
  constexpr std::uint64_t of_a_cube_and_two_beside_it = 48 + 2 * 20 + 1;
  EXPECT_LE(placements.least(~std::uint64_t{0}), of_a_cube_and_two_beside_it);
  EXPECT_TRUE(placements.is_over());
  EXPECT_GT(placements.cases(), most_cases);
  EXPECT_LT(placements.cases(), most_cases + most_cases / 20);
}

/// The flows within classes and what is left are the flows: a star and its leaves' ring.
TEST(FlowClasses, LeaveOutTheLeast) {
  constexpr std::size_t size = 5;
  std::vector<std::uint64_t> weights(size * size);
  const auto join = [&](std::size_t a, std::size_t b, std::uint64_t weight) {
    weights[a * size + b] = weights[b * size + a] = weight;
  };
  for (std::size_t leaf = 1; leaf < size; ++leaf) {
    join(0, leaf, 7);
    for (std::size_t other = 1; other < leaf; ++other) {
      join(leaf, other, leaf == 4 && other == 3 ? 2 : 1);
    }
  }
  const std::vector<std::uint32_t> all{0, 1, 2, 3, 4};
  const FlowClasses two = merged_classes(weights, size, all, 2);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two.total_flow(), 4U * 7 + 6);
  const FlowClasses three = merged_classes(weights, size, all, 3);
  EXPECT_EQ(three.total_flow(), 4U * 7 + 7);
  EXPECT_EQ(merged_classes(weights, size, all, 5).size(), 3U);  // clones are merged anyway
}

}  // namespace
}  // namespace dcube
