// What few processes can have among them, and what that says of nodes with several slots.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "dcube/search/partners.hpp"
#include "dcube/topology/hop_weights.hpp"
#include "problems.hpp"
#include "search/bounds/densest_sets.hpp"

namespace dcube {
namespace {

/// The greatest weight among `size` processes, by trying all.
std::uint64_t densest(const Partners& partners, std::uint32_t size) {
  std::uint64_t most = 0;
  for (std::uint32_t set = 0; set < 1U << partners.process_count(); ++set) {
    std::uint64_t weight = 0;
    for (std::uint32_t a = 0; a < partners.process_count(); ++a) {
      for (const Partner& partner : partners.of(a)) {
        const std::uint32_t b = partner.process.index();
        weight += a < b && (set >> a & set >> b & 1U) != 0 ? partner.weight : 0;
      }
    }
    most = std::popcount(set) == static_cast<int>(size) ? std::max(most, weight) : most;
  }
  return most;
}

TEST(DensestSets, AreFoundByGoingThroughAllThatPairsJoin) {
  std::uint64_t bounds = 0;
  std::uint64_t weights = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto processes = static_cast<std::uint32_t>(5 + seed % 7);
    const Traffic traffic = searching::random_traffic(
        processes, processes * (1 + static_cast<std::uint32_t>(seed % 3)), seed);
    const Partners partners{traffic, Objective::hop_bytes};
    const std::uint32_t most = std::min(processes, 8U);
    const DensestSets sets{traffic, partners, most};
    for (std::uint32_t size = 1; size <= most; ++size) {
      const std::uint64_t weight = densest(partners, size);
      const std::uint64_t bound = sets.in_groups(size, size);
      ASSERT_GE(bound, weight) << "seed " << seed << ", " << size << " processes";
      bounds += bound;
      weights += weight;
    }
  }
  // Two sets that count as one may have a process in common.
  EXPECT_LT(100 * bounds, 103 * weights);
}

TEST(DensestSets, OfGridsAreNoDenserThanTheirLinesSay) {
  for (const char* const guest :
       {"torus:4x3", "mesh:4x3", "torus:3x3", "torus:8x2", "ring:13", "mesh:2x2x3", "torus:3x2x2",
        "mesh:2x2x2x2", "torus:5x3", "line:14"}) {
    const Traffic traffic = Traffic::of(Guest::parse(guest));
    const Partners partners{traffic, Objective::hop_bytes};
    const std::uint32_t most = traffic.process_count();
    const DensestSets sets{traffic, partners, most};
    for (std::uint32_t size = 1; size <= most; ++size) {
      ASSERT_GE(sets.in_groups(size, size), densest(partners, size))
          << guest << ", " << size << " processes";
    }
  }
}

struct Case {
  const char* machine;
  std::uint32_t slots;
  const char* guest;
  std::uint64_t cost;  ///< of the best map, which nothing else proves
};

TEST(GroupBound, ProvesTheBestMapsOfGridsOnNodesOfSeveralSlots) {
  for (const Case& one : {Case{"kind=torus,shape=8x8x16", 4, "mesh:16x16x16", 14'848},
                          Case{"kind=torus,shape=4x4x8", 4, "torus:8x8x8", 2'048},
                          Case{"kind=torus,shape=8x8", 16, "mesh:32x32", 896},
                          Case{"kind=torus,shape=4x4", 48, "mesh:32x24", 336},
                          Case{"kind=fat_tree,down=[8,8,8],up=[1,4,4]", 1, "mesh:8x8x8", 8'448}}) {
    const auto machine = searching::machine(one.machine);
    const Traffic traffic = Traffic::of(Guest::parse(one.guest));
    SearchProblem problem = searching::problem(*machine, traffic, Objective::hop_bytes);
    problem.slots = one.slots;
    const CostBound bound = cost_bounds(problem).front();
    EXPECT_EQ(bound.cost, one.cost) << one.guest << ": " << bound.source;
    EXPECT_EQ(best_start(problem).cost, one.cost) << one.guest;
  }
}

TEST(GroupBound, HoldsWhereWeightsFillSixtyBits) {
  const auto torus = searching::machine("kind=torus,shape=2x2");
  const Traffic traffic{64, {{ProcessId{3}, ProcessId{42}, std::uint64_t{1} << 60U, 1}}};
  SearchProblem problem = searching::problem(*torus, traffic, Objective::hop_bytes);
  problem.slots = 16;
  EXPECT_EQ(cost_bounds(problem).front().cost, 0U);
}

/// Of the 24 pairs of a 4x4 mesh at most four are below each switch.
TEST(GroupBound, CountsTheWeightsOfHops) {
  const auto tree =
      with_hop_weights(searching::machine("kind=fat_tree,down=[4,4],up=[1,2]"), {1, 10});
  const Traffic traffic = Traffic::of(Guest::parse("mesh:4x4"));
  const SearchProblem problem = searching::problem(*tree, traffic, Objective::hop_bytes);
  EXPECT_EQ(cost_bounds(problem).front().cost, 2U * (16 * 2 + 8 * 22));
  EXPECT_EQ(anneal(problem, {.seed = 1, .effort = 100'000}).cost, 2U * (16 * 2 + 8 * 22));
}

}  // namespace
}  // namespace dcube
