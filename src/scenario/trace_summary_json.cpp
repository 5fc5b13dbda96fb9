#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/trace/trace_file.hpp"

namespace dcube {
namespace {

using nlohmann::ordered_json;

ordered_json run_json(const TraceDescription& run) {
  ordered_json json{{"machine", run.machine},     {"topology", run.topology},
                    {"shape", run.shape},         {"nodes", run.nodes},
                    {"embedding", run.embedding}, {"program", run.program},
                    {"processes", run.processes}, {"outcome", run.outcome}};
  json["makespan_s"] = run.makespan;
  if (run.filter.processes) {
    json["only_processes"] = format_process_ranges(*run.filter.processes);
  }
  if (run.filter.links) {
    json["only_links"] = format_links(*run.filter.links);
  }
  return json;
}

ordered_json message_json(const std::optional<MessageName>& message) {
  if (!message) {
    return nullptr;
  }
  return {{"source", message->source}, {"send_number", message->send_number}};
}

ordered_json wait_json(const TraceSummary::Wait& wait) {
  return {{"process", wait.process},
          {"peer", wait.peer},
          {"message", message_json(wait.message)},
          {"stage", wait.stage == no_stage ? ordered_json(nullptr) : ordered_json(wait.stage)},
          {"begin_s", wait.begin},
          {"end_s", wait.end}};
}

ordered_json link_json(const TraceSummary::LinkUse& link) {
  ordered_json json{{"link", link.name},         {"messages", link.messages},
                    {"busy_s", link.busy},       {"queued", link.queued},
                    {"queued_s", link.queued_s}, {"longest_queue_s", link.longest_queue}};
  if (link.links > 1) {
    json["links"] = link.links;
  }
  return json;
}

ordered_json times_json(const TraceSummary& summary) {
  ordered_json json = ordered_json::object();
  for (std::size_t i = 0; i < activity_count; ++i) {
    const TraceSummary::ActivityTime& time = summary.time.at(i);
    json[activity_names.at(i)] = {
        {"intervals", time.intervals}, {"total_s", time.total_s}, {"longest_s", time.longest}};
  }
  return json;
}

ordered_json process_json(std::uint32_t rank, const TraceSummary::ProcessTime& process) {
  ordered_json json{{"process", rank}};
  for (std::size_t i = 0; i < activity_count; ++i) {
    json[fmt::format("{}_s", activity_names.at(i))] = process.by_activity.at(i);
  }
  json["sent"] = process.sent;
  json["received"] = process.received;
  return json;
}

ordered_json process_times_json(const TraceSummary& summary) {
  return mapped(kept(numbered(summary.processes.size()),
                     [&](std::uint32_t rank) { return summary.run.filter.shows(ProcessId{rank}); }),
                [&](std::uint32_t rank) { return process_json(rank, summary.processes[rank]); });
}

}  // namespace

std::string trace_summary_json(const TraceSummary& summary, ListOutput lists) {
  ordered_json json = run_json(summary.run);
  json["window"] = {{"begin_s", summary.begin}, {"end_s", summary.end}};
  json["time"] = times_json(summary);
  json["messages"] = {{"count", summary.run.messages},
                      {"bytes", summary.bytes},
                      {"longest_s", summary.longest_flight}};
  json["hops"] = {
      {"count", summary.run.hops}, {"queued", summary.queued_hops}, {"queued_s", summary.queued_s}};
  json["longest_waits"] = mapped(summary.longest_waits, wait_json);
  if (lists == ListOutput::always || summary.links.size() <= most_listed) {
    json["links"] = mapped(summary.links, link_json);
  }
  if (lists == ListOutput::always || summary.processes.size() <= most_listed) {
    json["process_times"] = process_times_json(summary);
  }
  return json_layout(json);
}

}  // namespace dcube
