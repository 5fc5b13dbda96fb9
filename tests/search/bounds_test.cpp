// No bound is above the least cost of all maps.

#include "search/bounds/bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "dcube/search/partners.hpp"
#include "dcube/topology/routing.hpp"
#include "problems.hpp"
#include "search/bounds/zero_sum_spectrum.hpp"

namespace dcube {
namespace {

std::vector<std::shared_ptr<const Topology>> small_machines() {
  const auto whole = [](const std::string& settings) {
    return std::shared_ptr<const Topology>{searching::machine(settings)};
  };
  return {whole("kind=line,nodes=7"),
          whole("kind=ring,nodes=6"),
          whole("kind=ring,nodes=7"),
          whole("kind=mesh,shape=3x2"),
          whole("kind=torus,shape=3x2"),
          whole("kind=torus,shape=4x2"),
          whole("kind=hypercube,dimensions=3"),
          whole("kind=graph,edges=[[0,1],[1,2],[2,3],[3,4],[4,5],[5,0],[0,3],[5,6]]"),
          with_failures(whole("kind=mesh,shape=4x2"), {{NodeId{2}}, {}, {}}),
          with_failures(whole("kind=ring,nodes=8"), {{}, {}, {NodeId{3}, NodeId{4}}})};
}

/// What every process sends to every other, at least 2.
Traffic to_every_other(std::uint32_t processes) {
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < processes; ++i) {
    for (std::uint32_t j = 0; j < processes; ++j) {
      flows.push_back({ProcessId{i}, ProcessId{j}, 2 + (i * 3 + j) % 4 / 3, 1});
    }
  }
  return {processes, std::move(flows)};
}

/// Pairs of a cycle, everything one way and both ways, and at random.
std::vector<Traffic> small_traffics(std::uint32_t processes) {
  std::vector<Flow> cycle;
  std::vector<Flow> all;
  for (std::uint32_t i = 0; i < processes; ++i) {
    cycle.push_back({ProcessId{i}, ProcessId{(i + 1) % processes}, 3, 1});
    for (std::uint32_t j = 0; j < i; ++j) {
      all.push_back({ProcessId{i}, ProcessId{j}, 1 + (i * 7 + j * 5) % 9, 1});
    }
  }
  std::vector<Traffic> list{{processes, cycle}, {processes, all}, to_every_other(processes)};
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    list.push_back(searching::random_traffic(processes, processes + 4, seed));
  }
  return list;
}

void expect_bounded(const SearchProblem& problem) {
  const std::uint64_t least = searching::least_cost(problem);
  for (const CostBound& bound : cost_bounds(problem)) {
    EXPECT_LE(bound.cost, least) << bound.source;
  }
}

TEST(Bounds, NoneIsAboveTheLeastCost) {
  for (const auto& topology : small_machines()) {
    SCOPED_TRACE(describe(*topology));
    for (const std::uint32_t processes : {5U, 6U}) {
      for (const Traffic& traffic : small_traffics(processes)) {
        for (const Objective objective : {Objective::hop_bytes, Objective::average_dilation,
                                          Objective::link_load, Objective::longest_dilation}) {
          SCOPED_TRACE(to_string(objective));
          expect_bounded(searching::problem(*topology, traffic, objective));
        }
      }
    }
  }
}

/// Groups of neighbours in which each process sends to every other.
Traffic groups(std::uint32_t count, std::uint32_t size) {
  std::vector<Flow> flows;
  for (std::uint32_t process = 0; process < count * size; ++process) {
    for (std::uint32_t other = process / size * size; other < (process / size + 1) * size;
         ++other) {
      if (other != process) {
        flows.push_back({ProcessId{process}, ProcessId{other}, 1, 1});
      }
    }
  }
  return {count * size, std::move(flows)};
}

