#include "dcube/core/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dcube/collective/collective.hpp"
#include "dcube/collective/typed.hpp"
#include "dcube/core/errors.hpp"
#include "support/complaint.hpp"
#include "support/kernel_runner.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

/// Every process hands on all that it has to the next one, from the root on.
CollectivePlan make_relay(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size) {
  CollectiveSteps steps;
  const std::uint32_t place = (rank + size - call.root) % size;
  if (place > 0) {
    CollectiveStep step;
    step.from = (rank + size - 1) % size;
    step.received = {{0, call.count}};
    steps.add(std::move(step));
  }
  if (place + 1 < size) {
    CollectiveStep step;
    step.to = (rank + 1) % size;
    step.sent = {{0, call.count}};
    steps.add(std::move(step));
  }
  CollectivePlan plan;
  plan.ports.push_back(std::move(steps));
  return plan;
}

const CollectiveAlgorithm relay{
    CollectiveKind::broadcast, "relay", "from rank to rank", {}, make_relay};

/// Once, whichever tests run.
bool register_relay() {
  static const bool is_registered = register_collective(relay);
  return is_registered;
}

CollectiveCall allreduce_by(std::string_view algorithm, std::uint32_t ports = 1,
                            const TorusSides& sides = {}) {
  CollectiveCall call{.kind = CollectiveKind::allreduce, .count = 10};
  call.options.algorithm = algorithm;
  call.options.ports = ports;
  call.options.sides = sides;
  return call;
}

std::string problem_with(const CollectiveCall& call, std::uint32_t size) {
  return complaint<InputError>([&] { plan_of(call, 0, size); });
}

TEST(CollectiveCatalog, IsSortedAndExplainsItself) {
  for (const CollectiveKind kind : collective_kinds()) {
    const auto names = names_of(collective_catalog(kind));
    EXPECT_TRUE(std::ranges::is_sorted(names)) << name_of(kind);
    EXPECT_FALSE(names.empty());
    for (const CollectiveAlgorithm* const algorithm : collective_catalog(kind)) {
      EXPECT_EQ(algorithm->collective, kind);
      EXPECT_FALSE(algorithm->help.empty());
    }
  }
  EXPECT_EQ(find_collective("allredcue"), std::nullopt);
}

TEST(CollectiveCatalog, TakesEntries) {
  EXPECT_TRUE(register_relay());
  EXPECT_EQ(find_kind(collective_catalog(CollectiveKind::broadcast), "relay"), &relay);
  const RunReport report =
      run_without_simgrid(unit_machine("kind=ring,nodes=5"), 5, [](Process& process) -> Task<> {
        const std::vector<int> got = co_await broadcast(
            process.world(), std::vector<int>(3, static_cast<int>(process.rank().index())), 2,
            {.algorithm = "relay"});
        EXPECT_EQ(got, std::vector<int>(3, 2));
      });
  EXPECT_EQ(report.hops, 4U);
  EXPECT_EQ(complaint<InputError>([] { register_collective(relay); }),
            "there is a collective algorithm `relay` already (give this one another name)");
}

TEST(CollectiveCatalog, ScattersByDisjointTreesCutTheSharesOfAll) {
  CollectiveCall call{.kind = CollectiveKind::scatter, .count = std::uint64_t{1} << 18};
  call.options.algorithm = "disjoint_trees";
  call.options.ports = 1;
  call.options.element_bytes = 1;
  call.options.segment_bytes = 1;
  EXPECT_EQ(plan_of(call, 0, 4).ports.size(), 1U);
  call.count *= 2;
  EXPECT_EQ(problem_with(call, 4),
            "the algorithm disjoint_trees of scatter would send 2097152 segments of 1 bytes, which "
            "are more than 1048576");
}

