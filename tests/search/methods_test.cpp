#include "dcube/search/methods.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "dcube/topology/routing.hpp"
#include "problems.hpp"

namespace dcube {
namespace {

std::string method_for(const std::string& machine, const Traffic& traffic,
                       Objective objective = Objective::hop_bytes) {
  const auto topology = searching::machine(machine);
  return chosen_method("auto", searching::problem(*topology, traffic, objective)).first;
}

/// Every process to the next ones.
Traffic neighbours(std::uint32_t processes, std::uint32_t flows_of_each) {
  std::vector<Flow> flows;
  for (std::uint32_t from = 0; from < processes; ++from) {
    for (std::uint32_t i = 1; i <= flows_of_each; ++i) {
      flows.push_back({ProcessId{from}, ProcessId{(from + i) % processes}, 1, 1});
    }
  }
  return {processes, std::move(flows)};
}

TEST(Methods, AutoEnumeratesSmallMachines) {
  EXPECT_EQ(method_for("kind=ring,nodes=8", searching::cube(3)), "exhaustive");
  EXPECT_EQ(method_for("kind=ring,nodes=9", searching::cube(3)), annealing_from_scotch);
  EXPECT_EQ(method_for("kind=ring,nodes=8", searching::cube(3), Objective::makespan),
            annealing_from_scotch);
}

TEST(Methods, AutoAsksScotchWhereItKnowsTheMachineAndIsQuick) {
  const Traffic few = neighbours(32, 4);
  EXPECT_EQ(method_for("kind=torus,shape=4x8", few), annealing_from_scotch);
  EXPECT_EQ(method_for("kind=twisted_torus,shape=4x8", few), "annealing");
  EXPECT_EQ(method_for("kind=torus,shape=32x32", neighbours(1000, 500)), annealing_from_scotch);
  EXPECT_EQ(method_for("kind=torus,shape=32x32", neighbours(1001, 500)), "annealing");
  EXPECT_EQ(method_for("kind=torus,shape=4x4", neighbours(1001, 500)), annealing_from_scotch);
}

TEST(Methods, WhatIsNamedIsUsed) {
  const auto ring = searching::machine("kind=ring,nodes=8");
  const Traffic traffic = searching::cube(3);
  const SearchProblem problem = searching::problem(*ring, traffic, Objective::hop_bytes);
  for (const std::string& name : search_method_names().subspan(1)) {
    EXPECT_EQ(chosen_method(name, problem).first, name);
  }
  EXPECT_EQ(default_effort("annealing", problem), usual_effort(problem));
  EXPECT_EQ(default_effort("exhaustive", problem), ExhaustiveSettings{}.effort);
  EXPECT_EQ(default_effort("scotch", problem), 0U);
}

TEST(Methods, FewerMapsAreTriedWhereEachChangesTheLoadsOfManyLinks) {
  const auto effort_on = [](const auto& topology, std::uint32_t flows_of_each,
                            Objective objective) {
    const Traffic traffic = neighbours(250, flows_of_each);
    return usual_effort(searching::problem(*topology, traffic, objective));
  };
  const std::shared_ptr<const Topology> torus = searching::machine("kind=torus,shape=16x16");
  const std::uint64_t usual = effort_on(torus, 4, Objective::link_load);
  EXPECT_EQ(effort_on(torus, 30, Objective::link_load), usual);
  EXPECT_EQ(effort_on(torus, 60, Objective::link_load), usual * 500 / 960);
  const auto mesh = searching::machine("kind=mesh,shape=16x16");
  EXPECT_LT(effort_on(mesh, 60, Objective::link_load), usual * 500 / 960);
  const auto without_a_corner = with_failures(torus, {{NodeId{0}}, {}, {}});
  EXPECT_LT(effort_on(without_a_corner, 60, Objective::link_load), usual);
  EXPECT_GT(effort_on(without_a_corner, 60, Objective::link_load), usual / 3);
  EXPECT_EQ(effort_on(torus, 60, Objective::longest_dilation), usual);
}

}  // namespace
}  // namespace dcube
