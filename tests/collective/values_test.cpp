// Every algorithm, on values, against a sequential computation, and by sizes alone.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "dcube/collective/calls.hpp"
#include "dcube/collective/collective.hpp"
#include "dcube/collective/typed.hpp"
#include "dcube/core/random.hpp"
#include "support/complaint.hpp"
#include "support/kernel_runner.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

/// x becomes a x + b, modulo 2^64. Doing one after the other is associative and not commutative.
struct Affine {
  std::uint64_t a = 1;
  std::uint64_t b = 0;

  friend bool operator==(const Affine&, const Affine&) = default;
};
struct Compose {
  Affine operator()(const Affine& first, const Affine& then) const {
    return {first.a * then.a, first.b * then.a + then.b};
  }
};
struct Largest {
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return std::max(a, b); }
};

template <class T>
T value_of(std::uint32_t rank, std::uint64_t place) {
  const std::uint64_t number = hash_of(hash_of(rank), place);
  if constexpr (std::is_same_v<T, Affine>) {
    return {number | 1, number >> 7};
  } else {
    return number;
  }
}

template <class T>
std::vector<T> values_of(std::uint32_t rank, std::uint64_t count) {
  std::vector<T> values;
  for (std::uint64_t place = 0; place < count; ++place) {
    values.push_back(value_of<T>(rank, place));
  }
  return values;
}

using Counts = std::vector<std::uint64_t>;

/// A call of its kind on so many processes, and all that belongs to it.
struct Case {
  CollectiveCall call;
  std::uint32_t size = 1;
  Counts counts;  ///< unequal shares, if any

  bool has_shares() const {
    return call.kind == CollectiveKind::allgather || call.kind == CollectiveKind::gather ||
           call.kind == CollectiveKind::scatter || call.kind == CollectiveKind::reduce_scatter;
  }
  /// Equal shares written out, where they are equal.
  Counts shares() const { return counts.empty() ? Counts(size, call.count) : counts; }
  std::uint64_t pair_count(std::uint32_t from, std::uint32_t to) const {
    return call.kind == CollectiveKind::all_to_all ? call.count
                                                   : (from * 3 + to * 5 + call.count) % 4;
  }
  Counts sent(std::uint32_t rank) const {
    Counts sent;
    for (std::uint32_t to = 0; to < size; ++to) {
      sent.push_back(pair_count(rank, to));
    }
    return sent;
  }
  Counts received(std::uint32_t rank) const {
    Counts received;
    for (std::uint32_t from = 0; from < size; ++from) {
      received.push_back(pair_count(from, rank));
    }
    return received;
  }
  std::string name() const {
    std::string sides;
    for (const std::uint32_t side : call.options.sides.sides()) {
      sides += fmt::format("{}x", side);
    }
    return fmt::format("{} {} of {} on {} root {} ports {} sides {} {}", name_of(call.kind),
                       call.options.algorithm, call.count, size, call.root, call.options.ports,
                       sides, counts.empty() ? "equal" : "unequal");
  }
};

