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
#include "support/plain/simulator.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {

/// Leaves one chain of hops for each message, from its start to its arrival: those of the packet
/// whose head came last. The last hop lasts until the message has arrived. Without contention,
/// where nothing queues, a packet's hop begins when the one before it ends.
inline void keep_decisive_hops(History& history, const LinkModel& links) {
  using Name = std::pair<ProcessId, std::uint32_t>;
  const auto name_of = [](const auto& of) { return Name{of.source, of.send_number}; };
  std::map<Name, Delivery> deliveries;
  for (const Delivery& delivery : history.deliveries) {
    deliveries.emplace(name_of(delivery), delivery);
  }
  std::map<Name, std::pair<Ticks, std::uint32_t>> last;  // finish, packet
  for (const Hop& hop : history.hops) {
    auto& found = last[name_of(hop)];
    found = std::max(found, {hop.finish, hop.packet});
  }
  std::erase_if(history.hops, [&](const Hop& hop) {
    return !deliveries.contains(name_of(hop)) || last.at(name_of(hop)).second != hop.packet;
  });
  std::map<Name, Hop*> before;
  for (Hop& hop : history.hops) {
    Hop*& previous = before[name_of(hop)];
    const Ticks reached =
        previous == nullptr ? deliveries.at(name_of(hop)).start : previous->finish;
    if (links.contention == Contention::off) {
      hop.arrival = hop.start = reached;
    }
    previous = &hop;
  }
  for (const auto& [name, hop] : before) {
    hop->finish = deliveries.at(name).arrival;
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
