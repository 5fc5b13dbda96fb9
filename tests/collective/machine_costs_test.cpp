// What a machine says that collectives cost besides their messages.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "collective_costs.hpp"
#include "dcube/core/errors.hpp"

namespace dcube::testing {
namespace {

/// The set-up of a call is paid once, by the ports it uses; the machine's combining stands where a
/// call has none.
TEST(CollectiveCosts, TheMachineHasCostsOfACallAndOfCombining) {
  Machine machine = complete_machine(8, Contention::off);
  machine.endpoint.call = ExactTime{Ticks{700}};
  machine.endpoint.call_per_port = ExactTime{Ticks{50}};
  machine.endpoint.combine_per_byte = ExactTime{5, 4};
  CollectiveCall call{.kind = CollectiveKind::allreduce, .count = 48};
  const std::uint64_t n = 48 * element_bytes;
  const std::uint64_t others = n / 8 * 7;
  EXPECT_EQ(makespan_of(call, 8, "rabenseifner", machine),
            (Cost{6, 2 * others, others}.time()) + Ticks{750});
  call.options.compute = ExactTime{1, 1};  // makes makespan_of() leave computing out
  EXPECT_EQ(makespan_of(call, 8, "rabenseifner", machine),
            (Cost{6, 2 * others, others}.time()) + Ticks{750});
  machine.endpoint.combine_per_byte = {};
  call.options.ports = 2;
  EXPECT_EQ(makespan_of(call, 8, "ring", machine), (Cost{2 * 7, others, 0}.time()) + Ticks{800});
}

/// Halves of a share come at one instant, and one is combined after the other. In step, both then
/// go on. Apart, the first is under way while the second is combined, which so costs time but once.
TEST(CollectiveCosts, SeveralPortsCombineInTurn) {
  Machine machine = torus_machine("kind=ring,nodes=4");
  machine.endpoint.combine_per_byte = ExactTime{5, 4};
  CollectiveCall call{.kind = CollectiveKind::allreduce, .count = 32};
  call.options.ports = 2;
  call.options.compute = ExactTime{1, 1};                 // makes makespan_of() leave computing out
  const std::uint64_t half = 32 / 4 * element_bytes / 2;  // of the share of a rank
  const Ticks transfer = Cost{1, half, 0}.time();
  const Ticks combining = Cost{0, 0, half}.time();
  // Apart, the second port is late by what the first one combines, once.
  EXPECT_EQ(makespan_of(call, 4, "ring", machine), 6 * transfer + 4 * combining);
  machine.endpoint.several_ports.in_step = true;
  EXPECT_EQ(makespan_of(call, 4, "ring", machine), 6 * transfer + 6 * combining);
  machine.endpoint.several_ports.combine_per_byte = ExactTime{15, 4};
  EXPECT_EQ(makespan_of(call, 4, "ring", machine), 6 * transfer + 18 * combining);
  call.options.ports = 1;
  EXPECT_EQ(makespan_of(call, 4, "ring", machine), (Cost{6, 6 * 2 * half, 3 * 2 * half}.time()));
}

/// Each of two ports sends and receives on its own core. They combine in turn, as on one.
TEST(CollectiveCosts, PortsMayHaveCoresOfTheirOwn) {
  Machine machine = torus_machine("kind=ring,nodes=4");
  machine.endpoint.send = {ExactTime{Ticks{100}}, {}};
  machine.endpoint.receive = {ExactTime{Ticks{30}}, {}};
  machine.endpoint.call_per_port = ExactTime{Ticks{20}};
  CollectiveCall call{.kind = CollectiveKind::allgather, .count = 32};
  call.options.ports = 2;
  const Ticks transfer = Cost{1, 32 * element_bytes / 2, 0}.time();
  const Ticks apart = makespan_of(call, 4, "ring", machine);
  machine.endpoint.several_ports.threads = true;
  EXPECT_EQ(makespan_of(call, 4, "ring", machine), 3 * (transfer + Ticks{130}) + Ticks{40});
  EXPECT_GT(apart, makespan_of(call, 4, "ring", machine));
  // The second port is planned after the first, once.
  machine.endpoint.plan = ExactTime{Ticks{50}};
  call.options.plans = 1;
  EXPECT_EQ(makespan_of(call, 4, "ring", machine), 3 * (transfer + Ticks{180}) + Ticks{90});
  call.options.ports = 1;
  machine.endpoint.several_ports.threads = false;
  const Ticks one = makespan_of(call, 4, "ring", machine);
  machine.endpoint.several_ports.threads = true;
  EXPECT_EQ(makespan_of(call, 4, "ring", machine), one);
}

/// What ports compute counts once, in the mean; all else is their endpoint's time.
TEST(CollectiveCosts, CoresOfPortsAreAccountedForAsOne) {
  Machine machine = torus_machine("kind=ring,nodes=4");
  machine.endpoint.send = {ExactTime{Ticks{100}}, {}};
  machine.endpoint.plan = ExactTime{Ticks{50}};
  machine.endpoint.several_ports.threads = true;
  CollectiveCall call{.kind = CollectiveKind::allgather, .count = 32};
  call.options.algorithm = "ring";
  call.options.ports = 2;
  call.options.plans = 1;
  const RunReport report = run_without_simgrid(machine, 4, [&](Process& process) -> Task<> {
    co_await run_collective(process.world(), call);
  });
  EXPECT_EQ(report.compute.max, Ticks{3 * 50});
  EXPECT_EQ(report.endpoint.max, report.makespan - Ticks{3 * 50});
  EXPECT_EQ(report.waiting.max, Ticks{0});
  EXPECT_EQ(report.communication.max, Ticks{0});
  EXPECT_EQ(report.waiting_intervals, 0U);
}

/// Computing that varies is still done in turn.
TEST(CollectiveCosts, CoresOfPortsNeverComputeAtOnce) {
  Machine machine = torus_machine("kind=ring,nodes=4");
  machine.endpoint.plan = ExactTime{Ticks{1'000'000}};
  machine.endpoint.several_ports.threads = true;
  CollectiveCall call{.kind = CollectiveKind::allgather, .count = 32};
  call.options.algorithm = "ring";
  call.options.ports = 2;
  call.options.plans = 1;
  const std::vector<NodeId> map{NodeId{0}, NodeId{1}, NodeId{2}, NodeId{3}};
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const RunReport report = run_without_simgrid({.machine = machine,
                                                  .map = map,
                                                  .body = [&](Process& process) -> Task<> {
                                                    co_await run_collective(process.world(), call);
                                                  },
                                                  .jitter = Jitter{Jitter::whole / 2, seed}});
    EXPECT_GE(report.makespan, 2 * report.compute.max) << seed;
  }
}

/// One process calls, and the others do not.
TEST(CollectiveCosts, CoresOfPortsThatWaitForEverHaveTimesToo) {
  Machine machine = torus_machine("kind=ring,nodes=4");
  machine.endpoint.send = {ExactTime{Ticks{100}}, {}};
  machine.endpoint.plan = ExactTime{Ticks{50}};
  CollectiveCall call{.kind = CollectiveKind::allgather, .count = 32};
  call.options.algorithm = "ring";
  call.options.ports = 2;
  call.options.plans = 1;
  for (const bool threads : {false, true}) {
    machine.endpoint.several_ports.threads = threads;
    const RunReport report = run_without_simgrid(machine, 4, [&](Process& process) -> Task<> {
      if (process.rank() == ProcessId{0}) {
        co_await run_collective(process.world(), call);
      }
    });
    ASSERT_EQ(report.outcome, Outcome::deadlock);
    EXPECT_EQ(report.blocked.front().since, Ticks{threads ? 200 : 300});
    EXPECT_EQ(report.compute.max, Ticks{threads ? 50 : 100});
    EXPECT_EQ(report.endpoint.max, Ticks{threads ? 150 : 200});
    EXPECT_EQ(report.communication.max, Ticks{0});
  }
}

/// A process with one port waits and works as without cores of ports, also where its sends block.
TEST(CollectiveCosts, OnePortHasNoCoreOfItsOwn) {
  Machine machine = torus_machine("kind=ring,nodes=4");
  machine.endpoint.send = {ExactTime{Ticks{100}}, {}};
  CollectiveCall call{.kind = CollectiveKind::broadcast, .count = 32};
  call.options.algorithm = "binomial";
  call.options.sends_block = true;
  std::vector<Ticks> waiting;
  for (const bool threads : {false, true}) {
    machine.endpoint.several_ports.threads = threads;
    const RunReport report = run_without_simgrid(machine, 4, [&](Process& process) -> Task<> {
      co_await run_collective(process.world(), call);
    });
    waiting.push_back(report.waiting.max);
  }
  EXPECT_GT(waiting[0], Ticks{0});
  EXPECT_EQ(waiting[1], waiting[0]);
}

/// In three rounds for eight processes. One core copies a part of the data.
TEST(CollectiveCosts, ProcessesMayTalkBeforehand) {
  Machine machine = complete_machine(8, Contention::off);
  machine.endpoint.exchange = ExactTime{Ticks{1000}};
  machine.endpoint.copy_per_byte = ExactTime{5, 4};
  CollectiveCall call{.kind = CollectiveKind::allgather, .count = 6};
  const std::uint64_t n = 8 * 6 * element_bytes;
  call.options.exchanges = 2;
  EXPECT_EQ(makespan_of(call, 8, "ring", machine),
            (Cost{7, n / 8 * 7, 0}.time()) + Ticks{2 * 3 * 1000});
  machine.endpoint.exchange = ExactTime{Ticks{1}};
  call.options.exchanges = 1U << 31U;
  EXPECT_EQ(makespan_of(call, 8, "ring", machine),
            (Cost{7, n / 8 * 7, 0}.time()) + Ticks{3} * (std::int64_t{1} << 31));
  call.options.exchanges = 0;
  call.options.serial_copies = 1;
  call.options.serial_parts = 4;
  EXPECT_EQ(makespan_of(call, 8, "ring", machine), (Cost{7, n / 8 * 7, n / 4}.time()));
}

/// Ports that wait for each other never wait in a circle, on one core or on several.
TEST(CollectiveCosts, EveryAlgorithmEndsInStep) {
  Machine machine = torus_machine("kind=torus,shape=4x4");
  machine.endpoint.several_ports.in_step = true;
  for (const CollectiveKind kind : collective_kinds()) {
    for (const CollectiveAlgorithm* const algorithm : collective_catalog(kind)) {
      CollectiveCall call{.kind = kind, .root = has_root(kind) ? 5U : 0U, .count = 48};
      call.options.sides = {4, 4};
      call.options.ports = 0;
      if (kind == CollectiveKind::all_to_allv || collective_obstacle(*algorithm, call, 16)) {
        continue;
      }
      for (const bool threads : {false, true}) {
        machine.endpoint.several_ports.threads = threads;
        makespan_of(call, 16, algorithm->name, machine);  // which expects that it completes
      }
    }
  }
}

/// Rabenseifner's six messages are planned, and three of them combined. Of four ranks in Bruck's
/// exchange, all send two pieces, then rank 2 does, whose blocks are the last and the first.
TEST(CollectiveCosts, MessagesArePlannedGatheredAndCombined) {
  Machine machine = complete_machine(8, Contention::off);
  machine.endpoint.combine = ExactTime{Ticks{7}};
  machine.endpoint.plan = ExactTime{Ticks{100}};
  machine.endpoint.piece = ExactTime{Ticks{30}};
  CollectiveCall call{.kind = CollectiveKind::allreduce, .count = 48};
  const std::uint64_t n = 48 * element_bytes;
  const Ticks plain = Cost{6, 2 * n / 8 * 7, n / 8 * 7}.time();
  EXPECT_EQ(makespan_of(call, 8, "rabenseifner", machine), plain + Ticks{3 * 7});
  call.options.plans = 1;
  EXPECT_EQ(makespan_of(call, 8, "rabenseifner", machine), plain + Ticks{3 * 7 + 6 * 100});
  machine.endpoint.several_ports.combine = ExactTime{Ticks{5}};
  EXPECT_EQ(makespan_of(call, 8, "rabenseifner", machine), plain + Ticks{3 * 7 + 6 * 100});
  call.options.ports = 2;
  // The second port is late by what the process does for the first one, once.
  const Ticks one_port = (Cost{14, n / 8 * 7, n / 2 / 8 * 7}.time()) + Ticks{7 * 5 + 14 * 100};
  EXPECT_EQ(makespan_of(call, 8, "ring", machine),
            one_port + (Cost{0, 0, n / 2 / 8}.time()) + Ticks{5 + 100});
  call = {.kind = CollectiveKind::all_to_all, .count = 6};
  const Ticks exchange = Cost{2, 4 * 6 * element_bytes, 0}.time();
  EXPECT_EQ(makespan_of(call, 4, "bruck", machine), exchange);
  call.options.sends_pieces = true;
  EXPECT_EQ(makespan_of(call, 4, "bruck", machine), exchange + Ticks{2 * 30});
}

/// What is worked out for a message may be several things, and cost more at several ports.
TEST(CollectiveCosts, SeveralThingsAreWorkedOutForAMessage) {
  Machine machine = complete_machine(8, Contention::off);
  machine.endpoint.plan = ExactTime{Ticks{100}};
  CollectiveCall call{.kind = CollectiveKind::allgather, .count = 6};
  const std::uint64_t n = 8 * 6 * element_bytes;
  const Ticks plain = Cost{7, n / 8 * 7, 0}.time();
  call.options.plans = 3;
  EXPECT_EQ(makespan_of(call, 8, "ring", machine), plain + Ticks{7 * 3 * 100});
  machine.endpoint.several_ports.plan = ExactTime{Ticks{120}};
  EXPECT_EQ(makespan_of(call, 8, "ring", machine), plain + Ticks{7 * 3 * 100});
  call.options.ports = 2;
  // The second port begins later by what the process does for the first one, once.
  EXPECT_EQ(makespan_of(call, 8, "ring", machine),
            (Cost{7, n / 8 * 7 / 2, 0}.time()) + Ticks{8 * 3 * 120});
}

/// Of each segment, then of each child.
TEST(CollectiveCosts, ReductionsMayTakeOneChildAfterTheOther) {
  const Machine machine = complete_machine(3, Contention::on);
  CollectiveCall call{.kind = CollectiveKind::reduce, .count = 40};
  call.options.segment_bytes = 10 * element_bytes;
  const Ticks segment = Cost{1, 10 * element_bytes, 0}.time();
  const Ticks combining = Cost{0, 0, 10 * element_bytes}.time();
  // The root of two others combines eight segments. From its children they come together.
  EXPECT_EQ(makespan_of(call, 3, "kary", machine), 4 * segment + 2 * combining);
  call.options.child_by_child = true;
  EXPECT_EQ(makespan_of(call, 3, "kary", machine), 4 * segment + 5 * combining);
}

/// Bruck packs and unpacks half of the blocks in each of three steps, and rotates them twice.
TEST(CollectiveCosts, CopiesTakeTheTimeOfTheMachine) {
  Machine machine = complete_machine(8, Contention::off);
  machine.endpoint.copy_per_byte = ExactTime{5, 4};
  machine.endpoint.several_ports.copy_per_byte = ExactTime{1, 4};
  CollectiveCall call{.kind = CollectiveKind::all_to_all, .count = 6};
  const std::uint64_t n = 8 * 6 * element_bytes;
  EXPECT_EQ(makespan_of(call, 8, "bruck", machine), (Cost{3, 3 * (n / 2), 5 * n}.time()));
  EXPECT_EQ(makespan_of(call, 8, "pairwise", machine), (Cost{7, n / 8 * 7, 0}.time()));
  call.options.copies = 1;
  EXPECT_EQ(makespan_of(call, 8, "bruck", machine), (Cost{3, 3 * (n / 2), n}.time()));
  call.kind = CollectiveKind::allgather;
  EXPECT_EQ(makespan_of(call, 8, "ring", machine), (Cost{7, n / 8 * 7, n}.time()));
  call.options.ports = 2;
  EXPECT_EQ(makespan_of(call, 8, "ring", machine),
            (Cost{7, n / 8 * 7 / 2, 0}.time()) + Ticks{n / 4});
  call.options.serial_copies = 2;
  EXPECT_EQ(makespan_of(call, 8, "ring", machine),
            (Cost{7, n / 8 * 7 / 2, 2 * n}.time()) + Ticks{n / 4});
  call.options.serial_copies = 0;
  // Of a gather and a scatter, the root copies.
  call.options.ports = 1;
  for (const CollectiveKind kind : {CollectiveKind::gather, CollectiveKind::scatter}) {
    call.kind = kind;
    EXPECT_EQ(makespan_of(call, 8, "linear", machine), (Cost{1, n / 8, n}.time()));
  }
}

TEST(CollectiveCosts, CopiesEndBeforeTimeDoes) {
  Machine machine = complete_machine(8, Contention::off);
  machine.endpoint.copy_per_byte = ExactTime{Ticks{15'000'000'000'000}};
  CollectiveCall call{.kind = CollectiveKind::reduce, .count = 96};
  call.options.copies = 1000;  // 67 days
  EXPECT_GT(makespan_of(call, 8, "binomial", machine), Ticks{5'700'000'000'000'000'000});
  call.options.serial_copies = 1000;
  EXPECT_THROW(makespan_of(call, 8, "binomial", machine), InputError);
}

/// The root sends to, or receives from, one process after the other; or all go at once.
TEST(CollectiveCosts, BlockingMessagesOfAPortGoOneAfterTheOther) {
  Machine machine = complete_machine(8, Contention::off);
  CollectiveCall call{.count = 6};
  call.options.radix = 7;
  const std::uint64_t share = 6 * element_bytes;
  const auto turns = [&](CollectiveKind kind, const std::string& algorithm, bool blocking) {
    call.kind = kind;
    call.options.sends_block = blocking;
    return makespan_of(call, 8, algorithm, machine) / (Cost{1, share, 0}.time());
  };
  for (const auto& [kind, algorithm] :
       {std::pair{CollectiveKind::scatter, "linear"}, std::pair{CollectiveKind::gather, "linear"},
        std::pair{CollectiveKind::broadcast, "kary"}}) {
    EXPECT_EQ(turns(kind, algorithm, false), 1) << algorithm;
    EXPECT_EQ(turns(kind, algorithm, true), 7) << algorithm;
    machine.endpoint.eager_limit_bytes = share;
    EXPECT_EQ(turns(kind, algorithm, true), 1) << algorithm;
    machine.endpoint.eager_limit_bytes.reset();
  }
  // All that is sent in an exchange is on its way before anything is awaited.
  EXPECT_EQ(turns(CollectiveKind::all_to_all, "shifted", true), 7);
  call.options.segment_bytes = share / 2;
  EXPECT_EQ(makespan_of(call, 8, "shifted", machine), (Cost{14, 7 * share, 0}.time()));
}

/// Processes that all send first would wait for each other. So do parts of one port that wait for
/// each other.
TEST(CollectiveCosts, EveryAlgorithmEndsWithBlockingMessagesUnlessAllSendFirst) {
  Machine machine = torus_machine("kind=torus,shape=4x4");
  for (const CollectiveKind kind : collective_kinds()) {
    for (const CollectiveAlgorithm* const algorithm : collective_catalog(kind)) {
      CollectiveCall call{.kind = kind, .root = has_root(kind) ? 5U : 0U, .count = 48};
      call.options.sides = {4, 4};
      call.options.ports = 0;
      call.options.sends_block = true;
      const bool waits_in_a_circle =
          (kind == CollectiveKind::all_to_all && algorithm->name == "linear") ||
          algorithm->name == "torus_linear" || algorithm->name == "bucket_balanced" ||
          algorithm->name == "hierarchical_rails";
      if (waits_in_a_circle || kind == CollectiveKind::all_to_allv ||
          collective_obstacle(*algorithm, call, 16)) {
        continue;
      }
      for (const std::uint64_t segment_bytes : {0U, 32U}) {
        for (const bool in_step : {false, true}) {
          SCOPED_TRACE(fmt::format("{} {}", name_of(kind), algorithm->name));
          call.options.segment_bytes = segment_bytes;
          machine.endpoint.several_ports.in_step = in_step;
          makespan_of(call, 16, algorithm->name, machine);  // which expects that it completes
        }
      }
    }
  }
  // Small enough for the linear one, if its messages did not block.
  CollectiveCall call{.kind = CollectiveKind::all_to_all, .count = 480};
  call.options.sends_block = true;
  EXPECT_EQ(makespan_of(call, 16, "automatic", machine),
            makespan_of(call, 16, "pairwise", machine));
}

/// Doubling sends one, two and four shares; the last two are above the limit.
TEST(CollectiveCosts, OverheadsGoBySizeOfTheMessage) {
  Machine machine = complete_machine(8, Contention::off);
  CollectiveCall call{.kind = CollectiveKind::allgather, .count = 6};
  const std::uint64_t share = 6 * element_bytes;
  machine.endpoint.send = {ExactTime{Ticks{10}}, {}};
  machine.endpoint.larger = {
      {.above = share, .send = {ExactTime{Ticks{400}}, {}}, .receive = {ExactTime{Ticks{3}}, {}}}};
  EXPECT_EQ(makespan_of(call, 8, "recursive_doubling", machine),
            (Cost{3, 7 * share, 0}.time()) + Ticks{10 + 2 * 403});
}

}  // namespace
}  // namespace dcube::testing
