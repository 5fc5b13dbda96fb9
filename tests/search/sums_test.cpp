#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "dcube/topology/hop_weights.hpp"
#include "search/objectives/distances.hpp"
#include "search/proofs/symmetries.hpp"
#include "search/starts/starts.hpp"
#include "search/sums/exchange_table.hpp"
#include "search/sums/maps.hpp"
#include "search/sums/place_costs.hpp"
#include "search/sums/population.hpp"
#include "search/sums/swap_annealing.hpp"
#include "search/sums/tabu.hpp"
#include "search/walks/draws.hpp"
#include "sum_cases.hpp"

// Sums of weight times distance: the parts of which their search is made.

namespace dcube {
namespace {

template <class Number>
QuadraticProblem<Number> random_quadratic(std::size_t size, std::size_t movable,
                                          std::uint64_t one_in, SplitMix64& random) {
  QuadraticProblem<Number> problem{.size = size, .movable = movable, .weights{}, .distances{}};
  problem.weights.resize(size * size);
  problem.distances.resize(size * size);
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const auto weight =
          static_cast<Number>(draw_below(random, one_in) == 0 ? 1 + draw_below(random, 20) : 0);
      const auto distance = static_cast<Number>(1 + draw_below(random, 9));
      problem.weights[a * size + b] = problem.weights[b * size + a] = weight;
      problem.distances[a * size + b] = problem.distances[b * size + a] = distance;
    }
  }
  return problem;
}

template <class Number>
std::int64_t cost_of_items(const QuadraticProblem<Number>& problem,
                           std::span<const std::uint32_t> places) {
  std::int64_t cost = 0;
  for (std::size_t a = 0; a < problem.size; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      cost += std::int64_t{problem.weights[a * problem.size + b]} *
              problem.distances[places[a] * problem.size + places[b]];
    }
  }
  return cost;
}

template <class Number>
void expect_exact_table(std::size_t size, std::size_t movable, std::uint64_t one_in) {
  SplitMix64 random{size + one_in};
  const auto problem = random_quadratic<Number>(size, movable, one_in, random);
  std::vector<std::uint32_t> places(size);
  std::iota(places.begin(), places.end(), 0U);
  ExchangeTable<Number> table{problem};
  table.assign(places);
  const std::int64_t start = cost_of_items(problem, places);
  for (int exchange = 0; exchange < 60; ++exchange) {
    const std::int64_t cost = start + table.gained();
    ASSERT_EQ(cost, cost_of_items(problem, table.places()));
    for (std::size_t a = 0; a < movable; ++a) {
      Number least = std::numeric_limits<Number>::max();
      for (std::size_t b = a + 1; b < movable; ++b) {
        std::vector<std::uint32_t> next{table.places().begin(), table.places().end()};
        std::swap(next[a], next[b]);
        ASSERT_EQ(table.deltas_of(a)[b], cost_of_items(problem, next) - cost);
        least = std::min(least, table.deltas_of(a)[b]);
      }
      ASSERT_EQ(table.least(a), least);
    }
    const std::size_t r = draw_below(random, movable - 1);
    table.exchange(r, r + 1 + draw_below(random, movable - r - 1));
  }
}

TEST(Sums, ATableOfExchangesIsExactAfterEveryExchange) {
  expect_exact_table<std::int32_t>(14, 14, 2);
  expect_exact_table<std::int32_t>(14, 11, 2);
  expect_exact_table<std::int32_t>(20, 20, 15);  // sparse
  expect_exact_table<std::int64_t>(20, 17, 15);
  expect_exact_table<std::int64_t>(2, 2, 1);
}

TEST(Sums, AChildOfTwoMapsIsNeitherOfThem) {
  const auto torus = searching::machine("kind=torus,shape=4x4");
  const Traffic cube = searching::cube(4);
  const SearchProblem problem = searching::problem(*torus, cube, Objective::hop_bytes);
  const PlacementProblem placement{problem};
  std::vector<std::uint32_t> first(16);
  std::iota(first.begin(), first.end(), 0U);
  SplitMix64 random{1};
  const auto second = random_places(placement, random);
  for (int i = 0; i < 40; ++i) {
    const auto child = recombined(placement, first, second, random);
    EXPECT_NE(child, first);
    EXPECT_NE(child, second);
  }
}

