#include "dcube/search/methods.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace dcube
