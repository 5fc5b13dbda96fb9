#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/mapped.hpp"
#include "problems.hpp"
#include "search/objectives/map_cost.hpp"
#include "search/starts/starts.hpp"
#include "search/starts/traffic_grid.hpp"
#include "search/walks/draws.hpp"

namespace dcube {
namespace {

/// What links take where those between `slow` pairs of nodes take ten times as long.
LinkRates rates_with_slow(const Topology& topology, auto is_slow) {
  LinkRates rates;
  for (std::uint32_t number = 0; number < topology.link_slots(); ++number) {
    const auto link = topology.link(LinkId{number});
    rates.units.push_back(link && is_slow(link->from.index(), link->to.index()) ? 10 : 1);
  }
  rates.unit = ExactTime{1, 1};
  return rates;
}

SearchProblem link_time_problem(const Topology& topology, const Traffic& traffic, auto is_slow) {
  SearchProblem problem{
      .topology = topology, .traffic = traffic, .objective = Objective::link_time};
  problem.rates = rates_with_slow(topology, is_slow);
  return problem;
}

/// Bytes between neighbours of a grid, by dimension.
Traffic grid_traffic(const std::string& grid, const std::vector<std::uint64_t>& weights) {
  return Traffic::of(Guest::parse(grid), weights);
}

/// Turned by what annealing compares.
std::vector<Start> turned_starts_of(const SearchProblem& problem) {
  const Distances distances{problem.topology};
  const auto cost = make_map_cost(problem, distances);
  const auto energies = [&](std::span<const std::vector<NodeId>> maps) {
    return mapped(maps, [&](const std::vector<NodeId>& map) {
      cost->assign(map);
      return MapValue{cost->energy()};
    });
  };
  const std::vector<Start> starts = structured_starts(problem);
  const auto maps = mapped(starts, [](const Start& start) { return start.map; });
  return turned_starts(problem, starts, energies(maps), energies);
}

std::uint64_t least_of(const SearchProblem& problem, const std::vector<Start>& starts) {
  return best_of(problem, starts).cost;
}

TEST(TurnedStarts, ExchangeDimensions) {
  const auto torus = searching::machine("kind=torus,shape=5x5");
  const Traffic traffic = grid_traffic("torus:5x5", {1, 10});
  const auto is_second = [](std::uint32_t from, std::uint32_t to) { return from % 5 == to % 5; };
  const SearchProblem problem = link_time_problem(*torus, traffic, is_second);
  const std::vector<Start> starts = structured_starts(problem);
  EXPECT_EQ(least_of(problem, starts), 100U);
  const std::vector<Start> turned = turned_starts_of(problem);
  EXPECT_EQ(least_of(problem, turned), 10U);
  EXPECT_TRUE(turned.front().embedding.ends_with(", turned")) << turned.front().embedding;
  const FoundMap found = anneal(problem, {.seed = 1, .effort = 10});
  EXPECT_EQ(found.cost, 10U);
  EXPECT_EQ(found.cost, cost_of(problem, found.map));
}

TEST(TurnedStarts, ShiftAMeshAwayFromASlowLink) {
  const auto torus = searching::machine("kind=torus,shape=6x5");
  const Traffic traffic = grid_traffic("mesh:6x5", {1, 1});
  const auto is_link = [](std::uint32_t from, std::uint32_t to) {
    return std::minmax(from, to) == std::minmax(14U, 15U) ||
           std::minmax(from, to) == std::minmax(2U, 8U);
  };
  const SearchProblem problem = link_time_problem(*torus, traffic, is_link);
  EXPECT_EQ(least_of(problem, structured_starts(problem)), 10U);
  EXPECT_EQ(least_of(problem, turned_starts_of(problem)), 1U);
}

/// Turning is no way out where a pin holds the map, and every image keeps the pins.
TEST(TurnedStarts, KeepPins) {
  const auto torus = searching::machine("kind=torus,shape=4x4");
  const Traffic traffic = grid_traffic("mesh:4x4", {1, 1});
  const auto is_first_row = [](std::uint32_t from, std::uint32_t to) { return from + to == 1; };
  SearchProblem problem = link_time_problem(*torus, traffic, is_first_row);
  std::size_t count = 0;
  for (std::uint32_t node = 0; node < 16; ++node) {
    problem.pins.assign(16, std::nullopt);
    problem.pins[0] = NodeId{node};
    for (const Start& start : turned_starts_of(problem)) {
      EXPECT_EQ(start.map[0], NodeId{node});
      EXPECT_TRUE(searching::fits(start.map, *torus));
      ++count;
    }
  }
  EXPECT_GT(count, 0U);
}

TEST(TurnedStarts, AreNoneWhereNodesAreNotAlike) {
  const auto tree = searching::machine("kind=fat_tree,down=[2,2],up=[1,1]");
  const Traffic traffic = searching::cube(2);
  const SearchProblem problem = searching::problem(*tree, traffic, Objective::link_load);
  EXPECT_TRUE(turned_starts_of(problem).empty());
}

std::vector<Start> interleaved(const std::string& machine, const std::string& guest,
                               std::uint64_t expected) {
  const auto topology = searching::machine(machine);
  const Traffic traffic = Traffic::of(Guest::parse(guest));
  const SearchProblem problem = searching::problem(*topology, traffic, Objective::longest_dilation);
  std::vector<Start> starts = interleaved_starts(problem, Guest::parse(guest));
  EXPECT_EQ(least_of(problem, starts), expected) << guest << " on " << machine;
  for (const Start& start : starts) {
    EXPECT_TRUE(searching::fits(start.map, *topology)) << start.embedding;
  }
  return starts;
}

TEST(InterleavedStarts, HaveStepsOfTwoHopsAtMost) {
  for (const std::string length : {"3", "4", "7", "100"}) {
    interleaved("kind=line,nodes=" + length, "ring:" + length, 2);
  }
  interleaved("kind=line,nodes=9", "ring:8", 2);
  interleaved("kind=ring,nodes=9", "ring:8", 2);
  interleaved("kind=ring,nodes=8", "ring:8", 1);
  interleaved("kind=mesh,shape=5x4", "torus:4x5", 2);
  interleaved("kind=mesh,shape=15x12", "mesh:30x6", 2);
  interleaved("kind=mesh,shape=4x4x4", "mesh:8x8", 2);
  interleaved("kind=mesh,shape=4x6", "mesh:7x3", 2);
  EXPECT_EQ(interleaved("kind=torus,shape=8x4", "torus:16x2", 2).front().embedding,
            "interleaved, 0 on 1");
}

TEST(InterleavedStarts, AreNoneWhereNothingFits) {
  const auto line = searching::machine("kind=line,nodes=12");
  const Traffic traffic = Traffic::of(Guest::parse("mesh:4x3"));
  SearchProblem problem = searching::problem(*line, traffic, Objective::longest_dilation);
  EXPECT_TRUE(interleaved_starts(problem, Guest::parse("mesh:4x3")).empty());
  problem.slots = 2;
  EXPECT_TRUE(interleaved_starts(problem, Guest::parse("ring:12")).empty());
}

/// Of shapes that the machine and the traffic show, and of hidden ones.
TEST(InterleavedStarts, AreAmongThoseOfALongestStep) {
  const auto mesh = searching::machine("kind=mesh,shape=6x6");
  const Traffic open = Traffic::of(Guest::parse("torus:6x6"));
  std::vector<std::uint32_t> numbers = numbered(36);
  SplitMix64 random{5};
  shuffle(numbers, random);
  const Traffic hidden = renumbered(open, numbers);
  for (const Traffic* traffic : {&open, &hidden}) {
    const SearchProblem problem = searching::problem(*mesh, *traffic, Objective::longest_dilation);
    EXPECT_EQ(best_start(problem).cost, 2U);
  }
}

}  // namespace
}  // namespace dcube
