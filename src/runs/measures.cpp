#include "dcube/runs/measures.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "core/decimal.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/runs/record.hpp"
#include "dcube/scenario/link_sharing.hpp"

namespace dcube {
namespace {

using Value = std::optional<double>;

double count(std::uint64_t number) { return static_cast<double>(number); }

double makespan_s(const MeasuredRun& run) { return to_seconds(run.report.makespan); }

/// part / whole; nothing where `whole` is not above 0.
Value ratio(double part, double whole) { return whole > 0 ? Value{part / whole} : std::nullopt; }

Value speedup(const MeasuredRun& run) {
  return run.sequential_time && run.report.outcome == Outcome::completed
             ? ratio(to_seconds(*run.sequential_time), makespan_s(run))
             : std::nullopt;
}

using Run = const MeasuredRun&;

constexpr std::array<Measure, 36> measures{{
    {"makespan_s", "s", "simulated time until the last process has ended",
     [](Run run) -> Value { return makespan_s(run); }},
    {"speedup", "1", "time of one process / makespan, where the program knows the former",
     [](Run run) -> Value { return speedup(run); }},
    {"efficiency", "1", "speedup / processes",
     [](Run run) -> Value {
       const Value value = speedup(run);
       return value ? ratio(*value, run.processes) : std::nullopt;
     }},
    {"sequential_s", "s", "time of one process",
     [](Run run) -> Value {
       return run.sequential_time ? Value{to_seconds(*run.sequential_time)} : std::nullopt;
     }},
    {"compute_mean_s", "s", "computing, mean over processes",
     [](Run run) -> Value { return run.report.compute.mean_s; }},
    {"communication_mean_s", "s", "awaited messages on their way, mean over processes",
     [](Run run) -> Value { return run.report.communication.mean_s; }},
    {"waiting_mean_s", "s", "waiting for a partner, mean over processes",
     [](Run run) -> Value { return run.report.waiting.mean_s; }},
    {"waiting_max_s", "s", "waiting for a partner, of the process that waits longest",
     [](Run run) -> Value { return to_seconds(run.report.waiting.max); }},
    {"endpoint_mean_s", "s", "send/receive overhead, mean over processes",
     [](Run run) -> Value { return run.report.endpoint.mean_s; }},
    {"idle_mean_s", "s", "from a process's end to the makespan, mean over processes",
     [](Run run) -> Value { return run.report.idle.mean_s; }},
    {"compute_share", "1", "mean computing / makespan",
     [](Run run) -> Value { return ratio(run.report.compute.mean_s, makespan_s(run)); }},
    {"communication_share", "1", "mean communication / makespan",
     [](Run run) -> Value { return ratio(run.report.communication.mean_s, makespan_s(run)); }},
    {"waiting_share", "1", "mean waiting / makespan",
     [](Run run) -> Value { return ratio(run.report.waiting.mean_s, makespan_s(run)); }},
    {"waiting_share_max", "1", "longest waiting of a process / makespan",
     [](Run run) -> Value { return ratio(to_seconds(run.report.waiting.max), makespan_s(run)); }},
    {"waiting_processes", "", "processes that waited",
     [](Run run) -> Value { return count(run.report.waiting_processes); }},
    {"average_dilation", "1", "mean distance between neighbours of the program's graph, in hops",
     [](Run run) -> Value { return run.embedding.average_dilation; }},
    {"longest_dilation", "", "longest distance between neighbours, in hops",
     [](Run run) -> Value { return count(run.embedding.longest_dilation); }},
    {"max_link_load", "", "messages, or packets, over the link that most crossed",
     [](Run run) -> Value { return count(run.report.link_load.max); }},
    {"mean_link_load", "", "messages, or packets, over a link, mean over links",
     [](Run run) -> Value { return run.report.link_load.mean; }},
    {"max_link_utilisation", "1", "busy time / makespan, of the busiest link",
     [](Run run) -> Value { return run.report.utilisation_max; }},
    {"mean_link_utilisation", "1", "busy time / makespan, mean over links",
     [](Run run) -> Value { return run.report.utilisation_mean; }},
    {"link_busy_max_s", "s", "busy time of the link that was busy longest",
     [](Run run) -> Value {
       const std::vector<double>& busy = run.report.link_counters.busy;
       return busy.empty() ? 0 : std::ranges::max(busy) / 1e12;
     }},
    {"max_node_load", "", "messages, or packets, forwarded by the node that forwarded most",
     [](Run run) -> Value { return count(run.report.node_load.max); }},
    {"mean_node_load", "", "messages, or packets, forwarded by a node, mean over nodes",
     [](Run run) -> Value { return run.report.node_load.mean; }},
    {"queued_hops", "", "hops that began later than the message, or packet, reached the link",
     [](Run run) -> Value { return count(run.report.queued_hops); }},
    {"queued_s", "s", "sum of these delays", [](Run run) -> Value { return run.report.queued_s; }},
    {"messages", "", "messages of all processes",
     [](Run run) -> Value { return count(run.report.messages); }},
    {"message_bytes", "bytes", "bytes of all messages",
     [](Run run) -> Value { return count(run.report.bytes); }},
    {"hops", "", "links crossed by all messages, or packets",
     [](Run run) -> Value { return count(run.report.hops); }},
    {"hops_per_pair", "1", "hops / (processes * processes)",
     [](Run run) -> Value { return count(run.report.hops) / run.processes / run.processes; }},
    {"rate_kb_per_s", "kB/s", "bytes of all messages / makespan; a kB is 1000 bytes",
     [](Run run) -> Value { return ratio(count(run.report.bytes) / 1000, makespan_s(run)); }},
    {"waiting_intervals", "", "times that processes waited",
     [](Run run) -> Value { return count(run.report.waiting_intervals); }},
    {"longest_wait_s", "s", "longest of these times",
     [](Run run) -> Value { return to_seconds(run.report.longest_wait); }},
    {"processes", "", "processes of the program", [](Run run) -> Value { return run.processes; }},
    {"nodes", "", "nodes of the machine",
     [](Run run) -> Value { return run.scenario.machine->topology->terminal_count(); }},
    {"events", "", "hops completed and wake-ups of processes",
     [](Run run) -> Value { return count(run.report.events); }},
}};

}  // namespace

MeasuredRun measured_run(const Scenario& scenario, const RunReport& report) {
  const Guest guest = scenario.program->guest();
  return {
      .scenario = scenario,
      .report = report,
      .embedding = measure_embedding(*scenario.machine->topology, guest, scenario.embedding->map(),
                                     link_sharing(*scenario.machine)),
      .processes = guest.process_count(),
      .sequential_time = sequential_time_of(*scenario.program)};
}

std::span<const Measure> measure_catalog() { return measures; }

std::optional<double> RunRecord::value(std::string_view measure) const {
  const auto place = static_cast<std::size_t>(&measure_named(measure) - measures.data());
  return place < values.size() ? values[place] : std::nullopt;
}

const Measure* find_measure(std::string_view name) {
  const auto* const found = std::ranges::find(measures, name, &Measure::name);
  return found == measures.end() ? nullptr : found;
}

const Measure& measure_named(std::string_view name) {
  const Measure* const found = find_measure(name);
  if (found == nullptr) {
    const std::vector<std::string> names =
        mapped(measures, [](const Measure& measure) { return std::string{measure.name}; });
    throw InputError("", shown(name) + " is no measure" + nearest_name_hint(name, names));
  }
  return *found;
}

}  // namespace dcube
