#include "dcube/topology/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "catalog.hpp"
#include "core/csv_columns.hpp"
#include "core/file_text.hpp"
#include "core/forgotten_units.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "core/warnings.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/topology/adjacency.hpp"
#include "fabric.hpp"
#include "shortest_paths.hpp"

// Any connected graph. The links of a node have consecutive numbers, in the order of their ends; if
// edges name classes, links are numbered class by class, in the order of the edges. Links form no
// straight lines, so a run is one hop. Memory is linear in the links, plus tables of routes with a
// limit (see shortest_paths.hpp).

namespace dcube {
namespace {

class Graph final : public Topology {
 public:
  /// `links` connect all nodes, each link in both directions, without duplicates.
  Graph(std::uint32_t nodes, std::span<const std::pair<NodeId, NodeId>> links)
      : paths_{Adjacency{nodes, links}}, shape_{nodes} {
    const auto count = static_cast<std::uint32_t>(links.size());
    reverse_.reserve(count);
    for (std::uint32_t node = 0; node < nodes; ++node) {
      for (const Exit& exit : exits(NodeId{node})) {
        reverse_.push_back(paths_.links().link_between(exit.to, NodeId{node}).value());
      }
    }
    direction_ = {LinkId{0}, count, 0, 0};
  }

  std::string_view kind() const override { return "graph"; }
  std::string_view routing() const override { return "shortest"; }
  std::span<const std::uint32_t> shape() const override { return {&shape_, 1}; }
  std::uint32_t node_count() const override { return shape_; }
  std::uint64_t link_count() const override { return reverse_.size() / 2; }

  std::vector<NodeId> neighbours(NodeId node) const override {
    expects(contains(node), "node is on this machine");
    return mapped(exits(node), &Exit::to);
  }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    expects(contains(from) && contains(to), "both nodes are on this machine");
    return from == to ? 0 : paths_.distance(from, to);
  }

  Run next_run(NodeId at, NodeId to) const override {
    expects(contains(at) && contains(to), "both nodes are on this machine");
    if (at == to) {
      return {LinkId{}, 0, 0, at};
    }
    const Exit exit = paths_.next(at, to);
    return {exit.link, 0, 1, exit.to, 0};
  }

  std::uint32_t link_slots() const override { return static_cast<std::uint32_t>(reverse_.size()); }

  std::optional<Link> link(LinkId link) const override {
    expects(link.index() < link_slots(), "link number is below link_slots()");
    return Link{paths_.links().exit(reverse_[link.index()]).to, paths_.links().exit(link).to, 0};
  }

  LinkId reverse(LinkId link) const override {
    expects(link.index() < link_slots(), "link number is below link_slots()");
    return reverse_[link.index()];
  }

  std::span<const LinkDirection> link_directions() const override { return {&direction_, 1}; }

 private:
  std::span<const Exit> exits(NodeId node) const { return paths_.links().of(node); }

  ShortestPaths paths_;
  std::vector<LinkId> reverse_;
  std::uint32_t shape_;
  LinkDirection direction_;
};

/// A graph whose links have classes.
class ClassedGraph final : public Fabric {
 public:
  explicit ClassedGraph(FabricPlan plan) : Fabric{"graph", std::move(plan)} {}

