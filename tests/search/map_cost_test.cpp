#include "search/objectives/map_cost.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dcube/topology/hop_weights.hpp"
#include "problems.hpp"
#include "search/objectives/power_mean.hpp"
#include "search/starts/starts.hpp"
#include "search/walks/moves.hpp"

namespace dcube {
namespace {

/// Half of the moves are kept, half taken back; what is added up on the way is what is counted
/// from nothing.
void expect_same_after_moves(const SearchProblem& problem, const std::string& name) {
  const Distances distances{problem.topology};
  const Partners partners{problem.traffic, problem.objective};
  const auto cost = make_map_cost(problem, distances);
  const auto fresh = make_map_cost(problem, distances);
  Moves moves{problem, partners};
  const std::vector<NodeId> start = structured_starts(problem).front().map;
  cost->assign(start);
  moves.assign(start);
  SplitMix64 random{9};
  for (int i = 0; i < 400; ++i) {
    cost->propose(moves.draw(random));
    if (random.next() % 2 == 0) {
      cost->keep();
      moves.keep();
    } else {
      cost->revert();
    }
    const std::vector<NodeId> map{cost->map().begin(), cost->map().end()};
    ASSERT_TRUE(searching::fits(map, problem.topology, problem.slots)) << name;
    ASSERT_EQ(cost->cost(), cost_of(problem, map)) << name << " after move " << i;
    fresh->assign(map);
    ASSERT_DOUBLE_EQ(cost->energy(), fresh->energy()) << name << " after move " << i;
  }
}

TEST(MapCost, AddsUpToWhatIsCountedFromNothing) {
  for (const std::string settings :
       {"kind=ring,nodes=16", "kind=mesh,shape=4x5", "kind=torus,shape=4x4",
        "kind=hypercube,dimensions=5", "kind=line,nodes=2"}) {
    const auto topology = searching::machine(settings);
    const std::uint32_t nodes = topology->node_count();
    const std::vector<Traffic> traffics{
        searching::cube(static_cast<std::uint32_t>(std::bit_width(nodes) - 1)),
        searching::random_traffic(nodes, 3 * nodes, 5),
        searching::random_traffic((nodes + 1) / 2, nodes, 6)};
    for (const Traffic& traffic : traffics) {
      for (const Objective objective : searching::objectives(traffic)) {
        SearchProblem problem = searching::problem(*topology, traffic, objective);
        expect_same_after_moves(problem, settings + ' ' + std::string{to_string(objective)});
        problem.sharing = LinkSharing::undirected;
        expect_same_after_moves(problem, settings + " undirected");
        problem.slots = 3;
        problem.cc_local = Ticks{5};
        expect_same_after_moves(problem, settings + " on nodes of three slots");
      }
    }
  }
}

TEST(MapCost, CountsWeightsOfLinks) {
  for (const std::string settings :
       {"kind=fat_tree,down=[3,2,2],up=[1,2,1]", "kind=dragonfly,p=2,a=2,h=1",
        "kind=hyperx,shape=[3,2],p=2", "kind=blocks,blocks=[switch:4,ring:3]",
        "kind=torus,shape=4x3"}) {
    std::shared_ptr<const Topology> topology = searching::machine(settings);
    std::vector<std::uint32_t> weights;
    for (std::uint32_t i = 0; i < topology->class_count(); ++i) {
      weights.push_back(3 + 7 * i);
    }
    topology = with_hop_weights(std::move(topology), std::move(weights));
    const Traffic traffic = searching::random_traffic(10, 30, 5);
    for (const Objective objective : searching::objectives(traffic)) {
      SearchProblem problem = searching::problem(*topology, traffic, objective);
      expect_same_after_moves(problem, settings + ' ' + std::string{to_string(objective)});
      problem.slots = 3;
      expect_same_after_moves(problem, settings + " on nodes of three slots");
    }
  }
}

TEST(PowerMean, LiesBetweenMeanAndGreatest) {
  PowerMean mean;
  for (const std::uint64_t greatest :
       {std::uint64_t{4}, std::uint64_t{37}, std::uint64_t{5} << 40U, std::uint64_t{1} << 62U}) {
    mean.reset(greatest, 3);
    mean.add(greatest, 3);
    const auto most = static_cast<double>(greatest);
    EXPECT_NEAR(mean.value(), most, 0.001 * most);
    mean.take(greatest, 2);
    EXPECT_NEAR(mean.value(), most / std::pow(3, 0.125), 0.001 * most);
    mean.add(greatest / 2);
    EXPECT_GT(mean.value(), most / std::pow(3, 0.125));
    EXPECT_LT(mean.value(), most);
  }
}

TEST(PowerMean, ForgetsWhatIsTakenBack) {
  PowerMean mean;
  mean.reset(90, 8);
  for (std::uint64_t number = 1; number <= 8; ++number) {
    mean.add(number * number);
  }
  const double before = mean.value();
  SplitMix64 random{4};
  std::vector<std::uint64_t> more;
  for (int i = 0; i < 100; ++i) {
    more.push_back(bounded(random.next(), 300));
    mean.add(more.back());
  }
  EXPECT_GT(mean.value(), before);
  for (const std::uint64_t number : more) {
    mean.take(number);
  }
  EXPECT_EQ(mean.value(), before);
  EXPECT_TRUE(mean.is_passed_by(361));
  EXPECT_FALSE(mean.is_passed_by(360));
}

/// From a map of little load to one of much more.
TEST(MapCost, OfLinksTellsLoadsApartThatGrew) {
  const auto line = searching::machine("kind=line,nodes=3");
  const Traffic traffic{3,
                        {{ProcessId{0}, ProcessId{1}, 900, 1}, {ProcessId{1}, ProcessId{2}, 1, 1}}};
  SearchProblem problem = searching::problem(*line, traffic, Objective::link_load);
  problem.slots = 2;
  const Distances distances{*line};
  const auto cost = make_map_cost(problem, distances);
  cost->assign(std::vector<NodeId>{NodeId{0}, NodeId{0}, NodeId{1}});
  EXPECT_EQ(cost->cost(), 1U);
  const std::vector<Relocation> apart{{ProcessId{0}, NodeId{2}}};
  cost->propose(apart);
  EXPECT_EQ(cost->cost(), 900U);
  const double energy = cost->energy();
  cost->revert();
  cost->assign(std::vector<NodeId>{NodeId{2}, NodeId{0}, NodeId{1}});
  EXPECT_DOUBLE_EQ(cost->energy(), energy);
}

}  // namespace
}  // namespace dcube
