#include "placing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "app/search/map_reasons.hpp"
#include "app/terminal/interrupt.hpp"
#include "app/terminal/readable.hpp"
#include "app/terminal/table.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/printable.hpp"
#include "core/refuse.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/topology/routing.hpp"

namespace dcube::app {
namespace {

using nlohmann::ordered_json;

bool fits(const Topology& topology, const Guest& guest, const Params& settings,
          std::uint32_t slots) {
  const EmbeddingKind* const kind = find_kind(embedding_catalog(), settings.text("kind"));
  const Guest placed = named_guest(settings).value_or(guest);
  return kind != nullptr && !kind->obstacle({topology, placed, slots});
}

/// A rule places processes on the nodes that are left, as `run` does. A map may be from before some
/// have failed, and so is that of a rule that does not fit any more.
std::vector<NodeId> read_earlier(const SearchRequest& request, const Subject& subject,
                                 std::vector<std::filesystem::path>& inputs) {
  const Topology& left = *subject.whole->topology;
  const Topology& before = without_failures(left);
  const std::uint32_t slots = subject.whole->node.slots;
  const Guest plain = Guest::of_processes(subject.traffic.traffic.process_count());
  const Guest& own = subject.traffic.guest ? *subject.traffic.guest : plain;
  const Params settings = at_least_at("--against", [&] {
    const InterruptibleReading reading;
    return read_embedding_file(load_embedding_settings(request.against, request.scenario.hosts),
                               before, plain.process_count(), &inputs, slots);
  });
  const auto make = [&] {
    for (const auto& [topology, guest] : {std::tie(left, own), std::tie(left, plain),
                                          std::tie(before, own), std::tie(before, plain)}) {
      if (settings.text("kind") != "explicit" && fits(topology, guest, settings, slots)) {
        return make_embedding(topology, guest, settings, slots)->map();
      }
    }
    return make_embedding(before, own, settings, slots)->map();
  };
  return find_kind(embedding_catalog(), request.against) != nullptr ? at_place("--against", make)
                                                                    : make();
}

std::vector<NodeId> in_order_of_nodes(const SearchProblem& problem) {
  std::vector<NodeId> map;
  for (std::uint32_t node = 0; map.size() < problem.traffic.process_count(); ++node) {
    for (std::uint32_t slot = 0; problem.topology.is_usable(NodeId{node}) && slot < problem.slots &&
                                 map.size() < problem.traffic.process_count();
         ++slot) {
      map.emplace_back(node);
    }
  }
  return map;
}

std::optional<double> saving_of(const Placing& placing) {
  return placing.earlier.cost && *placing.earlier.cost > 0
             ? std::optional{1 - static_cast<double>(placing.outcome.found.cost) /
                                     static_cast<double>(*placing.earlier.cost)}
             : std::nullopt;
}

std::uint64_t moved_processes(const Placing& placing) {
  std::uint64_t moved = 0;
  for (std::size_t process = 0; process < placing.earlier.map.size(); ++process) {
    moved += placing.earlier.map[process] == placing.outcome.found.map[process] ? 0 : 1;
  }
  return moved;
}

/// "51 of 64 nodes may host processes, with 4 slots each: 204 slots for 64 processes".
std::string room_words(const SearchProblem& problem) {
  const Topology& topology = problem.topology;
  const std::string nodes = problem.has_unusable_nodes()
                                ? fmt::format("{} of {}", grouped(topology.usable_count()),
                                              counted(topology.node_count(), "node"))
                                : counted(topology.node_count(), "node");
  const std::string processes = counted(problem.traffic.process_count(), "process");
  return problem.slots == 1 ? fmt::format("{} for {}", nodes, processes)
                            : fmt::format("{} of {} slots: {} slots for {}", nodes, problem.slots,
                                          grouped(problem.usable_slots()), processes);
}

std::uint32_t nodes_used(std::span<const NodeId> map) {
  std::vector<NodeId> nodes{map.begin(), map.end()};
  std::ranges::sort(nodes);
  return static_cast<std::uint32_t>(std::unique(nodes.begin(), nodes.end()) - nodes.begin());
}

/// The busiest link of a map that can run.
std::optional<CrossedLink> busiest_of(const Placing& placing, std::span<const NodeId> map) {
  if (!knows_routes(*placing.subject.machine)) {
    return std::nullopt;
  }
  SearchProblem problem = placing.problem;
  problem.rates = rates_if_any(*placing.subject.machine);
  const std::vector<CrossedLink> links = busiest_links(problem, map);
  return links.empty() ? std::nullopt : std::optional{links.front()};
}

std::string link_words(const std::optional<CrossedLink>& link) {
  if (!link) {
    return "none";
  }
  const std::string time =
      link->time_ps
          ? fmt::format(", {}", readable_seconds(static_cast<double>(*link->time_ps) * 1e-12))
          : "";
  return fmt::format("{} to {} with {}{}", link->from.index(), link->to.index(),
                     counted(link->bytes, "byte"), time);
}

std::string earlier_words(const EarlierMap& earlier) {
  if (earlier.on_failed_nodes > 0) {
    return fmt::format("{} cannot run: {} on nodes that have failed\n", printable(earlier.name),
                       counted(earlier.on_failed_nodes, "process"));
  }
  if (!earlier.cost) {
    return fmt::format("{} cannot run: its simulation failed\n", printable(earlier.name));
  }
  return earlier.on_left_out_nodes > 0
             ? fmt::format("{} has {} on nodes that are left out now\n", printable(earlier.name),
                           counted(earlier.on_left_out_nodes, "process"))
             : "";
}

/// "saved: 35.0 % of x.rankfile".
std::string saving_words(double saving, const std::string& name) {
  return saving > 0   ? fmt::format("saved: {} of {}", percent(saving), printable(name))
         : saving < 0 ? fmt::format("lost:  {} more than {}", percent(-saving), printable(name))
                      : fmt::format("saved: nothing of {}", printable(name));
}

std::string costs_table(const Placing& placing) {
  const SearchProblem& problem = placing.problem;
  const CostBound& bound = placing.outcome.bounds.front();
  Table table{{{"map", Table::Align::left}, {quantity_of(problem)}, {"to bound"}, {"change"}}};
  const auto add = [&](const std::string& name, std::uint64_t cost, const std::string& change) {
    table.add_row({name, number_text(problem, cost), ratio_text(cost, bound.cost), change});
  };
  if (placing.earlier.cost) {
    add(placing.earlier.name, *placing.earlier.cost, "");
  }
  const std::optional<double> saving = saving_of(placing);
  add("found", placing.outcome.found.cost, saving && *saving != 0 ? percent(-*saving) : "");
  add("bound", bound.cost, "");
  return table.text(2);
}

ordered_json earlier_json(const Placing& placing) {
  const EarlierMap& earlier = placing.earlier;
  ordered_json json{{"name", earlier.name}, {"cost", nullptr}, {"value", nullptr}};
  if (earlier.cost) {
    json["cost"] = *earlier.cost;
    json["value"] = value_of(placing.problem, *earlier.cost);
  }
  json["processes_on_failed_nodes"] = earlier.on_failed_nodes;
  json["processes_on_left_out_nodes"] = earlier.on_left_out_nodes;
  json["map"] = earlier.map;
  return json;
}

ordered_json busiest_json(const std::optional<CrossedLink>& link) {
  return link ? ordered_json{{"from", link->from}, {"to", link->to}, {"bytes", link->bytes}}
              : ordered_json(nullptr);
}

}  // namespace

EarlierMap earlier_map(const SearchRequest& request, const Subject& subject,
                       const SearchProblem& problem, std::vector<std::filesystem::path>& inputs) {
  EarlierMap earlier;
  if (!request.against.empty()) {
    earlier = {request.against, read_earlier(request, subject, inputs)};
  } else if (!subject.today.empty()) {
    earlier = {subject.embedding, subject.today};
  } else {
    earlier = {"nodes in order", in_order_of_nodes(problem)};
  }
  earlier.is_in_use = !request.against.empty() || !subject.today.empty();
  for (const NodeId node : earlier.map) {
    earlier.on_failed_nodes += problem.topology.is_alive(node) ? 0 : 1;
    earlier.on_left_out_nodes +=
        problem.topology.is_alive(node) && !problem.topology.is_usable(node) ? 1 : 0;
  }
  if (earlier.on_failed_nodes == 0 && problem.objective != Objective::makespan) {
    earlier.cost = cost_of(problem, earlier.map);
  } else if (earlier.on_failed_nodes == 0) {
    const std::vector<std::vector<NodeId>> maps{earlier.map};
    const auto costs = problem.simulate(maps);
    earlier.cost = costs.empty() ? std::nullopt : costs.front();
  }
  return earlier;
}

std::string placing_summary(const Placing& placing) {
  const SearchProblem& problem = placing.problem;
  const SearchOutcome& outcome = placing.outcome;
  std::string text = fmt::format("{} of {} on {}\n", objective_text(problem),
                                 printable(outcome.traffic), printable(outcome.machine));
  text += fmt::format("  {}, {} used\n", room_words(problem),
                      counted(nodes_used(outcome.found.map), "node"));
  text += subject_words(problem);
  text += "\n" + costs_table(placing) + "\n";
  if (!problem.terms.empty()) {
    text += parts_table(problem, outcome.found.map) + "\n";
  }
  const std::string warning = earlier_words(placing.earlier);
  text += warning;
  if (const std::optional<double> saving = saving_of(placing)) {
    text += fmt::format("{}; {} of {} move\n", saving_words(*saving, placing.earlier.name),
                        grouped(moved_processes(placing)),
                        counted(outcome.found.map.size(), "process"));
  }
  text += fmt::format("gap:   {}\nbound: {}\n", gap_words(outcome), outcome.bounds.front().source);
  if (knows_routes(*placing.subject.machine)) {
    text += fmt::format("busiest link: {}", link_words(busiest_of(placing, outcome.found.map)));
    if (placing.earlier.on_failed_nodes == 0) {
      text += fmt::format(" (before: {})", link_words(busiest_of(placing, placing.earlier.map)));
    }
    text += "\n";
  }
  text += fmt::format("found: {}\n", found_words(outcome));
  if (!outcome.why.empty()) {
    text += "\n" + outcome.why;
  }
  for (const std::string& file : placing.files) {
    text += fmt::format("wrote {}\n", printable(file));
  }
  return text;
}

std::string placing_json(const Placing& placing) {
  ordered_json json = search_result(placing.problem, placing.outcome);
  const std::optional<double> saving = saving_of(placing);
  ordered_json place{{"usable_nodes", placing.problem.topology.usable_count()},
                     {"slots", placing.problem.usable_slots()},
                     {"nodes_used", nodes_used(placing.outcome.found.map)},
                     {"earlier", earlier_json(placing)},
                     {"saving", saving ? ordered_json(*saving) : ordered_json(nullptr)},
                     {"moved", moved_processes(placing)},
                     {"busiest_link", busiest_json(busiest_of(placing, placing.outcome.found.map))},
                     {"files", placing.files}};
  json["place"] = std::move(place);
  return json_layout(json);
}

}  // namespace dcube::app