  std::string_view routing() const override { return "shortest"; }
};

const std::array<std::string, 6> edge_keys{"from",      "to",       "latency",
                                           "bandwidth", "per_byte", "class"};
constexpr std::string_view no_class = "is no name of a class of links";
constexpr std::string_view both_costs =
    "`bandwidth` beside `per_byte` (one of them says what a byte costs)";

std::uint32_t read_end(const Params& edge, std::string_view key) {
  return static_cast<std::uint32_t>(edge.integer(
      key, 0, std::numeric_limits<std::uint32_t>::max() - 1, "the number of a node (0 or more)"));
}

GraphEdge read_pair(const Setting& entry, const std::string& place) {
  const Setting::List* const ends = entry.list();
  const bool has_class = ends != nullptr && ends->size() == 3 && ends->back().text() != nullptr;
  if (ends == nullptr || (ends->size() != 2 && !has_class)) {
    throw InputError(
        place,
        entry.describe() +
            R"( is no edge (two nodes [0, 1], with a class [0, 1, "wide"], or a group {"from": 0, "to": 1}))");
  }
  const Params pair = Params::of_entries(*ends, place);
  GraphEdge read{NodeId{read_end(pair, "0")}, NodeId{read_end(pair, "1")}};
  if (has_class) {
    read.link_class = pair.full_text("2", no_class);
  }
  return read;
}

GraphEdge read_group(const Params& edge) {
  edge.allow_only(edge_keys);
  GraphEdge read{NodeId{read_end(edge, "from")}, NodeId{read_end(edge, "to")}};
  if (edge.has("latency")) {
    read.latency = edge.duration("latency");
  }
  if (edge.has("bandwidth") && edge.has("per_byte")) {
    throw InputError(edge.place_of("bandwidth"), both_costs);
  }
  if (edge.has("bandwidth")) {
    read.per_byte = edge.time_per_byte("bandwidth");
  } else if (edge.has("per_byte")) {
    read.per_byte = edge.duration("per_byte");
  }
  if (edge.has("class")) {
    read.link_class = edge.full_text("class", no_class);
  }
  return read;
}

std::vector<GraphEdge> read_edge_list(const Params& settings) {
  std::vector<GraphEdge> edges;
  for (const Setting& entry : settings.list("edges", "edges [[0, 1], [1, 2], ..]")) {
    const std::string place = settings.place_of("edges", edges.size());
    edges.push_back(entry.group() != nullptr ? read_group(*entry.group())
                                             : read_pair(entry, place));
  }
  return edges;
}

std::vector<GraphEdge> read_edges_csv(const std::string& file) {
  const std::string text = file_text(file);
  Scanner scanner{text, file, '#'};
  CsvColumns rows{scanner, edge_keys, 2, Header::required};
  std::vector<GraphEdge> edges;
  std::optional<std::string> long_latency;  // place of the first
  std::optional<std::string> low_bandwidth;
  bool has_bandwidth = false;
  while (rows.next_row()) {
    GraphEdge edge{NodeId{rows.node(0)}, NodeId{rows.node(1)}};
    has_bandwidth |= !rows.cell(3).empty();
    if (!long_latency && is_long_cost(rows.cell(2))) {
      long_latency = scanner.place();
    }
    if (!low_bandwidth && is_low_rate(rows.cell(3))) {
      low_bandwidth = scanner.place();
    }
    const auto cost = [&](std::size_t column, auto parse) {
      return rows.cell(column).empty() ? std::nullopt
                                       : std::optional{at_place(scanner.place(), [&] {
                                           return parse(rows.cell(column));
                                         })};
    };
    edge.latency = cost(2, parse_duration);
    edge.per_byte = cost(3, parse_time_per_byte);
    scanner.reject_if(edge.per_byte && !rows.cell(4).empty(), "{}", both_costs);
    edge.per_byte = edge.per_byte ? edge.per_byte : cost(4, parse_duration);
    edge.link_class = rows.cell(5);
    edges.push_back(edge);
  }
  if (low_bandwidth) {
    warn(*low_bandwidth, fmt::format("`bandwidth` {}", low_rate_words));
  }
  if (long_latency && has_bandwidth) {
    warn(*long_latency, fmt::format("`latency` {}", long_cost_words));
  }
  return edges;
}

/// Place of the list of edges, or its file.
std::string place_of_edges(const Params& settings) {
  const Setting& edges = settings.required("edges");
  return edges.text() != nullptr    ? *edges.text()
         : edges.group() != nullptr ? edges.group()->place_of("edges")
                                    : settings.place_of("edges");
}

/// A connected graph has at most one node more than edges, so a greater number leaves a gap.
std::uint32_t count_nodes(const std::vector<GraphEdge>& edges, const std::string& place) {
  std::vector<bool> is_named(edges.size() + 2);
  std::uint32_t greatest = 0;
  for (const GraphEdge& edge : edges) {
    for (const NodeId node : {edge.from, edge.to}) {
      greatest = std::max(greatest, node.index());
      if (node.index() < is_named.size()) {
        is_named[node.index()] = true;
      }
    }
  }
  const auto gap =
      static_cast<std::uint32_t>(std::ranges::find(is_named, false) - is_named.begin());
  refuse_if(gap < greatest, place,
            "no edge names node {} (nodes are 0 to {}, the greatest number named, without a gap); "
            "number them anew",
            gap, greatest);
  return greatest + 1;
}

void check_connected(const Adjacency& links, const std::string& place) {
  const std::vector<std::uint32_t> distances = distances_to(links, NodeId{0});
  const auto apart = std::ranges::count(distances, unreached);
  if (apart > 0) {
    const auto first = std::ranges::find(distances, unreached) - distances.begin();
    throw InputError(
        place, fmt::format("the graph is not connected: {} of its {} nodes, node {} first, cannot "
                           "be reached from node 0; add an edge, or make machines of the parts",
                           apart, distances.size(), first));
  }
}

/// Classes in the order in which edges first name them, the default one last.
std::vector<std::string> link_classes_of(const std::vector<GraphEdge>& edges) {
  std::vector<std::string> names;
  std::set<std::string> known;
  bool has_default = false;
  for (const GraphEdge& edge : edges) {
    const bool is_default = edge.link_class.empty() || edge.link_class == default_link_class;
    has_default = has_default || is_default;
    if (!is_default && known.insert(edge.link_class).second) {
      names.push_back(edge.link_class);
    }
  }
  if (has_default) {
    names.emplace_back(default_link_class);
  }
  return names;
}

std::unique_ptr<Topology> make_classed_graph(std::uint32_t nodes,
                                             const std::vector<GraphEdge>& edges,
                                             const std::string& place) {
  FabricPlan plan{nodes, 0, place};
  plan.structure.do_terminals_forward = true;
  const std::vector<std::string> names = link_classes_of(edges);
  // The network tells 128 kinds of servers apart: two of a class in half duplex, two of injection.
  constexpr std::size_t most_classes = 63;
  refuse_if(names.size() > most_classes, place,
            "{} classes of links (a graph has at most {}; edges may have costs of their own)",
            names.size(), most_classes);
  std::map<std::string_view, std::size_t> number_of;
  for (std::size_t number = 0; number < names.size(); ++number) {
    number_of.emplace(names[number], number);
  }
  std::vector<std::vector<const GraphEdge*>> of_class(names.size());
  for (const GraphEdge& edge : edges) {
    const std::string_view name =
        edge.link_class.empty() ? std::string_view{default_link_class} : edge.link_class;
    of_class[number_of.at(name)].push_back(&edge);
  }
  for (std::size_t number = 0; number < names.size(); ++number) {
    plan.begin_class(names[number], of_class[number].size());
    for (const GraphEdge* const edge : of_class[number]) {
      plan.add_link(edge->from.index(), edge->to.index());
    }
  }
  return std::make_unique<ClassedGraph>(std::move(plan));
}

}  // namespace

