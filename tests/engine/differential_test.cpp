#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "dcube/topology/routing.hpp"
#include "support/history.hpp"
#include "support/kernel_runner.hpp"
#include "support/plain/simulator.hpp"
#include "support/random_cases.hpp"
#include "support/script.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

/// A quarter of the cases.
class AgainstPlainSimulator : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(AgainstPlainSimulator, KernelAndNetworkAgreeEventForEvent) {
  const auto [first, number] = random_cases(2500);
  std::uint64_t hops = 0, queued = 0, deadlocks = 0, calls = 0, uneven = 0, twisted = 0,
                in_step = 0, on_cores = 0;
  for (std::uint64_t i = 0; i < number; ++i) {
    const ScriptCase scripted = random_case(first + GetParam() * number + i);
    HistoryRecorder recorder;
    const RunReport report =
        run_without_simgrid(input_of(scripted, &recorder, recorder.observations()));
    const std::string found = difference(recorder.finish(report), simulate_plainly(scripted));
    ASSERT_EQ(found, "") << scripted.description;
    hops += report.hops;
    queued += report.queued_hops;
    deadlocks += report.blocked.empty() ? 0 : 1;
    calls += has_calls(scripted) ? 1 : 0;
    uneven += has_uneven_calls(scripted) ? 1 : 0;
    twisted += has_twisted_calls(scripted) ? 1 : 0;
    const SeveralPorts& several = scripted.machine.endpoint.several_ports;
    in_step += has_several_ports(scripted) && several.in_step ? 1 : 0;
    on_cores += has_several_ports(scripted) && several.threads ? 1 : 0;
  }
  fmt::print(
      "{} random cases agree: {} hops, {} of them queued, {} deadlocks, {} with collectives, {} of "
      "unequal sizes, {} on a twisted torus, {} in step, {} with cores of ports\n",
      number, hops, queued, deadlocks, calls, uneven, twisted, in_step, on_cores);
  EXPECT_GT(queued, number);
  EXPECT_GT(deadlocks, number / 100);
  EXPECT_GT(calls, number / 5);
  EXPECT_GT(uneven, number / 50);
  EXPECT_GT(twisted, number / 500);
  EXPECT_GT(in_step, number / 50);
  EXPECT_GT(on_cores, number / 50);
}

INSTANTIATE_TEST_SUITE_P(RandomCases, AgainstPlainSimulator, ::testing::Range<std::uint64_t>(0, 4));

/// Process 2 takes no part, so that 1 and 3 wait for ever with a message of 0 that they hold.
TEST(Differential, HeldMessagesOfPortsThatWaitForEverHaveCost) {
  ScriptCase scripted;
  scripted.machine = unit_machine("kind=ring,nodes=4");
  EndpointModel& endpoint = scripted.machine.endpoint;
  endpoint.receive = {ExactTime{Ticks{6}}, {}};
  endpoint.several_ports.in_step = endpoint.several_ports.threads = true;
  CollectiveCall call{.kind = CollectiveKind::allreduce, .count = 32};
  call.options = {.algorithm = "ring", .ports = 2, .element_bytes = 1};
  scripted.scripts.resize(4);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    scripted.map.emplace_back(rank);
    if (rank != 2) {
      Step step{.kind = Step::Kind::call, .peer = {}};
      step.collective =
          std::make_shared<const ScriptCollective>(expanded({0, 1, 2, 3}, call, rank));
      scripted.scripts[rank] = {step};
    }
  }
  HistoryRecorder recorder;
  const RunReport report = run_without_simgrid(input_of(scripted, &recorder));
  ASSERT_EQ(report.outcome, Outcome::deadlock);
  EXPECT_EQ(difference(recorder.finish(report), simulate_plainly(scripted)), "");
  EXPECT_EQ(report.endpoint.max, report.blocked[1].since);
}

Step message(Step::Kind kind, ProcessId peer, Tag tag) {
  return Step{.kind = kind, .peer = peer, .bytes = 1, .tag = tag};
}
Step computing(std::int64_t seconds) {
  return Step{.kind = Step::Kind::compute, .duration = std::chrono::seconds{seconds}, .peer = {}};
}

