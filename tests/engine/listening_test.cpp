#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/engine/listener.hpp"
#include "support/complaint.hpp"
#include "support/kernel_runner.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

using detail::Heard;
using detail::Listener;
using std::chrono::seconds;

/// Process i is on node i of a line of unit hops, where nothing queues.
RunReport run_on_line(std::uint32_t processes, const std::function<Task<>(Process&)>& body) {
  Machine machine = unit_machine("kind=line,nodes=8");
  machine.links.contention = Contention::off;
  return run_without_simgrid(machine, processes, body, 1);
}

constexpr ProcessId listener{0};

std::string text_of(std::span<const Heard> all) {
  std::string text;
  for (const Heard& heard : all) {
    text += fmt::format("{}{} {} at {}", text.empty() ? "" : ", ",
                        heard.what == Heard::What::arrival ? "arrival of" : "taken by",
                        heard.peer.index(), heard.time / seconds{1});
  }
  return text;
}

Task<> listen_for_all(Process& process, std::vector<std::string>& told) {
  if (process.rank() != listener) {
    // The first message of process 1 and that of process 3 arrive at 3 s.
    co_await process.compute(seconds{process.rank().index() == 1 ? 2 : 0});
    process.send(listener, Payload::of_size(10));
    if (process.rank().index() == 1) {
      co_await process.compute(seconds{1});
      process.send(listener, Payload::of_size(10));
    }
    co_return;
  }
  Listener{process}.listen();
  told.push_back(text_of(co_await Listener{process}.hear(seconds{1})));
  told.push_back(text_of(co_await Listener{process}.hear(Ticks::max())));
  told.push_back(fmt::format("now {}", process.now() / seconds{1}));
  Listener{process}.pass(seconds{9}, Activity::compute);
  told.push_back(text_of(co_await Listener{process}.hear(seconds{2})));
  told.push_back(fmt::format("now {}", process.now() / seconds{1}));
}

TEST(Listening, AProcessHearsEverythingOfAnInstantInOrder) {
  std::vector<std::string> told;
  const RunReport report = run_on_line(4, [&](Process& process) {
    return process.rank().index() == 2 ? Task<>{} : listen_for_all(process, told);
  });
  EXPECT_EQ(report.outcome, Outcome::completed);
  EXPECT_EQ(told, (std::vector<std::string>{"", "arrival of 1 at 3, arrival of 3 at 3", "now 3",
                                            "arrival of 1 at 4", "now 9"}));
}

/// It computes until 5 s; a message arrives at 3 s.
Task<> listen_after_computing(Process& process, std::vector<std::string>& told) {
  if (process.rank() != listener) {
    co_await process.compute(seconds{2});
    process.send(listener, Payload::of_size(10));
    co_await process.receive(listener);
    co_return;
  }
  Listener{process}.listen();
  Listener{process}.pass(seconds{5}, Activity::compute);
  told.push_back(text_of(co_await Listener{process}.hear(seconds{9})));
  told.push_back(fmt::format("now {}", process.now() / seconds{1}));
  process.send(ProcessId{1}, Payload::of_size(10));
}

TEST(Listening, AProcessHearsAtItsOwnTimeWhatCameBeforeAndNotAtItsDeadline) {
  std::vector<std::string> told;
  const RunReport report =
      run_on_line(2, [&](Process& process) { return listen_after_computing(process, told); });
  EXPECT_EQ(told, (std::vector<std::string>{"arrival of 1 at 3", "now 5"}));
  EXPECT_EQ(report.process_ends[1], seconds{6});
}

Task<> take_message(Process& process, std::vector<std::string>& told) {
  Listener{process}.listen();
  if (process.rank() != listener) {
    process.send(listener, Payload::of_size(1), 5, SendMode::eager);
    told.push_back(text_of(co_await Listener{process}.hear(Ticks::max())));
    co_return;
  }
  const Heard arrived = (co_await Listener{process}.hear(Ticks::max())).front();
  // It has run ahead of the network.
  Listener{process}.pass(seconds{4}, Activity::endpoint);
  Listener{process}.tell_taken({arrived.peer, arrived.send_number}, arrived.tag, seconds{3});
}

TEST(Listening, ASenderHearsAtOnceThatItsMessageWasTaken) {
  std::vector<std::string> told;
  const RunReport report =
      run_on_line(2, [&](Process& process) { return take_message(process, told); });
  EXPECT_EQ(report.outcome, Outcome::completed);
  EXPECT_EQ(told, (std::vector<std::string>{"taken by 0 at 3"}));
  EXPECT_EQ(report.process_ends[1], seconds{3});
  EXPECT_EQ(report.messages, 1U);
}

TEST(Listening, AMessageToItselfIsHeardOfAtOnce) {
  std::string told;
  run_on_line(1, [&](Process& process) -> Task<> {
    Listener{process}.listen();
    Listener{process}.pass(seconds{2}, Activity::compute);
    process.send(listener, Payload::of_size(1));
    told = text_of(co_await Listener{process}.hear(Ticks::max()));
  });
  EXPECT_EQ(told, "arrival of 0 at 2");
}

TEST(Listening, OnlyListenersAreTold) {
  EXPECT_EQ(complaint<ContractViolation>([] {
              run_on_line(1, [](Process& process) -> Task<> {
                Listener{process}.tell_taken({listener, 0}, 0, seconds{0});
                co_return;
              });
            }),
            "process 0 tells a process that does not listen");
}

TEST(Listening, AProcessThatHearsNothingWaitsForAnyone) {
  const RunReport report = run_on_line(2, [](Process& process) -> Task<> {
    Listener{process}.listen();
    co_await Listener{process}.hear(Ticks::max());
  });
  EXPECT_EQ(report.outcome, Outcome::deadlock);
  ASSERT_EQ(report.blocked.size(), 2U);
  EXPECT_EQ(report.blocked[1].awaits, anyone);
}

}  // namespace
}  // namespace dcube::testing
