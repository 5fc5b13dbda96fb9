#pragma once

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