std::uint64_t sum(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

/// What each process gives.
template <class T>
std::vector<T> given(const Case& tested, std::uint32_t rank) {
  switch (tested.call.kind) {
    case CollectiveKind::all_to_all:
    case CollectiveKind::all_to_allv:
      return values_of<T>(rank, sum(tested.sent(rank)));
    case CollectiveKind::allgather:
    case CollectiveKind::gather:
      return values_of<T>(rank, tested.shares()[rank]);
    case CollectiveKind::scatter:
      return values_of<T>(rank, rank == tested.call.root ? sum(tested.shares()) : 0);
    case CollectiveKind::reduce_scatter:
      return values_of<T>(rank, sum(tested.shares()));
    case CollectiveKind::barrier:
      return {};
    default:
      return values_of<T>(rank, tested.call.count);
  }
}

/// What each process gives, and these combined up to each process.
template <class T>
struct Inputs {
  template <class Operation>
  Inputs(const Case& tested, Operation operation) {
    for (std::uint32_t rank = 0; rank < tested.size; ++rank) {
      of.push_back(given<T>(tested, rank));
    }
    if (reduces(tested.call.kind)) {
      combined = of;
      for (std::uint32_t rank = 1; rank < tested.size; ++rank) {
        std::ranges::transform(combined[rank - 1], of[rank], combined[rank].begin(), operation);
      }
    }
  }

  std::vector<std::vector<T>> of;
  std::vector<std::vector<T>> combined;
};

template <class T>
std::vector<T> part(const std::vector<T>& values, const Counts& counts, std::uint32_t which) {
  const std::uint64_t begin =
      std::accumulate(counts.begin(), counts.begin() + which, std::uint64_t{0});
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(begin);
  return {first, first + static_cast<std::ptrdiff_t>(counts[which])};
}

template <class T>
std::vector<T> expected(const Case& tested, const Inputs<T>& inputs, std::uint32_t rank) {
  const std::uint32_t last = tested.size - 1;
  std::vector<T> values;
  const auto append = [&values](const std::vector<T>& more) {
    values.insert(values.end(), more.begin(), more.end());
  };
  switch (tested.call.kind) {
    case CollectiveKind::all_to_all:
    case CollectiveKind::all_to_allv:
      for (std::uint32_t from = 0; from <= last; ++from) {
        append(part(inputs.of[from], tested.sent(from), rank));
      }
      break;
    case CollectiveKind::gather:
      if (rank != tested.call.root) {
        break;
      }
      [[fallthrough]];
    case CollectiveKind::allgather:
      for (std::uint32_t from = 0; from <= last; ++from) {
        append(inputs.of[from]);
      }
      break;
    case CollectiveKind::scatter:
      append(part(inputs.of[tested.call.root], tested.shares(), rank));
      break;
    case CollectiveKind::broadcast:
      append(inputs.of[tested.call.root]);
      break;
    case CollectiveKind::reduce:
      if (rank == tested.call.root) {
        append(inputs.combined[last]);
      }
      break;
    case CollectiveKind::allreduce:
      append(inputs.combined[last]);
      break;
    case CollectiveKind::reduce_scatter:
      append(part(inputs.combined[last], tested.shares(), rank));
      break;
    case CollectiveKind::scan:
      append(inputs.combined[rank]);
      break;
    case CollectiveKind::exscan:
      if (rank > 0) {
        append(inputs.combined[rank - 1]);
      }
      break;
    case CollectiveKind::barrier:
      break;
  }
  return values;
}

template <class T, class Operation>
Task<> take_part(const Case& tested, Group group, Operation operation, std::vector<T>& got) {
  const CollectiveOptions& options = tested.call.options;
  const std::uint32_t root = tested.call.root;
  std::vector<T> values = given<T>(tested, group.rank());
  switch (tested.call.kind) {
    case CollectiveKind::all_to_all:
      got = co_await all_to_all(group, std::move(values), options);
      break;
    case CollectiveKind::all_to_allv: {
      const Counts sent = tested.sent(group.rank());
      const Counts received = tested.received(group.rank());
      got = co_await all_to_allv(group, std::move(values), sent, received, options);
      break;
    }
    case CollectiveKind::allgather:
      got = co_await allgather(group, std::move(values), tested.counts, options);
      break;
    case CollectiveKind::gather:
      got = co_await gather(group, std::move(values), root, tested.counts, options);
      break;
    case CollectiveKind::scatter: {
      const Counts shares = tested.shares();
      got = co_await scatter(group, std::move(values), shares, root, options);
      break;
    }
    case CollectiveKind::broadcast:
      got = co_await broadcast(group, std::move(values), root, options);
      break;
    case CollectiveKind::reduce:
      got = co_await reduce(group, std::move(values), operation, root, options);
      break;
    case CollectiveKind::allreduce:
      got = co_await allreduce(group, std::move(values), operation, options);
      break;
    case CollectiveKind::reduce_scatter:
      got = co_await reduce_scatter(group, std::move(values), operation, tested.counts, options);
      break;
    case CollectiveKind::scan:
      got = co_await scan(group, std::move(values), operation, options);
      break;
    case CollectiveKind::exscan:
      got = co_await exscan(group, std::move(values), operation, options);
      break;
    case CollectiveKind::barrier:
      co_await barrier(group, options);
      break;
  }
}

Task<> take_part_by_sizes(const Case& tested, Group group) {
  const Counts sent = tested.sent(group.rank());
  const Counts received = tested.received(group.rank());
  CollectiveCall call = tested.call;
  if (call.kind == CollectiveKind::all_to_allv) {
    call.send_counts = sent;
    call.receive_counts = received;
  }
  call.counts = tested.counts;
  co_await run_collective(group, call);
}

/// A ring on which everything costs something else.
Machine machine_for(std::uint32_t size) {
  return uneven_machine(fmt::format("kind=ring,nodes={}", size + 1));
}

/// Messages wait for their receivers, and processes for cores.
Machine crowded_machine_for(std::uint32_t size) {
  Machine machine = machine_for(size);
  machine.endpoint.eager_limit_bytes = 8;
  machine.node.cores = 1;
  machine.links.injection = TransferCost{ExactTime{Ticks{11}}, ExactTime{Ticks{2}}};
  return machine;
}

template <class T, class Operation>
void check(const Case& tested, Operation operation, const Machine& machine) {
  std::vector<std::vector<T>> got(tested.size);
  const RunReport values =
      run_without_simgrid(machine, tested.size, [&](Process& process) -> Task<> {
        co_await take_part<T>(tested, process.world(), operation, got[process.rank().index()]);
      });
  ASSERT_EQ(values.outcome, Outcome::completed) << tested.name();
  const Inputs<T> inputs(tested, operation);
  for (std::uint32_t rank = 0; rank < tested.size; ++rank) {
    ASSERT_EQ(got[rank], expected(tested, inputs, rank)) << tested.name() << " rank " << rank;
  }
  Case by_sizes = tested;
  by_sizes.call.options.element_bytes = sizeof(T);
  const RunReport sizes = run_without_simgrid(
      machine, tested.size,
      [&](Process& process) -> Task<> { co_await take_part_by_sizes(by_sizes, process.world()); });
  EXPECT_EQ(values.fingerprint, sizes.fingerprint) << tested.name();
}

template <class T, class Operation>
void check(const Case& tested, Operation operation) {
  check<T>(tested, operation, machine_for(tested.size));
}

void check_operations(Case tested, const CollectiveAlgorithm& algorithm) {
  if (collective_obstacle(algorithm, tested.call, tested.size)) {
    return;
  }
  check<std::uint64_t>(tested, std::plus<>{});
  tested.call.options.is_commutative = false;
  if (reduces(tested.call.kind) && !collective_obstacle(algorithm, tested.call, tested.size)) {
    check<Affine>(tested, Compose{});
  }
}

/// All that can be varied, a little of each.
void check_algorithm(const CollectiveAlgorithm& algorithm, std::uint32_t size) {
  Case tested{.call = {.kind = algorithm.collective}, .size = size, .counts = {}};
  tested.call.options.algorithm = algorithm.name;
  tested.call.options.compute = ExactTime{7, 3};
  for (const std::uint64_t count :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5}, std::uint64_t{2} * size + 3}) {
    tested.call.count = count;
    // Large messages that are cut would take long.
    const bool is_cut = algorithm.needs.segments == CollectiveNeeds::Segments::of_messages;
    tested.call.options.segment_bytes = is_cut && count > 5 ? 0 : 16;
    for (const std::uint32_t ports : {1U, 0U}) {
      tested.call.options.ports = ports;
      for (const std::uint32_t root : {0U, size / 3, size - 1}) {
        tested.call.root = root;
        check_operations(tested, algorithm);
        const bool has_root = algorithm.collective == CollectiveKind::broadcast ||
                              algorithm.collective == CollectiveKind::reduce ||
                              algorithm.collective == CollectiveKind::gather ||
                              algorithm.collective == CollectiveKind::scatter;
        if (!has_root) {
          break;
        }
        if (tested.has_shares() && count == 5) {
          for (std::uint32_t rank = 0; rank < size; ++rank) {
            tested.counts.push_back((rank * 7 + 3) % 5);
          }
          check_operations(tested, algorithm);
          tested.counts.clear();
        }
      }
      if (tested.has_shares() && count == 1) {
        for (std::uint32_t rank = 0; rank < size; ++rank) {
          tested.counts.push_back((rank * 3 + 4) % 5);
        }
        check_operations(tested, algorithm);
        tested.counts.clear();
      }
      if (algorithm.needs.ports == CollectiveNeeds::Ports::one) {
        break;
      }
    }
  }
  tested.call.count = 7;
  tested.call.options.node_size = 3;
  tested.call.options.segment_bytes = 0;
  check_operations(tested, algorithm);
  for (const std::uint32_t radix : {2U, 3U, 5U}) {
    if (algorithm.collective != CollectiveKind::broadcast &&
        algorithm.collective != CollectiveKind::reduce) {
      break;
    }
    tested.call.options.radix = radix;
    tested.call.options.distances = TreeDistances::doubling;
    check_operations(tested, algorithm);
  }
}

