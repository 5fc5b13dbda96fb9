// Searches on graphs, with other routes and with nodes that have failed or are kept free.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dcube/topology/routing.hpp"
#include "problems.hpp"
#include "support/complaint.hpp"

namespace dcube {
namespace {

using MachineToSearch = std::shared_ptr<const Topology>;

MachineToSearch network_to_search(const std::string& settings, Failures failures = {}) {
  return with_failures(make_topology(Params::parse("kind=" + settings)), std::move(failures));
}

std::vector<MachineToSearch> machines_to_search() {
  return {network_to_search("torus,shape=4x4", {{NodeId{5}}, {LinkId{0}}, {NodeId{15}}}),
          network_to_search("torus,shape=4x4", {{}, {}, {NodeId{0}, NodeId{6}}}),
          network_to_search("hypercube,dimensions=4", {{NodeId{0}}, {}, {}}),
          network_to_search("twisted_torus,shape=4x8"),
          network_to_search("graph,edges=[[0,1],[1,2],[2,3],[3,4],[4,5],[5,6],[6,7],[7,8],[8,0],"
                            "[0,4],[2,6],[8,9],[9,10],[10,11],[11,0],[11,12],[12,13],[13,0]]"),
          with_routing(network_to_search("torus,shape=4x4"), Params::parse("kind=shortest")),
          network_to_search("torus,shape=4x4,wrap=[true,false]")};
}

bool is_on_usable_nodes(const Topology& topology, const std::vector<NodeId>& map) {
  return std::ranges::all_of(map, [&](NodeId node) { return topology.is_usable(node); });
}

TEST(SearchWithoutNodes, AnnealingKeepsToUsableNodesAndBounds) {
  for (const MachineToSearch& topology : machines_to_search()) {
    SCOPED_TRACE(describe(*topology));
    for (const Traffic& traffic : {searching::cube(3), searching::random_traffic(13, 30, 2)}) {
      for (const Objective objective : searching::objectives(traffic)) {
        for (const std::uint32_t slots : {1U, 2U}) {
          SearchProblem problem = searching::problem(*topology, traffic, objective);
          problem.slots = slots;
          const FoundMap found = anneal(problem, {.seed = 3, .effort = 3000});
          EXPECT_TRUE(searching::fits(found.map, *topology, slots));
          EXPECT_TRUE(is_on_usable_nodes(*topology, found.map));
          EXPECT_EQ(found.cost, cost_of(problem, found.map));
          EXPECT_LE(found.cost, best_start(problem).cost);
          EXPECT_GE(found.cost, cost_bounds(problem).front().cost);
        }
      }
    }
  }
}

TEST(SearchWithoutNodes, EnumerationFindsTheLeast) {
  for (const MachineToSearch& topology :
       {network_to_search("ring,nodes=8", {{NodeId{3}}, {}, {}}),
        network_to_search("ring,nodes=8", {{}, {}, {NodeId{3}}}),
        network_to_search("torus,shape=3x3", {{NodeId{4}}, {LinkId{0}}, {NodeId{8}}}),
        network_to_search("twisted_torus,shape=2x4"),
        network_to_search("graph,edges=[[0,1],[1,2],[2,3],[3,4],[4,5],[5,0],[0,3]]")}) {
    SCOPED_TRACE(describe(*topology));
    for (const Traffic& traffic : {searching::cube(2), searching::random_traffic(5, 9, 4)}) {
      for (const Objective objective : searching::objectives(traffic)) {
        const SearchProblem problem = searching::problem(*topology, traffic, objective);
        const ExhaustiveProof proof = enumerate(problem, {});
        EXPECT_TRUE(proof.is_complete);
        EXPECT_EQ(proof.found.cost, searching::least_cost(problem));
        EXPECT_TRUE(is_on_usable_nodes(*topology, proof.found.map));
        EXPECT_LE(cost_bounds(problem).front().cost, proof.found.cost);
      }
    }
  }
}

TEST(SearchWithoutNodes, WhatDoesNotFitIsAnInputError) {
  const MachineToSearch topology = network_to_search("ring,nodes=8", {{NodeId{3}}, {}, {}});
  const Traffic traffic = searching::cube(3);
  const SearchProblem problem = searching::problem(*topology, traffic, Objective::hop_bytes);
  EXPECT_EQ(complaint([&] { check_problem(problem); }),
            "the traffic has 8 processes, the ring of 8 7 nodes (a node hosts at most one)");
  const MachineToSearch upwards =
      with_routing(network_to_search("ring,nodes=3"),
                   Params::parse("kind=table,routes=[[0,1,1],[0,2,1],[1,2,2],[1,0,2],[2,0,0],"
                                 "[2,1,0]]"));
  const Traffic pair = searching::cube(1);
  EXPECT_EQ(
      complaint([&] { check_problem(searching::problem(*upwards, pair, Objective::hop_bytes)); }),
      "the table routes node 0 to node 1 over 1 link and back over 2; a search needs routes "
      "of one length there and back");
}

}  // namespace
}  // namespace dcube
