#include "embed_result.hpp"

#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "dcube/scenario/link_sharing.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "dcube/topology/hop_weights.hpp"
#include "dcube/topology/routing.hpp"

namespace dcube {

using nlohmann::ordered_json;

ordered_json ends_json(const std::vector<Link>& links) {
  return mapped(first_of(links, most_listed), [](const Link& link) {
    return ordered_json{link.from, link.to};
  });
}

void add_map(ordered_json& json, const Embedding& embedding, ListOutput lists) {
  if (lists == ListOutput::always || embedding.process_count() <= most_listed) {
    json["map"] = embedding.map();
  }
}

ordered_json load_json(const LoadSummary& load, const char* mean) {
  return {{"min", load.min}, {"max", load.max}, {mean, load.mean}};
}

namespace {

/// Adds the least, greatest and mean load; the first two are shown below headers that are given.
template <class Row, class Load>
void add_load(Columns<Row>& columns, const std::string& key, Load load,
              const std::string& least = {}, const std::string& most = {}) {
  const auto add = [&](const std::string& header, auto value, const char* name) {
    columns.push_back({header, header.empty() ? Shown::nowhere : Shown::count,
                       [=](const Row& row) { return std::invoke(load, row).*value; }, key + name});
  };
  add(least, &LoadSummary::min, ".min");
  add(most, &LoadSummary::max, ".max");
  add("", &LoadSummary::mean, ".average");
}

ordered_json spectrum_json(const EmbeddingMetrics& metrics) {
  ordered_json spectrum = ordered_json::object();
  for (const auto& [dilation, edges] : metrics.spectrum) {
    spectrum[std::to_string(dilation)] = edges;
  }
  return spectrum;
}

ordered_json cc_json(const Topology& topology, const Guest& guest, const std::vector<NodeId>& map,
                     Ticks compute, Ticks message_hop, const NodeModel& node) {
  if (guest.kind() != Guest::Kind::cube) {
    return nullptr;
  }
  const CcPrediction prediction =
      predict_cc(topology, map, compute, message_hop, hop_time(node.local, 0));
  return {{"compute_s", compute},
          {"message_hop_s", message_hop},
          {"makespan_s", prediction.makespan},
          {"waiting_total_s", prediction.waiting_total_s},
          {"waiting_processes", prediction.waiting_processes}};
}

/// Nodes and links that do not work, or are kept free, from the start.
void add_failures(ordered_json& json, const Topology& topology) {
  const Failures failures = failures_of(topology);
  if (topology.usable_count() < topology.terminal_count()) {
    json["usable_nodes"] = topology.usable_count();
    json["failed_nodes"] = first_of(failures.nodes, most_listed);
  }
  if (!failures.links.empty()) {
    const Topology& whole = without_failures(topology);
    json["failed_links"] =
        ends_json(mapped(failures.links, [&](LinkId link) { return *whole.link(link); }));
  }
  if (!failures.spares.empty()) {
    json["kept_free"] = first_of(failures.spares, most_listed);
  }
}

}  // namespace

Columns<EmbeddingMetrics> embedding_columns() {
  using Row = const EmbeddingMetrics&;
  Columns<EmbeddingMetrics> columns{
      {"", Shown::nowhere, &EmbeddingMetrics::longest_dilation, "dilation.longest"},
      {"total", Shown::count, &EmbeddingMetrics::total_dilation, "dilation.total"},
      {"mean", Shown::thousandths, &EmbeddingMetrics::average_dilation, "dilation.average"}};
  add_load(columns, "node_load", &EmbeddingMetrics::node_load);
  add_load(columns, "link_load", &EmbeddingMetrics::link_load);
  const auto node = [](Row row) { return row.one_way.node; };
  add_load(columns, "gonzalez_load.node", node, "min", "max");
  add_load(columns, "gonzalez_load.link", [](Row row) { return row.one_way.link; });
  return columns;
}

Columns<TrafficMetrics> traffic_columns() {
  Columns<TrafficMetrics> columns{
      {"hop-bytes", Shown::count, &TrafficMetrics::hop_bytes, "hop_bytes"},
      {"hops", Shown::thousandths, &TrafficMetrics::average_hops, "average_hops"},
      {"longest", Shown::count, &TrafficMetrics::longest_dilation, "dilation.longest"},
      {"", Shown::nowhere, &TrafficMetrics::average_dilation, "dilation.average"}};
  add_load(columns, "link_bytes", &TrafficMetrics::link_bytes, "", "max link");
  return columns;
}

ordered_json network_result(const Topology& topology, std::uint32_t slots) {
  ordered_json json{{"topology", topology.kind()},
                    {"shape", topology.shape()},
                    {"nodes", topology.terminal_count()},
                    {"links", topology.link_count()}};
  if (topology.structure().switches > 0) {
    json["switches"] = topology.structure().switches;
  }
  if (const std::vector<std::string>& classes = topology.structure().link_classes;
      !classes.empty()) {
    json["link_classes"] = classes;
    json["parameters"] = topology.details();
  } else {
    json.update(ordered_json(topology.details()));
  }
  if (const auto weights = hop_weights_of(topology); !weights.empty()) {
    json["hop_weights"] = std::vector<std::uint32_t>(weights.begin(), weights.end());
  }
  constexpr std::array<const char*, 3> names{"path", "cycle", "twisted"};
  json["structure"]["lines"] = mapped(topology.structure().lines, [&](Structure::Line line) {
    return names.at(static_cast<std::size_t>(line));
  });
  if (topology.structure().is_cube) {
    json["structure"]["is_cube"] = true;
  }
  if (topology.routing() != usual_routing(topology)) {
    json["routing"] = topology.routing();
  }
  add_failures(json, topology);
  if (slots > 1) {
    json["slots"] = slots;
  }
  return json;
}

ordered_json embed_result(const Topology& topology, const Guest& guest, const Embedding& embedding,
                          Ticks compute, Ticks message_hop, ListOutput lists, const NodeModel& node,
                          LinkSharing sharing, std::string* refuted) {
  const std::vector<NodeId> nodes = embedding.map();
  const EmbeddingMetrics metrics = measure_embedding(topology, guest, nodes, sharing);
  const auto [bound, complaint] = held_dilation_bound(topology, guest, node.slots, metrics);
  if (refuted != nullptr) {
    *refuted = complaint;
  }
  ordered_json json{{"dimensions", metrics.dimensions},
                    {"constant_distances", !metrics.constant_distances.empty()}};
  json["distances"] = metrics.constant_distances.empty() ? ordered_json(nullptr)
                                                         : ordered_json(metrics.constant_distances);
  add_members(json, embedding_columns(), metrics);
  json["dilation"]["spectrum"] = spectrum_json(metrics);
  json["cc"] = cc_json(topology, guest, nodes, compute, message_hop, node);
  json["bound"] = {{"average_dilation", bound.average_dilation}, {"source", bound.source}};
  json["machine"] = network_result(topology, node.slots);
  json["embedding"] = {{"kind", embedding.kind()}};
  json["guest"] = guest.name();
  add_map(json, embedding, lists);
  return json;
}

ordered_json traffic_result(const Machine& machine, const Traffic& traffic,
                            const Embedding& embedding, ListOutput lists) {
  const TrafficMetrics metrics =
      measure_traffic(*machine.topology, traffic, embedding.map(), link_sharing(machine));
  ordered_json json;
  json["traffic"] = {{"processes", traffic.process_count()},
                     {"flows", traffic.flows().size()},
                     {"bytes", traffic.total_bytes()},
                     {"messages", sum_of(traffic.flows(), &Flow::messages)}};
  if (traffic.own_bytes() > 0) {
    json["traffic"]["own_bytes"] = traffic.own_bytes();
  }
  add_members(json, traffic_columns(), metrics);
  json["machine"] = network_result(*machine.topology, machine.node.slots);
  json["embedding"] = {{"kind", embedding.kind()}};
  add_map(json, embedding, lists);
  return json;
}

}  // namespace dcube
