#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/kernel_runner.hpp"
#include "support/reference_simulator.hpp"
#include "support/script.hpp"

namespace dcube::testing {
namespace {

constexpr std::uint64_t cases = 6000;
constexpr std::uint64_t cases_on_sim_grid = 120;

std::string text(const Hop& hop) {
  return fmt::format("message {}#{} link {}: reached {} start {} finish {}", hop.source.index(),
                     hop.send_number, hop.link.index(), hop.arrival.count(), hop.start.count(),
                     hop.finish.count());
}

std::string text(const Delivery& delivery) {
  return fmt::format("message {}#{} to {}: start {} arrival {} over {} hops",
                     delivery.source.index(), delivery.send_number, delivery.destination.index(),
                     delivery.start.count(), delivery.arrival.count(), delivery.hops);
}

std::string text(const Interval& interval) {
  const std::string message = interval.message
                                  ? fmt::format("message {} of {}", interval.message->send_number,
                                                interval.message->source.index())
                                  : "no message";
  return fmt::format("process {} does {} from {} to {} with {} for {}", interval.process.index(),
                     static_cast<int>(interval.activity), interval.begin.count(),
                     interval.end.count(), interval.peer.index(), message);
}

std::string text(const Observation& observed) {
  return fmt::format("process {} at step {} learns at {}: request {}, {} bytes of {}, tag {}",
                     observed.process.index(), observed.step, observed.time.count(),
                     observed.request, observed.bytes, observed.source.index(), observed.tag);
}

template <class Record>
std::string first_difference(const char* what, const std::vector<Record>& engine,
                             const std::vector<Record>& plain) {
  for (std::size_t i = 0; i < std::max(engine.size(), plain.size()); ++i) {
    const std::string a = i < engine.size() ? text(engine[i]) : "nothing";
    const std::string b = i < plain.size() ? text(plain[i]) : "nothing";
    if (a != b) {
      return fmt::format("{} {}: engine has [{}], plain simulator [{}]", what, i, a, b);
    }
  }
  return {};
}

/// Empty when the two agree event for event.
std::string difference(const History& engine, const History& plain) {
  std::string text = first_difference("hop", engine.hops, plain.hops);
  text += first_difference("delivery", engine.deliveries, plain.deliveries);
  text += first_difference("interval", engine.intervals, plain.intervals);
  text += first_difference("observation", engine.observations, plain.observations);
  if (engine.ends != plain.ends) {
    text += "processes end at different times";
  }
  if (engine.blocked != plain.blocked) {
    text += "different processes are blocked";
  }
  return text;
}

TEST(Differential, KernelAndNetworkAgreeWithThePlainSimulatorEventForEvent) {
  std::uint64_t hops = 0, queued = 0, deadlocks = 0;
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const ScriptCase scripted = random_case(seed);
    HistoryRecorder recorder;
    const RunReport report =
        run_without_simgrid(input_of(scripted, &recorder, recorder.observations()));
    const std::string found = difference(recorder.finish(report), simulate_plainly(scripted));
    ASSERT_EQ(found, "") << scripted.description;
    hops += report.hops;
    queued += report.queued_hops;
    deadlocks += report.blocked.empty() ? 0 : 1;
  }
  fmt::print("{} random cases agree: {} hops, {} of them queued, {} deadlocks\n", cases, hops,
             queued, deadlocks);
  EXPECT_GT(queued, cases);
  EXPECT_GT(deadlocks, cases / 100);
}

TEST(Differential, ObservingChangesNothing) {
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const ScriptCase scripted = random_case(seed);
    HistoryRecorder recorder;
    const RunReport observed = run_without_simgrid(input_of(scripted, &recorder));
    const RunReport unobserved = run_without_simgrid(input_of(scripted, nullptr));
    ASSERT_EQ(observed.fingerprint, unobserved.fingerprint) << scripted.description;
    ASSERT_EQ(observed.queued_hops, unobserved.queued_hops) << scripted.description;
    ASSERT_EQ(observed.events, unobserved.events) << scripted.description;
  }
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

TEST(Differential, ReportsOfQueuedHopsAloneAreThoseOfHopsThatQueued) {
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const ScriptCase scripted = random_case(seed);
    QueuedHopRecorder recorder;
    run_without_simgrid(input_of(scripted, &recorder));
    History plain = simulate_plainly(scripted);
    std::erase_if(plain.hops, [](const Hop& hop) { return hop.arrival == hop.start; });
    ASSERT_EQ(first_difference("hop", recorder.finish().hops, plain.hops), "")
        << scripted.description;
  }
}

class OnSimGrid : public ::testing::TestWithParam<Execution> {};

TEST_P(OnSimGrid, BothExecutorsAgreeWithThePlainSimulatorEventForEvent) {
  for (std::uint64_t seed = 0; seed < cases_on_sim_grid; ++seed) {
    const ScriptCase scripted = random_case(seed);
    HistoryRecorder recorder;
    SimulationInput input = input_of(scripted, &recorder, recorder.observations());
    input.execution = GetParam();
    ASSERT_TRUE(check_in_child(input, [&](const RunReport& report) {
      const std::string found = difference(recorder.finish(report), simulate_plainly(scripted));
      fmt::print(stderr, "{}", found);
      return found.empty();
    })) << scripted.description;
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, OnSimGrid,
                         ::testing::Values(Execution::actors, Execution::coroutines),
                         [](const auto& test) {
                           return test.param == Execution::actors ? "actors" : "coroutines";
                         });

}  // namespace
}  // namespace dcube::testing