TEST(Bounds, OfPartsThatNoFlowsJoinAddUp) {
  const Traffic threes = groups(2, 3);
  const Traffic pairs = groups(3, 2);
  for (const auto& topology : small_machines()) {
    SCOPED_TRACE(describe(*topology));
    expect_bounded(searching::problem(*topology, threes, Objective::hop_bytes));
    expect_bounded(searching::problem(*topology, pairs, Objective::average_dilation));
  }
  const auto mesh = searching::machine("kind=mesh,shape=16x16");
  const auto bound = [&](const Traffic& traffic) {
    return cost_bounds(searching::problem(*mesh, traffic, Objective::hop_bytes)).front();
  };
  const CostBound of_all = bound(groups(16, 16));
  EXPECT_EQ(of_all.cost, 16 * bound(groups(1, 16)).cost);
  EXPECT_TRUE(of_all.source.starts_with("parts")) << of_all.source;
}

TEST(Bounds, NoneIsAboveTheLeastLoadOfLinksThatBothDirectionsShare) {
  for (const auto& topology : small_machines()) {
    SCOPED_TRACE(describe(*topology));
    for (const Traffic& traffic : small_traffics(6)) {
      SearchProblem problem = searching::problem(*topology, traffic, Objective::link_load);
      problem.sharing = LinkSharing::undirected;
      expect_bounded(problem);
    }
  }
}

TEST(Bounds, NoneIsAboveTheLeastCostWithSlots) {
  for (const char* settings : {"kind=line,nodes=3", "kind=ring,nodes=4", "kind=mesh,shape=2x2",
                               "kind=graph,edges=[[0,1],[1,2],[1,3]]"}) {
    SCOPED_TRACE(settings);
    const auto topology = searching::machine(settings);
    for (const Traffic& traffic : small_traffics(6)) {
      for (const std::uint32_t slots : {2U, 3U}) {
        for (const LinkSharing sharing : {LinkSharing::directed, LinkSharing::undirected}) {
          for (const Objective objective : {Objective::hop_bytes, Objective::link_load}) {
            SearchProblem problem = searching::problem(*topology, traffic, objective);
            problem.slots = slots;
            problem.sharing = sharing;
            expect_bounded(problem);
          }
        }
      }
    }
  }
}

TEST(Bounds, NoneIsAboveTheLeastCostOfCubesWithWeights) {
  for (const char* settings : {"kind=line,nodes=8", "kind=ring,nodes=8", "kind=mesh,shape=4x2",
                               "kind=line,nodes=4", "kind=ring,nodes=4", "kind=ring,nodes=6"}) {
    SCOPED_TRACE(settings);
    const auto topology = searching::machine(settings);
    for (const std::vector<std::uint64_t>& weights :
         {std::vector<std::uint64_t>{1, 2, 4}, {5, 1, 1}, {2, 3, 3}, {1, 9}}) {
      const Traffic traffic =
          Traffic::of(Guest::cube(static_cast<std::uint32_t>(weights.size())), weights);
      for (const Objective objective : {Objective::hop_bytes, Objective::link_load}) {
        SearchProblem problem = searching::problem(*topology, traffic, objective);
        problem.slots = (traffic.process_count() - 1) / topology->node_count() + 1;
        expect_bounded(problem);
      }
    }
  }
}

TEST(Bounds, CubesWithWeightsAreOptimalOnLinesAndRings) {
  for (const char* settings : {"kind=line,nodes=64", "kind=ring,nodes=64"}) {
    const auto topology = searching::machine(settings);
    for (std::vector<std::uint64_t> weights :
         {searching::doubling(6), {1, 1, 5, 5, 20, 20}, {0, 0, 3, 7, 7, 8}}) {
      const Traffic traffic = Traffic::of(Guest::cube(6), weights);
      const SearchProblem problem = searching::problem(*topology, traffic, Objective::hop_bytes);
      EXPECT_EQ(cost_bounds(problem).front().cost, best_start(problem).cost) << settings;
    }
  }
}

TEST(Bounds, ARingOnALineGoesThereAndBack) {
  const auto topology = searching::machine("kind=line,nodes=64");
  const Traffic traffic = Traffic::of(Guest::parse("ring:64"));
  EXPECT_EQ(cost_bounds(searching::problem(*topology, traffic, Objective::hop_bytes)).front().cost,
            2U * 2 * 63);
}