/// Each process has a place of its own, pinned ones theirs.
void expect_places(const PlacementProblem& problem, const std::vector<std::uint32_t>& places) {
  ASSERT_EQ(places.size(), problem.process_count());
  EXPECT_EQ(std::set<std::uint32_t>(places.begin(), places.end()).size(), places.size());
  for (std::uint32_t process = 0; process < places.size(); ++process) {
    ASSERT_LT(places[process], problem.node.size());
    if (problem.search.is_pinned(process)) {
      EXPECT_EQ(problem.host[places[process]], problem.search.pins[process]);
    }
  }
  EXPECT_EQ(problem.cost_of(places), cost_of(problem.search, problem.map_of(places)));
}

TEST(Sums, EveryPartMakesMapsThatFit) {
  searching::for_each_situation([](const SearchProblem& problem) {
    const PlacementProblem placement{problem};
    SplitMix64 random{5};
    const auto first = random_places(placement, random);
    const auto second = grown_places(placement, random);
    expect_places(placement, first);
    expect_places(placement, second);
    expect_places(placement, placement.places_of(placement.map_of(first)));
    for (int i = 0; i < 10; ++i) {
      expect_places(placement, recombined(placement, first, second, random));
    }
    if (placement.place_count() > 1) {
      SwapAnnealing annealing{placement};
      for (const Cooling& cooling : {cool_slowly, cool_gently, cool_warmly}) {
        const auto cooled = annealing.run(first, cooling, 3000, random, [] { return false; });
        expect_places(placement, cooled);
        EXPECT_LE(placement.cost_of(cooled), placement.cost_of(first));
      }
      const auto tabu = make_tabu_search(placement);
      ASSERT_NE(tabu, nullptr);
      const auto improved = tabu->run(first, {.patience = 50, .moves = 100'000}, random,
                                      [](std::uint64_t) { return false; });
      expect_places(placement, improved);
      EXPECT_LE(placement.cost_of(improved), placement.cost_of(first));
    }
  });
}

/// Looks at the exchanges of drawn processes with all places, and makes one of each.
template <class Number>
void expect_exact_costs(const PlacementProblem& placement) {
  ASSERT_TRUE(increases_fit<Number>(placement));
  SplitMix64 random{11};
  std::vector<std::uint32_t> places = random_places(placement, random);
  PlaceCosts<Number> costs{placement};
  costs.assign(places);
  const auto exchanged = [&](std::uint32_t process, std::uint32_t place) {
    std::vector<std::uint32_t> next = places;
    std::ranges::replace(next, place, places[process]);
    next[process] = place;
    return next;
  };
  for (int move = 0; move < 30; ++move) {
    const std::uint32_t process = placement.movable[draw_below(random, placement.movable.size())];
    std::vector<Number> thresholds(placement.place_count());
    for (Number& threshold : thresholds) {
      threshold = static_cast<Number>(static_cast<int>(draw_below(random, 60)) - 15);
    }
    std::uint32_t expected = nobody;
    std::int64_t increase = 0;
    const std::uint32_t first = draw_below(random, placement.place_count());
    const std::uint32_t found = costs.place_below(process, first, thresholds.data());
    for (std::uint32_t i = 0; i < placement.place_count(); ++i) {
      const std::uint32_t place = (first + i) % placement.place_count();
      if (placement.node[place] != placement.node[places[process]]) {
        const auto more = static_cast<std::int64_t>(placement.cost_of(exchanged(process, place)) -
                                                    placement.cost_of(places)) /
                          static_cast<std::int64_t>(costs.unit());
        if (expected == nobody && more < thresholds[place]) {
          expected = place;
          increase = more;
        }
      }
    }
    ASSERT_EQ(found, expected);
    if (found != nobody) {
      ASSERT_EQ(costs.increase(), increase);
    }
    const std::uint32_t place = draw_below(random, placement.place_count());
    if (place != places[process]) {
      costs.move(process, place);
      places = exchanged(process, place);
    }
  }
}

/// Which processes share a node.
std::set<std::set<std::uint32_t>> groups_of(const std::vector<NodeId>& map) {
  std::vector<std::set<std::uint32_t>> on(1 + std::ranges::max(map).index());
  for (std::uint32_t process = 0; process < map.size(); ++process) {
    on[map[process].index()].insert(process);
  }
  std::set<std::set<std::uint32_t>> groups{on.begin(), on.end()};
  groups.erase(std::set<std::uint32_t>{});
  return groups;
}

TEST(Sums, GroupsOfProcessesStayTogetherOnBetterNodes) {
  searching::for_each_situation([](const SearchProblem& problem) {
    const PlacementProblem placement{problem};
    const PlacementProblem apart = placement.apart();
    SplitMix64 random{9};
    const auto first = random_places(placement, random);
    const auto parted =
        SwapAnnealing{apart}.run(first, cool_slowly, 20'000, random, [] { return false; });
    expect_places(placement, parted);
    EXPECT_LE(apart.cost_of(parted), apart.cost_of(first));
    std::uint64_t moves = 0;
    const auto better = rearranged_places(placement, parted, {.effort = 20'000}, {}, moves);
    expect_places(placement, better);
    EXPECT_LE(placement.cost_of(better), placement.cost_of(parted));
    EXPECT_EQ(groups_of(placement.map_of(better)), groups_of(placement.map_of(parted)));
    EXPECT_EQ(apart.cost_of(better), apart.cost_of(parted));
  });
}

/// What crosses from node to node, whichever nodes these are.
TEST(Sums, WhereNodesAreApartASumIsWhatCrosses) {
  const auto line = searching::machine("kind=line,nodes=5000");  // too many for a table
  const Traffic traffic{4,
                        {{ProcessId{0}, ProcessId{1}, 5, 1}, {ProcessId{2}, ProcessId{3}, 7, 1}}};
  SearchProblem problem = searching::problem(*line, traffic, Objective::hop_bytes);
  problem.slots = 2;
  const PlacementProblem placement{problem};
  const std::vector<NodeId> map{NodeId{8}, NodeId{4999}, NodeId{3}, NodeId{3}};
  EXPECT_EQ(placement.apart().cost_of(placement.places_of(map)), 5U);
  EXPECT_EQ(placement.cost_of(placement.places_of(map)), 5U * 4991);
}

TEST(Sums, ATableOfPlaceCostsIsExactAfterEveryMove) {
  searching::for_each_situation([](const SearchProblem& problem) {
    const PlacementProblem placement{problem};
    expect_exact_costs<std::int16_t>(placement);
    expect_exact_costs<std::int32_t>(placement);
    expect_exact_costs<std::int64_t>(placement);
  });
}

TEST(Sums, WeightsTimesAPowerOfTwoAreTheSameProblem) {
  const auto machine = searching::machine("kind=torus,shape=6x5");
  const Traffic traffic = searching::random_traffic(29, 80, 3);
  std::vector<std::vector<std::uint32_t>> walked;
  for (const unsigned power : {0U, 30U, 51U}) {
    std::vector<Flow> flows{traffic.flows().begin(), traffic.flows().end()};
    for (Flow& flow : flows) {
      flow.bytes <<= power;
    }
    const Traffic scaled{29, std::move(flows)};
    const SearchProblem problem = searching::problem(*machine, scaled, Objective::hop_bytes);
    const PlacementProblem placement{problem};
    EXPECT_GE(common_divisor(placement.partners), std::uint64_t{1} << power);
    SplitMix64 random{6};
    SwapAnnealing annealing{placement};
    for (const Cooling& cooling : {cool_slowly, cool_gently}) {
      walked.push_back(annealing.run(random_places(placement, random), cooling, 200'000, random,
                                     [] { return false; }));
    }
  }
  for (std::size_t walk = 2; walk < walked.size(); ++walk) {
    EXPECT_EQ(walked[walk], walked[walk % 2]);
  }
}

TEST(Sums, GrowthFindsStencilsThatWereNumberedAtRandom) {
  // The last is large enough to look for places near partners alone.
  for (const char* const machine : {"kind=torus,shape=8x8", "kind=torus,shape=5x4x3",
                                    "kind=hypercube,dimensions=7", "kind=torus,shape=80x64"}) {
    SCOPED_TRACE(machine);
    const auto shape = searching::machine(machine);
    const Traffic traffic = searching::hidden_stencil(*shape, 3);
    const SearchProblem problem = searching::problem(*shape, traffic, Objective::hop_bytes);
    const PlacementProblem placement{problem};
    SplitMix64 random{1};
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (int i = 0; i < 16; ++i) {
      least = std::min(least, placement.cost_of(grown_places(placement, random)));
    }
    EXPECT_EQ(least, traffic.total_bytes());
  }
}

TEST(Sums, AlignmentUndoesASymmetry) {
  const std::vector<std::pair<const char*, std::vector<std::uint32_t>>> machines{
      {"kind=mesh,shape=4x4x3", {}},
      {"kind=torus,shape=5x5", {}},
      {"kind=torus,shape=4x4x4,wrap=[true,false,true]", {}},
      {"kind=torus,shape=4x4x4", {1, 9, 9}},
      {"kind=hypercube,dimensions=5", {}}};
  for (const auto& [machine, weights] : machines) {
    SCOPED_TRACE(machine);
    std::shared_ptr<const Topology> topology = searching::machine(machine);
    if (!weights.empty()) {
      topology = with_hop_weights(std::move(topology), weights);
    }
    const Traffic traffic = searching::random_traffic(topology->node_count(), 60, 1);
    const SearchProblem problem = searching::problem(*topology, traffic, Objective::hop_bytes);
    const PlacementProblem placement{problem};
    SplitMix64 random{9};
    const auto places = random_places(placement, random);
    const std::vector<Symmetry> group = symmetries_of(*topology);
    for (std::size_t i = 0; i < group.size(); i += 1 + group.size() / 40) {
      std::vector<std::uint32_t> moved;
      for (const std::uint32_t place : places) {
        moved.push_back(group[i][place].index());
      }
      EXPECT_EQ(aligned_places(placement, places, moved), places);
    }
    // Any map keeps its cost.
    const auto other = random_places(placement, random);
    EXPECT_EQ(placement.cost_of(aligned_places(placement, places, other)),
              placement.cost_of(other));
  }
}

TEST(Sums, DistancesOfLargeGridsAreThoseOfTheTopology) {
  for (const char* const machine :
       {"kind=torus,shape=9x8x70", "kind=mesh,shape=70x71", "kind=hypercube,dimensions=13",
        "kind=ring,nodes=5001", "kind=torus,shape=3x3x3x3x80",
        "kind=torus,shape=80x60,wrap=[true,false]"}) {
    SCOPED_TRACE(machine);
    const auto topology = searching::machine(machine);
    const Distances distances{*topology};
    SplitMix64 random{2};
    for (int i = 0; i < 2000; ++i) {
      const NodeId a{draw_below(random, topology->node_count())};
      const NodeId b{draw_below(random, topology->node_count())};
      ASSERT_EQ(distances(a, b), topology->distance(a, b));
    }
  }
}

TEST(Sums, CoarseMapsAreMapsAndNearThoseOfNeighbours) {
  const auto torus = searching::machine("kind=torus,shape=32x32");
  const Traffic traffic = searching::hidden_stencil(*torus, 4);
  SearchProblem problem = searching::problem(*torus, traffic, Objective::hop_bytes);
  const auto map = multilevel_map(problem, 1, 1, {});
  ASSERT_TRUE(map.has_value());
  EXPECT_TRUE(searching::fits(*map, *torus));
  EXPECT_LT(cost_of(problem, *map),
            4 * traffic.total_bytes());  // 16 hops where processes are drawn
  EXPECT_EQ(map, multilevel_map(problem, 1, 2, {}));

  const Traffic few = searching::random_traffic(700, 1400, 3);
  const SearchProblem partly = searching::problem(*torus, few, Objective::hop_bytes);
  const auto part = multilevel_map(partly, 1, 1, {});
  ASSERT_TRUE(part.has_value());
  EXPECT_EQ(part->size(), 700U);
  EXPECT_TRUE(searching::fits(*part, *torus));

  problem.slots = 2;
  EXPECT_FALSE(multilevel_map(problem, 1, 1, {}));
  const auto odd = searching::machine("kind=mesh,shape=15x21");
  const Traffic of_odd = searching::random_traffic(315, 600, 3);
  EXPECT_FALSE(multilevel_map(searching::problem(*odd, of_odd, Objective::hop_bytes), 1, 1, {}));
}

}  // namespace
}  // namespace dcube
