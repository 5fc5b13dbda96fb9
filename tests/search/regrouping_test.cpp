#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/mapped.hpp"
#include "search/pairs.hpp"
#include "search/starts/starts.hpp"
#include "search/sums/maps.hpp"
#include "search/sums/swap_annealing.hpp"
#include "search/walks/draws.hpp"
#include "sum_cases.hpp"

// Groups of processes that move between nodes of many slots.

namespace dcube {
namespace {

/// Processes drawn into groups, of which some may be empty, and pairs summed up one by one.
TEST(Regrouping, JoinedPartnersWeighWhatTheirPairsWeigh) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SplitMix64 random{seed};
    const std::uint32_t processes = 1 + draw_below(random, 40);
    const std::uint32_t groups = 1 + draw_below(random, 9);
    const Traffic traffic = searching::random_traffic(processes, 4 * processes, seed);
    const auto group =
        numbered(processes, [&](std::uint32_t) { return draw_below(random, groups); });
    std::vector<std::uint64_t> expected(std::size_t{groups} * groups);
    std::uint64_t total = 0;
    for (const Flow& flow : traffic.flows()) {
      const std::size_t from = group[flow.from.index()];
      const std::size_t to = group[flow.to.index()];
      if (from != to) {
        expected[from * groups + to] += flow.bytes;
        expected[to * groups + from] += flow.bytes;
        total += flow.bytes;
      }
    }
    const Partners joined = Partners{traffic, Objective::hop_bytes}.joined(group, groups);
    ASSERT_EQ(joined.process_count(), groups);
    EXPECT_EQ(weight_table(joined, groups), expected) << seed;
    EXPECT_EQ(joined.total_weight(), total) << seed;
  }
}

std::vector<std::uint32_t> processes_by_node(const SearchProblem& problem,
                                             const std::vector<NodeId>& map) {
  std::vector<std::uint32_t> count(problem.topology.node_count());
  for (const NodeId node : map) {
    ++count[node.index()];
  }
  return count;
}