TEST(CollectiveCatalog, AlgorithmsSayWhereTheyGainNothing) {
  const auto gains = [](const char* name, const CollectiveOptions& options) {
    return has_gain(*find_kind(collective_catalog(CollectiveKind::allreduce), name), options);
  };
  const std::array<std::uint32_t, 4> twist{0, 1, 0, 0};
  EXPECT_TRUE(gains("ring", {}));
  EXPECT_FALSE(gains("hierarchical", {}));
  EXPECT_FALSE(gains("hierarchical_rails", {}));
  EXPECT_TRUE(gains("hierarchical", {.node_size = 2}));
  EXPECT_FALSE(gains("disjoint_rings", {}));
  EXPECT_TRUE(gains("disjoint_rings", {.sides = TorusSides{4, 4}}));
  EXPECT_FALSE(gains("bucket_balanced", {.sides = TorusSides{4, 4}}));
  EXPECT_TRUE(gains("bucket_balanced", {.sides = TorusSides{4, 8}}));
  EXPECT_FALSE(gains("bucket_balanced", {.sides = TorusSides{4, 8}, .twist = twist}));
}

TEST(CollectiveCatalog, PicksAsMpichDoes) {
  const auto picked = [](CollectiveKind kind, std::uint64_t count, std::uint32_t size) {
    return algorithm_for({.kind = kind, .count = count}, size).name;
  };
  EXPECT_EQ(picked(CollectiveKind::allreduce, 2048, 8), "recursive_doubling");
  EXPECT_EQ(picked(CollectiveKind::allreduce, 2049, 8), "rabenseifner");
  EXPECT_EQ(picked(CollectiveKind::allreduce, 2049, 4096), "recursive_doubling");
  EXPECT_EQ(picked(CollectiveKind::reduce, 2048, 8), "binomial");
  EXPECT_EQ(picked(CollectiveKind::reduce, 2049, 8), "rabenseifner");
  EXPECT_EQ(picked(CollectiveKind::reduce, 2049, 4096), "binomial");
  EXPECT_EQ(picked(CollectiveKind::broadcast, 12287, 16), "binomial");
  EXPECT_EQ(picked(CollectiveKind::broadcast, 12288, 16), "scatter_allgather");
  EXPECT_EQ(picked(CollectiveKind::broadcast, 12288, 17), "scatter_ring");
  EXPECT_EQ(picked(CollectiveKind::broadcast, 12288, 18), "scatter_ring");
  EXPECT_EQ(picked(CollectiveKind::broadcast, 524288, 16), "scatter_ring");
  EXPECT_EQ(picked(CollectiveKind::broadcast, 12288, 8), "scatter_allgather");
  EXPECT_EQ(picked(CollectiveKind::broadcast, 524288, 7), "binomial");
  EXPECT_EQ(picked(CollectiveKind::allgather, 32767, 16), "recursive_doubling");
  EXPECT_EQ(picked(CollectiveKind::allgather, 32768, 16), "ring");
  EXPECT_EQ(picked(CollectiveKind::allgather, 8191, 10), "bruck");
  EXPECT_EQ(picked(CollectiveKind::allgather, 8192, 10), "ring");
  EXPECT_EQ(picked(CollectiveKind::reduce_scatter, 32767, 16), "recursive_halving");
  EXPECT_EQ(picked(CollectiveKind::reduce_scatter, 32768, 16), "pairwise");
  EXPECT_EQ(picked(CollectiveKind::all_to_all, 256, 8), "bruck");
  EXPECT_EQ(picked(CollectiveKind::all_to_all, 257, 8), "linear");
  EXPECT_EQ(picked(CollectiveKind::all_to_all, 256, 7), "linear");
  EXPECT_EQ(picked(CollectiveKind::all_to_all, 32768, 8), "linear");
  EXPECT_EQ(picked(CollectiveKind::all_to_all, 32769, 8), "pairwise");
  CollectiveCall values{.kind = CollectiveKind::reduce_scatter, .count = 4096};
  values.options.element_bytes = 8;  // 524288 bytes of 16 shares
  EXPECT_EQ(algorithm_for(values, 16).name, "pairwise");
  CollectiveCall call{.kind = CollectiveKind::allreduce, .count = 4096};
  call.options.is_commutative = false;
  EXPECT_EQ(algorithm_for(call, 8).name, "recursive_doubling");
}

