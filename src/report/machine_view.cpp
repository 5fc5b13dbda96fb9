#include "machine_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/number_setting.hpp"
#include "core/refuse.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/report/result_file.hpp"

namespace dcube::report {
namespace {

using nlohmann::ordered_json;
using LinkEnds = std::pair<std::uint32_t, std::uint32_t>;

/// The network without host computer and failures, from the fields of the result. Throws InputError
/// for a kind with other settings: a result does not list edges.
std::unique_ptr<Topology> network_of(const Params& result) {
  const Params& machine = result.group("machine");
  const std::vector<std::uint32_t> shape = sides_of(machine);
  Params settings{machine.place()};
  settings.set("kind", machine.text("topology"));
  for (const auto& [key, help, usual] :
       required_kind(topology_catalog(), settings, "a topology").parameters) {
    if (machine.has("parameters")) {
      if (const Setting* const given = machine.group("parameters").find(key)) {
        settings.set(key, *given);
      }
    } else if (key == "dimensions") {
      settings.set(key, number_setting(shape.size()));
    } else if (key == "shape") {
      settings.set(key, numbers_setting(shape));
    } else if (machine.has(key)) {
      settings.set(key, *machine.find(key));
    }
  }
  return make_topology(settings);
}

struct LinkLoads {
  std::vector<double> messages;  ///< [link of the drawing]; -1: not listed
  std::vector<double> busy_s;
};

/// Terminals and switches.
std::uint32_t nodes_of(const Params& result) {
  const Params& machine = result.group("machine");
  return machine.positive_int("nodes") +
         (machine.has("switches") ? machine.positive_int("switches") : 0);
}

std::optional<LinkLoads> link_loads(const Params& result, const Drawing& drawing) {
  if (!result.has("link_loads")) {
    return std::nullopt;
  }
  const Params& listed = result.group("link_loads");
  const std::size_t nodes = nodes_of(result);
  const std::vector<std::uint32_t> from = indices(listed, "from", nodes + 1);  // and a host
  const std::vector<std::uint32_t> to = indices(listed, "to", nodes + 1);
  const std::vector<double> messages = numbers(listed, "messages");
  const std::vector<double> busy = numbers(listed, "busy_s");
  refuse_if(
      to.size() != from.size() || messages.size() != from.size() || busy.size() != from.size(),
      result.place_of("link_loads"), "its lists are not of one length");
  // Parallel links are in one order in both.
  std::map<LinkEnds, std::deque<std::size_t>> at;
  for (std::size_t i = 0; i < drawing.links.size(); ++i) {
    at[{drawing.links[i].from.index(), drawing.links[i].to.index()}].push_back(i);
  }
  LinkLoads loads{std::vector<double>(drawing.links.size(), -1),
                  std::vector<double>(drawing.links.size(), 0)};
  for (std::size_t i = 0; i < from.size(); ++i) {
    // Links of a host computer are not drawn if the result says nothing else of it.
    const auto links = at.find({from[i], to[i]});
    if (links != at.end() && !links->second.empty()) {
      loads.messages[links->second.front()] = messages[i];
      loads.busy_s[links->second.front()] = busy[i];
      links->second.pop_front();
    } else if (from[i] < nodes && to[i] < nodes) {
      result.reject("link_loads",
                    fmt::format("{}->{} is not a link of the machine", from[i], to[i]));
    }
  }
  return loads;
}

/// Node of every process, the host computer last. Nothing when the result has no map.
std::optional<std::vector<std::uint32_t>> nodes_of_processes(const Params& result,
                                                             const Drawing& drawing) {
  std::vector<std::uint32_t> map = indices(result.group("embedding"), "map", drawing.nodes.size());
  if (map.empty()) {
    return std::nullopt;
  }
  if (drawing.nodes.size() > nodes_of(result)) {
    map.push_back(static_cast<std::uint32_t>(drawing.nodes.size() - 1));
  }
  return map;
}

struct TileFigure {
  double sum = 0;
  double most = 0;
  double count = 0;