class EveryCollective : public ::testing::TestWithParam<CollectiveKind> {};

TEST_P(EveryCollective, GivesWhatASequentialComputationGives) {
  std::vector<std::uint32_t> sizes(17);
  std::iota(sizes.begin(), sizes.end(), 1);
  sizes.insert(sizes.end(), {24, 32, 64});
  for (const std::uint32_t size : sizes) {
    for (const CollectiveAlgorithm* const algorithm : collective_catalog(GetParam())) {
      check_algorithm(*algorithm, size);
      if (HasFatalFailure()) {
        return;
      }
    }
  }
}

TEST_P(EveryCollective, UsesTheTorusThatItIsGiven) {
  const std::vector<TorusSides> tori{{16},   {4, 4},    {2, 8},       {8, 2}, {2, 2, 4}, {3, 4},
                                     {5, 1}, {3, 5, 2}, {2, 2, 2, 2}, {1},    {6},       {4, 4, 4}};
  for (const TorusSides& sides : tori) {
    std::uint32_t size = 1;
    for (const std::uint32_t side : sides.sides()) {
      size *= side;
    }
    for (const CollectiveAlgorithm* const algorithm : collective_catalog(GetParam())) {
      Case tested{.call = {.kind = GetParam()}, .size = size, .counts = {}};
      tested.call.options.algorithm = algorithm->name;
      tested.call.options.sides = sides;
      for (const std::uint64_t count : {3U, 100U}) {
        tested.call.count = count;
        tested.call.options.ports = 0;
        const std::uint32_t most = ports_for(*algorithm, tested.call);
        for (std::uint32_t ports = 0; ports <= most; ++ports) {
          if (algorithm->needs.sides) {
            tested.call.options.ports = ports;
            check_operations(tested, *algorithm);
          }
        }
      }
      if (HasFatalFailure()) {
        return;
      }
    }
  }
}