TEST(CollectiveCatalog, WhatIsWrongIsNamed) {
  EXPECT_EQ(problem_with(allreduce_by("rign"), 8),
            "`rign` is not an algorithm of allreduce; did you mean `ring`?");
  EXPECT_EQ(problem_with(allreduce_by("ring", 3), 8),
            "the algorithm ring of allreduce uses at most 2 ports, not 3");
  EXPECT_EQ(problem_with(allreduce_by("rabenseifner", 2), 8),
            "the algorithm rabenseifner of allreduce uses at most 1 port, not 2");
  EXPECT_EQ(problem_with(allreduce_by("bucket", 4, {2, 4}), 8), "");
  EXPECT_EQ(problem_with(allreduce_by("bucket", 5, {2, 4}), 8),
            "the algorithm bucket of allreduce uses at most 4 ports, not 5");
  EXPECT_EQ(problem_with(allreduce_by("bucket", 1, {3, 4}), 8),
            "allreduce is on a torus of 12 processes, but the group has 8");
  EXPECT_EQ(problem_with(allreduce_by("swing_latency", 1, {3, 4}), 12),
            "the algorithm swing_latency of allreduce needs sides that are powers of two");
  EXPECT_EQ(problem_with(allreduce_by("disjoint_rings", 4, {2, 8}), 16),
            "the algorithm disjoint_rings of allreduce uses at most 2 ports, not 4");
  EXPECT_EQ(problem_with(allreduce_by("disjoint_rings", 1, {64, 64, 32}), 131072),
            "the algorithm disjoint_rings of allreduce found no edge-disjoint rings on 64x64x32 "
            "(bucket takes any torus)");
  CollectiveCall call = allreduce_by("hierarchical_rails");
  call.options.node_size = 3;
  EXPECT_EQ(problem_with(call, 8),
            "the algorithm hierarchical_rails of allreduce needs as many processes on every node");
  call = allreduce_by("bucket", 1, {2, 4});
  const std::vector<std::uint32_t> twist{0, 2, 1, 0};
  call.options.twist = twist;
  EXPECT_EQ(
      problem_with(call, 8),
      "allreduce has a twist of side 0 that shifts coordinate 1 (which needs a row of zeros)");
  call.options.twist = std::span{twist}.first(3);
  EXPECT_EQ(problem_with(call, 8),
            "allreduce has a twist of 3 numbers (one for each side and coordinate: 4)");
  call = allreduce_by("ring");
  call.options.is_commutative = false;
  EXPECT_EQ(problem_with(call, 8),
            "the algorithm ring of allreduce needs an operation that is commutative");
  const std::vector<std::uint64_t> counts{1, 2, 3};
  call = {.kind = CollectiveKind::allgather, .counts = counts};
  EXPECT_EQ(problem_with(call, 4), "counts has 3 entries for 4 processes");
  call.options.algorithm = "neighbour_exchange";
  EXPECT_EQ(problem_with(call, 3),
            "the algorithm neighbour_exchange of allgather needs an even number of processes");
  EXPECT_EQ(problem_with({.kind = CollectiveKind::reduce, .root = 4}, 4),
            "reduce has the root 4 (the ranks are 0 to 3)");
  EXPECT_EQ(problem_with({.kind = CollectiveKind::gather, .count = std::uint64_t{1} << 62}, 4),
            "a collective's size is past 63 bits");
  const std::vector<std::uint64_t> few{1, 2};
  const std::vector<std::uint64_t> many{std::uint64_t{1} << 62, 0};
  const std::vector<std::uint64_t> too_many{std::uint64_t{1} << 62, std::uint64_t{1} << 62};
  const auto problem_of_counts = [&](const auto& sent, const auto& received) {
    call = {.kind = CollectiveKind::all_to_allv, .send_counts = sent, .receive_counts = received};
    call.options.element_bytes = 2;
    return problem_with(call, 2);
  };
  EXPECT_EQ(problem_of_counts(few, few), "");
  EXPECT_EQ(problem_of_counts(many, few), "a collective's size is past 63 bits");
  EXPECT_EQ(problem_of_counts(few, many), "a collective's size is past 63 bits");
  EXPECT_EQ(problem_of_counts(too_many, few), "the sum of send_counts is past 63 bits");
  EXPECT_EQ(problem_of_counts(few, too_many), "the sum of receive_counts is past 63 bits");
  EXPECT_EQ(problem_of_counts(few, counts), "receive_counts has 3 entries for 2 processes");
  call = allreduce_by("ring");
  call.options.tag = most_collective_tags;
  EXPECT_EQ(problem_with(call, 4), "allreduce has the tag 33554431 (less than 33554431)");
}

