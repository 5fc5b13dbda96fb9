#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/starts/starts.hpp"
#include "search/sums/population.hpp"
#include "sum_cases.hpp"

// Sums of weight times distance: whole searches, with their starts and their end.

namespace dcube {
namespace {

/// The exchange of an 8x8x8 torus, heavy along the first dimension, with an exchange of all in a
/// row, on nodes of four slots.
Traffic rows(bool is_numbered_in_order) {
  std::vector<std::uint32_t> label(512);
  std::iota(label.begin(), label.end(), 0U);
  if (!is_numbered_in_order) {
    SplitMix64 random{1};
    shuffle(label, random);
  }
  std::vector<Flow> flows;
  const auto add = [&](std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
    flows.push_back({ProcessId{label[from]}, ProcessId{label[to]}, bytes, 1});
  };
  for (std::uint32_t rank = 0; rank < 512; ++rank) {
    std::uint32_t stride = 1;
    for (const std::uint64_t bytes : {200U, 60U, 20U}) {
      const std::uint32_t at = rank / stride % 8;
      const std::uint32_t next = rank - at * stride + (at + 1) % 8 * stride;
      add(rank, next, bytes);
      add(next, rank, bytes);
      stride *= 8;
    }
    for (std::uint32_t other = rank / 8 * 8; other < rank / 8 * 8 + 8; ++other) {
      if (other != rank) {
        add(rank, other, 2);
      }
    }
  }
  return {512, std::move(flows)};
}

TEST(Sums, NodesOfSeveralSlotsTakeFourInARow) {
  constexpr std::uint64_t by_hand = 137'216;  // four in a row on a node, all others one hop apart
  const auto torus = searching::machine("kind=torus,shape=8x4x4");
  for (const bool is_numbered_in_order : {true, false}) {
    const Traffic traffic = rows(is_numbered_in_order);
    SearchProblem problem = searching::problem(*torus, traffic, Objective::hop_bytes);
    problem.slots = 4;
    const auto scotch = [&] { return scotch_starts(problem, 1); };
    const FoundMap found = anneal(
        problem,
        {.seed = 1, .effort = 60'000'000, .jobs = 2, .bound = by_hand, .more_starts = scotch});
    EXPECT_EQ(found.cost, by_hand);
    EXPECT_TRUE(searching::fits(found.map, *torus, 4));
  }
}

TEST(Sums, BoxesOfTheGridThatNumbersShowAreAStart) {
  const auto torus = searching::machine("kind=torus,shape=8x4x4");
  const Traffic traffic = rows(true);
  EXPECT_EQ(shape_by_strides(traffic), Guest::parse("torus:8x8x8"));
  EXPECT_EQ(shape_by_strides(rows(false)), std::nullopt);
  EXPECT_EQ(shape_by_strides(Traffic::of(Guest::parse("mesh:5x9"))), Guest::parse("mesh:5x9"));
  std::vector<Flow> one_way;
  for (std::uint32_t rank = 0; rank < 45; ++rank) {
    one_way.push_back({ProcessId{rank}, ProcessId{(rank + 5) % 45}, 1, 1});
    one_way.push_back({ProcessId{rank}, ProcessId{rank / 5 * 5 + (rank + 1) % 5}, 1, 1});
  }
  EXPECT_EQ(shape_by_strides({45, one_way}), Guest::parse("torus:5x9"));
  SearchProblem problem = searching::problem(*torus, traffic, Objective::hop_bytes);
  problem.slots = 4;
  const FoundMap best = best_start(problem);
  EXPECT_EQ(best.origin, "boxes:4x1x1 of torus:8x8x8");
  problem.guest = Guest::parse("torus:8x8x8");
  EXPECT_EQ(best_start(problem).origin, "boxes:4x1x1");
  EXPECT_EQ(best_start(problem).cost, best.cost);
}

/// A torus of 9x6x5 folded onto one of 18x15, which no exchange mends.
TEST(Sums, ASearchLeavesAStartThatIsNotTheBest) {
  const auto torus = searching::machine("kind=torus,shape=18x15");
  const Guest guest = Guest::parse("torus:9x6x5");
  const Traffic traffic = Traffic::of(guest);
  SearchProblem problem = searching::problem(*torus, traffic, Objective::hop_bytes);
  problem.guest = guest;
  const FoundMap start = best_start(problem);
  EXPECT_EQ(start.origin, "boxes:1x1x1");
  const FoundMap found = anneal(problem, {.seed = 1, .effort = 20'000'000, .jobs = 2, .bound = 1});
  EXPECT_LT(found.cost, start.cost);
}

/// One slot more takes a search of about the same length.
TEST(Sums, TheUsualEffortChangesLittleFromSlotToSlot) {
  for (const char* const nodes : {"kind=ring,nodes=64", "kind=ring,nodes=100"}) {
    const auto machine = searching::machine(nodes);
    const Traffic traffic = searching::random_traffic(64, 200, 3);
    std::uint64_t before = 0;
    for (std::uint32_t slots = 2; slots * machine->node_count() <= 512; ++slots) {
      SearchProblem problem = searching::problem(*machine, traffic, Objective::hop_bytes);
      problem.slots = slots;
      const std::uint64_t effort = usual_effort(problem);
      EXPECT_TRUE(before == 0 || effort < 3 * before) << slots;
      EXPECT_GT(effort, before / 3) << slots;
      before = effort;
    }
  }
}

TEST(Sums, TheUsualEffortFollowsSizeAndDensity) {
  const auto effort_of = [](const char* shape, std::uint32_t processes, std::uint32_t flows) {
    const auto machine = searching::machine(shape);
    const Traffic traffic = searching::random_traffic(processes, flows, 3);
    return usual_effort(searching::problem(*machine, traffic, Objective::hop_bytes));
  };
  const std::uint64_t sparse = effort_of("kind=torus,shape=8x8", 64, 160);
  EXPECT_LT(effort_of("kind=torus,shape=4x4", 16, 40), sparse / 10);
  EXPECT_LT(effort_of("kind=torus,shape=8x8", 64, 1600), sparse / 2);
  EXPECT_GT(effort_of("kind=torus,shape=16x8", 128, 320), sparse);
}

TEST(Sums, AMapOfFewHopsIsAStartForLinkLoads) {
  const auto torus = searching::machine("kind=torus,shape=8x8");
  const Traffic traffic = searching::hidden_stencil(*torus, 3);
  const SearchProblem problem = searching::problem(*torus, traffic, Objective::link_load);
  const FoundMap found = anneal(problem, {.seed = 1, .effort = 200, .bound = 0});
  EXPECT_EQ(found.cost, 3U);  // the flow of a pair on the link between them, and no other
}

TEST(Sums, TheNumberOfThreadsChangesNothing) {
  // The first three are small enough for tabu search, the last two are renumbered, and those with
  // twelve slots and more move groups.
  using Sized = std::pair<const char*, std::uint32_t>;
  for (const auto& [machine, slots] :
       {Sized{"kind=mesh,shape=6x6", 1}, Sized{"kind=torus,shape=8x8", 1},
        Sized{"kind=torus,shape=9x5", 6}, Sized{"kind=mesh,shape=20x20", 1},
        Sized{"kind=torus,shape=9x8", 12}, Sized{"kind=torus,shape=6x6", 460},
        Sized{"kind=torus,shape=130x130", 1}}) {
    SCOPED_TRACE(machine);
    const auto topology = searching::machine(machine);
    const std::uint32_t processes = slots * topology->node_count();
    const Traffic traffic = searching::random_traffic(processes, 3 * processes, 5);
    SearchProblem problem = searching::problem(*topology, traffic, Objective::hop_bytes);
    problem.slots = slots;
    const FoundMap one = anneal(problem, {.seed = 4, .effort = 60'000, .jobs = 1, .bound = 1});
    for (const std::uint32_t jobs : {2U, 5U}) {
      const FoundMap several =
          anneal(problem, {.seed = 4, .effort = 60'000, .jobs = jobs, .bound = 1});
      EXPECT_EQ(one.map, several.map);
      EXPECT_EQ(one.moves, several.moves);
    }
    EXPECT_EQ(one.cost, cost_of(problem, one.map));
  }
}

TEST(Sums, PopulationsThatAgreeEndTheSearch) {
  const auto mesh = searching::machine("kind=mesh,shape=4x4");
  const Traffic traffic = searching::random_traffic(16, 60, 3);
  const SearchProblem problem = searching::problem(*mesh, traffic, Objective::hop_bytes);
  AnnealingSettings settings{.seed = 1, .effort = 3'000'000, .bound = 0};
  const FoundMap whole = anneal(problem, settings);
  EXPECT_GE(whole.moves, 2'900'000U);
  settings.agreement = usual_agreement;
  const FoundMap agreed = anneal(problem, settings);
  EXPECT_LT(agreed.moves, 1'000'000U);
  EXPECT_FALSE(agreed.is_cut_short);
  EXPECT_TRUE(agreed.has_agreed);
  EXPECT_FALSE(whole.has_agreed);
  EXPECT_EQ(agreed.cost, whole.cost);
  settings.jobs = 3;
  EXPECT_EQ(anneal(problem, settings).map, agreed.map);
  settings.jobs = 1;
  settings.agreement = 2 * usual_agreement;
  EXPECT_GT(anneal(problem, settings).moves, agreed.moves);
}

TEST(Sums, PopulationsThatDoNotComeToTheBestStartEndTheSearch) {
  const auto torus = searching::machine("kind=torus,shape=8x8");
  const Traffic traffic = Traffic::of(Guest::cube(6), searching::doubling(6));
  const SearchProblem problem = searching::problem(*torus, traffic, Objective::hop_bytes);
  // Only the first population begins at the best start, too, so two never come to its cost.
  const FoundMap found =
      anneal(problem, {.seed = 1, .effort = usual_effort(problem), .agreement = 2, .bound = 0});
  EXPECT_TRUE(found.has_agreed);
  EXPECT_LT(found.moves, usual_effort(problem) / 3);
  EXPECT_EQ(found.origin, "weighted_xor");
}

TEST(Sums, PinsAndSlotsHoldInAWholeSearch) {
  searching::for_each_situation([](const SearchProblem& problem) {
    const FoundMap found = anneal(problem, {.seed = 2, .effort = 20'000, .jobs = 2});
    EXPECT_TRUE(searching::fits(found.map, problem.topology, problem.slots));
    EXPECT_LE(found.cost, best_start(problem).cost);
    EXPECT_EQ(found.cost, cost_of(problem, found.map));
    for (std::uint32_t process = 0; process < found.map.size(); ++process) {
      EXPECT_TRUE(!problem.is_pinned(process) || problem.pins[process] == found.map[process]);
    }
  });
}

void expect_ended_by_the_caller(const char* machine, Objective objective, std::uint64_t most) {
  const auto mesh = searching::machine(machine);
  const Traffic traffic = searching::random_traffic(mesh->node_count(), 3 * mesh->node_count(), 5);
  const SearchProblem problem = searching::problem(*mesh, traffic, objective);
  std::uint64_t polls = 0;
  const FoundMap found = anneal(problem, {.seed = 1, .effort = endless_effort, .bound = 0},
                                {.should_stop = [&] { return ++polls > most; }});
  EXPECT_TRUE(found.is_cut_short);
  EXPECT_GT(found.moves, 100'000U);
  EXPECT_LT(found.moves, (most + 2) * 5000);  // those made, not those planned
  EXPECT_EQ(found.cost, cost_of(problem, found.map));
}

TEST(Sums, AMapOfPinnedProcessesAloneIsLeftAsItIs) {
  const auto ring = searching::machine("kind=ring,nodes=2000");  // too many for a bound with pins
  const Traffic traffic = Traffic::of(Guest::parse("ring:4"));
  SearchProblem problem = searching::problem(*ring, traffic, Objective::hop_bytes);
  const std::vector<NodeId> map{NodeId{1}, NodeId{200}, NodeId{600}, NodeId{1000}};
  problem.pins.assign(map.begin(), map.end());
  EXPECT_EQ(anneal(problem, {.seed = 1, .effort = 1000}).map, map);
}

TEST(Sums, WithoutAnEndTheCallerEndsIt) {
  expect_ended_by_the_caller("kind=mesh,shape=5x4", Objective::hop_bytes, 3000);
  expect_ended_by_the_caller("kind=mesh,shape=20x15", Objective::hop_bytes, 3000);
  expect_ended_by_the_caller("kind=mesh,shape=3x3", Objective::longest_dilation, 20'000);
}

TEST(Sums, LargeWeightsTakeWideNumbers) {
  const auto mesh = searching::machine("kind=mesh,shape=4x4");
  std::vector<Flow> flows;
  const Traffic small = searching::random_traffic(16, 60, 3);
  for (const Flow& flow : small.flows()) {
    flows.push_back({flow.from, flow.to, flow.bytes << 40U, 1});
  }
  const Traffic large{16, flows};
  const FoundMap one =
      anneal(searching::problem(*mesh, small, Objective::hop_bytes), {.seed = 1, .effort = 30'000});
  const FoundMap two =
      anneal(searching::problem(*mesh, large, Objective::hop_bytes), {.seed = 1, .effort = 30'000});
  EXPECT_EQ(one.map, two.map);
  EXPECT_EQ(one.cost << 40U, two.cost);
}

}  // namespace
}  // namespace dcube