/// Regroups drawn places, a few times on end.
void expect_better_and_better(const SearchProblem& problem, std::uint64_t seed) {
  const PlacementProblem placement{problem};
  SplitMix64 random{seed};
  std::vector<std::uint32_t> places = random_places(placement, random);
  for (int round = 0; round < 3; ++round) {
    SplitMix64 same = random;
    const auto goes_on = [](std::uint64_t) { return false; };
    const auto better = regrouped_places(placement, places, 20'000, random, goes_on);
    EXPECT_EQ(better, regrouped_places(placement, places, 20'000, same, goes_on));
    EXPECT_LE(placement.cost_of(better), placement.cost_of(places));
    const std::vector<NodeId> map = placement.map_of(better);
    for (const std::uint32_t count : processes_by_node(problem, map)) {
      EXPECT_LE(count, problem.slots);
    }
    for (std::uint32_t process = 0; process < map.size(); ++process) {
      EXPECT_TRUE(!problem.is_pinned(process) || map[process] == problem.pins[process]);
    }
    places = better;
  }
}

TEST(Regrouping, NeverCostsMoreAndKeepsSlotsAndPins) {
  searching::for_each_situation(
      [](const SearchProblem& problem) { expect_better_and_better(problem, 1); });
  SplitMix64 random{2};
  for (const std::string settings :
       {"kind=torus,shape=3x3", "kind=mesh,shape=4x2", "kind=hypercube,dimensions=3"}) {
    const auto topology = searching::machine(settings);
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const std::uint32_t slots = 1 + draw_below(random, 20);
      const std::uint32_t places = slots * topology->node_count();
      const std::uint32_t processes = seed % 3 == 0 ? places : 1 + draw_below(random, places);
      const Traffic traffic = searching::random_traffic(processes, 2 * processes, seed);
      SearchProblem problem = searching::problem(*topology, traffic, Objective::hop_bytes);
      problem.slots = slots;
      if (seed % 4 == 0) {
        problem.pins.resize(processes);
        problem.pins[draw_below(random, processes)] = NodeId{draw_below(random, 8)};
      }
      SCOPED_TRACE(fmt::format("{}, {} slots, seed {}", settings, slots, seed));
      expect_better_and_better(problem, seed);
    }
  }
}

TEST(Regrouping, EndsWhereNothingCanMove) {
  const auto torus = searching::machine("kind=torus,shape=4x4");
  const Traffic silent{100, std::vector<Flow>{}};
  SearchProblem problem = searching::problem(*torus, silent, Objective::hop_bytes);
  problem.slots = 8;
  expect_better_and_better(problem, 1);
  const Traffic one_pair = searching::random_traffic(2, 1, 3);
  SearchProblem pinned = searching::problem(*torus, one_pair, Objective::hop_bytes);
  pinned.slots = 8;
  pinned.pins.assign(2, NodeId{3});
  expect_better_and_better(pinned, 1);
}

TEST(Regrouping, TheCallerEndsIt) {
  const auto torus = searching::machine("kind=torus,shape=4x4");
  const Traffic traffic = searching::random_traffic(800, 4000, 5);
  SearchProblem problem = searching::problem(*torus, traffic, Objective::hop_bytes);
  problem.slots = 50;
  const PlacementProblem placement{problem};
  SplitMix64 random{1};
  const auto places = random_places(placement, random);
  std::uint64_t told = 0;
  const auto better = regrouped_places(placement, places, ~std::uint64_t{0}, random,
                                       [&](std::uint64_t moves) { return (told += moves) > 0; });
  EXPECT_LE(placement.cost_of(better), placement.cost_of(places));
  EXPECT_GT(told, 0U);
  EXPECT_LT(told, 10'000U);
}

/// A grid of processes that are numbered at random, a box of 2x4x4 on a node.
TEST(Regrouping, AHiddenGridCostsAFourthOfADrawnMap) {
  const auto grid = searching::machine("kind=torus,shape=16x16x8");
  const auto torus = searching::machine("kind=torus,shape=8x4x2");
  const Traffic traffic = searching::hidden_stencil(*grid, 7);
  SearchProblem problem = searching::problem(*torus, traffic, Objective::hop_bytes);
  for (const std::uint32_t slots : {32U, 34U}) {
    problem.slots = slots;
    const PlacementProblem placement{problem};
    SplitMix64 random{1};
    const auto drawn = random_places(placement, random);
    const auto better =
        regrouped_places(placement, drawn, 4'000'000, random, [](std::uint64_t) { return false; });
    EXPECT_LT(4 * placement.cost_of(better), placement.cost_of(drawn)) << slots;
  }
}

/// With that many processes a whole search has no other moves. One pair more, as heavy as the
/// others, hides the grid from the starts.
TEST(Regrouping, ASearchOfManyProcessesEndsWithMovesOfGroups) {
  const auto grid = searching::machine("kind=torus,shape=128x128");
  const auto torus = searching::machine("kind=torus,shape=8x4");
  const Traffic stencil = searching::hidden_stencil(*grid, 3);
  std::vector<Flow> flows{stencil.flows().begin(), stencil.flows().end()};
  flows.push_back({ProcessId{0}, ProcessId{1}, 6, 1});
  const Traffic traffic{stencil.process_count(), std::move(flows)};
  SearchProblem problem = searching::problem(*torus, traffic, Objective::hop_bytes);
  problem.slots = 520;
  const auto starts = [&] { return scotch_starts(problem, 1); };
  const FoundMap found =
      anneal(problem, {.seed = 1, .effort = 2'000'000, .bound = 1, .more_starts = starts});
  EXPECT_EQ(found.origin, "moves of groups");
  EXPECT_LT(found.cost, best_of(problem, starts()).cost);
}

}  // namespace
}  // namespace dcube
