#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include "dcube/core/errors.hpp"
#include "support/complaint.hpp"
#include "support/kernel_runner.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

// Coroutines are functions here, not lambdas: a lambda's captures would die before its coroutine.

Task<std::vector<int>> receive_numbers(Process& process, ProcessId from) {
  Payload payload = co_await process.receive(from);
  co_return payload.take<int>();
}

Task<> pass_on(Process& process, std::vector<std::vector<int>>& results) {
  const std::uint32_t rank = process.rank().index();
  std::vector<int> numbers{0};
  if (rank > 0) {
    numbers = co_await receive_numbers(process, ProcessId{rank - 1});
  }
  results[rank] = numbers;
  numbers.push_back(static_cast<int>(rank) + 1);
  if (rank + 1 < process.size()) {
    process.send(ProcessId{rank + 1}, Payload::of(std::move(numbers)));
  }
}

TEST(Kernel, DataTravelsInNestedTasks) {
  const Machine machine = unit_machine("kind=line,nodes=4");
  std::vector<std::vector<int>> results(4);
  const RunReport report =
      run_without_simgrid(machine, 4, [&](Process& process) { return pass_on(process, results); });
  EXPECT_EQ(results[3], (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(report.makespan, std::chrono::seconds{3});
  EXPECT_EQ(report.messages, 3U);
  EXPECT_EQ(report.bytes, (2 + 3 + 4) * sizeof(int));
}

Task<> overtake(Process& process, std::vector<std::uint64_t>& sizes) {
  const ProcessId other{1 - process.rank().index()};
  if (process.rank().index() == 0) {
    process.send(other, Payload::of_size(100));
    process.send(other, Payload::of_size(1));
    co_return;
  }
  sizes.push_back((co_await process.receive(other)).size_bytes());
  sizes.push_back((co_await process.receive(other)).size_bytes());
}

TEST(Kernel, MessagesOfASourceAreReceivedInSendOrderThoughALaterOneArrivesFirst) {
  Machine machine = unit_machine("kind=line,nodes=2");
  machine.links.contention = Contention::off;
  machine.links.per_dimension[0].per_byte = ExactTime{std::chrono::seconds{1}};
  std::vector<std::uint64_t> sizes;
  const RunReport report =
      run_without_simgrid(machine, 2, [&](Process& process) { return overtake(process, sizes); });
  EXPECT_EQ(sizes, (std::vector<std::uint64_t>{100, 1}));
  EXPECT_EQ(report.makespan, std::chrono::seconds{101});
}

Task<> talk_to_oneself(Process& process) {
  process.send(process.rank(), Payload::of(std::vector<int>(1, 7)));
  Payload own = co_await process.receive(process.rank());
  expects(own.take<int>().front() == 7, "a message to oneself comes back");
  Payload exchanged =
      co_await process.exchange(process.rank(), Payload::of(std::vector<int>(1, 8)));
  expects(exchanged.take<int>().front() == 8, "an exchange with oneself gives back its own");
}

TEST(Kernel, MessagesToOneselfAreFreeAndInstantaneous) {
  Machine machine = unit_machine("kind=line,nodes=2");
  machine.endpoint.send.fixed = ExactTime{std::chrono::seconds{5}};
  const RunReport report = run_without_simgrid(machine, 1, talk_to_oneself);
  EXPECT_EQ(report.makespan, Ticks{0});
  EXPECT_EQ(report.messages, 1U);
  EXPECT_EQ(report.hops, 0U);
}

Task<> wait_in_a_circle(Process& process) {
  co_await process.receive(ProcessId{(process.rank().index() + 1) % process.size()});
}

TEST(Kernel, DeadlockNamesWhoWaitsForWhom) {
  const RunReport report =
      run_without_simgrid(unit_machine("kind=ring,nodes=3"), 3, wait_in_a_circle);
  EXPECT_EQ(report.outcome, Outcome::deadlock);
  ASSERT_EQ(report.blocked.size(), 3U);
  EXPECT_EQ(report.blocked[2].process, ProcessId{2});
  EXPECT_EQ(report.blocked[2].awaits, ProcessId{0});
  EXPECT_EQ(report.blocked[2].what, Awaits::message);
}

Task<> send_first(Process& process) {
  const ProcessId next{(process.rank().index() + 1) % process.size()};
  const std::array sent{process.post_send(next, Payload::of_size(1), 0, SendMode::rendezvous)};
  co_await process.wait_any(sent);
}

TEST(Kernel, DeadlockNamesWhomASendAwaits) {
  const RunReport report = run_without_simgrid(unit_machine("kind=ring,nodes=3"), 3, send_first);
  ASSERT_EQ(report.blocked.size(), 3U);
  EXPECT_EQ(report.blocked[2].awaits, ProcessId{0});
  EXPECT_EQ(report.blocked[2].what, Awaits::receiver);
}

Task<> fail_at_two(Process& process) {
  if (process.rank().index() == 2) {
    throw std::runtime_error("out of luck");
  }
  co_await process.receive(ProcessId{2});
}

TEST(Kernel, ExceptionOfAProcessEndsTheRun) {
  EXPECT_THROW(run_without_simgrid(unit_machine("kind=ring,nodes=3"), 3, fail_at_two),
               std::runtime_error);
}

Task<> multiply(Process& process) {
  co_await process.compute("multiply", 10);
  co_return;
}

TEST(Kernel, CountedOperationsCostWhatTheMachineSays) {
  Machine machine = unit_machine("kind=ring,nodes=3");
  machine.compute["multiply"] = parse_duration("14.7us");
  EXPECT_EQ(run_without_simgrid(machine, 1, multiply).makespan, std::chrono::microseconds{147});
}

TEST(Kernel, MissingOperationIsAnInputErrorThatNamesIt) {
  try {
    run_without_simgrid(unit_machine("kind=ring,nodes=3"), 1, multiply);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(error.problem().find("`multiply`"), std::string::npos);
  }
}

Task<> send_unasked(Process& process) {
  if (process.rank().index() == 0) {
    process.send(ProcessId{2}, Payload::of_size(1));
  }
  co_return;
}

// --- Receives act when they are awaited, once.

Task<> compute_before_the_exchange_is_awaited(Process& process, std::uint32_t who) {
  const ProcessId other{1 - process.rank().index()};
  auto exchanged = process.exchange(other, Payload::of_size(1));
  if (process.rank().index() == who) {
    co_await process.compute(std::chrono::seconds{5});
  }
  co_await exchanged;
}

TEST(Kernel, WhatComesBeforeTheAwaitComesBeforeTheExchangeWhicheverRankDoesIt) {
  for (const std::uint32_t who : {0U, 1U}) {
    const RunReport report = run_without_simgrid(
        unit_machine("kind=line,nodes=2"), 2,
        [who](Process& process) { return compute_before_the_exchange_is_awaited(process, who); });
    EXPECT_EQ(report.makespan, std::chrono::seconds{6}) << "rank " << who << " computes";
  }
}

Task<> receive_in_the_other_order(Process& process, std::vector<int>& received) {
  const std::uint32_t rank = process.rank().index();
  if (rank != 0) {
    process.send(ProcessId{0}, Payload::of(std::vector<int>(1, static_cast<int>(rank))));
    co_return;
  }
  auto a = process.receive(ProcessId{1});
  auto b = process.receive(ProcessId{2});
  received.push_back((co_await b).take<int>().front());
  auto moved = std::move(a);
  received.push_back((co_await moved).take<int>().front());
}

TEST(Kernel, ReceivesMadeTogetherEachGetTheirOwnMessage) {
  std::vector<int> received;
  run_without_simgrid(unit_machine("kind=line,nodes=3"), 3, [&](Process& process) {
    return receive_in_the_other_order(process, received);
  });
  EXPECT_EQ(received, (std::vector<int>{2, 1}));
}

Task<> make_receives_in_vain(Process& process) {
  const ProcessId other{1 - process.rank().index()};
  process.send(other, Payload::of_size(1));
  const auto received = process.receive(other);
  const auto exchanged = process.exchange(other, Payload::of_size(1));
  co_return;
}

TEST(Kernel, AReceiveThatIsNeverAwaitedDoesNothing) {
  const RunReport report =
      run_without_simgrid(unit_machine("kind=line,nodes=2"), 2, make_receives_in_vain);
  EXPECT_EQ(report.outcome, Outcome::completed);
  EXPECT_EQ(report.messages, 2U);
  EXPECT_EQ(report.makespan, Ticks{0});
}

std::string complaint_of(std::uint32_t processes, const std::function<Task<>(Process&)>& body) {
  return complaint<ContractViolation>(
      [&] { run_without_simgrid(unit_machine("kind=line,nodes=4"), processes, body); });
}

Task<> await_twice(Process& process) {
  process.send(process.rank(), Payload{});
  auto received = process.receive(process.rank());
  co_await received;
  co_await received;
}

TEST(Kernel, AReceiveIsAwaitedOnce) {
  EXPECT_EQ(complaint_of(1, await_twice),
            "process 0 receives by what was awaited or moved away before (await each once)");
}

/// A part of the program that nobody awaits.
class Detached {
 public:
  explicit Detached(Task<> task) : task_{std::move(task)} { task_.handle().resume(); }

 private:
  Task<> task_;
};

Task<> receive_one(Process& process, ProcessId from) { co_await process.receive(from); }

Task<> exchange_one(Process& process, ProcessId with) {
  co_await process.exchange(with, Payload{});
}

Task<> receive_twice_at_once(Process& process) {
  if (process.rank().index() == 0) {
    const Detached first{receive_one(process, ProcessId{1})};
    co_await process.exchange(ProcessId{2}, Payload{});
  }
}

TEST(Kernel, AProcessAwaitsOneMessageAtATime) {
  EXPECT_EQ(complaint_of(3, receive_twice_at_once),
            "process 0 exchanges with process 2 while it still waits for process 1 (a process "
            "awaits one message at a time)");
}

Task<> exchange_twice_at_once(Process& process) {
  if (process.rank().index() == 0) {
    const Detached first{exchange_one(process, ProcessId{1})};
    co_await process.receive(ProcessId{2});
  }
}

TEST(Kernel, AProcessAwaitsNothingWhileItAwaitsItsPartner) {
  EXPECT_EQ(complaint_of(3, exchange_twice_at_once),
            "process 0 receives from process 2 while it still waits for process 1 (a process "
            "awaits one message at a time)");
}

Task<> end_while_a_part_waits(Process& process) {
  const ProcessId other{1 - process.rank().index()};
  process.send(other, Payload::of_size(1));
  const Detached part{receive_one(process, other)};
  co_return;
}

TEST(Kernel, AProcessDoesNotEndWhileAPartOfItWaits) {
  EXPECT_EQ(complaint_of(2, end_while_a_part_waits),
            "process 0 ended while code of its own still waited for a message of process 1");
}

TEST(Kernel, AProcessReceivesInItsOwnCode) {
  std::vector<Process*> processes;
  EXPECT_EQ(complaint_of(2,
                         [&](Process& process) {
                           processes.push_back(&process);
                           return receive_one(*processes.front(), ProcessId{1});
                         }),
            "process 0 receives from process 1 in code that process 1 runs");
}

// --- Ranks.

Task<> send_to(Process& process, std::uint32_t rank) {
  process.send(ProcessId{rank}, Payload::of_size(1));
  co_return;
}
Task<> exchange_with(Process& process, std::uint32_t rank, ExchangeMode mode) {
  co_await process.exchange(ProcessId{rank}, Payload::of_size(1), mode);
}

TEST(Kernel, ARankOutsideTheProgramIsToldByItsProcess) {
  const std::string rank_2 = " process 2, but the ranks are 0 to 1";
  EXPECT_EQ(complaint_of(2, [](Process& process) { return send_to(process, 2); }),
            "process 0 sends to" + rank_2);
  EXPECT_EQ(complaint_of(2, [](Process& process) { return receive_one(process, ProcessId{2}); }),
            "process 0 receives from" + rank_2);
  for (const ExchangeMode mode : {ExchangeMode::rendezvous, ExchangeMode::eager}) {
    EXPECT_EQ(complaint_of(2, [&](Process& process) { return exchange_with(process, 2, mode); }),
              "process 0 exchanges with" + rank_2);
  }
}

// --- What cannot be run.

std::string complaint_of_map(const std::vector<NodeId>& map) {
  const Machine machine = unit_machine("kind=line,nodes=4");
  return complaint<ContractViolation>(
      [&] { run_without_simgrid({.machine = machine, .map = map, .body = multiply}); });
}

TEST(Kernel, EachProcessHasASlot) {
  EXPECT_EQ(complaint_of_map({NodeId{3}, NodeId{1}, NodeId{3}}),
            "process 2 is placed on node 3, whose slot is taken");
  EXPECT_EQ(complaint_of_map({NodeId{3}, NodeId{4}}),
            "process 1 is placed on node 4, but the machine has 4 nodes");
}

Task<> send_two_to_oneself(Process& process, std::uint64_t bytes) {
  process.send(process.rank(), Payload::of_size(bytes));
  process.send(process.rank(), Payload::of_size(1));
  co_return;
}
Task<> send_two(Process& process, std::uint64_t bytes) {
  process.send(ProcessId{1}, Payload::of_size(process.rank().index() == 0 ? bytes : 0));
  process.send(ProcessId{0}, Payload::of_size(process.rank().index() == 0 ? 1 : 0));
  co_return;
}

TEST(Kernel, BytesPastSixtyFourBitsAreAnInputError) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  const Machine machine = unit_machine("kind=line,nodes=2");
  for (const auto& send : {send_two_to_oneself, send_two}) {
    const auto body = [send](std::uint64_t bytes) {
      return [send, bytes](Process& process) { return send(process, bytes); };
    };
    EXPECT_EQ(
        run_without_simgrid(machine, 2, body(send == send_two ? most - 1 : most / 2 - 1)).bytes,
        send == send_two ? most : most - 1);
    EXPECT_EQ(complaint([&] { run_without_simgrid(machine, 2, body(most)); }),
              "the messages of the run carry more than 2^64-1 bytes; use smaller messages");
  }
}

// --- Whatever is thrown ends the run.

TEST(Kernel, ExceptionBeforeTheProgramBeginsEndsTheRun) {
  EXPECT_THROW(
      run_without_simgrid(unit_machine("kind=ring,nodes=3"), 3,
                          [](Process&) -> Task<> { throw std::runtime_error("no memory"); }),
      std::runtime_error);
  EXPECT_EQ(
      run_without_simgrid(unit_machine("kind=ring,nodes=3"), 3, [](Process&) { return Task<>{}; })
          .makespan,
      Ticks{0});
}

TEST(Kernel, MessagesThatNobodyReceivesStillArriveAndCount) {
  const RunReport report = run_without_simgrid(unit_machine("kind=line,nodes=3"), 3, send_unasked);
  EXPECT_EQ(report.outcome, Outcome::completed);
  EXPECT_EQ(report.hops, 2U);
  EXPECT_EQ(report.makespan, Ticks{0});
}

}  // namespace
}  // namespace dcube::testing
