#include <gtest/gtest.h>

#include <stdexcept>

#include "dcube/core/errors.hpp"
#include "support/kernel_runner.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

std::vector<NodeId> first_nodes(std::uint32_t count) {
  std::vector<NodeId> map;
  for (std::uint32_t node = 0; node < count; ++node) {
    map.emplace_back(node);
  }
  return map;
}

RunReport run(const Machine& machine, std::uint32_t processes,
              const std::function<Task<>(Process&)>& body) {
  const std::vector<NodeId> map = first_nodes(processes);
  return run_without_simgrid({.machine = machine,
                              .map = map,
                              .body = body,
                              .stage_count = 0,
                              .execution = Execution::automatic,
                              .observer = nullptr,
                              .progress = {}});
}

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
      run(machine, 4, [&](Process& process) { return pass_on(process, results); });
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
      run(machine, 2, [&](Process& process) { return overtake(process, sizes); });
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
  const RunReport report = run(machine, 1, talk_to_oneself);
  EXPECT_EQ(report.makespan, Ticks{0});
  EXPECT_EQ(report.messages, 1U);
  EXPECT_EQ(report.hops, 0U);
}

Task<> wait_in_a_circle(Process& process) {
  co_await process.receive(ProcessId{(process.rank().index() + 1) % process.size()});
}

TEST(Kernel, DeadlockNamesWhoWaitsForWhom) {
  const RunReport report = run(unit_machine("kind=ring,nodes=3"), 3, wait_in_a_circle);
  EXPECT_EQ(report.outcome, Outcome::deadlock);
  ASSERT_EQ(report.blocked.size(), 3U);
  EXPECT_EQ(report.blocked[2].process, ProcessId{2});
  EXPECT_EQ(report.blocked[2].awaits, ProcessId{0});
}

Task<> fail_at_two(Process& process) {
  if (process.rank().index() == 2) {
    throw std::runtime_error("out of luck");
  }
  co_await process.receive(ProcessId{2});
}

TEST(Kernel, ExceptionOfAProcessEndsTheRun) {
  EXPECT_THROW(run(unit_machine("kind=ring,nodes=3"), 3, fail_at_two), std::runtime_error);
}

Task<> multiply(Process& process) {
  process.compute("multiply", 10);
  co_return;
}

TEST(Kernel, CountedOperationsCostWhatTheMachineSays) {
  Machine machine = unit_machine("kind=ring,nodes=3");
  machine.compute["multiply"] = parse_duration("14.7us");
  EXPECT_EQ(run(machine, 1, multiply).makespan, std::chrono::microseconds{147});
}

TEST(Kernel, MissingOperationIsAnInputErrorThatNamesIt) {
  try {
    run(unit_machine("kind=ring,nodes=3"), 1, multiply);
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

TEST(Kernel, MessagesThatNobodyReceivesStillArriveAndCount) {
  const RunReport report = run(unit_machine("kind=line,nodes=3"), 3, send_unasked);
  EXPECT_EQ(report.outcome, Outcome::completed);
  EXPECT_EQ(report.hops, 2U);
  EXPECT_EQ(report.makespan, Ticks{0});
}

}  // namespace
}  // namespace dcube::testing