std::vector<GraphEdge> read_graph_edges(const Params& settings) {
  const Setting& edges = settings.required("edges");
  if (edges.text() != nullptr) {
    return read_edges_csv(settings.full_text("edges", "is no file"));
  }
  if (edges.group() != nullptr) {  // contents of a JSON file
    const Params& file = *edges.group();
    file.allow_only(std::array<std::string, 1>{"edges"});
    return read_edge_list(file);
  }
  return read_edge_list(settings);
}

std::unique_ptr<Topology> make_graph_topology(const std::vector<GraphEdge>& edges,
                                              const Params& settings) {
  const std::string place = place_of_edges(settings);
  refuse_if(edges.empty(), place, "there are no edges (a graph has at least one)");
  refuse_if(edges.size() > std::numeric_limits<std::uint32_t>::max() / 2 - 1, place,
            "there are too many edges for 32-bit link numbers");
  std::vector<std::pair<NodeId, NodeId>> links;
  links.reserve(2 * edges.size());
  for (const GraphEdge& edge : edges) {
    refuse_if(edge.from == edge.to, place,
              "an edge joins node {} to itself (messages inside a node need none); leave it out",
              edge.from);
    links.emplace_back(edge.from, edge.to);
    links.emplace_back(edge.to, edge.from);
  }
  const std::uint32_t nodes = count_nodes(edges, place);
  std::ranges::sort(links);
  if (const auto twice = std::ranges::adjacent_find(links); twice != links.end()) {
    throw InputError(
        place,
        fmt::format(
            "the edge {}-{} is named twice (an edge is both directions of a link); leave one out",
            twice->first, twice->second));
  }
  check_connected(Adjacency{nodes, links}, place);
  if (std::ranges::any_of(edges, [](const GraphEdge& edge) { return !edge.link_class.empty(); })) {
    return make_classed_graph(nodes, edges, place);
  }
  return std::make_unique<Graph>(nodes, links);
}

const TopologyKind graph_kind{
    "graph",
    "any connected graph, from a list of edges or a file",
    "edges=[[0,1],[1,2],[2,3],[3,0],[1,3]]",
    {{"edges",
      "a list [[0,1], ..], [[0,1,\"wide\"], ..] with classes of links, or [{\"from\":0, \"to\":1, "
      "\"latency\": .., \"bandwidth\": .., \"class\": ..}, ..], or a file of it: .csv with the "
      "columns from, to, latency, bandwidth or per_byte, class, or .json",
      ""}},
    [](const Params& params) { return make_graph_topology(read_graph_edges(params), params); },
    read_graph_edges};

}  // namespace dcube
