#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "collective/torus_steps.hpp"
#include "dcube/core/params.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube::testing {
namespace {

CollectiveCall call_on(const TorusSides& sides) {
  CollectiveCall call{.kind = CollectiveKind::allreduce};
  call.options.sides = sides;
  return call;
}

TEST(Swing, DistancesAlternateAndDouble) {
  const std::vector<std::int64_t> expected{1, -1, 3, -5, 11, -21, 43};
  for (std::uint32_t step = 0; step < expected.size(); ++step) {
    EXPECT_EQ(swing_distance(step), expected[step]);
  }
}

TEST(Swing, PeersAreThoseOfThePaper) {
  const TorusSteps ring{{call_on({16}), 16}, 0, StepDistance::swing};
  const std::vector<std::uint32_t> of_0{1, 15, 3, 11};
  const std::vector<std::uint32_t> of_5{4, 6, 2, 10};
  ASSERT_EQ(ring.count(), 4U);
  for (std::uint32_t step = 0; step < 4; ++step) {
    EXPECT_EQ(ring.peer(0, step), of_0[step]);
    EXPECT_EQ(ring.peer(5, step), of_5[step]);
  }
  const TorusSteps mirrored{{call_on({16}), 16}, 1, StepDistance::swing};
  EXPECT_EQ(mirrored.peer(0, 0), 15U);
  EXPECT_EQ(mirrored.peer(0, 2), 13U);
  // Step s is step s / D in dimension s mod D, from the dimension of the port on.
  const TorusSteps plane{{call_on({4, 8}), 32}, 0, StepDistance::swing};
  const std::vector<std::uint32_t> of_plane{1, 4, 3, 28, 12};
  const TorusSteps other_port{{call_on({4, 8}), 32}, 1, StepDistance::swing};
  const std::vector<std::uint32_t> of_other{4, 1, 28, 3, 12};
  for (std::uint32_t step = 0; step < 5; ++step) {
    EXPECT_EQ(plane.peer(0, step), of_plane[step]);
    EXPECT_EQ(other_port.peer(0, step), of_other[step]);
  }
}

TEST(Swing, EveryStepPairsAllAndTheLastOneHasReachedAll) {
  for (const TorusSides& sides : {TorusSides{64}, TorusSides{8, 8}, TorusSides{2, 32},
                                  TorusSides{4, 4, 4}, TorusSides{2, 1, 32}}) {
    for (std::uint32_t port = 0; port < 2 * sides.sides().size(); ++port) {
      const TorusSteps swing{{call_on(sides), 64}, port, StepDistance::swing};
      ASSERT_EQ(swing.count(), 6U);
      for (std::uint32_t rank = 0; rank < 64; ++rank) {
        for (std::uint32_t step = 0; step < 6; ++step) {
          EXPECT_EQ(swing.peer(swing.peer(rank, step), step), rank);
        }
        const std::vector<std::uint32_t> all = swing.responsible(rank, 0);
        EXPECT_EQ(std::set(all.begin(), all.end()).size(), 64U);
        EXPECT_EQ(swing.responsible(rank, 6), std::vector{rank});
        for (std::uint32_t steps = 0; steps <= 6; ++steps) {
          std::vector<std::uint32_t> alike;
          for (std::uint32_t other = 0; other < 64; ++other) {
            if (((swing.place(rank) ^ swing.place(other)) & ((1U << steps) - 1)) == 0) {
              alike.push_back(other);
            }
          }
          EXPECT_EQ(swing.responsible(rank, steps), alike);
        }
      }
    }
  }
}

TEST(Swing, DoublingHasDistancesOfPowersOfTwo) {
  const TorusSteps plane{{call_on({4, 8}), 32}, 1, StepDistance::power_of_two};
  const TorusSteps mirrored{{call_on({4, 8}), 32}, 3, StepDistance::power_of_two};
  const std::vector<std::uint32_t> of_9{13, 8, 1, 11, 25};
  const std::vector<std::uint32_t> of_9_mirrored{5, 10, 17, 11, 25};
  for (std::uint32_t step = 0; step < 5; ++step) {
    EXPECT_EQ(plane.peer(9, step), of_9[step]);
    EXPECT_EQ(mirrored.peer(9, step), of_9_mirrored[step]);
  }
}

TEST(Swing, TreesReachAllAndDoubleOrHalveDistances) {
  const TorusSteps ring{{call_on({16}), 16}, 0, StepDistance::swing};
  EXPECT_EQ((TorusTree{ring, TreeDistances::doubling}.children(0)),
            (std::vector<std::uint32_t>{1, 15, 3, 11}));
  EXPECT_EQ((TorusTree{ring, TreeDistances::halving}.children(0)),
            (std::vector<std::uint32_t>{11, 3, 15, 1}));
  EXPECT_EQ((TorusTree{ring, TreeDistances::halving}.children(11)),
            (std::vector<std::uint32_t>{8, 12, 10}));
  for (const TorusSides& sides :
       {TorusSides{64}, TorusSides{2, 32}, TorusSides{4, 4, 4}, TorusSides{2, 1, 32}}) {
    for (std::uint32_t port = 0; port < 2 * sides.sides().size(); ++port) {
      for (const StepDistance distance : {StepDistance::swing, StepDistance::power_of_two}) {
        for (const TreeDistances distances : {TreeDistances::doubling, TreeDistances::halving}) {
          const TorusTree tree{{{call_on(sides), 64}, port, distance}, distances};
          std::vector<std::uint32_t> reached{0};
          EXPECT_EQ(tree.parent(0), std::nullopt);
          for (std::size_t i = 0; i < reached.size(); ++i) {
            std::size_t below = 1;
            std::size_t before = 64;
            for (const std::uint32_t child : tree.children(reached[i])) {
              EXPECT_EQ(tree.parent(child), reached[i]);
              EXPECT_LT(tree.subtree(child).size(), before);
              before = tree.subtree(child).size();
              below += before;
              reached.push_back(child);
            }
            EXPECT_EQ(tree.subtree(reached[i]).size(), below);
          }
          EXPECT_EQ(std::set(reached.begin(), reached.end()).size(), 64U);
          EXPECT_EQ(reached.size(), 64U);
        }
      }
    }
  }
}

/// Bytes over each link in each step, of all ports together.
std::vector<std::vector<std::uint64_t>> loads_of(const CollectiveCall& call, std::uint32_t size,
                                                 const Topology& topology) {
  std::vector<std::vector<std::uint64_t>> loads;
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    CollectivePlan plan = plan_of(call, rank, size);
    for (CollectiveSteps& port : plan.ports) {
      for (std::size_t step = 0; std::optional<CollectiveStep> next = port.next(); ++step) {
        loads.resize(std::max(loads.size(), step + 1));
        loads[step].resize(topology.link_slots());
        for_each_link(topology, NodeId{rank}, NodeId{next->to},
                      [&](LinkId link) { loads[step][link.index()] += element_count(next->sent); });
      }
    }
  }
  return loads;
}

