#include "dcube/trace/superstep_recorder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

using Processes = std::pair<ProcessId, ProcessId>;
using Messages = std::vector<Processes>;

/// Senders and receivers of every superstep, ascending, and how often it occurs.
std::vector<std::pair<Messages, std::uint64_t>> steps_of(const SuperstepRecorder& recorder) {
  std::vector<std::pair<Messages, std::uint64_t>> steps;
  for (const Superstep& superstep : recorder.supersteps(100)) {
    Messages pairs;
    for (const Flow& flow : superstep.flows) {
      pairs.emplace_back(flow.from, flow.to);
    }
    steps.emplace_back(std::move(pairs), superstep.times);
  }
  return steps;
}

/// Links whose costs all differ, so that processes come to their stages at different times.
TEST(Supersteps, AreTheStagesOfABulkSynchronousProgram) {
  for (const std::string settings :
       {"kind=fft,points=64", "kind=bitonic_sort,keys_per_process=4"}) {
    const SimulatedProgram simulated{uneven_machine("kind=hypercube,dimensions=4"), "identity",
                                     settings};
    SuperstepRecorder recorder{16};
    simulated.run(&recorder);
    std::vector<std::pair<Messages, std::uint64_t>> expected;
    for (Messages step : messages_by_stage(simulated.input())) {
      std::ranges::sort(step);
      const auto known =
          std::ranges::find(expected, step, &std::pair<Messages, std::uint64_t>::first);
      if (known != expected.end()) {
        ++known->second;
      } else if (!step.empty()) {
        expected.emplace_back(std::move(step), 1);
      }
    }
    EXPECT_EQ(steps_of(recorder), expected) << settings;
  }
}

Delivery message(std::uint32_t from, std::uint32_t number, std::uint32_t to, int start) {
  return {ProcessId{from}, number, ProcessId{to}, 8, 1, Ticks{start}, Ticks{start + 10}};
}

Interval wait(std::uint32_t process, std::uint32_t from, std::uint32_t number, int end) {
  return {.process = ProcessId{process},
          .activity = Activity::communication,
          .begin = Ticks{end - 5},
          .end = Ticks{end},
          .peer = ProcessId{from},
          .message = MessageName{ProcessId{from}, number}};
}

/// 0 sends to 1 twice; 1 waits for both and sends to 2, which has sent to 0 meanwhile.
TEST(Supersteps, FollowWhatSendersHaveWaitedFor) {
  SuperstepRecorder recorder{3};
  recorder.on_delivery(message(2, 0, 0, 25));
  recorder.on_delivery(message(0, 0, 1, 0));
  recorder.on_delivery(message(0, 1, 1, 10));
  recorder.on_delivery(message(1, 0, 2, 20));
  recorder.on_interval(wait(1, 0, 0, 10));
  recorder.on_interval(wait(1, 0, 1, 20));
  // What it waits for is its own message, or nobody's it knows.
  recorder.on_interval(wait(2, 2, 0, 12));
  recorder.on_interval(wait(2, 7, 0, 14));
  const Processes first{ProcessId{0}, ProcessId{1}};
  const Processes beside{ProcessId{2}, ProcessId{0}};
  const Processes second{ProcessId{1}, ProcessId{2}};
  const std::vector<std::pair<Messages, std::uint64_t>> expected{{{first, beside}, 1},
                                                                 {{second}, 1}};
  EXPECT_EQ(steps_of(recorder), expected);
}

/// 0 and 1 send each other a message over and over.
TEST(Supersteps, AreOneWhereTheyAreAlike) {
  SuperstepRecorder recorder{3};
  for (std::uint32_t round = 0; round < 5; ++round) {
    const int start = static_cast<int>(100 * round);
    recorder.on_delivery(message(0, round, 1, start));
    recorder.on_delivery(message(1, round, 0, start));
    recorder.on_interval(wait(0, 1, round, start + 10));
    recorder.on_interval(wait(1, 0, round, start + 10));
  }
  const Processes there{ProcessId{0}, ProcessId{1}};
  const Processes back{ProcessId{1}, ProcessId{0}};
  const std::vector<std::pair<Messages, std::uint64_t>> expected{{{there, back}, 5}};
  EXPECT_EQ(steps_of(recorder), expected);
  EXPECT_TRUE(recorder.supersteps(0).empty());
}

/// What a collective in the background sends follows what its steps waited for.
TEST(Supersteps, FollowStepsInTheBackground) {
  SuperstepRecorder recorder{3};
  recorder.on_delivery(message(0, 0, 1, 0));
  recorder.on_delivery(message(1, 0, 2, 10));
  recorder.on_background_steps({.process = ProcessId{1},
                                .begin = Ticks{10},
                                .end = Ticks{10},
                                .message = MessageName{ProcessId{0}, 0}});
  const Processes first{ProcessId{0}, ProcessId{1}};
  const Processes second{ProcessId{1}, ProcessId{2}};
  const std::vector<std::pair<Messages, std::uint64_t>> expected{{{first}, 1}, {{second}, 1}};
  EXPECT_EQ(steps_of(recorder), expected);
}

TEST(Supersteps, LeaveOutOwnMessagesAndAHostComputer) {
  SuperstepRecorder recorder{2};
  recorder.on_delivery(message(0, 0, 0, 0));
  recorder.on_delivery(message(2, 0, 0, 0));
  recorder.on_delivery(message(1, 0, 2, 0));
  recorder.on_interval(wait(2, 1, 0, 10));
  EXPECT_TRUE(recorder.supersteps(100).empty());
}

}  // namespace
}  // namespace dcube::testing
