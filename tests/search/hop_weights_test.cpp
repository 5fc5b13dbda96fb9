#include "dcube/topology/hop_weights.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/core/random.hpp"
#include "dcube/search/search.hpp"
#include "dcube/topology/routing.hpp"
#include "problems.hpp"
#include "support/complaint.hpp"

// Searches, proofs and bounds where links weigh more than others, against the definition: the sum
// of bytes times the weights of the links on the route.

namespace dcube {
namespace {

std::uint64_t weighed_plainly(const SearchProblem& problem, const std::vector<NodeId>& map) {
  const auto weights = hop_weights_of(problem.topology);
  std::uint64_t sum = 0;
  for (const Flow& flow : problem.traffic.flows()) {
    for_each_link(problem.topology, map[flow.from.index()], map[flow.to.index()], [&](LinkId link) {
      sum += flow.bytes * weights[problem.topology.link(link).value().dimension];
    });
  }
  return sum;
}

std::shared_ptr<const Topology> small_weighted(std::uint64_t seed) {
  SplitMix64 random{seed};
  const std::vector<std::string> all{"fat_tree,down=[2,2],up=[1,1]",
                                     "fat_tree,down=[3,2],up=[1,2]",
                                     "fat_tree,down=[2,2,2],up=[1,1,1]",
                                     "dragonfly,p=1,a=2,h=1",
                                     "hyperx,shape=[2,3]",
                                     "blocks,blocks=[switch:2,switch:3]",
                                     "blocks,blocks=[ring:3,line:2]",
                                     "jellyfish,routers=5,degree=2",
                                     "torus,shape=2x3",
                                     "torus,shape=4x2",
                                     "mesh,shape=3x2",
                                     "mesh,shape=2x2",
                                     "line,nodes=5",
                                     "ring,nodes=6",
                                     "hypercube,dimensions=2"};
  std::shared_ptr<const Topology> topology =
      make_topology(Params::parse("kind=" + all[bounded(random.next(), all.size())]));
  std::vector<std::uint32_t> weights;
  for (std::uint32_t i = 0; i < topology->class_count(); ++i) {
    weights.push_back(1 + static_cast<std::uint32_t>(bounded(random.next(), 12)));
  }
  // Lengths of routes past 16 bits are in no table.
  weights.back() = bounded(random.next(), 4) == 0 ? most_hop_weight : weights.back();
  weights.front() += weights == std::vector<std::uint32_t>(weights.size(), 1) ? 1 : 0;
  topology = with_hop_weights(std::move(topology), weights);
  if (bounded(random.next(), 5) == 0) {
    Failures failures;
    failures.nodes.emplace_back(2);
    const std::vector<NodeId> cut_off = cut_off_nodes(*with_failures(topology, failures));
    failures.nodes.insert(failures.nodes.end(), cut_off.begin(), cut_off.end());
    topology = with_failures(std::move(topology), failures);
  }
  if (bounded(random.next(), 5) == 0) {
    std::vector<bool> may_host(topology->node_count(), true);
    may_host[1] = false;
    topology = with_hosts_among(topology, may_host);
  }
  return topology;
}

/// `use(problem, name)` for small problems of all objectives.
template <class Use>
void for_each_weighted(std::uint64_t cases, Use use) {
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const auto topology = small_weighted(seed);
    SplitMix64 random{seed ^ 0x77U};
    const std::uint32_t slots = bounded(random.next(), 3) == 0 ? 2 : 1;
    const auto processes = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(4 + (slots == 1 ? bounded(random.next(), 2) : 0),
                                std::uint64_t{topology->usable_count()} * slots));
    const Traffic traffic = bounded(random.next(), 3) == 0 && processes >= 4
                                ? searching::cube(2)
                                : searching::random_traffic(processes, 2 * processes, seed);
    const std::vector<Objective> all = searching::objectives(traffic);
    const Objective objective =
        seed % 2 == 0 ? Objective::hop_bytes : all[bounded(random.next(), all.size())];
    SearchProblem problem = searching::problem(*topology, traffic, objective);
    problem.slots = slots;
    if (bounded(random.next(), 5) == 0 && topology->is_usable(NodeId{0})) {
      problem.pins.resize(traffic.process_count());
      problem.pins[0] = NodeId{0};
    }
    use(problem, "seed " + std::to_string(seed) + ", " + describe(*topology) + ", " +
                     std::string{to_string(objective)});
  }
}

std::uint64_t least_with_pins(const SearchProblem& problem) {
  std::uint64_t least = ~std::uint64_t{0};
  searching::for_each_map(
      problem.topology, problem.slots, problem.traffic.process_count(),
      [&](const std::vector<NodeId>& map) {
        for (std::uint32_t process = 0; process < map.size(); ++process) {
          if (!problem.topology.is_usable(map[process]) ||
              (problem.is_pinned(process) && *problem.pins[process] != map[process])) {
            return;
          }
        }
        least = std::min(least, cost_of(problem, map));
      });
  return least;
}

TEST(WeightedHops, CostIsBytesTimesTheWeightsOnTheRoute) {
  for_each_weighted(60, [](const SearchProblem& problem, const std::string& name) {
    const SearchProblem hop_bytes = problem.with_objective(Objective::hop_bytes);
    const std::vector<NodeId> map = best_start(hop_bytes).map;
    EXPECT_EQ(cost_of(hop_bytes, map), weighed_plainly(hop_bytes, map)) << name;
  });
}

