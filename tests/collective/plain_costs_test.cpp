// Collectives that are waited for, with all that a machine says they cost, against the plain
// simulator.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "dcube/collective/calls.hpp"
#include "dcube/collective/collective.hpp"
#include "dcube/collective/plan.hpp"
#include "support/draw.hpp"
#include "support/history_difference.hpp"
#include "support/kernel_runner.hpp"
#include "support/random_cases.hpp"
#include "support/reference_simulator.hpp"
#include "support/script.hpp"

namespace dcube::testing {
namespace {

/// Whole picoseconds, so that nothing is rounded.
struct Costs {
  std::uint32_t call, per_port, combine, combined_byte, copied_byte, plan, piece, exchange;
};

Costs random_costs(Draw& draw) {
  const auto cost = [&draw] { return draw.one_in(3) ? 0 : draw.below(20); };
  return {.call = cost(),
          .per_port = cost(),
          .combine = cost(),
          .combined_byte = cost(),
          .copied_byte = cost(),
          .plan = cost(),
          .piece = cost(),
          .exchange = cost()};
}

void set_costs(const Costs& costs, const Costs& at_several_ports, Draw& draw,
               EndpointModel& endpoint) {
  const auto exact = [](std::uint32_t picoseconds) { return ExactTime{Ticks{picoseconds}}; };
  endpoint.call = exact(costs.call);
  endpoint.call_per_port = exact(costs.per_port);
  endpoint.combine = exact(costs.combine);
  endpoint.combine_per_byte = exact(costs.combined_byte);
  endpoint.copy_per_byte = exact(costs.copied_byte);
  endpoint.plan = exact(costs.plan);
  endpoint.piece = exact(costs.piece);
  endpoint.exchange = exact(costs.exchange);
  endpoint.several_ports = {.combine = exact(at_several_ports.combine),
                            .combine_per_byte = exact(at_several_ports.combined_byte),
                            .copy_per_byte = exact(at_several_ports.copied_byte),
                            .plan = exact(at_several_ports.plan),
                            .in_step = draw.one_in(2),
                            .threads = draw.one_in(2)};
}

/// What a member does: for the plain simulator it starts the collective in the background, and
/// waits for it at once.
std::vector<Step> script_of(const Costs& costs, const Costs& at_several_ports,
                            const SeveralPorts& of_several, const CollectiveCall& call,
                            std::uint32_t rank, std::uint32_t size) {
  CollectivePlan plan = plan_of(call, rank, size);
  const Costs& of_ports = plan.ports.size() > 1 ? at_several_ports : costs;
  std::vector<Step> script;
  const auto compute = [&script](Ticks time) {
    if (time > Ticks{0}) {
      script.push_back({.kind = Step::Kind::compute, .duration = time, .peer = {}});
    }
  };
  const auto preparing = [&](const CollectiveStep& step) {
    const std::uint64_t pieces = call.options.sends_pieces ? step.sent.size() : 1;
    return Ticks{(step.continues ? 0 : call.options.plans * of_ports.plan) +
                 (pieces > 0 ? pieces - 1 : 0) * costs.piece};
  };
  const auto copying = [&](const CollectivePlan::Copied& copied) {
    return Ticks{of_ports.copied_byte * copied.by_ports + costs.copied_byte * copied.by_one_core};
  };
  const auto rounds = static_cast<std::uint32_t>(std::bit_width(size - 1)) * call.options.exchanges;
  compute(Ticks{costs.call + plan.ports.size() * costs.per_port + rounds * costs.exchange} +
          copying(plan.copied_first));
  auto collective = std::make_shared<ScriptCollective>();
  collective->members.resize(size);
  std::iota(collective->members.begin(), collective->members.end(), 0U);
  collective->call = call;
  collective->ports = expanded(collective->members, call, rank);
  for (std::size_t port = 0; port < plan.ports.size(); ++port) {
    for (ScriptCollective::PortStep& step : collective->ports[port].steps) {
      step.preparing = preparing(*plan.ports[port].next());
    }
  }
  collective->combining = {ExactTime{Ticks{of_ports.combine}},
                           ExactTime{Ticks{of_ports.combined_byte}}};
  const bool has_several = plan.ports.size() > 1;
  collective->is_in_step = has_several && of_several.in_step;
  collective->has_cores = has_several && of_several.threads;
  const std::size_t start = script.size();
  script.push_back({.kind = Step::Kind::start, .peer = {}, .collective = std::move(collective)});
  script.push_back({.kind = Step::Kind::finish, .peer = {}, .requests = {start}});
  compute(copying(plan.copied_last));
  return script;
}

/// Cores of ports end an interval where one of them ends an action.
void join_intervals(History& history) {
  std::vector<Interval> joined;
  for (const Interval& next : history.intervals) {
    if (!joined.empty()) {
      Interval& last = joined.back();
      const bool is_alone = !last.message && !next.message && next.activity != Activity::waiting;
      if (is_alone && last.process == next.process && last.activity == next.activity &&
          last.end == next.begin) {
        last.end = next.end;
        continue;
      }
    }
    joined.push_back(next);
  }
  history.intervals = std::move(joined);
}

TEST(CollectiveCosts, AgreeWithThePlainSimulatorEventForEvent) {
  const auto [first, number] = random_cases(300);
  std::uint64_t messages = 0, several = 0;
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    ScriptCase scripted = random_case(seed);
    Draw draw{seed + 2};
    const Costs costs = random_costs(draw);
    const auto size = static_cast<std::uint32_t>(scripted.scripts.size());
    const CollectiveCall call = random_costly_call(draw, size);
    several += plan_of(call, 0, size).ports.size() > 1 ? 1 : 0;
    const Costs at_several_ports = random_costs(draw);
    EndpointModel& endpoint = scripted.machine.endpoint;
    set_costs(costs, at_several_ports, draw, endpoint);
    for (std::uint32_t rank = 0; rank < size; ++rank) {
      scripted.scripts[rank] =
          script_of(costs, at_several_ports, endpoint.several_ports, call, rank, size);
    }
    HistoryRecorder recorder;
    SimulationInput input = input_of(scripted, &recorder);
    input.body = [&call](Process& process) -> Task<> {
      co_await run_collective(process.world(), call);
    };
    const RunReport report = run_without_simgrid(input);
    History engine = recorder.finish(report);
    History plain = simulate_plainly(scripted);
    plain.observations.clear();
    join_intervals(engine);
    join_intervals(plain);
    ASSERT_EQ(difference(engine, plain), "")
        << scripted.description << ", " << call.options.algorithm
        << (endpoint.several_ports.in_step ? ", in step" : "")
        << (endpoint.several_ports.threads ? ", cores of ports" : "");
    messages += report.messages;
    input.observer = nullptr;
    input.transport = Transport::contention_free;
    const RunReport least = run_without_simgrid(input);
    for (std::size_t rank = 0; rank < size && report.outcome == Outcome::completed; ++rank) {
      ASSERT_LE(least.process_ends[rank], report.process_ends[rank])
          << scripted.description << ", " << call.options.algorithm
          << (endpoint.several_ports.in_step ? ", in step" : "");
    }
  }
  fmt::print("{} random collectives agree, {} at several ports: {} messages\n", number, several,
             messages);
  EXPECT_GT(several, number / 10);
}

}  // namespace
}  // namespace dcube::testing
