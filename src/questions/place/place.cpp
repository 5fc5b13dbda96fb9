#include "dcube/questions/place.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <tuple>

#include "core/json_writing.hpp"
#include "core/refuse.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/topology/routing.hpp"
#include "questions/search/search_json.hpp"
#include "questions/search/search_run.hpp"

namespace dcube {
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
std::vector<NodeId> read_earlier(const PlaceRequest& request, const SearchRun& run,
                                 PlaceAnswer& answer) {
  const Topology& left = *answer.whole->topology;
  const Topology& before = without_failures(left);
  const std::uint32_t slots = answer.whole->node.slots;
  const Guest plain = Guest::of_processes(run.process_count());
  const Guest& own = run.guest() ? *run.guest() : plain;
  bool is_named = false;
  const Params settings = at_least_at(".against", [&] {
    const Params given = load_embedding_settings(request.against, request.scenario.hosts);
    is_named = is_of_name(given);
    return read_embedding_file(given, before, plain.process_count(), &answer.inputs,
                               answer.slots_of_files);
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
  return is_named ? at_place(".against", make) : make();
}

std::uint32_t nodes_used(std::span<const NodeId> map) {
  std::vector<NodeId> nodes{map.begin(), map.end()};
  std::ranges::sort(nodes);
  return static_cast<std::uint32_t>(std::unique(nodes.begin(), nodes.end()) - nodes.begin());
}

/// The busiest link of a map that can run.
std::optional<CrossedLink> busiest_of(const SearchAnswer& answer, std::span<const NodeId> map) {
  if (!knows_routes(*answer.machine)) {
    return std::nullopt;
  }
  SearchProblem problem = *answer.problem;
  problem.rates = rates_if_any(*answer.machine);
  const std::vector<CrossedLink> links = busiest_links(problem, map);
  return links.empty() ? std::nullopt : std::optional{links.front()};
}

/// Counts the processes of the earlier map on failed and left-out nodes, and computes its cost.
void measure_earlier(const SearchProblem& problem, EarlierMap& earlier) {
  for (const NodeId node : earlier.map) {
    earlier.on_failed_nodes += problem.topology.is_alive(node) ? 0 : 1;
    earlier.on_left_out_nodes +=
        problem.topology.is_alive(node) && !problem.topology.is_usable(node) ? 1 : 0;
  }
  if (earlier.on_failed_nodes == 0) {
    earlier.cost = costs_of(problem, std::span{&earlier.map, 1}).results.front();
  }
}

/// The simulation, which is known to give this cost for a map.
Simulate with_known(Simulate simulate, std::vector<NodeId> map, std::uint64_t cost) {
  return [=](std::span<const std::vector<NodeId>> maps) {
    const bool begins_with_it = !maps.empty() && maps.front() == map;
    Simulated<std::uint64_t> costs = simulate(maps.subspan(begins_with_it ? 1 : 0));
    if (begins_with_it) {
      costs.results.insert(costs.results.begin(), cost);
    }
    return costs;
  };
}

/// What the earlier map cost before nodes of it failed, and costs with their processes elsewhere.
void measure_failure(const SearchAnswer& answer, EarlierMap& earlier) {
  const SearchProblem& problem = *answer.problem;
  if (!problem.has(&ObjectiveTraits::is_simulated)) {
    SearchProblem healthy = problem.with(without_failures(problem.topology), problem.traffic);
    healthy.guest = problem.guest;
    Machine whole = *answer.machine;
    whole.topology = {whole.topology, &without_failures(*whole.topology)};
    healthy.rates = rates_if_any(whole);  // a failed link has none
    earlier.healthy_cost = cost_of(healthy, earlier.map);
  }
  const auto& starts = answer.found.starts;
  const auto mended =
      std::ranges::find(starts, earlier.name + std::string{mended_suffix}, &StartValue::embedding);
  if (mended != starts.end()) {
    earlier.mended_cost = mended->cost;
  }
}

std::optional<double> saving_of(std::uint64_t found, const std::optional<std::uint64_t>& earlier) {
  return earlier && *earlier > 0
             ? std::optional{1 - static_cast<double>(found) / static_cast<double>(*earlier)}
             : std::nullopt;
}

void compare_with_earlier(PlaceAnswer& answer) {
  EarlierMap& earlier = answer.earlier;
  const std::vector<NodeId>& map = answer.found.map;
  answer.saving = saving_of(answer.found.cost, earlier.cost);
  if (earlier.on_failed_nodes > 0) {
    measure_failure(answer, earlier);
    answer.saving_of_mended = saving_of(answer.found.cost, earlier.mended_cost);
  }
  for (std::size_t process = 0; process < earlier.map.size(); ++process) {
    answer.moved += earlier.map[process] == map[process] ? 0 : 1;
  }
  answer.nodes_used = nodes_used(map);
  answer.busiest_link = busiest_of(answer, map);
  if (earlier.on_failed_nodes == 0) {
    answer.earlier_busiest_link = busiest_of(answer, earlier.map);
  }
}

ordered_json earlier_json(const PlaceAnswer& answer) {
  const EarlierMap& earlier = answer.earlier;
  ordered_json json{{"name", earlier.name}, {"cost", earlier.cost}, {"value", nullptr}};
  if (earlier.cost) {
    json["value"] = scale_of(*answer.problem).value(*earlier.cost);
  }
  if (earlier.on_failed_nodes > 0) {
    json["healthy_cost"] = earlier.healthy_cost;
    json["mended_cost"] = earlier.mended_cost;
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

std::vector<NodeId> in_order_of_nodes(const SearchProblem& problem) {
  std::vector<NodeId> map;
  for (std::uint32_t node = 0; node < problem.topology.node_count(); ++node) {
    for (std::uint32_t slot = 0; slot < problem.slots; ++slot) {
      if (problem.topology.is_usable(NodeId{node}) &&
          map.size() < problem.traffic.process_count()) {
        map.emplace_back(node);
      }
    }
  }
  return map;
}

PlaceAnswer place(const PlaceRequest& request, const SearchListeners& listeners) {
  PlaceAnswer answer;
  PlaceRequest with_hosts = request;
  with_hosts.writes_hosts = request.writes_hosts || find_map_file(request.against).has_value();
  SearchRun run{"place", with_hosts, listeners, answer};
  EarlierMap& earlier = answer.earlier;
  earlier.is_in_use = !request.against.empty() || request.has_scenario();
  if (!request.against.empty()) {
    earlier.name = request.against;
    earlier.map = read_earlier(request, run, answer);
  } else if (request.has_scenario()) {
    earlier.name = run.own_embedding();
    earlier.map = run.own_map();
  }
  if (!run.begin()) {
    return answer;
  }
  if (!earlier.is_in_use) {
    earlier.name = "nodes in order";
    earlier.map = in_order_of_nodes(*answer.problem);
  }
  measure_earlier(*answer.problem, earlier);
  if (earlier.is_in_use) {
    answer.problem->known = {{earlier.name, earlier.map}};
  }
  if (SearchProblem& problem = *answer.problem; problem.simulate && earlier.cost) {
    problem.simulate = with_known(std::move(problem.simulate), earlier.map, *earlier.cost);
  }
  run.find();
  if (earlier.cost && earlier.on_left_out_nodes == 0 && !answer.problem->has_pins()) {
    answer.refuted.push_back(take_refuted(answer.bounds, *earlier.cost));
  }
  if (!answer.found.map.empty()) {
    compare_with_earlier(answer);
  }
  return answer;
}

std::string place_json(const PlaceAnswer& answer, const std::vector<std::string>& files) {
  ordered_json json = search_result(answer);
  json["place"] = {{"usable_nodes", answer.problem->topology.usable_count()},
                   {"slots", answer.problem->usable_slots()},
                   {"nodes_used", answer.nodes_used},
                   {"earlier", earlier_json(answer)},
                   {"saving", answer.saving},
                   {"saving_of_mended", answer.saving_of_mended},
                   {"moved", answer.moved},
                   {"busiest_link", busiest_json(answer.busiest_link)},
                   {"files", files}};
  return json_layout(json);
}

}  // namespace dcube
