#include "explanation_json.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/json_writing.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube {
namespace {

using nlohmann::ordered_json;

double seconds(Ticks time) { return to_seconds(time); }

/// What is needed to name things, and how long lists may get.
struct Writer {
  const Scenario& scenario;
  Guest guest;
  std::size_t most_entries;

  std::string name(LinkId link) const { return link_name(*scenario.run_machine, link); }
  /// "2->3" also where both directions share a server.
  std::string way(LinkId link) const {
    const Link ends = scenario.run_machine->topology->link(link).value();
    return std::to_string(ends.from.index()) + "->" + std::to_string(ends.to.index());
  }

  template <class Item, class ToJson>
  ordered_json list(const std::vector<Item>& items, ToJson to_json) const {
    ordered_json json = ordered_json::array();
    for (std::size_t i = 0; i < std::min(items.size(), most_entries); ++i) {
      json.push_back(to_json(items[i]));
    }
    return json;
  }
};

void add_totals(ordered_json& json, const HopTotals& total) {
  json["hops"] = total.hops;
  json["hop_s"] = seconds(total.hop_time);
  json["queueing_s"] = seconds(total.queueing);
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
  json["endpoint_s"] = seconds(group.endpoint);
  json["over"] = writer.list(group.over, over_json);
  return json;
}

ordered_json part_json(const Writer& writer, const PathPart& part) {
  ordered_json json{{"kind", to_string(part.kind)},
                    {"begin_ps", part.begin.count()},
                    {"end_ps", part.end.count()},
                    {"process", part.process.index()}};
  if (part.kind != CauseKind::compute) {
    json["peer"] = part.peer.index();
  }
  if (part.kind == CauseKind::hop || part.kind == CauseKind::queueing) {
    json["send_number"] = part.send_number;
    json["link"] = writer.way(part.link);
  }
  if (part.stage != no_stage) {
    json["stage"] = part.stage;
  }
  return json;
}

ordered_json split_json(const WaitingSplit& split) {
  ordered_json json = ordered_json::object();
  for (std::size_t cause = 0; cause < waiting_causes; ++cause) {
    json[to_string(static_cast<WaitingCause>(cause))] = seconds(split[cause]);
  }
  return json;
}

/// Those that waited at all.
ordered_json processes_json(const Writer& writer, const WaitingCauses& waiting) {
  ordered_json json = ordered_json::array();
  for (std::uint32_t process = 0;
       process < waiting.by_process.size() && json.size() < writer.most_entries; ++process) {
    const WaitingSplit& split = waiting.by_process[process];
    if (std::ranges::any_of(split, [](Ticks time) { return time > Ticks{0}; })) {
      ordered_json entry{{"process", process}};
      entry.update(split_json(split));
      json.push_back(std::move(entry));
    }
  }
  return json;
}

ordered_json waiting_json(const Writer& writer, const WaitingCauses& waiting) {
  ordered_json by_cause = ordered_json::object();
  for (std::size_t cause = 0; cause < waiting_causes; ++cause) {
    by_cause[to_string(static_cast<WaitingCause>(cause))] = waiting.total_s[cause];
  }
  ordered_json json{{"total_s", waiting.sum_s}, {"by_cause_s", std::move(by_cause)}};
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
    return ordered_json{{"process", awaited.process.index()},
                        {"waits", awaited.waits},
                        {"waiting_s", awaited.waiting_s}};
  });
  json["processes"] = processes_json(writer, waiting);
  return json;
}

}  // namespace

ordered_json explanation_json(const Scenario& scenario, const RunExplanation& explanation,
                              std::size_t most_entries) {
  const Writer writer{scenario, scenario.program->guest(), most_entries};
  const CriticalPath& path = explanation.path;
  ordered_json times = ordered_json::object();
  for (std::size_t kind = 0; kind < cause_kinds; ++kind) {
    times[to_string(static_cast<CauseKind>(kind))] = seconds(path.by_kind[kind]);
  }
  ordered_json json{{"last_process", path.last.index()}, {"length_s", seconds(path.length)},
                    {"length_ps", path.length.count()},  {"time_s", std::move(times)},
                    {"computations", path.computations}, {"messages", path.messages}};
  json["by_pairs"] = writer.list(
      path.by_group, [&](const GroupTotals& group) { return group_json(writer, group); });
  json["by_link"] = writer.list(path.by_link, [&](const LinkTotals& link) {
    ordered_json entry{{"link", writer.name(link.link)}};
    add_totals(entry, link.total);
    return entry;
  });
  json["part_count"] = path.parts.size();
  json["parts"] =
      writer.list(path.parts, [&](const PathPart& part) { return part_json(writer, part); });
  json["waiting"] = waiting_json(writer, explanation.waiting);
  return json;
}

std::string run_explanation_json(const Scenario& scenario, const RunExplanation& explanation,
                                 std::size_t most_entries) {
  return json_line(explanation_json(scenario, explanation, most_entries));
}

}  // namespace dcube