  void add(double value) {
    sum += value;
    most = std::max(most, value);
    ++count;
  }
  double mean() const { return count > 0 ? sum / count : 0; }
};

ordered_json figures_json(const std::vector<TileFigure>& figures) {
  return {{"mean", mapped(figures, &TileFigure::mean)},
          {"max", mapped(figures, &TileFigure::most)}};
}

/// Figures of the links that leave each tile; `counted` is below 0 for links to leave out.
ordered_json tile_links_json(const Drawing& drawing, const Tiles& tiles,
                             const std::vector<double>& values,
                             const std::vector<double>& counted) {
  std::vector<TileFigure> figures(tiles.centres.size());
  for (std::size_t i = 0; i < drawing.links.size(); ++i) {
    if (counted[i] >= 0) {
      figures[tiles.tile_of[drawing.links[i].from.index()]].add(values[i]);
    }
  }
  return figures_json(figures);
}

ordered_json tile_loads_json(const Drawing& drawing, const std::optional<LinkLoads>& loads,
                             const std::optional<std::vector<std::uint32_t>>& node_of,
                             const ordered_json& link_bytes) {
  const Tiles tiles = cut_into_tiles(drawing);
  std::vector<TileFigure> process(tiles.centres.size());
  for (std::size_t i = 0; node_of && i < node_of->size(); ++i) {
    process[tiles.tile_of[(*node_of)[i]]].add(static_cast<double>(i));
  }
  const auto listed = [&](const std::vector<double> LinkLoads::*values) {
    return loads ? tile_links_json(drawing, tiles, (*loads).*values, loads->messages)
                 : ordered_json();
  };
  const auto counted = [&](const char* key) {
    if (link_bytes.is_null() || link_bytes[key].is_null()) {
      return ordered_json();
    }
    const auto values = link_bytes[key].get<std::vector<double>>();
    return tile_links_json(drawing, tiles, values, values);
  };
  return {{"tile_messages", listed(&LinkLoads::messages)},
          {"tile_busy_s", listed(&LinkLoads::busy_s)},
          {"tile_bytes", counted("bytes")},
          {"tile_time_s", counted("time_s")},
          {"busiest", link_bytes.is_null() ? ordered_json() : link_bytes["busiest"]},
          {"by_class", link_bytes.is_null() ? ordered_json() : link_bytes["by_class"]},
          {"tile_process", node_of ? figures_json(process) : ordered_json()}};
}

std::vector<std::uint32_t> failing_by_tile(const Drawing& drawing, const Tiles& tiles) {
  std::vector<std::uint32_t> counts(tiles.centres.size());
  for (const FailingNode& failing : drawing.failing_nodes) {
    ++counts[tiles.tile_of[failing.node.index()]];
  }
  return counts;
}

bool shows_single_nodes(const Drawing& drawing) {
  return drawing.nodes.size() <= most_single_nodes + 1;  // and a host computer
}

}  // namespace

Scenario scenario_of(const ReportedRun& run) {
  const Params& scenario = run.result.group("scenario");
  refuse_if(!scenario.has("document"), "",
            "the result leaves its scenario out, as results do that list a map of more "
            "than 4,096 processes; dcube run --full writes it");
  const std::filesystem::path source = scenario.text("source");
  try {
    return build_scenario(scenario.group("document"), run.folder / source.filename());
  } catch (const InputError&) {
    // Older results name files relative to the scenario's file, and that one relative to the folder
    // where the run was started.
    std::error_code ignored;
    if (source.has_parent_path() && std::filesystem::exists(source, ignored)) {
      return build_scenario(scenario.group("document"), source);
    }
    throw;
  }
}

MachineView view_machine(const ReportedRun& run) {
  MachineView view;
  const std::uint32_t nodes = nodes_of(run.result);
  if (nodes > most_drawn_nodes) {
    view.problem = fmt::format("the machine has more nodes than are drawn ({} of {})", nodes,
                               most_drawn_nodes);
    return view;
  }
  try {
    const Scenario scenario = scenario_of(run);
    view.drawing = draw_machine(
        *scenario.machine->topology, *scenario.run_machine->topology,
        scenario.run_machine->links.duplex,
        failures_over_time(*scenario.machine->topology, scenario.machine->links.faults));
  } catch (const InputError& error) {
    view.problem = error.what();
    try {
      const std::unique_ptr<Topology> network = network_of(run.result);
      view.drawing = draw_machine(*network, *network, Duplex::full);
    } catch (const InputError&) {  // the page shows no machine then
    }
  }
  return view;
}

ordered_json machine_json(const Drawing& drawing, LinkLines lines) {
  const Tiles tiles = cut_into_tiles(drawing);
  ordered_json tile_list{{"size", tiles.size}, {"nodes", tiles.node_counts}};
  tile_list.update(points_json(tiles.centres));
  if (!drawing.failing_nodes.empty()) {
    tile_list["failing"] = failing_by_tile(drawing, tiles);
  }
  ordered_json json = drawing_json(drawing, lines);
  json["arrangement"] = drawing.arrangement;
  json["tiles"] = std::move(tile_list);
  json["kept_free"] = drawing.kept_free;
  json["shows_lines"] = shows_lines(drawing);
  json["has_classes"] = drawing.has_classes;
  json["switch_rows"] = mapped(drawing.switch_rows, [](const Structure::SwitchRows& row) {
    return ordered_json{
        {"first", row.first}, {"length", row.length}, {"of", row.of}, {"number", row.number}};
  });
  if (!shows_single_nodes(drawing)) {
    json["nodes"] = json["links"] = nullptr;
    json.erase("failing");
  }
  return json;
}

ordered_json loads_json(const Params& result, const Drawing& drawing,
                        const ordered_json& link_bytes) {
  const std::optional<LinkLoads> loads = link_loads(result, drawing);
  const std::optional<std::vector<std::uint32_t>> node_of = nodes_of_processes(result, drawing);
  if (!shows_single_nodes(drawing)) {
    return tile_loads_json(drawing, loads, node_of, link_bytes);
  }
  const std::vector<double> node_loads = numbers(result, "node_loads");
  refuse_if(!node_loads.empty() && node_loads.size() < nodes_of(result),
            result.place_of("node_loads"), "has {} loads for {} nodes", node_loads.size(),
            nodes_of(result));
  ordered_json json{{"messages", loads ? ordered_json(loads->messages) : ordered_json()},
                    {"busy_s", loads ? ordered_json(loads->busy_s) : ordered_json()},
                    {"bytes", nullptr},
                    {"time_s", nullptr},
                    {"busiest", nullptr},
                    {"by_class", nullptr},
                    {"node_loads", node_loads.empty() ? ordered_json() : ordered_json(node_loads)},
                    {"node_of", node_of ? ordered_json(*node_of) : ordered_json()}};
  if (!link_bytes.is_null()) {
    json.update(link_bytes);
  }
  return json;
}

}  // namespace dcube::report
