#include "ledger.hpp"

#include <algorithm>
#include <utility>

#include "dcube/core/errors.hpp"
#include "time_sum.hpp"

namespace dcube::detail {

namespace {

/// Whether messages of all sizes are free to send, or to receive.
bool is_free(const SimulationInput& input, TransferCost EndpointModel::*usual,
             TransferCost EndpointStep::*of_larger) {
  const EndpointModel& endpoint = input.machine.endpoint;
  return input.program_pays_endpoints ||
         (endpoint.*usual == TransferCost{} &&
          std::ranges::all_of(endpoint.larger, [&](const EndpointStep& step) {
            return step.*of_larger == TransferCost{};
          }));
}

}  // namespace

Ledger::Ledger(const SimulationInput& input)
    : observer_{input.observer},
      send_cost_{input.machine.endpoint, &EndpointModel::send_time,
                 is_free(input, &EndpointModel::send, &EndpointStep::send)},
      receive_cost_{input.machine.endpoint, &EndpointModel::receive_time,
                    is_free(input, &EndpointModel::receive, &EndpointStep::receive)},
      stage_of_(input.map.size(), no_stage),
      waiting_(input.map.size()),
      endpoint_(send_cost_.is_free && receive_cost_.is_free ? 0 : input.map.size()),
      stage_count_{input.stage_count},
      stages_(input.stage_count) {
  if (input.counts_stages) {
    tally_.emplace(input.stage_count, input.map.size());
  }
  is_attended_ = observer_ != nullptr || tally_;
}

void Ledger::begin_cores_of_ports(ProcessState& state, ProcessId process, std::size_t ports) {
  cores_of_ports_.resize(stage_of_.size());
  cores_of_ports_[process.index()] = CoresOfPorts{.ports = static_cast<Ticks::rep>(ports),
                                                  .begin = state.clock,
                                                  .latest = state.clock,
                                                  .compute = state.compute,
                                                  .endpoint = endpoint_of(process)};
}

void Ledger::end_cores_of_ports(ProcessState& state, ProcessId process) {
  if (!has_cores_of_ports(process)) {
    return;
  }
  auto [ports, begin, latest, compute, endpoint, acts] =
      *std::exchange(cores_of_ports_[process.index()], std::nullopt);
  acts.push_back(std::max(latest, std::exchange(state.clock, begin)));
  const Ticks computed = std::exchange(state.compute, compute) - compute;
  const Ticks computes_until = begin + computed / ports;
  endpoint_of(process) = endpoint;
  acts.push_back(computes_until);
  std::ranges::sort(acts);
  for (const Ticks act : acts) {
    spend(state, process, act <= computes_until, act);
  }
}

void Ledger::count_wait(ProcessId process, Ticks duration) {
  if (has_cores_of_ports(process)) {
    return;
  }
  waiting_[process.index()] += duration;
  add_up(process, Activity::waiting, duration);
  longest_wait_ = std::max(longest_wait_, duration);
  ++waits_;
  if (const std::uint32_t current = stage(process); current != no_stage) {
    stages_[current].waiting += duration.count();
  }
}

void Ledger::refuse_count(const ProcessState& sender) {
  if (sender.send_count == most_sends) {
    throw InputError("", "a process sends more than 2^32-1 messages; use fewer or larger ones");
  }
  throw InputError("",
                   "the messages of the run carry more than 2^64-1 bytes; use smaller messages");
}

void Ledger::finish(const ProcessState& state, ProcessId process) {
  fingerprint_.add_end(process, state.clock);
  if (tally_) {
    tally_->leave(process, stage(process), state.clock);
  }
  if (const std::uint32_t last = stage(process); last != no_stage) {
    leave_stage(state, process, last);
  }
}

void Ledger::report(RunReport& report, std::span<const ProcessState> processes) const {
  report.bytes = bytes_sent_;
  report.fingerprint = fingerprint_.value();
  for (const StageState& stage : stages_) {
    report.stages.push_back({stage.finish_max, to_seconds(stage.waiting)});
  }
  if (tally_) {
    report.stage_costs = tally_->costs();
  }
  report.process_ends.reserve(processes.size());
  for (const ProcessState& process : processes) {
    report.messages += process.send_count;
    report.process_ends.push_back(process.clock);
    report.makespan = std::max(report.makespan, process.clock);
  }
  TimeSum compute, communication, waiting, endpoint, idle;
  for (std::size_t rank = 0; rank < processes.size(); ++rank) {
    const ProcessState& process = processes[rank];
    const Ticks at_endpoint = endpoint_.empty() ? Ticks{0} : endpoint_[rank];
    compute.add(process.compute);
    communication.add(process.clock - process.compute - waiting_[rank] - at_endpoint);
    waiting.add(waiting_[rank]);
    endpoint.add(at_endpoint);
    idle.add(report.makespan - process.clock);
    report.waiting_processes += waiting_[rank] > Ticks{0} ? 1 : 0;
  }
  report.waiting_intervals = waits_;
  report.longest_wait = longest_wait_;
  report.compute = compute.summary(processes.size());
  report.communication = communication.summary(processes.size());
  report.waiting = waiting.summary(processes.size());
  report.endpoint = endpoint.summary(processes.size());
  report.idle = idle.summary(processes.size());
}

}  // namespace dcube::detail
