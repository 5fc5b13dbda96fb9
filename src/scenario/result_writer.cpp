#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/file_names.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "dcube/network/routing_names.hpp"
#include "dcube/network/served_links.hpp"
#include "dcube/scenario/failures_over_time.hpp"
#include "dcube/scenario/phases.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/scenario/setting_words.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/topology/routing.hpp"
#include "dcube/workload/open_receive.hpp"
#include "dcube/workload/tag_mismatch.hpp"
#include "embed_result.hpp"

namespace dcube {
namespace {

using nlohmann::ordered_json;

/// Switching and other ways of messages, where they are not the usual.
void add_ways_of_messages(ordered_json& json, const LinkModel& links) {
  if (links.switching == Switching::cut_through) {
    json["switching"] = "cut_through";
  } else if (links.switching == Switching::pipelined) {
    json["pipelined"] = true;
  }
  if (links.packet_bytes) {
    json["packet"] = *links.packet_bytes;
  }
  if (links.service == Service::round_robin) {
    json["service"] = "round_robin";
  }
  if (links.routing.kind != Routing::fixed) {
    json["routing"] = own_ways_name(links.routing.kind);
  }
  if (is_drawn(links.routing.kind)) {
    json["routing_seed"] = links.routing.seed;
  }
  if (links.routing.kind == Routing::ugal) {
    json["routing_threshold"] = links.routing.threshold;
    if (links.routing.sight == Sight::way) {
      json["routing_sees"] = "way";
    }
  }
}

void add_later_failures(ordered_json& json, const Machine& machine) {
  ordered_json later = ordered_json::array();
  for (const FailuresAt& failures : failures_over_time(*machine.topology, machine.links.faults)) {
    if (failures.at > Ticks{0}) {
      later.push_back({{"at_s", failures.at},
                       {"nodes", first_of(failures.nodes, most_listed)},
                       {"links", ends_json(failures.links)}});
    }
  }
  if (!later.empty()) {
    json["fails_later"] = std::move(later);
  }
}

ordered_json machine_json(const Machine& machine) {
  ordered_json json{{"name", machine.name}};
  json.update(network_result(*machine.topology, machine.node.slots));
  if (!machine.fluid) {
    add_ways_of_messages(json, machine.links);
  }
  add_later_failures(json, machine);
  return json;
}

ordered_json sorted(const Params& settings) {
  ordered_json json = ordered_json::object();
  for (const std::string& key : settings.keys()) {
    json[key] = *settings.find(key);
  }
  return json;
}

/// The settings that are not shown elsewhere.
void add_settings(ordered_json& json, const Params& settings) {
  for (const std::string& key : settings.keys()) {
    if (key != "kind" && key != "map") {
      json[key] = *settings.find(key);
    }
  }
}

ordered_json embedding_json(const Scenario& scenario, ListOutput lists) {
  ordered_json json{{"kind", scenario.embedding->kind()}};
  add_settings(json, scenario.embedding_settings);
  add_map(json, *scenario.embedding, lists);
  return json;
}

ordered_json program_json(const Scenario& scenario) {
  ordered_json settings = ordered_json::object();
  add_settings(settings, scenario.program_settings);
  return {{"kind", scenario.program->kind()},
          {"processes", scenario.embedding->process_count()},
          {"guest", scenario.program->guest().name()},
          {"answer", sorted(scenario.program->answer())},
          {"settings", std::move(settings)}};
}

ordered_json summary_json(const TimeSummary& summary) {
  return {{"total", summary.total_s}, {"mean", summary.mean_s}, {"max", summary.max}};
}

ordered_json times_json(const RunReport& report) {
  ordered_json json = ordered_json::object();
  for (std::size_t i = 0; i < activity_count; ++i) {
    json[activity_names.at(i)] = summary_json(report.time_of(static_cast<Activity>(i)));
  }
  return json;
}

ordered_json messages_json(const RunReport& report) {
  return {{"count", report.messages},
          {"bytes", report.bytes},
          {"hops", report.hops},
          {"queued", report.queued_hops},
          {"queued_s", report.queued_s}};
}

ordered_json link_load_json(const Machine& machine, const RunReport& report) {
  ordered_json top = mapped(report.busiest_links, [&](const BusyLink& busy) {
    return ordered_json{{"link", link_name(machine, busy.link)}, {"messages", busy.load}};
  });
  ordered_json json = load_json(report.link_load, "mean");
  json["busiest"] = top.empty() ? ordered_json("") : top.front()["link"];
  json["utilisation"] = {{"max", report.utilisation_max}, {"mean", report.utilisation_mean}};
  json["top"] = std::move(top);
  return json;
}

/// Loads of links by their class and way.
ordered_json link_classes_json(const Scenario& scenario, const RunReport& report) {
  const Machine& run = *scenario.run_machine;
  std::vector<double> messages(run.topology->link_slots(), -1);
  std::vector<double> busy_s(run.topology->link_slots(), -1);
  for_each_served_link(run, [&](LinkId number, const Link&) {
    const std::uint32_t link = number.index();
    messages[link] = static_cast<double>(report.link_counters.crossings[link]);
    busy_s[link] = report.link_counters.busy[link] / 1e12;
  });
  const auto by_class = [&](const std::vector<double>& values) {
    return loads_by_class(*scenario.machine->topology, *run.topology, run.links.duplex, values);
  };
  return {{"messages", by_class(messages)}, {"busy_s", by_class(busy_s)}};
}

/// Loads of each directed link (half duplex: each link once, in the direction of the lower number),
/// a list a column.
ordered_json link_loads_json(const Machine& machine, const RunReport& report) {
  ordered_json columns{{"from", ordered_json::array()},
                       {"to", ordered_json::array()},
                       {"messages", ordered_json::array()},
                       {"busy_s", ordered_json::array()}};
  for_each_served_link(machine, [&](LinkId number, const Link& link) {
    columns["from"].push_back(link.from);
    columns["to"].push_back(link.to);
    columns["messages"].push_back(report.link_counters.crossings[number.index()]);
    columns["busy_s"].push_back(report.link_counters.busy[number.index()] / 1e12);
  });
  return columns;
}

bool names_many(const Scenario& scenario) {
  return scenario.embedding_settings.has("map") &&
         scenario.embedding->process_count() > most_listed;
}

/// The scenario as it stands in a file in `folder`.
ordered_json scenario_json(const Scenario& scenario, ListOutput lists,
                           const std::filesystem::path& folder) {
  ordered_json json{{"name", scenario.name},
                    {"source", name_in(folder, scenario.source)},
                    {"seed", scenario.seed}};
  if (lists == ListOutput::always || !names_many(scenario)) {
    json["document"] = scenario.document;
    for (const char* pointer : {"/machine/topology/edges", "/machine/routing/file"}) {
      const ordered_json::json_pointer at{pointer};
      if (ordered_json& document = json["document"];
          document.contains(at) && document[at].is_string()) {
        document[at] = name_in(folder, std::filesystem::proximate(document[at].get<std::string>()));
      }
    }
    for (const auto& [pointer, file] : scenario.program_inputs) {
      json["document"].at(ordered_json::json_pointer{pointer}) = name_in(folder, file);
    }
  }
  return json;
}

ordered_json settings_json(const Scenario& scenario, ListOutput lists) {
  ordered_json json = scenario.overridden;
  if (lists == ListOutput::when_small && names_many(scenario)) {
    json.erase("/embedding");
  }
  return json;
}

/// Where messages draw or choose their ways, links are not known from the ends of a route.
ordered_json stages_json(const RunResult& result, bool takes_own_routes) {
  ordered_json stages = ordered_json::array();
  for (std::size_t stage = 0; stage < result.stage_dilation_max.size(); ++stage) {
    const StageReport& report = result.report.stages[stage];
    stages.push_back(
        {{"stage", stage},
         {"dilation_max", result.stage_dilation_max[stage]},
         {"finish_max_s", report.finish_max},
         {"waiting_total_s", report.waiting_total_s},
         {"link_load_max", takes_own_routes ? ordered_json(result.stage_link_load_max.at(stage))
                                            : ordered_json(nullptr)}});
  }
  return stages;
}

/// A flat row for each phase, as tables want them: times of processes are means.
ordered_json phases_json(const std::vector<PhaseCosts>& phases, std::size_t processes) {
  return mapped(phases, [&](const PhaseCosts& phase) {
    const StageCosts& costs = phase.costs;
    ordered_json row{{"name", phase.name},
                     {"iterations", costs.iterations},
                     {"time_s", costs.time.mean_s},
                     {"time_max_s", costs.time.max}};
    for (std::size_t activity = 0; activity < costs.total_s.size(); ++activity) {
      row[fmt::format("{}_s", activity_names.at(activity))] =
          costs.total_s.at(activity) / static_cast<double>(processes);
    }
    row["messages"] = costs.messages;
    row["bytes"] = costs.bytes;
    row["queued"] = costs.queued_hops;
    row["queued_s"] = costs.queued_s;
    if (phase.on_path) {
      row["critical_path_s"] = *phase.on_path;
    }
    return row;
  });
}

/// The settings of the model, without those that are not set.
ordered_json model_json(const RunInWords& run) {
  ordered_json json;
  for (const Column<RunInWords>& column : setting_columns()) {
    if (CellValue value = column.value(run); !column.key.empty() && !value.is_missing()) {
      json[column.key] = std::move(value);
    }
  }
  return json;
}

ordered_json speedup_json(const RunResult& result, std::uint32_t processes) {
  if (!result.sequential_time || result.report.makespan == Ticks{0}) {
    return nullptr;
  }
  const double speedup = to_seconds(*result.sequential_time) / to_seconds(result.report.makespan);
  return {{"sequential_s", *result.sequential_time},
          {"speedup", speedup},
          {"efficiency", speedup / processes}};
}

ordered_json simulation_json(const RunReport& report) {
  const double hops_per_s =
      report.wall_s > 0 ? static_cast<double>(report.hops) / report.wall_s : 0;
  return {{"execution", report.execution == Execution::actors ? "actors" : "coroutines"},
          {"events", report.events},
          {"wall_s", report.wall_s},
          {"hops_per_s", hops_per_s},
          {"peak_memory_bytes", report.peak_memory_bytes},
          {"fingerprint", fmt::format("{:016x}", report.fingerprint)}};
}

const char* wait_name(Awaits what) {
  return what == Awaits::partner ? "exchange" : what == Awaits::receiver ? "send" : "receive";
}

void add_deadlock(ordered_json& json, const Scenario& scenario, const RunReport& report) {
  json["blocked_processes"] = report.blocked.size();
  json["blocked"] =
      mapped(first_of(report.blocked, most_listed), [&](const BlockedProcess& blocked) {
        ordered_json one{{"process", blocked.process},
                         {"awaits", blocked.awaits == anyone ? ordered_json("anyone")
                                                             : ordered_json(blocked.awaits)},
                         {"since_s", blocked.since},
                         {"in", wait_name(blocked.what)}};
        if (const auto mismatch =
                tag_mismatch(*scenario.program, blocked.awaits, blocked.process)) {
          one["tags"] = {{"sent", mismatch->sent}, {"awaited", mismatch->awaited}};
        }
        if (const auto receive = open_receive(*scenario.program, blocked.process)) {
          one["receive"] = {
              {"bytes", receive->bytes},
              {"tag", receive->tag == any_tag ? ordered_json("any") : ordered_json(receive->tag)}};
        }
        return one;
      });
  json["cycle"] = waiting_cycle(report);
}

}  // namespace

std::string_view version() { return DCUBE_VERSION; }

std::string run_result_json(const Scenario& scenario, const RunResult& result, ListOutput lists,
                            const std::filesystem::path& folder) {
  const RunReport& report = result.report;
  ordered_json json{{"outcome", to_string(report.outcome)},
                    {"makespan_s", report.makespan},
                    {"makespan_ps", report.makespan.count()}};
  json["verified"] = result.verified;
  json["machine"] = machine_json(*scenario.machine);
  json["embedding"] = embedding_json(scenario, lists);
  json["program"] = program_json(scenario);
  json["time_s"] = times_json(report);
  json["waiting"] = {{"intervals", report.waiting_intervals},
                     {"processes", report.waiting_processes},
                     {"longest_s", report.longest_wait}};
  json["messages"] = messages_json(report);
  json["link_load"] = link_load_json(*scenario.run_machine, report);
  if (!scenario.machine->topology->structure().link_classes.empty()) {
    json["link_load"]["by_class"] = link_classes_json(scenario, report);
  }
  json["node_load"] = load_json(report.node_load, "mean");
  json["stages"] = stages_json(result, scenario.machine->links.routing.kind == Routing::fixed);
  if (const std::vector<PhaseCosts> phases = phases_of(scenario, result); !phases.empty()) {
    json["phases"] = phases_json(phases, report.process_ends.size());
  }
  json["model"] = model_json({scenario, result});
  json["theory"] = nullptr;
  if (result.theory) {
    json["theory"] = {{"makespan_s", result.theory->makespan}, {"source", result.theory->source}};
  }
  json["speedup"] = speedup_json(result, scenario.embedding->process_count());
  json["simulation"] = simulation_json(report);
  json["scenario"] = scenario_json(scenario, lists, folder);
  json["settings"] = settings_json(scenario, lists);
  json["dcube"] = {{"version", version()}};
  if (report.outcome == Outcome::deadlock) {
    add_deadlock(json, scenario, report);
  }
  if (report.cut_off) {
    json["cut_off"] = {{"time_s", report.cut_off->time},
                       {"process", report.cut_off->source},
                       {"send_number", report.cut_off->send_number},
                       {"to_process", report.cut_off->destination},
                       {"at_node", report.cut_off->at},
                       {"to_node", report.cut_off->to}};
  }
  if (result.explanation) {
    json["critical_path"] = explanation_json(
        scenario, *result.explanation,
        lists == ListOutput::always ? std::numeric_limits<std::size_t>::max() : most_listed);
  }
  const std::size_t nodes = report.node_loads.size();
  if (nodes > 0 && (lists == ListOutput::always || nodes <= most_listed)) {
    json["link_loads"] = link_loads_json(*scenario.run_machine, report);
    json["node_loads"] = report.node_loads;
    const Machine& machine = *scenario.machine;
    add_drawing(json, *machine.topology, *scenario.run_machine->topology, machine.links.duplex,
                failures_over_time(*machine.topology, machine.links.faults));
  }
  return json_layout(json);
}

}  // namespace dcube