TEST(WeightedHops, NoBoundIsAboveTheLeastCost) {
  std::uint64_t reached = 0;
  std::uint64_t count = 0;
  for_each_weighted(120, [&](const SearchProblem& problem, const std::string& name) {
    check_problem(problem);
    const std::uint64_t least = least_with_pins(problem);
    const std::vector<CostBound> bounds = cost_bounds(problem);
    for (const CostBound& bound : bounds) {
      ASSERT_LE(bound.cost, least) << name << ": " << bound.source;
    }
    ++count;
    reached += bounds.front().cost == least ? 1 : 0;
  });
  EXPECT_GT(3 * reached, count);  // they say something
}

TEST(WeightedHops, SearchesAndProofsFindTheLeastCost) {
  for_each_weighted(60, [](const SearchProblem& problem, const std::string& name) {
    const std::uint64_t least = least_with_pins(problem);
    const ExhaustiveProof proof = enumerate(problem, {});
    EXPECT_TRUE(proof.is_complete) << name;
    EXPECT_EQ(proof.found.cost, least) << name;
    EXPECT_EQ(cost_of(problem, proof.found.map), least) << name;
    const FoundMap found = anneal(problem, {.seed = 1, .effort = 20'000});
    EXPECT_EQ(found.cost, cost_of(problem, found.map)) << name;
    EXPECT_GE(found.cost, least) << name;
    if (problem.objective == Objective::hop_bytes) {
      EXPECT_EQ(found.cost, least) << name;
    }
  });
}

/// Larger machines, whose searches take other ways: tables, populations, groups of processes.
TEST(WeightedHops, LargeSearchesCountWhatTheyFind) {
  for (const std::string settings : {"fat_tree,down=[4,4,4],up=[1,2,2]", "torus,shape=16x8",
                                     "dragonfly,p=2,a=4,h=2", "blocks,blocks=[switch:8,ring:8]"}) {
    const auto plain = make_topology(Params::parse("kind=" + settings));
    std::vector<std::uint32_t> weights(plain->class_count(), 1);
    weights.back() = 40;
    const auto topology =
        with_hop_weights(make_topology(Params::parse("kind=" + settings)), weights);
    for (const std::uint32_t slots : {1U, 4U}) {
      const Traffic traffic =
          searching::random_traffic(slots * topology->usable_count() - 3, 300, slots);
      for (const Objective objective : {Objective::hop_bytes, Objective::average_dilation}) {
        SearchProblem problem = searching::problem(*topology, traffic, objective);
        problem.slots = slots;
        const FoundMap found = anneal(problem, {.seed = 1, .effort = 60'000, .bound = 0});
        EXPECT_TRUE(searching::fits(found.map, *topology, slots)) << settings;
        EXPECT_EQ(found.cost, cost_of(problem, found.map)) << settings;
        EXPECT_LT(found.cost, best_start(problem).cost) << settings;
        if (slots == 1) {  // with more they take seconds
          EXPECT_GE(found.cost, cost_bounds(problem).front().cost) << settings;
        }
        if (objective == Objective::hop_bytes) {
          EXPECT_EQ(found.cost, weighed_plainly(problem, found.map)) << settings;
          SearchProblem unweighted = searching::problem(*plain, traffic, objective);
          unweighted.slots = slots;
          EXPECT_GT(found.cost, cost_of(unweighted, found.map)) << settings;
        }
      }
    }
  }
}

TEST(WeightedHops, ScotchKnowsTheLevelsOfATree) {
  const auto tree = with_hop_weights(
      make_topology(Params::parse("kind=fat_tree,down=[4,4,4],up=[1,1,1]")), {1, 9, 90});
  const Traffic traffic = Traffic::of(Guest::parse("mesh:8x8"));
  const SearchProblem problem = searching::problem(*tree, traffic, Objective::hop_bytes);
  ASSERT_TRUE(has_scotch_target(*tree));
  // Nodes of 2x2 in racks of 4x4: 16 pairs are racks apart, 32 nodes apart, 64 share a node.
  const std::uint64_t least = 2 * (16 * 200 + 32 * 20 + 64 * 2);
  EXPECT_LE(map_with_scotch(problem, 1).cost, least * 6 / 5);
  EXPECT_EQ(anneal(problem, {.seed = 1, .effort = 1'000'000}).cost, least);
}

TEST(WeightedHops, WaysOfOtherWeightsThereAndBackAreRefused) {
  const auto topology = with_routing(
      with_hop_weights(make_topology(Params::parse("kind=dragonfly,p=1,a=4,h=1")), {1, 2, 9}),
      Params::parse("kind=shortest"));
  const Traffic traffic = searching::random_traffic(20, 40, 1);
  const SearchProblem problem = searching::problem(*topology, traffic, Objective::hop_bytes);
  const std::string said = complaint([&] { check_problem(problem); });
  EXPECT_NE(said.find("a search needs routes of one weight there and back"), std::string::npos)
      << said;
  // Other objectives do not look at weights.
  const SearchProblem loads = problem.with_objective(Objective::link_load);
  check_problem(loads);
  const FoundMap found = anneal(loads, {.seed = 1, .effort = 2'000});
  EXPECT_EQ(found.cost, cost_of(loads, found.map));
}

}  // namespace
}  // namespace dcube
