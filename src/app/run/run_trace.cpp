#include "run_trace.hpp"

#include <fmt/format.h>

#include "app/options/options.hpp"
#include "core/counted.hpp"
#include "core/refuse.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube::app {
namespace {

TraceDescription describe(const Scenario& scenario, const RunResult& result, ListOutput lists) {
  const Machine& machine = *scenario.machine;
  const auto shape = machine.topology->shape();
  TraceDescription description;
  description.machine = machine.name;
  description.topology = machine.topology->kind();
  description.shape = {shape.begin(), shape.end()};
  description.nodes = machine.topology->node_count();
  description.slots = machine.node.slots;
  description.duplex = machine.links.duplex;
  description.contention = machine.links.contention;
  description.packet_bytes = machine.links.packet_bytes;
  description.has_host = scenario.program->uses_host();
  description.embedding = scenario.embedding->kind();
  description.program = scenario.program->kind();
  description.processes = run_size(scenario).processes;
  description.stages = scenario.program->stage_count();
  description.stage_names = scenario.program->stage_names();
  description.outcome = to_string(result.report.outcome);
  description.makespan = result.report.makespan;
  if (lists == ListOutput::always || description.processes <= most_listed) {
    description.map = run_map(scenario);
  }
  return description;
}

}  // namespace

void add_trace_filter_options(Parser& parser, TraceFilter& filter) {
  parser.option("--trace-process", filter.processes, parse_process_ranges, "N[-N][,..]",
                "only these processes, and the messages they send or receive; or none");
  parser.option("--trace-link", filter.links, parse_links, "LINK[,..]",
                "only hops over these links: one direction (\"2->3\"), both (2-3), or none");
  add_window_option(
      parser,
      [&filter](Ticks begin, Ticks end) {
        filter.begin = begin;
        filter.end = end;
      },
      "trace what overlaps this window alone; either side may be left out (1s:2.5s, 1s:)");
}

std::unique_ptr<TraceRecorder> trace_recorder(const TraceFilter& filter,
                                              const std::vector<TraceTarget>& targets,
                                              const Scenario& scenario) {
  if (targets.empty()) {
    refuse_if(filter != TraceFilter{}, "--write", "nothing is traced; add --write csv:FILE");
    return nullptr;
  }
  check_processes(filter, run_size(scenario).processes);
  check_links(filter, *scenario.run_machine->topology);
  return std::make_unique<TraceRecorder>(*scenario.run_machine, filter, targets);
}

void write_trace(TraceRecorder& recorder, const Scenario& scenario, const RunResult& result,
                 ListOutput lists, ProgressOutput output) {
  TickingProgress progress{output, fmt::format("writing the trace of {}", scenario.name)};
  recorder.write(describe(scenario, result, lists), trace_progress(progress));
}

TraceProgress trace_progress(TickingProgress& progress) {
  return [&progress](std::uint64_t written, std::uint64_t total) {
    progress.show(fmt::format("{} of {}", grouped(written), counted(total, "record")));
  };
}

}  // namespace dcube::app