TEST_P(EveryCollective, UsesTheTwistThatItIsGiven) {
  struct Twisted {
    TorusSides sides;
    Counts::value_type size;
    std::vector<std::uint32_t> twist;
  };
  const std::vector<Twisted> tori{{{2, 4}, 8, {0, 2, 0, 0}},
                                  {{4, 6}, 24, {0, 3, 0, 0}},
                                  {{5, 3}, 15, {0, 0, 2, 0}},
                                  {{3, 4, 2}, 24, {0, 1, 1, 0, 0, 0, 0, 0, 0}},
                                  {{2, 2, 4}, 16, {0, 0, 2, 0, 0, 2, 0, 0, 0}}};
  for (const Twisted& torus : tori) {
    for (const CollectiveAlgorithm* const algorithm : collective_catalog(GetParam())) {
      Case tested{.call = {.kind = GetParam(), .count = 53},
                  .size = static_cast<std::uint32_t>(torus.size),
                  .counts = {}};
      tested.call.options.algorithm = algorithm->name;
      tested.call.options.sides = torus.sides;
      tested.call.options.twist = torus.twist;
      tested.call.options.ports = 0;
      const std::uint32_t most = ports_for(*algorithm, tested.call);
      for (std::uint32_t ports = 1; ports <= most && algorithm->needs.sides; ++ports) {
        tested.call.options.ports = ports;
        check_operations(tested, *algorithm);
      }
      if (HasFatalFailure()) {
        return;
      }
    }
  }
}

TEST_P(EveryCollective, TakesWhatIsPickedForIt) {
  for (const std::uint32_t size : {1U, 6U, 8U, 13U, 16U}) {
    for (const std::uint64_t count : {3U, 700U, 20'000U}) {
      Case tested{.call = {.kind = GetParam(), .count = count}, .size = size, .counts = {}};
      check<std::uint64_t>(tested, Largest{});
      tested.call.options.is_commutative = false;
      check<Affine>(tested, Compose{});
    }
  }
}

TEST_P(EveryCollective, WorksWhereMessagesWaitForTheirReceivers) {
  for (const std::uint32_t size : {2U, 6U, 8U, 16U}) {
    for (const CollectiveAlgorithm* const algorithm : collective_catalog(GetParam())) {
      for (const std::uint32_t ports : {0U, 1U}) {
        Case tested{.call = {.kind = GetParam(), .count = 9}, .size = size, .counts = {}};
        tested.call.options.algorithm = algorithm->name;
        tested.call.options.compute = ExactTime{7, 3};
        tested.call.options.ports = ports;
        if (!collective_obstacle(*algorithm, tested.call, size)) {
          check<std::uint64_t>(tested, std::plus<>{}, crowded_machine_for(size));
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Collectives, EveryCollective,
                         ::testing::ValuesIn(collective_kinds().begin(), collective_kinds().end()),
                         [](const auto& tested) { return std::string{name_of(tested.param)}; });

}  // namespace
}  // namespace dcube::testing