/// The time of the most loaded link of each step, together, over n/D: what is sent twice over all
/// ports, if no link carried more than its share of neighbours' messages.
double deficiency(const char* algorithm, const TorusSides& sides, const char* settings) {
  CollectiveCall call = call_on(sides);
  const std::unique_ptr<Topology> topology = make_topology(Params::parse(settings));
  const auto dimensions = static_cast<std::uint32_t>(sides.sides().size());
  const std::uint32_t size = topology->node_count();
  call.count = std::uint64_t{size} * 2 * dimensions;
  call.options.algorithm = algorithm;
  call.options.ports = 0;
  std::uint64_t busiest = 0;
  for (const std::vector<std::uint64_t>& step : loads_of(call, size, *topology)) {
    busiest += *std::ranges::max_element(step);
  }
  return static_cast<double>(busiest) * dimensions / static_cast<double>(call.count);
}

double swing_deficiency(std::uint32_t size, std::uint32_t dimensions) {
  double sum = 0;
  for (std::uint32_t step = 0; step < log2_of(size); ++step) {
    sum += static_cast<double>(std::abs(swing_distance(step / dimensions))) /
           static_cast<double>(std::uint64_t{2} << step);
  }
  return sum;
}

TEST(Swing, LinkLoadsGiveTheCongestionDeficiency) {
  EXPECT_NEAR(swing_deficiency(64, 2), 1.0781, 1e-4);
  EXPECT_NEAR(swing_deficiency(256, 2), 1.1367, 1e-4);
  EXPECT_EQ(deficiency("swing_bandwidth", {8, 8}, "kind=torus,shape=8x8"), swing_deficiency(64, 2));
  EXPECT_EQ(deficiency("swing_bandwidth", {16, 16}, "kind=torus,shape=16x16"),
            swing_deficiency(256, 2));
  EXPECT_EQ(deficiency("swing_bandwidth", {8, 8, 8}, "kind=torus,shape=8x8x8"),
            swing_deficiency(512, 3));
}

TEST(Swing, BucketsLoadLinksAsLittleAsCanBe) {
  // n (p-1)/p in place of n: what a process has of its own is not sent.
  EXPECT_DOUBLE_EQ(deficiency("bucket", {8, 8}, "kind=torus,shape=8x8"), 63.0 / 64);
  EXPECT_DOUBLE_EQ(deficiency("bucket", {4, 4, 4}, "kind=torus,shape=4x4x4"), 63.0 / 64);
}

}  // namespace
}  // namespace dcube::testing