// --- The families one by one ---

/// Flows of the instance nug12 of quadratic assignment (Nugent, Vollmann & Ruml 1968), whose
/// distances are those of a 3 x 4 mesh.
Traffic nug12() {
  constexpr std::uint64_t flows[12][12] = {
      {0, 5, 2, 4, 1, 0, 0, 6, 2, 1, 1, 1},   {5, 0, 3, 0, 2, 2, 2, 0, 4, 5, 0, 0},
      {2, 3, 0, 0, 0, 0, 0, 5, 5, 2, 2, 2},   {4, 0, 0, 0, 5, 2, 2, 10, 0, 0, 5, 5},
      {1, 2, 0, 5, 0, 10, 0, 0, 0, 5, 1, 1},  {0, 2, 0, 2, 10, 0, 5, 1, 1, 5, 4, 0},
      {0, 2, 0, 2, 0, 5, 0, 10, 5, 2, 3, 3},  {6, 0, 5, 10, 0, 1, 10, 0, 0, 0, 5, 0},
      {2, 4, 5, 0, 0, 1, 5, 0, 0, 0, 10, 10}, {1, 5, 2, 0, 5, 5, 2, 0, 0, 0, 5, 0},
      {1, 0, 2, 5, 1, 4, 3, 5, 10, 5, 0, 2},  {1, 0, 2, 5, 1, 0, 3, 0, 10, 0, 2, 0}};
  std::vector<Flow> list;
  for (std::uint32_t i = 0; i < 12; ++i) {
    for (std::uint32_t j = 0; j < 12; ++j) {
      list.push_back({ProcessId{i}, ProcessId{j}, flows[i][j], 1});
    }
  }
  return {12, std::move(list)};
}

