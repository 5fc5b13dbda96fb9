// Without contention and with every pair of nodes joined by a link, makespans are those of the
// formulas that MPICH's selectors state (comments of SimGrid's smpi_mpich_selector.cpp).

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "collective_costs.hpp"
#include "dcube/collective/calls.hpp"
#include "dcube/collective/collective.hpp"

namespace dcube::testing {
namespace {

std::uint64_t log2_of_size(std::uint32_t size) {
  return static_cast<std::uint64_t>(std::bit_width(size)) - 1;
}

class PowersOfTwo : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  const std::uint32_t p = GetParam();
  const std::uint64_t lg = log2_of_size(p);
  const std::uint64_t elements = std::uint64_t{6} * p;  ///< of the whole vector
  const std::uint64_t n = elements * element_bytes;     ///< bytes of it
  const std::uint64_t others = n / p * (p - 1);         ///< n (p-1)/p

  void expect(CollectiveCall call, const std::string& algorithm, Cost cost) const {
    EXPECT_EQ(makespan_of(call, p, algorithm), cost.time())
        << name_of(call.kind) << " " << algorithm << " on " << p;
  }
};

TEST_P(PowersOfTwo, Allreduce) {
  const CollectiveCall call{.kind = CollectiveKind::allreduce, .count = elements};
  expect(call, "recursive_doubling", {lg, lg * n, lg * n});
  expect(call, "swing_latency", {lg, lg * n, lg * n});
  expect(call, "torus_recursive_doubling", {lg, lg * n, lg * n});
  expect(call, "torus_rabenseifner", {2 * lg, 2 * others, others});
  expect(call, "rabenseifner", {2 * lg, 2 * others, others});
  expect(call, "swing_bandwidth", {2 * lg, 2 * others, others});
  expect(call, "ring", {2 * (p - 1), 2 * others, others});
  expect(call, "bucket", {2 * (p - 1), 2 * others, others});
}

TEST_P(PowersOfTwo, BucketTakesRingsOfEachSide) {
  if (p < 4) {
    return;
  }
  CollectiveCall call{.kind = CollectiveKind::allreduce, .count = elements};
  call.options.sides = {4, p / 4};
  expect(call, "bucket", {2 * (3 + p / 4 - 1), 2 * others, others});
}

TEST_P(PowersOfTwo, HierarchicalTakesTreesInsideNodes) {
  CollectiveCall call{.kind = CollectiveKind::allreduce, .count = 100};
  call.options.node_size = 2;
  const std::uint64_t bytes = 100 * element_bytes;
  expect(call, "hierarchical", {lg + 1, (lg + 1) * bytes, lg * bytes});
}

TEST_P(PowersOfTwo, Reduce) {
  for (const std::uint32_t root : {0U, p - 1}) {
    const CollectiveCall call{.kind = CollectiveKind::reduce, .root = root, .count = elements};
    expect(call, "binomial", {lg, lg * n, lg * n});
    expect(call, "rabenseifner", {2 * lg, 2 * others, others});
    expect(call, "bine_latency", {lg, lg * n, lg * n});
    expect(call, "bine_bandwidth", {2 * lg, 2 * others, others});
  }
}

TEST_P(PowersOfTwo, Broadcast) {
  for (const std::uint32_t root : {0U, p - 1}) {
    CollectiveCall call{.kind = CollectiveKind::broadcast, .root = root, .count = elements};
    expect(call, "binomial", {lg, lg * n, 0});
    expect(call, "bine_latency", {lg, lg * n, 0});
    expect(call, "bine_bandwidth", {2 * lg, 2 * others, 0});
    expect(call, "kary", {lg, lg * n, 0});
    call.options.distances = TreeDistances::doubling;
    expect(call, "binomial", {lg, lg * n, 0});
    expect(call, "bine_latency", {lg, lg * n, 0});
    call.options.radix = 4;
    expect(call, "binomial", {(lg + 1) / 2, (lg + 1) / 2 * n, 0});
    expect(call, "scatter_allgather", {2 * lg, 2 * others, 0});
    expect(call, "scatter_ring", {lg + p - 1, 2 * others, 0});
  }
}

TEST_P(PowersOfTwo, ShareBySharesCollectives) {
  CollectiveCall call{.kind = CollectiveKind::allgather, .count = 6};
  expect(call, "bruck", {lg, others, 0});
  expect(call, "recursive_doubling", {lg, others, 0});
  expect(call, "swing", {lg, others, 0});
  expect(call, "ring", {p - 1, others, 0});
  expect(call, "bucket", {p - 1, others, 0});
  expect(call, "neighbour_exchange", {p / 2, others, 0});
  call.kind = CollectiveKind::reduce_scatter;
  expect(call, "recursive_halving", {lg, others, others});
  expect(call, "swing", {lg, others, others});
  expect(call, "pairwise", {p - 1, others, others});
  expect(call, "ring", {p - 1, others, others});
  expect(call, "bucket", {p - 1, others, others});
  for (const CollectiveKind kind : {CollectiveKind::gather, CollectiveKind::scatter}) {
    call.kind = kind;
    call.root = p / 2;
    expect(call, "binomial", {lg, others, 0});
    expect(call, "bine", {lg, others, 0});
    expect(call, "linear", {1, n / p, 0});
  }
}

TEST_P(PowersOfTwo, PortsOfATorusCarryTheirPart) {
  if (p < 4) {
    return;
  }
  for (const TreeDistances distances : {TreeDistances::halving, TreeDistances::doubling}) {
    CollectiveCall call{.kind = CollectiveKind::broadcast, .root = p / 2, .count = 4 * elements};
    call.options.sides = {4, p / 4};
    call.options.ports = 0;
    call.options.distances = distances;
    call.options.compute = ExactTime{1, 1};  // makes makespan_of() leave computing out
    expect(call, "bine_latency", {lg, lg * n, 0});
    expect(call, "bine_bandwidth", {2 * lg, 2 * others, 0});
    call.kind = CollectiveKind::reduce;
    expect(call, "bine_latency", {lg, lg * n, 0});
    expect(call, "bine_bandwidth", {2 * lg, 2 * others, 0});
    call.kind = CollectiveKind::allreduce;
    expect(call, "torus_recursive_doubling", {lg, lg * n, 0});
    expect(call, "torus_rabenseifner", {2 * lg, 2 * others, 0});
    call.count = 4 * 6;
    call.kind = CollectiveKind::scatter;
    expect(call, "bine", {lg, others, 0});
    call.kind = CollectiveKind::gather;
    expect(call, "bine", {lg, others, 0});
    call.kind = CollectiveKind::all_to_all;
    expect(call, "bine", {lg, lg * (n / 2), 0});
  }
}

/// Pieces follow each other on every link of a tree; of an exchange they do in each step, and all
/// but the last are combined while the next one comes.
TEST_P(PowersOfTwo, SegmentsFollowEachOther) {
  for (const std::uint64_t k : {1U, 2U, 3U, 6U}) {
    CollectiveCall call{.kind = CollectiveKind::broadcast, .root = p - 1, .count = elements};
    call.options.segment_bytes = n / k;
    const Cost piped{lg + k - 1, (lg + k - 1) * (n / k), 0};
    for (const char* const algorithm : {"binomial", "kary", "bine_latency"}) {
      EXPECT_EQ(makespan_of(call, p, algorithm, Contention::on), piped.time()) << algorithm;
    }
    call.kind = CollectiveKind::allreduce;
    for (const char* const algorithm : {"recursive_doubling", "swing_latency"}) {
      EXPECT_EQ(makespan_of(call, p, algorithm, Contention::on),
                (Cost{lg * k, lg * n, lg * (n / k)}.time()))
          << algorithm;
    }
    call.kind = CollectiveKind::reduce;
    call.options.compute = ExactTime{1, 1};  // makes makespan_of() leave computing out
    for (const char* const algorithm : {"binomial", "kary", "bine_latency"}) {
      EXPECT_EQ(makespan_of(call, p, algorithm, Contention::on), piped.time()) << algorithm;
    }
  }
}

TEST_P(PowersOfTwo, AllToAll) {
  CollectiveCall call{.kind = CollectiveKind::all_to_all, .count = 6};
  expect(call, "bine", {lg, lg * (n / 2), 0});
  expect(call, "bruck", {lg, lg * (n / 2), 0});
  expect(call, "pairwise", {p - 1, others, 0});
  expect(call, "shifted", {p - 1, others, 0});
  expect(call, "linear", {1, n / p, 0});
  expect(call, "spread", {p - 1, others, 0});
  expect(call, "spread_bruck", {lg, lg * (n / 2), 0});
  expect(call, "torus_linear", {1, n / p, 0});
  if (p >= 4) {
    call.options.sides = {4, p / 4};
    expect(call, "torus_linear", {1, n / p, 0});
    expect(call, "spread", {3 + p / 4 - 1, n / 4 * 3 + (n - n / (p / 4)), 0});
    expect(call, "spread_bruck", {lg, lg * (n / 2), 0});
  }
}

TEST_P(PowersOfTwo, ScanAndBarrier) {
  expect({.kind = CollectiveKind::barrier}, "dissemination", {lg, 0, 0});
  CollectiveCall call{.kind = CollectiveKind::scan, .count = elements};
  expect(call, "recursive_doubling", {lg, lg * n, 2 * lg * n});
  expect(call, "linear", {p - 1, (p - 1) * n, (p - 1) * n});
  call.kind = CollectiveKind::exscan;
  expect(call, "linear", {p - 1, (p - 1) * n, (p - 2) * n});
}

INSTANTIATE_TEST_SUITE_P(CollectiveCosts, PowersOfTwo, ::testing::Values(2U, 4U, 8U, 16U, 32U, 64U),
                         ::testing::PrintToStringParamName());

TEST(CollectiveCosts, OtherSizesTakeAStepAtEachEndMore) {
  for (const std::uint32_t p : {3U, 5U, 6U, 7U, 11U, 12U, 24U, 33U}) {
    const std::uint32_t power = std::bit_floor(p);
    const std::uint64_t lg = log2_of_size(p);
    CollectiveCall call{.kind = CollectiveKind::allreduce, .count = std::uint64_t{6} * power};
    const std::uint64_t n = call.count * element_bytes;
    const std::uint64_t others = n / power * (power - 1);
    EXPECT_EQ(makespan_of(call, p, "rabenseifner"),
              (Cost{2 * lg + 2, 2 * others + 2 * n, n + others}.time()));
    EXPECT_EQ(makespan_of(call, p, "swing_bandwidth"),
              (Cost{2 * lg + 2, 2 * others + 2 * n, n + others}.time()));
    // Those that go on alone do so while the first pairs meet.
    EXPECT_LE(makespan_of(call, p, "recursive_doubling"),
              (Cost{lg + 2, (lg + 2) * n, (lg + 1) * n}.time()));
    call.kind = CollectiveKind::reduce;
    for (const std::uint32_t root : {0U, 1U, p - 1}) {
      call.root = root;
      EXPECT_LE(makespan_of(call, p, "rabenseifner"),
                (Cost{2 * lg + 1, 2 * others + n, n + others}.time()));
    }
    call = {.kind = CollectiveKind::allreduce, .count = std::uint64_t{6} * p};
    const std::uint64_t around = call.count * element_bytes / p * (p - 1);
    EXPECT_EQ(makespan_of(call, p, "ring"), (Cost{2 * (p - 1), 2 * around, around}.time()));
    call = {.kind = CollectiveKind::allgather, .count = 6};
    EXPECT_EQ(makespan_of(call, p, "bruck"), (Cost{lg + 1, around, 0}.time()));
    EXPECT_EQ(makespan_of(call, p, "ring"), (Cost{p - 1, around, 0}.time()));
    call = {.kind = CollectiveKind::barrier};
    EXPECT_EQ(makespan_of(call, p, "dissemination"), (Cost{lg + 1, 0, 0}.time()));
  }
}

TEST(CollectiveCosts, TwoPortsHalveWhatARingSends) {
  CollectiveCall call{.kind = CollectiveKind::allreduce, .count = 16 * 8};
  call.options.ports = 2;
  call.options.compute = ExactTime{1, 1};  // makes makespan_of() leave computing out
  const std::uint64_t others = 16 * 7 * element_bytes;
  EXPECT_EQ(makespan_of(call, 8, "ring"), (Cost{2 * 7, others, 0}.time()));
}

/// Every link is busy all the time, one way for each of 2D ports.
TEST(CollectiveCosts, DisjointRingsUseAllLinksOfATorus) {
  for (const auto& [sides, rings] : {std::pair{TorusSides{4, 6}, 2U},
                                     {TorusSides{3, 5}, 2U},
                                     {TorusSides{4, 4, 3}, 3U},
                                     {TorusSides{2, 3, 4}, 2U},
                                     {TorusSides{3, 3, 4, 4}, 4U}}) {
    const std::string shape = fmt::format("{}", fmt::join(sides.sides(), "x"));
    const Machine machine = torus_machine("kind=torus,shape=" + shape);
    const std::uint32_t p = machine.topology->node_count();
    CollectiveCall call{.kind = CollectiveKind::allreduce, .count = std::uint64_t{2} * rings * p};
    call.options.sides = sides;
    call.options.ports = 0;
    call.options.compute = ExactTime{1, 1};  // makes makespan_of() leave computing out
    EXPECT_EQ(makespan_of(call, p, "disjoint_rings", machine),
              (Cost{2 * (p - 1), 2 * (p - 1) * element_bytes, 0}.time()))
        << shape;
    call.kind = CollectiveKind::allgather;
    call.count = std::uint64_t{2} * rings;
    EXPECT_EQ(makespan_of(call, p, "disjoint_rings", machine),
              (Cost{p - 1, (p - 1) * element_bytes, 0}.time()))
        << shape;
  }
}

/// The first path of every order of dimensions has 8 ranks, the others 4, so ports never meet.
TEST(CollectiveCosts, BucketsOfATwistedTorusUseAllItsLinks) {
  CollectiveCall call{.kind = CollectiveKind::allreduce, .count = 4 * 32};
  call.options.ports = 0;
  call.options.compute = ExactTime{1, 1};  // makes makespan_of() leave computing out
  call.options.sides = {4, 8};
  const std::vector<std::uint32_t> twist{0, 4, 0, 0};
  call.options.twist = twist;
  EXPECT_EQ(makespan_of(call, 32, "bucket", torus_machine("kind=twisted_torus,shape=4x8")),
            (Cost{2 * (7 + 3), 2 * 31 * element_bytes, 0}.time()));
  call.count = 6 * 128;
  call.options.sides = {4, 4, 8};
  const std::vector<std::uint32_t> twists{0, 0, 4, 0, 0, 4, 0, 0, 0};
  call.options.twist = twists;
  EXPECT_EQ(makespan_of(call, 128, "bucket", torus_machine("kind=twisted_torus,shape=4x4x8")),
            (Cost{2 * (7 + 3 + 3), 2 * 127 * element_bytes, 0}.time()));
}

/// Weights are 2 * 4 * 7 and 2 * 8 * 3. The first phase takes 3 * 1792 bytes one way, 7 * 768 the
/// other, the second one 7 * 224 and less.
TEST(CollectiveCosts, BalancedBucketsEndEachPhaseTogether) {
  Machine machine = torus_machine("kind=torus,shape=4x8");
  machine.links.per_dimension.assign(2, {ExactTime{}, ExactTime{3, 2}});
  CollectiveCall call{.kind = CollectiveKind::allreduce, .count = 2 * (56 + 48) * 32};
  call.options.sides = {4, 8};
  call.options.ports = 0;
  call.options.compute = ExactTime{1, 1};  // makes makespan_of() leave computing out
  const Cost one_way{0, 3 * 1792 + 7 * 224, 0};
  EXPECT_EQ(makespan_of(call, 32, "bucket_balanced", machine), 2 * one_way.time());
  EXPECT_GT(makespan_of(call, 32, "bucket", machine), 5 * one_way.time() / 2);
  call.kind = CollectiveKind::allgather;
  call.count = 2 * (56 + 48);
  EXPECT_EQ(makespan_of(call, 32, "bucket_balanced", machine), one_way.time());
  call.kind = CollectiveKind::reduce_scatter;
  EXPECT_EQ(makespan_of(call, 32, "bucket_balanced", machine), one_way.time());
}

/// Both trees are perfect, and no rank sends two others the same half at a time.
TEST(CollectiveCosts, DoubleTreesCarryHalfEach) {
  for (const std::uint32_t depth : {2U, 3U, 5U}) {
    const std::uint32_t inside = (1U << depth) - 1;
    for (const std::uint64_t segments : {1U, 2U, 10U}) {
      CollectiveCall call{.kind = CollectiveKind::broadcast, .root = 3, .count = 1000};
      call.options.ports = 2;
      call.options.segment_bytes = 500 * element_bytes / segments;
      call.options.compute = ExactTime{1, 1};  // makes makespan_of() leave computing out
      const Cost piped{depth + segments - 1, (depth + segments - 1) * 2000 / segments, 0};
      EXPECT_EQ(makespan_of(call, inside + 1, "double_tree", Contention::on), piped.time());
      call.kind = CollectiveKind::reduce;
      EXPECT_EQ(makespan_of(call, inside + 1, "double_tree", Contention::on), piped.time());
      // Without contention segments need not follow each other.
      call.kind = CollectiveKind::allreduce;
      const std::uint64_t up_and_down = 2 * (depth - 1);
      EXPECT_EQ(makespan_of(call, inside, "double_tree"),
                (Cost{up_and_down, up_and_down * 2000 / segments, 0}.time()));
    }
  }
}

/// No two trees share a link one way, so no message queues, and each tree is a pipeline of h
/// levels.
TEST(CollectiveCosts, DisjointTreesCarryAPartEach) {
  struct Case {
    std::string shape;
    std::vector<std::uint32_t> sides;
    std::uint32_t ports;
    std::uint64_t levels;
  };
  for (const Case& tried : {Case{"5", {5}, 1, 4}, Case{"5", {5}, 2, 4}, Case{"4x3", {4, 3}, 2, 6},
                            Case{"4x3", {4, 3}, 4, 6}, Case{"4x1x2", {4, 1, 2}, 1, 5},
                            Case{"2x2x2", {2, 2, 2}, 3, 4}, Case{"4x4x4", {4, 4, 4}, 3, 10},
                            Case{"3x4x5", {3, 4, 5}, 6, 10}, Case{"3x3x2x2", {3, 3, 2, 2}, 4, 7}}) {
    const Machine machine = torus_machine("kind=torus,shape=" + tried.shape);
    const auto size = static_cast<std::uint32_t>(machine.topology->node_count());
    std::vector<std::uint64_t> shares(size, 0);
    shares.back() = 120 * tried.ports;
    for (const std::uint64_t segments : {1U, 2U, 10U}) {
      CollectiveCall call{
          .kind = CollectiveKind::broadcast, .root = size / 2, .count = 120 * tried.ports};
      call.options.sides = TorusSides{tried.sides};
      call.options.ports = tried.ports;
      call.options.segment_bytes = 120 * element_bytes / segments;
      call.options.compute = ExactTime{1, 1};  // makes makespan_of() leave computing out
      const std::uint64_t steps = tried.levels + segments - 1;
      const Ticks piped = Cost{steps, steps * 120 * element_bytes / segments, 0}.time();
      EXPECT_EQ(makespan_of(call, size, "disjoint_trees", machine), piped) << tried.shape;
      call.kind = CollectiveKind::reduce;
      EXPECT_EQ(makespan_of(call, size, "disjoint_trees", machine), piped) << tried.shape;
      call.kind = CollectiveKind::allreduce;
      call.root = 0;
      EXPECT_EQ(makespan_of(call, size, "disjoint_trees", machine), 2 * piped) << tried.shape;
      call.kind = CollectiveKind::scatter;
      call.root = size / 2;
      call.counts = shares;
      EXPECT_EQ(makespan_of(call, size, "disjoint_trees", machine), piped) << tried.shape;
    }
  }
}

TEST(CollectiveCosts, AggregatedTreesTakeAStepForEachMessageOfAShares) {
  for (const std::uint32_t p : {8U, 32U, 64U}) {
    for (std::uint32_t aggregated = 1; aggregated <= p; aggregated *= 2) {
      CollectiveCall call{.kind = CollectiveKind::allgather, .count = 6};
      call.options.segment_bytes = 6 * element_bytes * aggregated;
      const std::uint64_t steps = log2_of_size(aggregated) + p / aggregated - 1;
      const std::uint64_t others = (p - 1) * 6 * element_bytes;
      EXPECT_EQ(makespan_of(call, p, "pat"), (Cost{steps, others, 0}.time()));
      call.kind = CollectiveKind::reduce_scatter;
      EXPECT_EQ(makespan_of(call, p, "pat"), (Cost{steps, others, others}.time()));
    }
  }
}

TEST(CollectiveCosts, PhasesOnRailsOverlap) {
  for (const auto& [p, q] : {std::pair{16U, 4U}, {24U, 3U}, {8U, 8U}}) {
    const std::uint64_t nodes = p / q;
    for (const std::uint64_t segments : {1U, 2U, 5U, 16U}) {
      CollectiveCall call{.kind = CollectiveKind::allreduce, .count = segments * p * 6};
      call.options.node_size = q;
      call.options.segment_bytes = std::uint64_t{p} * 6 * element_bytes;
      call.options.compute = ExactTime{1, 1};  // makes makespan_of() leave computing out
      const std::uint64_t on_rail = 6 * element_bytes;
      const std::uint64_t in_node = on_rail * nodes;
      const std::uint64_t shared = std::min<std::uint64_t>(q - 1, 2 * (nodes - 1));
      // A segment alone takes each phase after the other.
      Cost cost{2 * (q - 1), 2 * (q - 1) * in_node, 0};
      if (segments == 1) {
        cost.latencies += 2 * (nodes - 1);
        cost.sent += 2 * (nodes - 1) * on_rail;
      } else {
        const std::uint64_t longest = std::max<std::uint64_t>(q - 1, 2 * (nodes - 1));
        const std::uint64_t of_node = q - 1;
        cost.latencies += segments * longest;
        cost.sent += segments * (of_node * in_node + (2 * (nodes - 1) - shared) * on_rail);
      }
      EXPECT_EQ(makespan_of(call, p, "hierarchical_rails"), cost.time())
          << p << " in nodes of " << q << ", segments " << segments;
    }
  }
}

TEST(CollectiveCosts, SegmentsFollowEachOtherDownTheChain) {
  CollectiveCall call{.kind = CollectiveKind::broadcast, .root = 3, .count = 1000};
  for (const std::uint64_t segments : {1U, 2U, 10U}) {
    call.options.segment_bytes = 1000 * element_bytes / segments;
    EXPECT_EQ(makespan_of(call, 9, "pipelined", Contention::on),
              (Cost{9 + segments - 2, (9 + segments - 2) * 4000 / segments, 0}.time()));
  }
  call.kind = CollectiveKind::reduce;
  call.options.compute = ExactTime{1, 1};  // makes makespan_of() leave computing out
  for (const std::uint64_t segments : {1U, 2U, 10U}) {
    call.options.segment_bytes = 1000 * element_bytes / segments;
    EXPECT_EQ(makespan_of(call, 9, "pipelined", Contention::on),
              (Cost{9 + segments - 2, (9 + segments - 2) * 4000 / segments, 0}.time()));
  }
}

/// The messages of a port follow each other at its interface, so that in each turn ports use links
/// of their own dimension and direction. One interface sends all of the root's messages in turn.
TEST(CollectiveCosts, InterfacesKeepThePortsOfBineTreesApart) {
  Machine machine = torus_machine("kind=torus,shape=4x4x4");
  machine.links.switching = Switching::cut_through;
  machine.links.per_dimension.assign(3, {ExactTime{}, ExactTime{3, 2}});
  machine.links.injection = machine.links.per_dimension.front();
  CollectiveCall call{.kind = CollectiveKind::broadcast, .root = 21, .count = 60'000};
  call.options.sides = {4, 4, 4};
  const double n = 60'000 * element_bytes;
  const auto turns = [&](std::uint32_t ports, std::uint32_t interfaces) {
    machine.links.interfaces = interfaces;
    call.options.ports = ports;
    const Ticks time = makespan_of(call, 64, "bine_latency", machine);
    return static_cast<double>(time.count()) / (1.5 * n);
  };
  for (const TreeDistances distances : {TreeDistances::halving, TreeDistances::doubling}) {
    call.options.distances = distances;
    EXPECT_NEAR(turns(1, 6), 6, 0.001);
    EXPECT_NEAR(turns(3, 6), 2, 0.001);
    EXPECT_NEAR(turns(6, 6), 1, 0.001);
    EXPECT_GE(turns(6, 1), 6);
  }
}

TEST(CollectiveCosts, TreesOfARadixCombineTheirChildrenOneByOne) {
  for (const auto& [p, radix, levels] :
       {std::array{3U, 2U, 1U}, {15U, 2U, 3U}, {13U, 3U, 2U}, {21U, 4U, 2U}}) {
    CollectiveCall call{.kind = CollectiveKind::reduce, .root = p / 2, .count = 100};
    call.options.radix = radix;
    const std::uint64_t n = 100 * element_bytes;
    EXPECT_EQ(makespan_of(call, p, "kary"), (Cost{levels, levels * n, levels * radix * n}.time()));
    call.kind = CollectiveKind::broadcast;
    EXPECT_EQ(makespan_of(call, p, "kary"), (Cost{levels, levels * n, 0}.time()));
  }
}

/// The last of an even number gets its second half from the root.
TEST(CollectiveCosts, SplitBinarySendsHalvesDownAndAcross) {
  for (const auto& [p, levels] : {std::array{3U, 1U}, {5U, 2U}, {6U, 2U}, {15U, 3U}, {30U, 4U}}) {
    for (const std::uint64_t k : {1U, 2U, 5U}) {
      CollectiveCall call{.kind = CollectiveKind::broadcast, .root = p / 2, .count = 100};
      const std::uint64_t half = 50 * element_bytes;
      call.options.segment_bytes = half / k;
      EXPECT_EQ(makespan_of(call, p, "split_binary", Contention::on),
                (Cost{levels + k, (levels + k - 1) * (half / k) + half, 0}.time()))
          << p << " " << k;
    }
  }
}

TEST(CollectiveCosts, LargeSizesNeedNoMemoryForWhatTheyCarry) {
  const CollectiveCall call{.kind = CollectiveKind::allreduce, .count = std::uint64_t{1} << 28};
  const std::uint64_t n = call.count * element_bytes;  // 1 GiB
  EXPECT_EQ(makespan_of(call, 512, "rabenseifner"),
            (Cost{2 * 9, 2 * (n - n / 512), n - n / 512}.time()));
}

}  // namespace
}  // namespace dcube::testing
