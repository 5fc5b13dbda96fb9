#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/history_difference.hpp"
#include "support/kernel_runner.hpp"
#include "support/reference_simulator.hpp"
#include "support/script.hpp"

namespace dcube::testing {
namespace {

constexpr std::uint64_t cases = 10'000;
constexpr std::uint64_t cases_on_sim_grid = 2'000;

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
    if (!scripted.machine.links.faults.empty()) {
      continue;  // a hop that begins late is told then, and may fail afterwards
    }
    QueuedHopRecorder recorder;
    run_without_simgrid(input_of(scripted, &recorder));
    History plain = simulate_plainly(scripted);
    std::erase_if(plain.hops, [](const Hop& hop) { return hop.arrival == hop.start; });
    ASSERT_EQ(first_different_hop(recorder.finish().hops, plain.hops), "") << scripted.description;
  }
}

class OnSimGrid : public ::testing::TestWithParam<Execution> {};

TEST_P(OnSimGrid, BothExecutorsAgreeWithThePlainSimulatorEventForEvent) {
  for (std::uint64_t seed = 0; seed < cases_on_sim_grid; ++seed) {
    const ScriptCase scripted = random_case(seed);
    HistoryRecorder recorder;
    SimulationInput input = input_of(scripted, &recorder, recorder.observations());
    input.execution = GetParam();
    const RunReport report = simulate(input);
    ASSERT_EQ(difference(recorder.finish(report), simulate_plainly(scripted)), "")
        << scripted.description;
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, OnSimGrid,
                         ::testing::Values(Execution::actors, Execution::coroutines),
                         [](const auto& test) {
                           return test.param == Execution::actors ? "actors" : "coroutines";
                         });

}  // namespace
}  // namespace dcube::testing
