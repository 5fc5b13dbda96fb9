#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "dcube/trace/critical_path.hpp"
#include "dcube/trace/waiting_causes.hpp"
#include "support/kernel_runner.hpp"
#include "support/reference_simulator.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {

/// Leaves one chain of hops for each message, from its start to its arrival: those of the packet
/// whose head came last. The last hop lasts until the message has arrived. Without contention,
/// where nothing queues, a packet's hop begins when the one before it ends.
inline void keep_decisive_hops(History& history, const LinkModel& links) {
  using Name = std::pair<ProcessId, std::uint32_t>;
  std::map<Name, std::pair<Ticks, std::uint32_t>> last;  // finish, packet
  for (const Hop& hop : history.hops) {
    auto& found = last[{hop.source, hop.send_number}];
    found = std::max(found, {hop.finish, hop.packet});
  }
  std::erase_if(history.hops, [&](const Hop& hop) {
    return last.at({hop.source, hop.send_number}).second != hop.packet;
  });
  std::map<Name, Ticks> ends;
  for (const Delivery& delivery : history.deliveries) {
    ends[{delivery.source, delivery.send_number}] = delivery.arrival;
  }
  std::erase_if(history.hops, [&](const Hop& hop) {  // cut off
    return !ends.contains({hop.source, hop.send_number});
  });
  std::map<Name, Hop*> before;
  for (Hop& hop : history.hops) {
    Hop*& previous = before[{hop.source, hop.send_number}];
    if (links.contention == Contention::off && previous != nullptr) {
      hop.arrival = hop.start = previous->finish;
    }
    previous = &hop;
  }
  for (const auto& [name, hop] : before) {
    hop->finish = ends.at(name);
  }
  if (links.contention == Contention::off) {
    for (const Delivery& delivery : history.deliveries) {
      const auto first = std::ranges::find_if(history.hops, [&](const Hop& hop) {
        return hop.source == delivery.source && hop.send_number == delivery.send_number;
      });
      if (first != history.hops.end()) {
        first->arrival = first->start = delivery.start;
      }
    }
  }
}

/// Random programs have no guest; any cube with their number of processes will do.
inline Guest some_guest(std::size_t processes) {
  std::uint32_t dimensions = 0;
  while ((std::size_t{1} << dimensions) < processes) {
    ++dimensions;
  }
  return Guest::cube(dimensions);
}

/// A run with its record, and everything that happened in it for whoever wants to check.
struct ExplainedCase {
  explicit ExplainedCase(const SimulationInput& input, std::optional<Guest> of = std::nullopt)
      : machine{input.machine},
        map{input.map.begin(), input.map.end()},
        guest{of ? *of : some_guest(map.size())},
        record{static_cast<std::uint32_t>(map.size()), machine.links} {
    HistoryRecorder recorder;
    ObserverList observers;
    observers.add(record);
    observers.add(recorder);
    SimulationInput observed = input;
    observed.observer = &observers;
    report = run_without_simgrid(observed);
    history = recorder.finish(report);
    keep_decisive_hops(history, machine.links);
  }
  explicit ExplainedCase(const SimulatedProgram& program)
      : ExplainedCase{program.input(), program.program->guest()} {}

  ExplainedRun run() const { return {record, report, machine, map, guest}; }
  CriticalPath path() const { return find_critical_path(run()); }
  WaitingCauses waiting() const { return explain_waiting(run()); }

  const Machine& machine;
  std::vector<NodeId> map;
  Guest guest;
  CausalRecord record;
  RunReport report;
  History history;
};

}  // namespace dcube::testing
