#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "dcube/scenario/phases.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "embed_result.hpp"

namespace dcube {
namespace {

using nlohmann::ordered_json;

/// Context for naming things, and the length limit of lists.
struct Writer {
  const Scenario& scenario;
  Guest guest;
  std::size_t most_entries;

  std::string name(LinkId link) const { return link_name(*scenario.run_machine, link); }

  bool is_inside_node(const PathPart& part) const {
    return part.kind == CauseKind::endpoint &&
           !injection_server_of(*scenario.run_machine->topology, part.link);
  }

  template <class Item, class ToJson>
  ordered_json list(const std::vector<Item>& items, ToJson to_json) const {
    return mapped(first_of(items, most_entries), to_json);
  }
};

void add_totals(ordered_json& json, const HopTotals& total) {
  json["hops"] = total.hops;
  json["hop_s"] = total.hop_time;
  json["bytes_s"] = total.bytes;
  json["queueing_s"] = total.queueing;
}

ordered_json over_json(const GroupTotals::Over& over) {
  ordered_json json{{"machine_dimension", over.place.dimension},
                    {"wrap_around", over.place.is_wrap_around},
                    {"host", over.place.is_host}};
  add_totals(json, over.total);
  return json;
}

ordered_json group_json(const Writer& writer, const GroupTotals& group) {
  ordered_json json{{"pairs", group_name(writer.guest, group.group)},
                    {"messages", group.messages},
                    {"hops_least", group.least_hops},
                    {"hops_most", group.most_hops}};
  add_totals(json, group.total);
  json["endpoint_s"] = group.endpoint;
  json["over"] = writer.list(group.over, over_json);
  return json;
}

ordered_json part_json(const Writer& writer, const PathPart& part) {
  ordered_json json{{"kind", to_string(part.kind)},
                    {"begin_ps", part.begin.count()},
                    {"end_ps", part.end.count()},
                    {"process", part.process}};
  if (part.kind != CauseKind::compute) {
    json["peer"] = part.peer;
  }
  if (part.is_message) {
    json["send_number"] = part.send_number;
    if (part.is_lost) {
      json["lost"] = true;
    } else if (!writer.is_inside_node(part)) {
      json["link"] = writer.name(part.link);
    }
  }
  if (part.follows != Follows::own) {
    json["follows"] = to_string(part.follows);
  }
  if (part.stage != no_stage) {
    json["stage"] = part.stage;
  }
  return json;
}

ordered_json advice_json(const Writer& writer, const Advice& advice) {
  ordered_json json{{"change", to_string(advice.change)}};
  if (advice.change == Change::shorter_ways) {
    json["pairs"] = group_name(writer.guest, advice.group);
  }
  if (advice.gain) {
    json["gain_s"] = *advice.gain;
    json["gain_ps"] = advice.gain->count();
  }
  json["is_bound"] = advice.is_bound;
  return json;
}

/// Adds a value for each name.
template <class Names, class Values>
void add_named(ordered_json& json, const Names& names, const Values& values) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    json[names[i]] = values[i];
  }
}

ordered_json processes_json(const Writer& writer, const WaitingCauses& waiting) {
  ordered_json json = ordered_json::array();
  for (std::uint32_t process = 0;
       process < waiting.by_process.size() && json.size() < writer.most_entries; ++process) {
    const WaitingSplit& split = waiting.by_process[process];
    if (std::ranges::any_of(split, [](Ticks time) { return time > Ticks{0}; })) {
      json.push_back({{"process", process}});
      add_named(json.back(), waiting_cause_names, split);
    }
  }
  return json;
}

ordered_json waiting_json(const Writer& writer, const WaitingCauses& waiting) {
  ordered_json json{{"total_s", waiting.sum_s}};
  add_named(json["by_cause_s"], waiting_cause_names, waiting.total_s);
  add_named(json["waited_for_s"], awaits_names, waiting.for_s);
  json["awaited_later_s"] = {{"compute", waiting.lateness.compute_s},
                             {"endpoint", waiting.lateness.endpoint_s},
                             {"distance", waiting.lateness.distance_s},
                             {"queueing", waiting.lateness.queueing_s}};
  json["by_pairs"] = writer.list(waiting.by_group, [&](const WaitingCauses::Group& group) {
    return ordered_json{{"pairs", group_name(writer.guest, group.group)},
                        {"distance_s", group.distance_s},
                        {"queueing_s", group.queueing_s}};
  });
  json["by_link"] = writer.list(waiting.by_link, [&](const WaitingCauses::Queue& queue) {
    return ordered_json{{"link", writer.name(queue.link)}, {"queueing_s", queue.waiting_s}};
  });
  json["awaited"] = writer.list(waiting.by_awaited, [](const WaitingCauses::Awaited& awaited) {
    return ordered_json{
        {"process", awaited.process}, {"waits", awaited.waits}, {"waiting_s", awaited.waiting_s}};
  });
  json["processes"] = processes_json(writer, waiting);
  return json;
}

