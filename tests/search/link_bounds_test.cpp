// No bound is above the least cost of all maps.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dcube/search/link_sections.hpp"
#include "dcube/search/partners.hpp"
#include "dcube/topology/routing.hpp"
#include "problems.hpp"
#include "search/bounds/bounds.hpp"
#include "search/bounds/whole_flows.hpp"
#include "search/bounds/zero_sum_spectrum.hpp"

namespace dcube {
namespace {

/// What two parts of the processes exchange at least, by trying all.
std::uint64_t least_exchange(const Traffic& traffic, std::uint32_t least, std::uint32_t most) {
  std::uint64_t found = ~std::uint64_t{0};
  for (std::uint32_t part = 0; part < 1U << traffic.process_count(); ++part) {
    const auto size = static_cast<std::uint32_t>(std::popcount(part));
    if (size < least || size > most) {
      continue;
    }
    std::uint64_t exchanged = 0;
    for (const Flow& flow : traffic.flows()) {
      const bool is_apart = ((part >> flow.from.index() ^ part >> flow.to.index()) & 1U) != 0;
      exchanged += is_apart ? flow.bytes : 0;
    }
    found = std::min(found, exchanged);
  }
  return found;
}

TEST(LinkBounds, NoPartsExchangeLessThanTheirEigenvaluesSay) {
  std::uint64_t all_bounds = 0;
  std::uint64_t all_found = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto processes = static_cast<std::uint32_t>(4 + seed % 7);
    const Traffic traffic = searching::random_traffic(processes, 3 * processes, seed);
    const Partners partners{traffic, Objective::link_load};
    for (std::uint32_t least = 1; least < processes; ++least) {
      for (std::uint32_t most = least; most < processes && most <= least + 2; ++most) {
        const std::uint64_t bound = spectral_cut(partners, least, most);
        const std::uint64_t found = least_exchange(traffic, least, most);
        ASSERT_LE(bound, found) << "seed " << seed << ", parts of " << least << " to " << most;
        all_bounds += bound;
        all_found += found;
      }
    }
  }
  EXPECT_GT(10 * all_bounds, 7 * all_found);
}

TEST(LinkBounds, RandomTrafficOnALineHasLinksThatEigenvaluesKnow) {
  const auto line = searching::machine("kind=line,nodes=64");
  const Traffic traffic = searching::random_traffic(64, 160, 1);
  const SearchProblem problem = searching::problem(*line, traffic, Objective::link_load);
  const std::uint64_t found = anneal(problem, {.seed = 1, .effort = 200'000}).cost;
  EXPECT_LT(found, 2 * cost_bounds(problem).front().cost);
}

/// 3 bytes from each process to every other.
std::vector<Flow> bytes_to_every_other(std::uint32_t processes) {
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < processes * processes; ++i) {
    if (i / processes != i % processes) {
      flows.push_back({ProcessId{i / processes}, ProcessId{i % processes}, 3, 1});
    }
  }
  return flows;
}

/// A way half round a ring leads over the links between the middle nodes or between the ends, so
/// links differ, and no cut and no mean sees the busiest.
TEST(LinkBounds, WhatEveryProcessSendsToEveryOtherLoadsKnownLinks) {
  for (const std::uint32_t slots : {1U, 2U}) {
    const auto torus = searching::machine("kind=torus,shape=8x4");
    const Traffic traffic{32 * slots, bytes_to_every_other(32 * slots)};
    SearchProblem problem = searching::problem(*torus, traffic, Objective::link_load);
    problem.slots = slots;
    for (const LinkSharing sharing : {LinkSharing::directed, LinkSharing::undirected}) {
      problem.sharing = sharing;
      EXPECT_EQ(cost_bounds(problem).front().cost, best_start(problem).cost);
    }
  }
}

/// Two processes are at the ends of the line, whose one link carries all that they send.
TEST(LinkBounds, ProcessesAreOnNodesOfFewLinks) {
  const auto line = searching::machine("kind=line,nodes=3");
  const auto flow = [](std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
    return Flow{ProcessId{from}, ProcessId{to}, bytes, 1};
  };
  const Traffic traffic{
      3,
      {flow(0, 1, 2), flow(0, 2, 3), flow(1, 0, 4), flow(1, 2, 4), flow(2, 0, 1), flow(2, 1, 6)}};
  const SearchProblem problem = searching::problem(*line, traffic, Objective::link_load);
  EXPECT_EQ(cost_bounds(problem).front().cost, 7U);
  EXPECT_EQ(searching::least_cost(problem), 7U);
}

/// The only link of a host carries all that its process sends, however many links a switch has.
TEST(LinkBounds, HostsOfAFatTreeHaveOneLink) {
  const auto tree = searching::machine("kind=fat_tree,down=[4,4],up=[1,4]");
  std::vector<Flow> flows = bytes_to_every_other(16);
  flows.pop_back();
  const Traffic traffic{16, std::move(flows)};
  const SearchProblem problem = searching::problem(*tree, traffic, Objective::link_load);
  EXPECT_EQ(cost_bounds(problem).front().cost, 45U);
  EXPECT_EQ(best_start(problem).cost, 45U);
}

/// All sums of some of the flows, ascending.
std::set<std::uint64_t> loads_of(const Traffic& traffic) {
  std::set<std::uint64_t> loads{0};
  for (const Flow& flow : traffic.flows()) {
    if (flow.from != flow.to) {
      const std::set<std::uint64_t> before = loads;
      for (const std::uint64_t load : before) {
        loads.insert(load + flow.bytes);
      }
    }
  }
  return loads;
}

TEST(LinkBounds, NoSumOfFlowsIsBetweenALoadAndWhatWholeFlowsMakeOfIt) {
  std::uint32_t raised = 0;
  std::uint32_t all = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    std::vector<Flow> flows;
    const Traffic drawn =
        searching::random_traffic(6, static_cast<std::uint32_t>(3 + seed % 12), seed);
    for (Flow flow : drawn.flows()) {
      flow.bytes = (flow.bytes % 3 + seed % 4) * 5;  // some have none
      flows.push_back(flow);
    }
    const Traffic traffic{6, std::move(flows)};
    const std::set<std::uint64_t> loads = loads_of(traffic);
    const WholeFlows whole{traffic};
    for (std::uint64_t load = 0; load <= *loads.rbegin(); ++load) {
      const std::uint64_t least = whole.at_least(load);
      ASSERT_GE(least, load) << "seed " << seed;
      ASSERT_LE(least, *loads.lower_bound(load)) << "seed " << seed << ", load " << load;
      raised += least > load ? 1 : 0;
      all += *loads.lower_bound(load) > load ? 1 : 0;
    }
  }
  EXPECT_GT(10 * raised, 9 * all);
}

TEST(LinkBounds, ALinkCarriesWholeFlows) {
  for (const char* const settings :
       {"kind=line,nodes=32", "kind=torus,shape=8x4", "kind=mesh,shape=4x4x2"}) {
    const auto machine = searching::machine(settings);
    std::vector<Flow> flows;
    for (std::uint32_t process = 0; process < 32; ++process) {
      for (const std::uint32_t to : {5 * process + 2, process * process + 3 * process + 1}) {
        flows.push_back({ProcessId{process}, ProcessId{to % 32}, 10, 1});
      }
    }
    const Traffic traffic{32, std::move(flows)};
    const SearchProblem problem = searching::problem(*machine, traffic, Objective::link_load);
    for (const CostBound& bound : cost_bounds(problem)) {
      EXPECT_EQ(bound.cost % 10, 0U) << settings << ", " << bound.source;
    }
    const std::uint64_t found = anneal(problem, {.seed = 1, .effort = 20'000}).cost;
    const std::vector<CostBound> worked = worked_link_bounds(problem, {.above = 1});
    EXPECT_FALSE(worked.empty());
    for (const CostBound& bound : worked) {
      EXPECT_EQ(bound.cost % 10, 0U) << settings << ", " << bound.source;
      EXPECT_LE(bound.cost, found) << settings << ", " << bound.source;
    }
  }
}

TEST(LinkBounds, BusiestLinkOfALineIsAsBusyAsItsCutsSay) {
  const auto line = searching::machine("kind=line,nodes=64");
  const Traffic cube = Traffic::of(Guest::cube(6));
  const SearchProblem problem = searching::problem(*line, cube, Objective::link_load);
  // The first 42 or 43 processes of a cube exchange 42 with the others, each way (Harper 1964).
  EXPECT_EQ(cost_bounds(problem).front().cost, 42U);
  EXPECT_EQ(best_start(problem).cost, 42U);
}

}  // namespace
}  // namespace dcube