TEST(Collective, ProcessesThatGiveOtherCountsAreTold) {
  const auto run = [] {
    run_without_simgrid(unit_machine("kind=ring,nodes=2"), 2, [](Process& process) -> Task<> {
      co_await allreduce(process.world(), std::vector<int>(3 + process.rank().index()),
                         std::plus<>{});
    });
  };
  EXPECT_EQ(complaint<ContractViolation>(run),
            "process 1: every process of a collective gives the same counts");
}

TEST(Collective, MessagesWithItsTagsAreTold) {
  for (const Payload& foreign : {Payload::of_size(12), Payload::of(std::vector<char>(3))}) {
    const auto run = [&] {
      run_without_simgrid(unit_machine("kind=ring,nodes=2"), 2, [&](Process& process) -> Task<> {
        process.send(ProcessId{1 - process.rank().index()}, foreign, first_collective_tag);
        co_await allreduce(process.world(), std::vector<int>(3), std::plus<>{});
      });
    };
    EXPECT_EQ(complaint<ContractViolation>(run),
              "process 1: a collective receives a message that is none of its own (a program's own "
              "tags are 0 to 2147483647, below first_collective_tag)");
  }
}

TEST(Collective, GroupsAndOwnMessagesKeepApart) {
  run_without_simgrid(unit_machine("kind=ring,nodes=6"), 6, [](Process& process) -> Task<> {
    const Group world = process.world();
    const std::uint32_t rank = world.rank();
    const ProcessId next{(rank + 1) % 6};
    process.send(next, Payload::of(std::vector(1, rank)), 5);
    const Group row = world.slice(rank / 3 * 3, 3);
    const Group column = world.slice(rank % 3, 2, 3);
    const std::vector<std::uint32_t> in_row =
        co_await allreduce(row, std::vector(1, rank), std::plus<>{}, {.algorithm = "ring"});
    EXPECT_EQ(in_row.front(), rank < 3 ? 3U : 12U);
    const std::vector<std::uint32_t> in_column =
        co_await allreduce(column, std::vector(1, rank), std::plus<>{});
    EXPECT_EQ(in_column.front(), 2 * (rank % 3) + 3);
    const Payload own = co_await process.receive(ProcessId{(rank + 5) % 6}, 5);
    EXPECT_EQ(own.view<std::uint32_t>().front(), (rank + 5) % 6);
  });
}

/// The second process takes part in the other order.
TEST(Collective, TagsKeepCollectivesApartThatHappenAtOnce) {
  run_without_simgrid(unit_machine("kind=ring,nodes=2"), 2, [](Process& process) -> Task<> {
    const std::uint32_t first = process.rank().index();
    const std::array orders{first, 1 - first};
    for (const std::uint32_t which : orders) {
      const std::vector<int> got = co_await broadcast(
          process.world(), std::vector<int>(1 + which, static_cast<int>(which)), 0, {.tag = which});
      EXPECT_EQ(got, std::vector<int>(1 + which, static_cast<int>(which)));
    }
  });
}

}  // namespace
}  // namespace dcube::testing