/// Process 1 sends a message from three hops away and announces another; others are nearer.
/// Returns whether process 0, which runs `receiver`, takes what was announced.
bool takes_what_was_announced(std::vector<Step> receiver, const std::vector<Tag>& tags_of_others) {
  ScriptCase scripted;
  scripted.machine = unit_machine("kind=ring,nodes=10");
  Step announced = message(Step::Kind::post_send, ProcessId{0}, 0);
  announced.send_mode = SendMode::rendezvous;
  scripted.map = {NodeId{0}, NodeId{3}};
  scripted.scripts = {std::move(receiver), {message(Step::Kind::send, ProcessId{0}, 0), announced}};
  constexpr std::array nearer{1U, 2U, 4U};
  for (std::size_t other = 0; other < tags_of_others.size(); ++other) {
    scripted.map.emplace_back(nearer[other]);
    scripted.scripts.push_back({message(Step::Kind::send, ProcessId{0}, tags_of_others[other])});
  }
  HistoryRecorder recorder;
  const RunReport report =
      run_without_simgrid(input_of(scripted, &recorder, recorder.observations()));
  const History history = recorder.finish(report);
  EXPECT_EQ(difference(history, simulate_plainly(scripted)), "");
  return std::ranges::any_of(history.deliveries, [](const Delivery& delivery) {
    return delivery.source == ProcessId{1} && delivery.send_number == 1;
  });
}

/// The first receive takes what 1 sent first, and so brings out the next, which was announced
/// before the message of 2 arrived. So that is what the second receive takes, if it is posted
/// later. When a message of 4 arrives, both receives are known.
TEST(Differential, AReceivePostedLaterTakesWhatAnEarlierOneBringsOut) {
  for (const std::int64_t later : {0, 2}) {
    const bool takes = takes_what_was_announced(
        {computing(100), message(Step::Kind::post_receive, anyone, 0), computing(later),
         message(Step::Kind::post_receive, anyone, any_tag)},
        {1, 2, 2});
    EXPECT_EQ(takes, later > 0);
  }
}

/// At one instant process 0 receives from 4, posts a receive, receives from 2 and goes on before
/// its other receive takes anything.
TEST(Differential, AProcessThatGoesOnAsksBeforeItIsGivenMore) {
  EXPECT_FALSE(takes_what_was_announced(
      {message(Step::Kind::receive, ProcessId{4}, 2), message(Step::Kind::post_receive, anyone, 0),
       message(Step::Kind::receive, anyone, 1), message(Step::Kind::receive, anyone, any_tag)},
      {1, 1, 2}));
}

TEST(RandomCasesDifferential, MessagesThatTakeTurnsAgreeWithThePlainSimulator) {
  std::uint64_t compared = 0, differ = 0;
  const auto [first, number] = random_cases(5000);
  for (std::uint64_t seed = first; compared < number; ++seed) {
    ScriptCase scripted = random_case(seed);
    LinkModel& links = scripted.machine.links;
    if (links.contention == Contention::off) {
      continue;
    }
    links.packet_bytes = 1 + seed % 2;
    const RunReport by_arrival = run_without_simgrid(input_of(scripted, nullptr));
    links.service = Service::round_robin;
    HistoryRecorder recorder;
    const RunReport report =
        run_without_simgrid(input_of(scripted, &recorder, recorder.observations()));
    ASSERT_EQ(difference(recorder.finish(report), simulate_plainly(scripted)), "")
        << scripted.description << ", all in turn";
    ++compared;
    differ += report.fingerprint == by_arrival.fingerprint ? 0 : 1;
  }
  fmt::print("{} random cases agree, {} of which turns change\n", compared, differ);
  EXPECT_GT(differ, compared / 10);
}

TEST(RandomCasesDifferential, CollectivesInTheBackgroundAgreeWithThePlainSimulatorEventForEvent) {
  const auto [first, number] = random_cases(10'000);
  std::uint64_t messages = 0, deadlocks = 0;
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const ScriptCase scripted = random_overlap(seed);
    HistoryRecorder recorder;
    const RunReport report =
        run_without_simgrid(input_of(scripted, &recorder, recorder.observations()));
    const std::string found = difference(recorder.finish(report), simulate_plainly(scripted));
    ASSERT_EQ(found, "") << scripted.description;
    messages += report.messages;
    deadlocks += report.blocked.empty() ? 0 : 1;
  }
  fmt::print("{} random cases agree: {} messages, {} deadlocks\n", number, messages, deadlocks);
  EXPECT_GT(messages, 10 * number);
  EXPECT_GT(deadlocks, number / 100);
}

