#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "placements.hpp"

namespace dcube {
namespace {

constexpr Ticks second{1'000'000'000'000};

CcPrediction unit_prediction(const std::string& machine, const std::string& embedding) {
  const auto topology = topology_of(machine);
  return predict_cc(*topology, map_of(*topology, cube_of(*topology), embedding), second, second);
}

double unit_makespan_s(const std::string& machine, const std::string& embedding) {
  return to_seconds(unit_prediction(machine, embedding).makespan);
}

std::vector<int> seconds(const std::vector<Ticks>& times) {
  std::vector<int> whole;
  for (const Ticks time : times) {
    whole.push_back(static_cast<int>(time / second));
  }
  return whole;
}

/// One hop a tick, computing free.
CcCosts hop_costs(const Topology& topology, std::vector<std::uint32_t> order) {
  CcCosts costs;
  costs.order = std::move(order);
  costs.compute = [](ProcessId, std::uint32_t) { return Ticks{0}; };
  costs.transfer = [&topology](NodeId from, NodeId to) {
    return Ticks{topology.distance(from, to)};
  };
  return costs;
}

TEST(CcRecurrence, StandardOnALineOfEightIsFigureFour) {
  const CcPrediction prediction = unit_prediction("kind=line,nodes=8", "standard");
  EXPECT_EQ(prediction.makespan, 10 * second);
  EXPECT_EQ(prediction.waiting_total_s, 0);
  EXPECT_EQ(prediction.waiting_processes, 0U);
  EXPECT_EQ(prediction.finish, std::vector<Ticks>(8, 10 * second));
}

TEST(CcRecurrence, ByWeightOnALineOfEightIsFigureFour) {
  const CcPrediction prediction = unit_prediction("kind=line,nodes=8", "by_weight");
  EXPECT_EQ(prediction.makespan, 12 * second);
  EXPECT_EQ(prediction.waiting_total_s, 8);
  EXPECT_EQ(prediction.waiting_processes, 6U);
}

TEST(CcRecurrence, StagesOfByWeightAreThoseOfFigureFour) {
  const auto line = topology_of("kind=line,nodes=8");
  const std::vector<NodeId> map = map_of(*line, Guest::cube(3), "by_weight");
  CcCosts costs = hop_costs(*line, {0});
  costs.compute = [](ProcessId, std::uint32_t) { return second; };
  costs.transfer = [&](NodeId from, NodeId to) { return line->distance(from, to) * second; };
  std::vector<std::vector<int>> stages;
  for (const std::vector<std::uint32_t>& order :
       std::vector<std::vector<std::uint32_t>>{{0}, {0, 1}, {0, 1, 2}}) {
    costs.order = order;
    stages.push_back(seconds(predict_cc(map, costs).finish));
  }
  EXPECT_EQ(stages, (std::vector<std::vector<int>>{{4, 4, 5, 5, 5, 5, 4, 4},
                                                   {8, 9, 8, 9, 9, 8, 9, 8},
                                                   {11, 12, 12, 11, 11, 12, 12, 11}}));
}

TEST(CcRecurrence, MakespansWithoutConstantDistancesAreKnown) {
  EXPECT_EQ(unit_makespan_s("kind=line,nodes=16", "by_weight"), 25);
  EXPECT_EQ(unit_makespan_s("kind=line,nodes=32", "by_weight"), 56);
  EXPECT_EQ(unit_makespan_s("kind=torus,shape=16x4", "by_weight"), 30);
  EXPECT_EQ(unit_makespan_s("kind=ring,nodes=16", "gray"), 16);
}

TEST(CcRecurrence, ConstantDistancesNeverWait) {
  for (const char* machine : {"kind=ring,nodes=64", "kind=torus,shape=8x16", "kind=ring,nodes=2",
                              "kind=hypercube,dimensions=5"}) {
    for (const char* embedding : {"standard", "xor"}) {
      SCOPED_TRACE(std::string{embedding} + " on " + machine);
      const auto form = closed_form(*topology_of(machine), embedding);
      const auto hops = std::accumulate(form->distances.begin(), form->distances.end(), 0U);
      const CcPrediction prediction = unit_prediction(machine, embedding);
      EXPECT_EQ(prediction.makespan,
                second * (static_cast<std::int64_t>(form->distances.size()) + hops));
      EXPECT_EQ(prediction.waiting_processes, 0U);
    }
  }
}

TEST(CcRecurrence, LeastTimeOnARingOfEightIsFiveAndTwentyMapsReachIt) {
  const auto ring = topology_of("kind=ring,nodes=8");
  std::vector<NodeId> map = all_nodes(*ring);
  Ticks least = Ticks::max();
  int reached = 0;
  int reached_without_constant_distances = 0;
  do {
    const Ticks makespan = predict_cc(*ring, map, Ticks{0}, Ticks{1}).makespan;
    if (makespan < least) {
      least = makespan;
      reached = 0;
      reached_without_constant_distances = 0;
    }
    if (makespan == least) {
      ++reached;
      const auto metrics = measure_embedding(*ring, Guest::cube(3), map);
      reached_without_constant_distances += metrics.constant_distances.empty() ? 1 : 0;
    }
  } while (std::next_permutation(map.begin() + 1, map.end()));
  EXPECT_EQ(least, Ticks{5});
  EXPECT_EQ(reached, 20);
  EXPECT_EQ(reached_without_constant_distances, 8);
}

TEST(CcRecurrence, XorReachesTheLeastTimeOnARingOfSixteen) {
  const auto ring = topology_of("kind=ring,nodes=16");
  const auto map = map_of(*ring, Guest::cube(4), "xor");
  EXPECT_EQ(predict_cc(*ring, map, Ticks{0}, Ticks{1}).makespan, Ticks{11});
}

TEST(CcRecurrence, GeneralCostsIncludeThePaperCase) {
  const auto torus = topology_of("kind=torus,shape=8x4");
  std::mt19937_64 random{3};
  for (int i = 0; i < 20; ++i) {
    const std::vector<NodeId> map = random_map(*torus, 32, random);
    CcCosts costs = hop_costs(*torus, {0, 1, 2, 3, 4});
    costs.compute = [](ProcessId, std::uint32_t) { return Ticks{3}; };
    costs.transfer = [&](NodeId from, NodeId to) { return Ticks{7} * torus->distance(from, to); };
    const CcPrediction general = predict_cc(map, costs);
    const CcPrediction uniform = predict_cc(*torus, map, Ticks{3}, Ticks{7});
    EXPECT_EQ(general.finish, uniform.finish);
    EXPECT_EQ(general.waiting_total_s, uniform.waiting_total_s);
    EXPECT_EQ(general.waiting_processes, uniform.waiting_processes);
  }
}

TEST(CcRecurrence, EndpointCostsAndDirectionsOfATransferAreItsOwn) {
  CcCosts costs;
  costs.order = {0};
  costs.compute = [](ProcessId process, std::uint32_t) { return Ticks{10 * process.index()}; };
  costs.transfer = [](NodeId from, NodeId to) { return Ticks{from < to ? 100 : 200}; };
  costs.send = Ticks{1};
  costs.receive = Ticks{2};
  const CcPrediction prediction = predict_cc(std::vector{NodeId{0}, NodeId{1}}, costs);
  EXPECT_EQ(prediction.finish, (std::vector{Ticks{10 + 203}, Ticks{10 + 103}}));
  EXPECT_EQ(prediction.makespan, Ticks{213});
  EXPECT_EQ(prediction.waiting_total_s, 1e-11);
  EXPECT_EQ(prediction.waiting_processes, 1U);
}

TEST(CcRecurrence, ComputeKnowsProcessAndStageInTheOrderAsked) {
  const auto cube = topology_of("kind=hypercube,dimensions=2");
  CcCosts costs = hop_costs(*cube, {1, 0, 1});
  costs.compute = [](ProcessId process, std::uint32_t stage) {
    return Ticks{stage == 1 && process.index() == 2 ? 50 : 0};
  };
  EXPECT_EQ(predict_cc(all_nodes(*cube), costs).finish,
            (std::vector{Ticks{53}, Ticks{53}, Ticks{53}, Ticks{53}}));
}

TEST(CcRecurrence, OneProcessHasNothingToDo) {
  const auto line = topology_of("kind=line,nodes=1");
  const CcPrediction prediction = predict_cc(*line, all_nodes(*line), second, second);
  EXPECT_EQ(prediction.makespan, Ticks{0});
  EXPECT_EQ(prediction.finish.size(), 1U);
}

TEST(CcRecurrence, TimePastSixtyThreeBitsIsAnInputError) {
  const auto line = topology_of("kind=line,nodes=8");
  const std::vector<NodeId> map = all_nodes(*line);
  EXPECT_THROW(predict_cc(*line, map, Ticks{0}, Ticks::max()), InputError);
  EXPECT_THROW(predict_cc(*line, map, Ticks::max(), Ticks{1}), InputError);
  EXPECT_NO_THROW(predict_cc(*line, map, Ticks{0}, Ticks::max() / 7));
  CcCosts costs = hop_costs(*line, {0});
  costs.send = Ticks::max();
  EXPECT_THROW(predict_cc(map, costs), InputError);
}

TEST(CcRecurrence, WaitingOfAllProcessesMayPassSixtyThreeBits) {
  const auto line = topology_of("kind=line,nodes=8");
  CcCosts costs = hop_costs(*line, {2});
  costs.compute = [](ProcessId process, std::uint32_t) {
    return process.index() < 4 ? Ticks::max() - Ticks{10} : Ticks{0};
  };
  const CcPrediction prediction = predict_cc(all_nodes(*line), costs);
  EXPECT_EQ(prediction.waiting_processes, 4U);
  EXPECT_DOUBLE_EQ(prediction.waiting_total_s, 4 * to_seconds(Ticks::max()));
}

TEST(CcRecurrence, ProcessesOtherThanAPowerOfTwoAreAContractViolation) {
  const auto line = topology_of("kind=line,nodes=6");
  EXPECT_THROW(predict_cc(*line, all_nodes(*line), second, second), ContractViolation);
  EXPECT_THROW(predict_cc(std::vector{NodeId{0}, NodeId{1}}, hop_costs(*line, {1})),
               ContractViolation);
}

}  // namespace
}  // namespace dcube