ordered_json by_phase_json(const std::vector<PhaseOnPath>& phases) {
  ordered_json json = ordered_json::array();
  for (const PhaseOnPath& phase : phases) {
    if (phase.name == outside_phases && phase.time() == Ticks{0}) {
      continue;
    }
    json.push_back({{"phase", phase.name}, {"total_s", phase.time()}});
    for (std::size_t kind = 0; kind < cause_kinds; ++kind) {
      json.back()[std::string{cause_names.at(kind)} + "_s"] = phase.by_kind.at(kind);
    }
  }
  return json;
}

/// The phase, if phases have names, and the operation.
ordered_json started_json(const Writer& writer, const CollectiveOverlap& of) {
  ordered_json json = ordered_json::object();
  if (const std::string phase = phase_name(*writer.scenario.program, of.stage); !phase.empty()) {
    json["phase"] = phase;
  }
  json["operation"] = of.operation;
  return json;
}

ordered_json loss_json(const Writer& writer, const Overlap& overlap,
                       const CollectiveOverlap::Loss& loss) {
  ordered_json json{{"to", to_string(loss.to)}};
  if (loss.to == LostTo::late_start || loss.to == LostTo::busy_process) {
    json["process"] = loss.process;
  } else {
    json["link"] = writer.name(loss.link);
  }
  if (loss.behind) {
    json["behind"] = started_json(writer, overlap.collectives[*loss.behind]);
  }
  json["time_s"] = loss.time_s;
  return json;
}

ordered_json overlap_json(const Writer& writer, const Overlap& overlap) {
  return writer.list(overlap.started(), [&](const CollectiveOverlap* started) {
    const CollectiveOverlap& of = *started;
    ordered_json json = started_json(writer, of);
    json["count"] = of.count;
    json["time_s"] = of.time_s;
    json["beside_compute_s"] = of.beside_compute_s;
    json["beside_other_s"] = of.beside_other_s;
    json["exposed_s"] = of.exposed_s;
    add_named(json["lost_s"], lost_to_names, of.lost_s);
    json["lost_to"] =
        writer.list(of.losses, [&](const auto& loss) { return loss_json(writer, overlap, loss); });
    return json;
  });
}

}  // namespace

ordered_json explanation_json(const Scenario& scenario, const RunExplanation& explanation,
                              std::size_t most_entries) {
  const Writer writer{scenario, scenario.program->guest(), most_entries};
  const CriticalPath& path = explanation.path;
  ordered_json json{
      {"last_process", path.last}, {"length_s", path.length}, {"length_ps", path.length.count()}};
  add_named(json["time_s"], cause_names, path.by_kind);
  json["computations"] = path.computations;
  json["messages"] = path.messages;
  json["by_pairs"] = writer.list(
      path.by_group, [&](const GroupTotals& group) { return group_json(writer, group); });
  json["by_link"] = writer.list(path.by_link, [&](const LinkTotals& link) {
    ordered_json entry{{"link", writer.name(link.link)}};
    add_totals(entry, link.total);
    return entry;
  });
  if (const std::vector<PhaseOnPath> phases = path_by_phase(*scenario.program, path);
      !phases.empty()) {
    json["by_phase"] = by_phase_json(phases);
  }
  json["part_count"] = path.parts.size();
  json["parts"] =
      writer.list(path.parts, [&](const PathPart& part) { return part_json(writer, part); });
  json["waiting"] = waiting_json(writer, explanation.waiting);
  if (!explanation.overlap.started().empty()) {
    json["overlap"] = overlap_json(writer, explanation.overlap);
  }
  json["advice"] =
      writer.list(path.advice, [&](const Advice& advice) { return advice_json(writer, advice); });
  return json;
}

std::string run_explanation_json(const Scenario& scenario, const RunExplanation& explanation,
                                 std::size_t most_entries) {
  return json_line(explanation_json(scenario, explanation, most_entries));
}

}  // namespace dcube
