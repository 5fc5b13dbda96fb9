// Runs in which messages take the least there is.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dcube/collective/collective.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {
namespace {

constexpr std::uint32_t processes = 8;

Machine ring_of_eight() {
  Machine machine;
  machine.topology = make_topology(Params::parse("kind=ring,nodes=8"));
  machine.links.per_dimension = {{ExactTime{Ticks{10}}, ExactTime{Ticks{1}}}};
  return machine;
}

RunReport run_with(const Machine& machine, std::function<Task<>(Process&)> body,
                   Transport transport) {
  std::vector<NodeId> map;
  for (std::uint32_t node = 0; node < processes; ++node) {
    map.emplace_back(node / machine.node.slots);
  }
  return simulate(
      {.machine = machine, .map = map, .body = std::move(body), .transport = transport});
}

ProcessId beside(const Process& process, std::uint32_t steps) {
  return ProcessId{(process.rank().index() + steps) % processes};
}

/// Three hops away, all at once.
Task<> pass_on(Process& process) {
  process.send(beside(process, 3), Payload::of_size(5));
  co_await process.receive(beside(process, processes - 3));
  co_await process.compute(Ticks{100});
}

TEST(Transport, ContentionFreeMessagesGoOverOneLinkAlone) {
  const Machine machine = ring_of_eight();
  EXPECT_GT(run_with(machine, pass_on, Transport::machine).makespan, Ticks{100 + 3 * 15 - 1});
  const RunReport least = run_with(machine, pass_on, Transport::contention_free);
  EXPECT_EQ(least.makespan, Ticks{100 + 15});
  EXPECT_FALSE(least.heeds_time);
  EXPECT_EQ(least.queued_hops, 0U);
}

TEST(Transport, ContentionFreeEveryProcessHasACore) {
  Machine machine = ring_of_eight();
  machine.node = {.slots = 2, .cores = 1, .local = {ExactTime{Ticks{3}}, {}}};
  EXPECT_GT(run_with(machine, pass_on, Transport::machine).makespan, Ticks{200});
  EXPECT_EQ(run_with(machine, pass_on, Transport::contention_free).makespan, Ticks{100 + 3});
}

TEST(Transport, ExchangesAreCounted) {
  const auto body = [](Process& process) -> Task<> {
    for (int i = 0; i < 3; ++i) {
      co_await process.exchange(ProcessId{process.rank().index() ^ 1U}, Payload::of_size(7),
                                i == 0 ? ExchangeMode::eager : ExchangeMode::rendezvous);
    }
  };
  const RunReport least = run_with(ring_of_eight(), body, Transport::contention_free);
  ASSERT_EQ(least.exchanges.size(), processes);
  for (std::uint32_t process = 0; process < processes; ++process) {
    EXPECT_EQ(least.exchanges[process].process, ProcessId{process});
    EXPECT_EQ(least.exchanges[process].partner, ProcessId{process ^ 1U});
    EXPECT_EQ(least.exchanges[process].bytes, 7U);
    EXPECT_EQ(least.exchanges[process].messages, 3U);
  }
  EXPECT_TRUE(run_with(ring_of_eight(), body, Transport::machine).exchanges.empty());
}

/// Two bytes of every process around the ring, one each way.
Task<> go_both_ways(Process& process) {
  CollectiveCall call{.kind = CollectiveKind::allgather, .count = 2};
  call.options = {.algorithm = "ring", .ports = 2, .element_bytes = 1};
  co_await run_collective(process.world(), call);
}

TEST(Transport, PortsOfACollectiveDoNotHoldUpEachOther) {
  Machine machine = ring_of_eight();
  machine.endpoint.send = {ExactTime{Ticks{4}}, {}};
  const RunReport run = run_with(machine, go_both_ways, Transport::machine);
  const RunReport least = run_with(machine, go_both_ways, Transport::contention_free);
  // Seven times a send of a byte and a hop; in truth the other port's sends come between.
  EXPECT_EQ(least.makespan, Ticks{7 * (4 + 10 + 1)});
  EXPECT_GT(run.makespan, least.makespan);
  EXPECT_FALSE(least.heeds_time);
  EXPECT_TRUE(least.takes_all_messages);
  EXPECT_EQ(least.endpoint.max, Ticks{2 * 7 * 4});
}

TEST(Transport, AMessageThatNobodyTakesIsToldOf) {
  const auto body = [](Process& process) -> Task<> {
    process.send(beside(process, 1), Payload::of_size(1));
    if (process.rank().index() > 0) {
      co_await process.receive(beside(process, processes - 1));
    }
  };
  EXPECT_FALSE(run_with(ring_of_eight(), body, Transport::contention_free).takes_all_messages);
  EXPECT_TRUE(run_with(ring_of_eight(), pass_on, Transport::contention_free).takes_all_messages);
}

TEST(Transport, WhatMayDependOnArrivalsHeedsTheTime) {
  const Machine machine = ring_of_eight();
  const auto heeds = [&](std::function<Task<>(Process&)> body) {
    return run_with(machine, std::move(body), Transport::machine).heeds_time;
  };
  EXPECT_TRUE(heeds([](Process& process) -> Task<> {
    process.send(beside(process, 1), Payload::of_size(1));
    co_await process.receive_any();
  }));
  EXPECT_TRUE(heeds([](Process& process) -> Task<> {
    process.send(beside(process, 1), Payload::of_size(1));
    co_await process.wait(process.post_receive(anyone));
  }));
  EXPECT_TRUE(heeds([](Process& process) -> Task<> {
    process.send(beside(process, 1), Payload::of_size(1));
    const std::array requests{process.post_receive(beside(process, processes - 1))};
    co_await process.wait_any(requests);
  }));
  EXPECT_TRUE(heeds([](Process& process) -> Task<> {
    process.send(beside(process, 1), Payload::of_size(1));
    const Request request = process.post_receive(beside(process, processes - 1));
    co_await process.test(request);
    co_await process.wait(request);
  }));
  EXPECT_TRUE(heeds(
      [](Process& process) -> Task<> { co_await process.compute(process.now() + Ticks{1}); }));
  EXPECT_FALSE(heeds([](Process& process) -> Task<> {
    process.send(beside(process, 1), Payload::of_size(1));
    const Request request = process.post_receive(beside(process, processes - 1));
    co_await process.wait(request);
    EXPECT_GT(process.now_for_the_record(), Ticks{0});
  }));
}

/// Process 0 asks the time after a microsecond, 1 waits for it, and the others go on.
Task<> act_by_time(Process& process) {
  const std::uint32_t rank = process.rank().index();
  co_await process.compute(Ticks{1000 + rank});
  if (rank == 0) {
    co_await process.compute(process.now());
    process.send(ProcessId{1}, Payload::of_size(1));
  } else if (rank == 1) {
    co_await process.receive(ProcessId{0});
  } else {
    co_await process.compute(Ticks{500});
  }
}

TEST(Transport, AContentionFreeRunGoesAsFarAsNobodyActsByTheTime) {
  const RunReport least = run_with(ring_of_eight(), act_by_time, Transport::contention_free);
  EXPECT_TRUE(least.heeds_time);
  EXPECT_EQ(least.process_ends[0], Ticks{1000});
  EXPECT_EQ(least.process_ends[1], Ticks{1001});
  EXPECT_EQ(least.process_ends[2], Ticks{1502});
  EXPECT_EQ(least.makespan, Ticks{1507});
  EXPECT_EQ(run_with(ring_of_eight(), act_by_time, Transport::machine).makespan, Ticks{2011});
}

TEST(Transport, WhatWaitsForAnyoneIsSuspendedForEver) {
  bool has_gone_on = false;
  const auto body = [&](Process& process) -> Task<> {
    co_await process.compute(Ticks{7 + process.rank().index()});
    try {
      co_await process.receive_any();
    } catch (...) {
      has_gone_on = true;
    }
    has_gone_on = true;
  };
  const RunReport least = run_with(ring_of_eight(), body, Transport::contention_free);
  EXPECT_EQ(least.makespan, Ticks{14});
  EXPECT_EQ(least.blocked.size(), processes);
  EXPECT_FALSE(has_gone_on);
}

TEST(Transport, WhatAProgramMakesOfItsEndDoesNotMatter) {
  const auto body = [](Process& process) -> Task<> {
    try {
      co_await process.compute(process.now() + Ticks{7});
    } catch (...) {
      throw std::runtime_error("not reached in other runs");
    }
  };
  EXPECT_EQ(run_with(ring_of_eight(), body, Transport::contention_free).makespan, Ticks{0});
  const auto catches = [](Process& process) -> Task<> {
    try {
      process.post_receive(anyone);
    } catch (...) {
      process.send(beside(process, 1), Payload::of_size(1));
    }
    co_return;
  };
  EXPECT_EQ(run_with(ring_of_eight(), catches, Transport::contention_free).makespan, Ticks{0});
}

}  // namespace
}  // namespace dcube