/// Of the link that hops take longest.
double utilisation_by(const History& history, const RunReport& report, const ScriptCase& scripted) {
  std::map<LinkId, Ticks> busy;
  Ticks most{0};
  for (const Hop& hop : history.hops) {
    if (hop.link.index() < scripted.machine.topology->link_slots()) {
      most = std::max(most, busy[hop.link] += hop.release - hop.start);
    }
  }
  return report.makespan > Ticks{0} ? to_seconds(most) / to_seconds(report.makespan) : 0;
}

TEST(RandomCasesConservation, EveryMessageArrivesOnceAndNoLinkCarriesTwoAtATime) {
  const auto [first, number] = random_cases(10'000);
  std::uint64_t deliveries = 0, cut_off = 0;
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const ScriptCase scripted = random_case(seed);
    HistoryRecorder recorder;
    const RunReport report = run_without_simgrid(input_of(scripted, &recorder));
    const History history = recorder.finish(report);
    std::set<std::pair<ProcessId, std::uint32_t>> arrived;
    for (const Delivery& delivery : history.deliveries) {
      ASSERT_TRUE(arrived.emplace(delivery.source, delivery.send_number).second)
          << scripted.description;
    }
    if (!report.cut_off && !has_rendezvous(scripted)) {
      ASSERT_EQ(arrived.size(), report.messages) << scripted.description;
    }
    deliveries += arrived.size();
    cut_off += report.cut_off ? 1 : 0;
    if (scripted.machine.links.contention == Contention::off) {
      continue;
    }
    std::map<LinkId, std::vector<Hop>> by_link;
    for (const Hop& hop : history.hops) {
      by_link[hop.link].push_back(hop);
    }
    for (auto& [link, hops] : by_link) {
      std::ranges::sort(hops, {}, &Hop::start);
      for (std::size_t i = 1; i < hops.size(); ++i) {
        ASSERT_LE(hops[i - 1].release, hops[i].start) << scripted.description;
      }
    }
    if (arrived.size() == report.messages) {
      ASSERT_NEAR(report.utilisation_max, utilisation_by(history, report, scripted), 1e-9)
          << scripted.description;
    }
  }
  fmt::print("{} messages arrived, {} runs were cut off\n", deliveries, cut_off);
  EXPECT_GT(cut_off, number / 100);
}

TEST(RandomCasesConservation, AFaultAtTheEndOfTimeChangesNothing) {
  const auto [first, number] = random_cases(1000);
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    ScriptCase scripted = random_case(seed);
    LinkModel& links = scripted.machine.links;
    if (links.contention == Contention::off) {
      continue;
    }
    links.faults.clear();
    const RunReport whole = run_without_simgrid(input_of(scripted, nullptr));
    Failures all;
    for (std::uint32_t slot = 0; slot < scripted.machine.topology->link_slots(); ++slot) {
      if (scripted.machine.topology->link(LinkId{slot})) {
        all.links.emplace_back(slot);
      }
    }
    links.faults = {{Ticks::max(), with_failures(scripted.machine.topology, all)}};
    const RunReport broken = run_without_simgrid(input_of(scripted, nullptr));
    ASSERT_EQ(whole.fingerprint, broken.fingerprint) << scripted.description;
    ASSERT_EQ(whole.queued_hops, broken.queued_hops) << scripted.description;
  }
}

TEST(RandomCasesDifferential, ObservingChangesNothing) {
  const auto [first, number] = random_cases(10'000);
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const ScriptCase scripted = random_case(seed);
    HistoryRecorder recorder;
    const RunReport observed = run_without_simgrid(input_of(scripted, &recorder));
    const RunReport unobserved = run_without_simgrid(input_of(scripted, nullptr));
    ASSERT_EQ(observed.fingerprint, unobserved.fingerprint) << scripted.description;
    ASSERT_EQ(observed.queued_hops, unobserved.queued_hops) << scripted.description;
    ASSERT_EQ(observed.events, unobserved.events) << scripted.description;
  }
}