TEST(GilmoreLawler, IsThePublishedBoundOfNug12) {
  const auto mesh = searching::machine("kind=mesh,shape=4x3");
  const Traffic traffic = nug12();
  const SearchProblem problem = searching::problem(*mesh, traffic, Objective::hop_bytes);
  const Partners partners{traffic, problem.objective};
  EXPECT_EQ(gilmore_lawler_bound(*SlotDistances::of(problem), partners).cost, 493U);
  EXPECT_EQ(anneal(problem, {.seed = 1, .effort = 100'000}).cost, 578U);  // the optimum
}

TEST(Projection, IsWithinAFifthOfTheOptimumOfNug12) {
  const auto mesh = searching::machine("kind=mesh,shape=4x3");
  const Traffic traffic = nug12();
  const SearchProblem problem = searching::problem(*mesh, traffic, Objective::hop_bytes);
  const Partners partners{traffic, problem.objective};
  const std::uint64_t bound = projection_bound(problem, *SlotDistances::of(problem), partners).cost;
  EXPECT_GE(bound, 482U);  // 578 / 1.2
  EXPECT_LE(bound, 578U);
}

/// Everybody talks to everybody, so every map is optimal.
TEST(Projection, IsExactForEqualWeights) {
  for (const char* settings : {"kind=mesh,shape=5x4", "kind=torus,shape=4x5", "kind=line,nodes=9",
                               "kind=hypercube,dimensions=4"}) {
    const auto topology = searching::machine(settings);
    std::vector<Flow> flows;
    for (std::uint32_t i = 0; i < topology->node_count(); ++i) {
      for (std::uint32_t j = 0; j < i; ++j) {
        flows.push_back({ProcessId{i}, ProcessId{j}, 3, 1});
      }
    }
    const Traffic traffic{topology->node_count(), std::move(flows)};
    const SearchProblem problem = searching::problem(*topology, traffic, Objective::hop_bytes);
    const Partners partners{traffic, problem.objective};
    EXPECT_EQ(projection_bound(problem, *SlotDistances::of(problem), partners).cost,
              best_start(problem).cost)
        << settings;
  }
}

TEST(Projection, ClosedSpectraAreTheNumericOnes) {
  for (const char* settings :
       {"kind=ring,nodes=3", "kind=ring,nodes=12", "kind=ring,nodes=15", "kind=torus,shape=4x6",
        "kind=torus,shape=5x3x2", "kind=hypercube,dimensions=5"}) {
    SCOPED_TRACE(settings);
    const auto topology = searching::machine(settings);
    const Traffic traffic = Traffic::of(Guest::parse("ring:3"));
    for (const std::uint32_t slots : {1U, 2U}) {
      SearchProblem problem = searching::problem(*topology, traffic, Objective::hop_bytes);
      problem.slots = slots;
      const DistanceSpectrum numeric = projected_spectrum(*SlotDistances::of(problem));
      const DistanceSpectrum closed = spectrum_of_cycles(problem);
      ASSERT_EQ(closed.values.size(), numeric.values.size());
      EXPECT_LE(closed.error + numeric.error, 1e-9 * topology->node_count());
      for (std::size_t i = 0; i < closed.values.size(); ++i) {
        EXPECT_NEAR(closed.values[i], numeric.values[i], closed.error + numeric.error);
      }
    }
  }
}

TEST(Projection, OnlyCyclesHaveClosedSpectra) {
  const auto mesh = searching::machine("kind=mesh,shape=4x4");
  const Traffic traffic = Traffic::of(Guest::parse("ring:3"));
  EXPECT_TRUE(
      spectrum_of_cycles(searching::problem(*mesh, traffic, Objective::hop_bytes)).values.empty());
}

/// A machine of few distances, whose slots of a node are alike: most eigenvalues are 0.
TEST(Projection, IsNotAboveTheLeastCostWhereMostEigenvaluesAreZero) {
  for (const auto& [settings, slots] : {std::pair{"kind=twisted_torus,shape=2x2x4", 8U},
                                        std::pair{"kind=twisted_torus,shape=2x4", 16U}}) {
    SCOPED_TRACE(settings);
    const auto topology = searching::machine(settings);
    const Traffic traffic = searching::cube(7);
    SearchProblem problem = searching::problem(*topology, traffic, Objective::hop_bytes);
    problem.slots = slots;
    const std::uint64_t found = best_start(problem).cost;
    for (const CostBound& bound : cost_bounds(problem)) {
      EXPECT_LE(bound.cost, found) << bound.source;
    }
  }
}

TEST(ZeroSumSpectrum, ErrorIsSmallWhereManyEigenvaluesAreEqual) {
  const auto topology = searching::machine("kind=twisted_torus,shape=2x2x4");
  for (const int copies : {1, 2, 8}) {
    Eigen::MatrixXd distances(16 * copies, 16 * copies);
    for (int i = 0; i < distances.rows(); ++i) {
      for (int j = 0; j < distances.rows(); ++j) {
        distances(i, j) = topology->distance(NodeId{static_cast<std::uint32_t>(i / copies)},
                                             NodeId{static_cast<std::uint32_t>(j / copies)});
      }
    }
    const SpectrumError error = error_of(zero_sum_spectrum(distances), distances);
    EXPECT_LT(error.values, 1e-11 * distances.norm()) << copies;
    EXPECT_LT(error.waves, 1e-10) << copies;
  }
}

/// Whatever a solver says, the true eigenvalues are no farther away than the error.
TEST(ZeroSumSpectrum, ErrorCoversWhatASolverGotWrong) {
  SplitMix64 random{3};
  Eigen::MatrixXd matrix(9, 9);
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j <= i; ++j) {
      matrix(i, j) = matrix(j, i) = static_cast<double>(bounded(random.next(), 10));
    }
  }
  const ZeroSumSpectrum right = zero_sum_spectrum(matrix);
  EXPECT_LT(error_of(right, matrix).values, 1e-10);
  for (const double off : {1e-6, 0.1, 3.0}) {
    ZeroSumSpectrum wrong = right;
    wrong.values[4] += off;
    EXPECT_GE(error_of(wrong, matrix).values, off * (1 - 1e-6));
    wrong = right;
    wrong.waves(2, 3) += off;
    EXPECT_GE(error_of(wrong, matrix).waves, off / 2);
    wrong = right;
    wrong.waves.col(1) = wrong.waves.col(0);  // one of them twice
    EXPECT_EQ(error_of(wrong, matrix).values, std::numeric_limits<double>::infinity());
  }
  ZeroSumSpectrum nothing = right;
  nothing.values[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_of(nothing, matrix).values, std::numeric_limits<double>::infinity());
}

TEST(WeightMatrix, DropsWhatRoundingWouldAdd) {
  const std::uint64_t most = (std::uint64_t{1} << 60U) + 1;
  const Traffic traffic{
      3, {{ProcessId{0}, ProcessId{1}, most, 1}, {ProcessId{1}, ProcessId{2}, 3, 1}}};
  const WeightMatrix weights{Partners{traffic, Objective::hop_bytes}, 4};
  EXPECT_EQ(weights.entries(0, 1) * weights.scale, 0x1p60);
  EXPECT_EQ(weights.entries(1, 2), 0);
  EXPECT_EQ(weights.entries(3, 3), 0);
  EXPECT_EQ(weights.proved(weights.entries(0, 1)), most - 1);
  EXPECT_EQ(weights.proved(std::numeric_limits<double>::quiet_NaN()), 0U);
  EXPECT_EQ(weights.proved(-1), 0U);
}

TEST(Assignment, IsTheLeastOfAllPermutations) {
  SplitMix64 random{5};
  for (int trial = 0; trial < 200; ++trial) {
    AssignmentCosts costs{1 + bounded(random.next(), 5), 0, {}};
    costs.columns = costs.rows + bounded(random.next(), 3);
    for (std::size_t i = 0; i < costs.rows * costs.columns; ++i) {
      costs.costs.push_back(bounded(random.next(), trial % 2 == 0 ? 5 : 1000));
    }
    std::vector<std::size_t> columns(costs.columns);
    std::iota(columns.begin(), columns.end(), 0U);
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    do {
      std::uint64_t sum = 0;
      for (std::size_t row = 0; row < costs.rows; ++row) {
        sum += costs(row, columns[row]);
      }
      least = std::min(least, sum);
    } while (std::ranges::next_permutation(columns).found);
    EXPECT_EQ(least_assignment(costs), least);
  }
}

TEST(Assignment, TakesCostsOfMoreThanFiftyBits) {
  constexpr std::uint64_t much = std::uint64_t{1} << 61;
  EXPECT_EQ(least_assignment({2, 2, {much, much + 3, much - 1, much + 1}}), 2 * much + 1);
}

TEST(Spreading, MoreWorkGivesAGreaterBound) {
  const Traffic traffic = searching::random_traffic(30, 70, 4);
  const Partners partners{traffic, Objective::hop_bytes};
  SpreadingNeeds needs{.of_pair = 1, .from_one = {}, .among = {}};
  for (std::uint64_t k = 0; k <= 30; ++k) {
    needs.from_one.push_back(k * k / 4);  // of a line
  }
  std::uint64_t before = 0;
  for (const std::uint64_t work : {0U, 10'000U, 100'000U, 1'000'000U}) {
    const std::uint64_t bound = spreading_bound(partners, needs, work);
    EXPECT_GE(bound, before);
    before = bound;
  }
  EXPECT_GT(before, 2 * partners.total_weight());
}

TEST(Spreading, TakesWeightsOfSixtyBits) {
  constexpr std::uint64_t much = std::uint64_t{1} << 58;
  const auto line = searching::machine("kind=line,nodes=4");
  const Traffic traffic{4,
                        {{ProcessId{0}, ProcessId{1}, much, 1},
                         {ProcessId{0}, ProcessId{2}, much, 1},
                         {ProcessId{0}, ProcessId{3}, much, 1}}};
  const SearchProblem problem = searching::problem(*line, traffic, Objective::hop_bytes);
  const Partners partners{traffic, problem.objective};
  EXPECT_EQ(spread_bound(problem, *SlotDistances::of(problem), partners).cost, 4 * much);
}

/// On a cycle of five nodes a table leads from 0 to 2 and from 1 to 3 the longer way round, though
/// both are two links apart.
std::shared_ptr<const Topology> detoured_cycle() {
  return with_routing(
      make_topology(Params::parse("kind=ring,nodes=5")),
      Params::parse("kind=table,routes=[[0,1,1],[0,2,4],[0,3,4],[0,4,4],[1,0,0],[1,2,2],[1,3,0],"
                    "[1,4,0],[2,0,3],[2,1,1],[2,3,3],[2,4,3],[3,0,4],[3,1,4],[3,2,2],[3,4,4],"
                    "[4,0,0],[4,1,0],[4,2,3],[4,3,3]]"));
}

TEST(Spreading, RoutesThatAreNoShortestWaysAreTakenForShorter) {
  const std::shared_ptr<const Topology> cycle = detoured_cycle();
  ASSERT_EQ(cycle->distance(NodeId{0}, NodeId{2}), 3U);
  const Traffic traffic = Traffic::of(Guest::parse("ring:5"));
  const SearchProblem problem = searching::problem(*cycle, traffic, Objective::hop_bytes);
  const Partners partners{traffic, problem.objective};
  EXPECT_EQ(spread_bound(problem, *SlotDistances::of(problem), partners).cost, 10U);
}

TEST(Diameter, CountsLinksWhereRoutesAreNoShortestWays) {
  const std::shared_ptr<const Topology> cycle = detoured_cycle();
  const Traffic traffic = Traffic::of(Guest::parse("ring:5"));
  const SearchProblem problem = searching::problem(*cycle, traffic, Objective::longest_dilation);
  EXPECT_EQ(cost_of(problem, std::vector{NodeId{0}, NodeId{1}, NodeId{2}, NodeId{3}, NodeId{4}}),
            1U);
  EXPECT_EQ(cost_bounds(problem).front().cost, 1U);
}

// --- Together ---

/// As much as a sum of 63 bits on two nodes allows.
TEST(Spreading, TakesWeightsOfSixtyTwoBits) {
  const auto line = searching::machine("kind=line,nodes=2");
  const std::uint64_t bytes = (std::uint64_t{1} << 62U) - 1;
  const Traffic traffic{2, {{ProcessId{0}, ProcessId{1}, bytes, 1}}};
  const SearchProblem problem = searching::problem(*line, traffic, Objective::hop_bytes);
  check_problem(problem);
  const Partners partners{traffic, problem.objective};
  const std::uint64_t bound = spread_bound(problem, *SlotDistances::of(problem), partners).cost;
  EXPECT_LE(bound, bytes);
  EXPECT_GT(bound, bytes - bytes / 1'000'000);
}

TEST(Bounds, RandomTrafficOnLinesAndRingsIsBoundedWell) {
  const Traffic traffic = searching::random_traffic(64, 160, 1);
  for (const char* settings : {"kind=line,nodes=64", "kind=ring,nodes=64"}) {
    const auto topology = searching::machine(settings);
    const SearchProblem problem = searching::problem(*topology, traffic, Objective::hop_bytes);
    const std::uint64_t found = anneal(problem, {.seed = 1, .effort = 100'000}).cost;
    EXPECT_LT(static_cast<double>(found),
              1.8 * static_cast<double>(cost_bounds(problem).front().cost))
        << settings;
  }
}

TEST(Bounds, DenseTrafficOnAMeshIsBoundedWell) {
  const Traffic traffic = searching::random_traffic(30, 600, 3);
  const auto mesh = searching::machine("kind=mesh,shape=6x5");
  const SearchProblem problem = searching::problem(*mesh, traffic, Objective::hop_bytes);
  const std::uint64_t found = anneal(problem, {.seed = 1, .effort = 100'000}).cost;
  EXPECT_LT(static_cast<double>(found),
            1.2 * static_cast<double>(cost_bounds(problem).front().cost));
}

}  // namespace
}  // namespace dcube
