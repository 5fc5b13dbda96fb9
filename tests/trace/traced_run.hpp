#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "dcube/core/catalog.hpp"
#include "dcube/trace/trace.hpp"
#include "dcube/trace/trace_file.hpp"
#include "support/kernel_runner.hpp"
#include "support/script.hpp"

namespace dcube::testing {

inline TraceTarget target(const std::string& format, const std::filesystem::path& file) {
  return {find_kind(trace_catalog(), format), file};
}

inline TraceDescription describe(const SimulationInput& input, const RunReport& report) {
  const Topology& topology = *input.machine.topology;
  TraceDescription run;
  run.machine = input.machine.name;
  run.topology = topology.kind();
  run.shape = {topology.shape().begin(), topology.shape().end()};
  run.nodes = topology.node_count();
  run.slots = input.machine.node.slots;
  run.duplex = input.machine.links.duplex;
  run.contention = input.machine.links.contention;
  run.embedding = "explicit";
  run.program = "script";
  run.processes = static_cast<std::uint32_t>(input.map.size());
  run.stages = input.stage_count;
  run.outcome = to_string(report.outcome);
  run.makespan = report.makespan;
  run.map = {input.map.begin(), input.map.end()};
  return run;
}

/// Runs on the kernel alone and writes the traces.
inline RunReport trace_run(SimulationInput input, const TraceFilter& filter,
                           const std::vector<TraceTarget>& targets) {
  TraceRecorder recorder{input.machine, filter, targets};
  input.observer = &recorder;
  RunReport report = run_without_simgrid(input);
  recorder.write(describe(input, report));
  return report;
}

}  // namespace dcube::testing