/// Whether a process ends without waiting for a collective that it started.
bool leaves_collectives(const ScriptCase& scripted) {
  return std::ranges::any_of(scripted.scripts, [](const std::vector<Step>& script) {
    return std::ranges::count(script, Step::Kind::start, &Step::kind) >
           std::ranges::count(script, Step::Kind::finish, &Step::kind);
  });
}

/// Compares runs of `make`'s cases with their contention-free runs; how many of the latter act by
/// the time.
template <class Make>
std::uint64_t compare_without_contention(Make make) {
  const auto [first, number] = random_cases(10'000);
  std::uint64_t compared = 0, ended_later = 0, stopped = 0;
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const ScriptCase scripted = make(seed);
    SimulationInput input = input_of(scripted, nullptr);
    const RunReport run = run_without_simgrid(input);
    if (run.outcome != Outcome::completed) {
      continue;
    }
    input.transport = Transport::contention_free;
    const RunReport least = run_without_simgrid(input);
    stopped += least.heeds_time ? 1 : 0;
    EXPECT_TRUE(least.heeds_time || least.outcome == Outcome::completed ||
                leaves_collectives(scripted))
        << scripted.description;
    EXPECT_LE(least.makespan, run.makespan) << scripted.description;
    for (std::size_t process = 0; process < run.process_ends.size(); ++process) {
      EXPECT_LE(least.process_ends[process], run.process_ends[process])
          << scripted.description << ", process " << process;
      ended_later += least.process_ends[process] > Ticks{0} ? 1 : 0;
      ++compared;
    }
    if (::testing::Test::HasFailure()) {
      break;
    }
  }
  fmt::print("{} processes, {} of which have a bound; {} runs act by the time\n", compared,
             ended_later, stopped);
  EXPECT_GT(ended_later, compared / 2);
  return stopped;
}

TEST(RandomCasesTransport, NoProcessEndsEarlierThanWithoutContention) {
  const std::uint64_t stopped =
      compare_without_contention([](std::uint64_t seed) { return random_case(seed); });
  EXPECT_GT(stopped, random_cases(10'000).count / 20);
}

TEST(RandomCasesTransport, NoProcessEndsEarlierThanWithoutContentionWhereCollectivesOverlap) {
  compare_without_contention(random_overlap);
}

class QueuedHopRecorder final : public Observer {
 public:
  HopReports hop_reports() const override { return HopReports::queued; }
  void on_hop(const Hop& hop) override { history_.hops.push_back(hop); }
  History finish() {
    history_.sort();
    return std::move(history_);
  }

 private:
  History history_;
};

TEST(RandomCasesDifferential, ReportsOfQueuedHopsAloneAreThoseOfHopsThatQueued) {
  const auto [first, number] = random_cases(10'000);
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const ScriptCase scripted = random_case(seed);
    if (!scripted.machine.links.faults.empty()) {
      continue;  // a hop that begins late is told then, and may fail afterwards
    }
    QueuedHopRecorder recorder;
    run_without_simgrid(input_of(scripted, &recorder));
    HistoryRecorder all;  // agrees with the plain simulator
    History queued = all.finish(run_without_simgrid(input_of(scripted, &all)));
    std::erase_if(queued.hops, [](const Hop& hop) { return hop.arrival == hop.start; });
    ASSERT_EQ(first_different_hop(recorder.finish().hops, queued.hops), "") << scripted.description;
  }
}

class OnSimGrid : public ::testing::TestWithParam<Execution> {};

TEST_P(OnSimGrid, BothExecutorsAgreeWithThePlainSimulatorEventForEvent) {
  const auto [first, number] = random_cases(2000);
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const ScriptCase scripted = random_case(seed);
    HistoryRecorder recorder;
    SimulationInput input = input_of(scripted, &recorder, recorder.observations());
    input.execution = GetParam();
    const RunReport report = simulate(input);
    ASSERT_EQ(difference(recorder.finish(report), simulate_plainly(scripted)), "")
        << scripted.description;
  }
}

INSTANTIATE_TEST_SUITE_P(RandomCasesOnExecutors, OnSimGrid,
                         ::testing::Values(Execution::actors, Execution::coroutines),
                         [](const auto& test) {
                           return test.param == Execution::actors ? "actors" : "coroutines";
                         });

}  // namespace
}  // namespace dcube::testing
