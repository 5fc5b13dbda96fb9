#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "dcube/engine/simulation.hpp"
#include "support/history.hpp"
#include "support/plain/simulator.hpp"
#include "support/random_cases.hpp"
#include "support/random_costs.hpp"
#include "support/script.hpp"

// Random programs on SimGrid's network.

namespace dcube::testing {
namespace {

/// Latencies of a way are rounded together there, and hop by hop elsewhere.
void make_costs_whole(Machine& machine) {
  for_each_cost_of_messages(machine,
                            [](ExactTime& time) { time = ExactTime{Ticks{time.numerator()}}; });
}

/// Costs of a few ticks that bytes add nothing to.
void make_bytes_weightless(Machine& machine) {
  const auto weightless = [](TransferCost& cost) {
    cost = {cost.fixed + ExactTime{Ticks{1}}, ExactTime{1, 1'000'000'000}};
  };
  std::ranges::for_each(machine.links.per_dimension, weightless);
  for (auto& [link, cost] : machine.links.overrides) {
    weightless(cost);
  }
  machine.links.injection = {};
}

// Where bytes take next to no time, flows have nothing to wait for: SimGrid's network must agree
// with the plain simulator of a network in which nothing queues.
TEST(RandomCasesFluidRun, AgreesEventForEventWhereBytesTakeNoTime) {
  const auto [first, number] = random_cases(400);
  for (const Execution execution : {Execution::coroutines, Execution::actors}) {
    for (std::uint64_t seed = first; seed < first + number; ++seed) {
      ScriptCase scripted = random_case(seed, Extent::all_programs);
      make_costs_whole(scripted.machine);
      make_bytes_weightless(scripted.machine);
      scripted.machine.links.contention = Contention::off;
      History plain = simulate_plainly(scripted);
      plain.hops.clear();
      scripted.machine.links.contention = seed % 4 == 0 ? Contention::off : Contention::on;
      scripted.machine.fluid = FluidModel::cm02;
      HistoryRecorder recorder;
      SimulationInput input = input_of(scripted, &recorder, recorder.observations());
      input.execution = execution;
      const RunReport report = simulate(input);
      ASSERT_EQ(difference(recorder.finish(report), plain), "") << scripted.description;
    }
  }
}

class EarlyDeliveries final : public Observer {
 public:
  explicit EarlyDeliveries(const ScriptCase& scripted) : scripted_{scripted} {}
  void on_delivery(const Delivery& delivery) override {
    ++deliveries;
    if (delivery.hops == 0) {
      return;
    }
    ExactTime latency;
    std::int64_t slowest = 0;
    for_each_link(*scripted_.machine.topology, scripted_.map[delivery.source.index()],
                  scripted_.map[delivery.destination.index()], [&](LinkId link) {
                    const TransferCost cost = cost_on(link);
                    latency = latency + cost.fixed;
                    slowest = std::max(slowest, cost.per_byte.numerator());
                  });
    const std::int64_t alone =
        latency.numerator() + slowest * static_cast<std::int64_t>(delivery.bytes);
    // Every change of its share, of which there are few here, may round by half a tick.
    early += (delivery.arrival - delivery.start).count() < alone - 8 ? 1 : 0;
  }
  std::uint64_t deliveries = 0;
  std::uint64_t early = 0;

 private:
  TransferCost cost_on(LinkId link) const {
    const LinkModel& links = scripted_.machine.links;
    const auto found = links.overrides.find(link);
    return found != links.overrides.end()
               ? found->second
               : links.per_dimension[scripted_.machine.topology->link(link)->dimension];
  }

  const ScriptCase& scripted_;
};

TEST(RandomCasesFluidRun, NoMessageOfRandomProgramsIsFasterThanAlone) {
  const auto [first, number] = random_cases(1500);
  std::uint64_t deliveries = 0;
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    // How programs without receives from anyone end does not depend on when messages arrive.
    const Extent extent = seed % 2 == 0 ? Extent::plain : Extent::all;
    ScriptCase scripted = random_case(seed, extent);
    make_costs_whole(scripted.machine);
    const RunReport own = simulate(input_of(scripted, nullptr));
    scripted.machine.fluid = seed % 3 == 0 ? FluidModel::lv08 : FluidModel::cm02;
    EarlyDeliveries observer{scripted};
    const RunReport report = simulate(input_of(scripted, &observer));
    ASSERT_EQ(observer.early, 0U) << scripted.description;
    ASSERT_EQ(simulate(input_of(scripted, nullptr)).fingerprint, report.fingerprint)
        << scripted.description;
    if (extent == Extent::plain) {
      ASSERT_EQ(report.outcome, own.outcome) << scripted.description;
      ASSERT_EQ(report.messages, own.messages) << scripted.description;
    }
    deliveries += observer.deliveries;
  }
  EXPECT_GT(deliveries, 13 * number);
}

}  // namespace
}  // namespace dcube::testing
