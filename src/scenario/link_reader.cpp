#include "link_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "core/warnings.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/network/routing_names.hpp"
#include "dcube/scenario/documents.hpp"
#include "dcube/topology/graph.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "dcube/topology/hop_weights.hpp"
#include "dcube/topology/platform.hpp"
#include "dcube/topology/routing.hpp"

namespace dcube {
namespace {

const std::array<std::string, 10> link_keys{"latency",    "per_byte",  "bandwidth", "duplex",
                                            "contention", "pipelined", "packet",    "service",
                                            "classes",    "weight"};
const std::array<std::string, 4> class_keys{"latency", "per_byte", "bandwidth", "weight"};
const std::array<std::string, 6> override_keys{"from",    "to",       "parallel",
                                               "latency", "per_byte", "bandwidth"};

/// "link": one group for all classes of links, or a list with one for each.
std::vector<Params> link_entries(const Params& document, std::uint32_t dimensions) {
  const Setting* link = document.find("link");
  if (link == nullptr) {
    return std::vector<Params>(dimensions);
  }
  if (link->list() == nullptr) {
    return std::vector<Params>(
        dimensions, document.group("link", R"({"latency": "1us", "bandwidth": "10GBps"})"));
  }
  std::vector<Params> entries = document.groups("link", "links { .. }", 0);
  refuse_if(entries.size() != dimensions, document.place_of("link"),
            "{} for {} (one for each, or one group for all)", counted(entries.size(), "entry"),
            counted(dimensions, "dimension"));
  for (const Params& entry : entries) {
    refuse_if(entry.has("classes"), entry.place_of("classes"),
              "given in a list, whose entries are classes already");
  }
  return entries;
}

/// The one value that the entries giving `key` agree on. `read(entry)` gives an entry's value.
template <class Value, class Read>
Value agreed(const std::vector<Params>& entries, std::string_view key, Value otherwise, Read read) {
  std::optional<Value> found;
  for (const Params& entry : entries) {
    if (!entry.has(key)) {
      continue;
    }
    const Value value = read(entry);
    if (found && *found != value) {
      entry.reject(key,
                   fmt::format("{} differs from another dimension's (the whole machine has one)",
                               entry.find(key)->describe()));
    }
    found = value;
  }
  return found.value_or(otherwise);
}

/// Reader of the edges of a graph; null for other topologies.
auto edges_reader(const Params& document) {
  return required_kind(topology_catalog(), document.group("topology"), "a topology").read_edges;
}

/// Names of the classes of links. An edge of a graph without a class is of the default one, also
/// where no edge has a class.
std::vector<std::string> class_names(const Params& document, const Topology& topology) {
  if (topology.structure().link_classes.empty() && edges_reader(document) != nullptr) {
    return {default_link_class};
  }
  return numbered(topology.class_count(),
                  [&](std::uint32_t number) { return topology.class_name(number); });
}

/// "classes" of a group for all classes: calls `read(number, settings)` for those that it names.
/// What a class leaves out it has from the group.
template <class Read>
void read_classes(const Params& document, const Topology& topology, Read read) {
  const Setting* const link = document.find("link");
  if (link == nullptr || link->group() == nullptr || !link->group()->has("classes")) {
    return;
  }
  const Params& classes = link->group()->group("classes", R"({"global": {"latency": "1us"}})");
  const std::vector<std::string> names = class_names(document, topology);
  classes.allow_only(names);
  for (std::uint32_t number = 0; number < names.size(); ++number) {
    if (classes.has(names[number])) {
      const Params& own = classes.group(names[number], R"({"latency": "1us"})");
      own.allow_only(class_keys);
      read(number, own);
    }
  }
}

/// Warns of what a group says for all classes where each of them says it itself.
void warn_of_unused_keys(const Params& document, const Topology& topology) {
  std::vector<Params> classes;
  read_classes(document, topology,
               [&](std::uint32_t, const Params& own) { classes.push_back(own); });
  if (classes.empty() || classes.size() < class_names(document, topology).size()) {
    return;
  }
  const Params& link = document.group("link");
  const auto says = [](const Params& group, std::string_view key) {
    return group.has(key) || (key == "per_byte" && group.has("bandwidth")) ||
           (key == "bandwidth" && group.has("per_byte"));
  };
  for (const std::string& key : class_keys) {
    if (link.has(key) &&
        std::ranges::all_of(classes, [&](const Params& own) { return says(own, key); })) {
      warn(link.place_of(key),
           "changes nothing, because each of the `classes` says it itself; change it there");
    }
  }
}

std::uint32_t read_weight(const Params& link, std::uint32_t otherwise) {
  return link.has("weight") ? static_cast<std::uint32_t>(link.integer(
                                  "weight", 1, most_hop_weight,
                                  fmt::format("what a hop weighs in hop-bytes (a whole number "
                                              "from 1 to {})",
                                              most_hop_weight)))
                            : otherwise;
}

Duplex read_duplex(const Params& link) {
  const std::array<std::string, 2> names{"full", "half"};
  return choice<Duplex>(link, "duplex", names, "full");
}

Contention read_contention(const Params& link) {
  return link.boolean("contention", true) ? Contention::on : Contention::off;
}

void read_link_override(const Params& entry, const LinksByEnds& network, LinkModel& links) {
  entry.allow_only(override_keys);
  const Topology& topology = network.topology();
  const std::vector<LinkId> named = read_links_between(entry, network);
  refuse_if(!entry.has("latency") && !entry.has("per_byte") && !entry.has("bandwidth"),
            entry.place(), "overrides nothing (give latency, per_byte or bandwidth)");
  for (const LinkId link : named) {
    const TransferCost cost =
        read_cost(entry, links.per_dimension.at(topology.link(link)->dimension));
    refuse_if(!links.overrides.emplace(link, cost).second, entry.place(),
              "this link has been overridden before (once is enough)");
  }
}

/// Costs of a platform are those of its links, whose directions share them.
void take_platform_costs(const Params& document, const PlatformCosts& costs, LinkModel& links) {
  const Setting* const link = document.find("link");
  if (link != nullptr) {
    const Params& group = document.group("link", R"({"packet": "4KiB"})");
    for (const char* key : {"latency", "per_byte", "bandwidth", "duplex", "classes"}) {
      refuse_if(group.has(key), group.place_of(key),
                "given beside a platform of SimGrid, whose links say it; single links may differ "
                "under `links`");
    }
  }
  const auto cost_of = [](const PlatformCosts::Cost& cost) {
    return TransferCost{cost.latency, cost.per_byte, cost.never_queues};
  };
  links.duplex = Duplex::half;
  links.per_dimension = mapped(costs.classes, cost_of);
}

void take_platform_overrides(const PlatformCosts& costs, const Topology& network,
                             LinkModel& links) {
  for (std::uint32_t slot = 0; slot < network.link_slots(); ++slot) {
    const PlatformCosts::Cost& own = costs.links[slot / 2];
    if (own != costs.classes[network.link(LinkId{slot})->dimension]) {
      links.overrides.emplace(LinkId{slot},
                              TransferCost{own.latency, own.per_byte, own.never_queues});
    }
  }
}

/// Refuses an edge of a class that is not among the `classes` of costs: likely a slip.
void expect_known_class(const GraphEdge& edge, const Params& document) {
  const Setting* const link = document.find("link");
  if (edge.link_class.empty() || edge.link_class == default_link_class || link == nullptr ||
      link->group() == nullptr || !link->group()->has("classes")) {
    return;
  }
  const std::vector<std::string> named = link->group()->group("classes").keys();
  refuse_if(std::ranges::find(named, edge.link_class) == named.end(),
            document.group("topology").place_of("edges"),
            "the edge {}-{} is of the class `{}`, which `link.classes` lacks (there, `{{}}` gives "
            "a class the costs of `link`){}",
            edge.from, edge.to, edge.link_class, nearest_name_hint(edge.link_class, named));
}

/// Reads the link costs at the edges of a graph.
void read_edge_costs(const Params& document, const LinksByEnds& network, LinkModel& links) {
  const auto read_edges = edges_reader(document);
  if (read_edges == nullptr) {
    return;
  }
  for (const GraphEdge& edge : read_edges(document.group("topology"))) {
    expect_known_class(edge, document);
    if (!edge.latency && !edge.per_byte) {
      continue;
    }
    const LinkId link = network.link(edge.from, edge.to).value();
    TransferCost cost = links.per_dimension[network.topology().link(link)->dimension];
    cost.fixed = edge.latency.value_or(cost.fixed);
    cost.per_byte = edge.per_byte.value_or(cost.per_byte);
    links.overrides[link] = cost;
    links.overrides[network.topology().reverse(link)] = cost;
  }
}

/// "switching", and "pipelined" of the links.
Switching read_switching(const Params& document, const std::vector<Params>& links) {
  const std::array<std::string, 2> names{"store_and_forward", "cut_through"};
  const auto read_pipelined = [](const Params& link) { return link.boolean("pipelined", false); };
  if (document.choice("switching", names, names[0]) == names[0]) {
    return agreed(links, "pipelined", false, read_pipelined) ? Switching::pipelined
                                                             : Switching::store_and_forward;
  }
  refuse_if(!agreed(links, "pipelined", true, read_pipelined), document.place_of("switching"),
            "is cut_through, whose links are always pipelined (leave out `pipelined`: false)");
  return Switching::cut_through;
}

std::optional<std::uint64_t> read_packet(const Params& link) {
  const std::uint64_t bytes = link.size_bytes("packet");
  refuse_if(bytes == 0, link.place_of("packet"),
            "0 bytes carry nothing (a size in bytes, or no key where messages travel whole)");
  return bytes;
}

/// "service" of the links, which have been read up to here.
Service read_service(const std::vector<Params>& entries, const LinkModel& links) {
  const Service service =
      agreed(entries, "service", Service::first_come_first_served, [](const Params& link) {
        const std::array<std::string, 2> names{"first_come_first_served", "round_robin"};
        return choice<Service>(link, "service", names, names[0]);
      });
  if (service == Service::round_robin && !links.packet_bytes) {
    const auto giver =
        std::ranges::find_if(entries, [](const Params& link) { return link.has("service"); });
    giver->reject("service",
                  "is round_robin, which serves a packet of each message in turn (give `packet`)");
  }
  return service;
}

std::vector<std::string> keys_of(Routing kind) {
  std::vector<std::string> keys{"kind", "seed"};
  if (kind == Routing::ugal) {
    keys.insert(keys.end(), {"threshold", "sees"});
  } else if (kind == Routing::ecmp) {
    keys.emplace_back("by");
  }
  return keys;
}

RoutingModel read_own_ways(const Params& document) {
  if (!document.has("routing")) {
    return {};
  }
  const Params& settings = document.group("routing");
  std::vector<std::string> kinds = static_routing_names();
  kinds.insert(kinds.end(), own_way_names.begin(), own_way_names.end());
  const std::optional<Routing> named = own_ways_named(settings.choice("kind", kinds, ""));
  if (!named) {
    return {};
  }
  const Routing kind = *named;
  settings.allow_only(keys_of(kind));
  refuse_if(kind == Routing::minimal_adaptive && settings.has("seed"), settings.place_of("seed"),
            "is for routes that are drawn (random_order, valiant)");
  const std::array<std::string, 2> drawers{"pair", "message"};
  if (kind == Routing::ecmp && settings.choice("by", drawers, "pair") == "pair") {
    return {};
  }
  const std::array<std::string, 2> sights{"first_link", "way"};
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  const auto number = [&](const char* key, std::int64_t most, const char* what) {
    return settings.has(key) ? static_cast<std::uint64_t>(settings.integer(key, 0, most, what)) : 0;
  };
  return {kind, number("seed", last, "a seed (from 0)"),
          number("threshold", std::numeric_limits<std::int32_t>::max(),
                 "messages times hops (a whole number from 0)"),
          choice<Sight>(settings, "sees", sights, sights[0])};
}

}  // namespace

TransferCost read_cost(const Params& settings, const TransferCost& otherwise) {
  TransferCost cost = otherwise;
  cost.fixed = settings.duration("latency", otherwise.fixed);
  cost.per_byte = settings.duration("per_byte", otherwise.per_byte);
  if (settings.has("bandwidth")) {
    refuse_if(settings.has("per_byte"), settings.place_of("bandwidth"),
              "given beside `per_byte` (one of them says what a byte costs)");
    cost.per_byte = settings.time_per_byte("bandwidth");
  }
  return cost;
}

NodeId read_node(const Params& settings, std::string_view key, const Topology& topology) {
  const std::int64_t last = std::int64_t{topology.node_count()} - 1;
  const std::string what = fmt::format("a node (0 to {})", last);
  return NodeId{static_cast<std::uint32_t>(settings.integer(key, 0, last, what))};
}

LinkId read_link(const Params& entry, const LinksByEnds& network, std::string_view from_key,
                 std::string_view to_key) {
  const Topology& topology = network.topology();
  const NodeId from = read_node(entry, from_key, topology);
  const NodeId to = read_node(entry, to_key, topology);
  const std::optional<LinkId> link = network.link(from, to);
  if (!link) {
    throw InputError(entry.place_of(to_key),
                     fmt::format("no link joins node {} to node {} (its neighbours: {})", from, to,
                                 joined(topology.neighbours(from), ", ")));
  }
  return *link;
}

std::vector<LinkId> read_links_between(const Params& entry, const LinksByEnds& network,
                                       std::string_view from_key, std::string_view to_key,
                                       std::string_view parallel_key) {
  const std::vector<LinkId> all = network.links_beside(read_link(entry, network, from_key, to_key));
  if (!entry.has(parallel_key)) {
    return all;
  }
  const auto last = static_cast<std::int64_t>(all.size()) - 1;
  return {all[static_cast<std::size_t>(
      entry.integer(parallel_key, 0, last, fmt::format("a parallel link (0 to {})", last)))]};
}

std::vector<LinkId> LinksByEnds::links_beside(LinkId link) const {
  const Link ends = topology_->link(link).value();
  return mapped(kept(links_->of(ends.from), [&](const Exit& exit) { return exit.to == ends.to; }),
                &Exit::link);
}

LinkModel read_links(const Params& document, const LinksByEnds& network) {
  const std::vector<Params> entries = link_entries(document, network.topology().class_count());
  LinkModel links;
  for (const Params& entry : entries) {
    entry.allow_only(link_keys);
    links.per_dimension.push_back(read_cost(entry, {}));
  }
  read_classes(document, network.topology(), [&](std::uint32_t number, const Params& own) {
    links.per_dimension[number] = read_cost(own, links.per_dimension[number]);
  });
  warn_of_unused_keys(document, network.topology());
  links.duplex = agreed(entries, "duplex", Duplex::full, read_duplex);
  const PlatformCosts* const platform = platform_costs(network.topology());
  if (platform != nullptr) {
    take_platform_costs(document, *platform, links);
  }
  links.contention = agreed(entries, "contention", Contention::on, read_contention);
  links.switching = read_switching(document, entries);
  links.packet_bytes = agreed(entries, "packet", std::optional<std::uint64_t>{}, read_packet);
  links.service = read_service(entries, links);
  links.routing = read_own_ways(document);
  LinkModel single;
  single.per_dimension = links.per_dimension;
  if (document.has("links")) {
    for (const Params& entry :
         document.groups("links", "overrides [{\"from\": .., \"to\": ..}, ..]", 0)) {
      read_link_override(entry, network, single);
    }
  }
  read_edge_costs(document, network, links);
  if (platform != nullptr) {
    take_platform_overrides(*platform, network.topology(), links);
  }
  for (const auto& [link, cost] : single.overrides) {  // one direction of an edge, say
    links.overrides[link] = cost;
  }
  return links;
}

std::shared_ptr<const Topology> with_hop_weights_of(const Params& document,
                                                    std::shared_ptr<const Topology> network) {
  std::vector<std::uint32_t> weights =
      mapped(link_entries(document, network->class_count()),
             [](const Params& entry) { return read_weight(entry, 1); });
  read_classes(document, *network, [&](std::uint32_t number, const Params& own) {
    weights[number] = read_weight(own, weights[number]);
  });
  return with_hop_weights(std::move(network), std::move(weights));
}

std::shared_ptr<const Topology> with_routing_of(const Params& document,
                                                std::shared_ptr<const Topology> network,
                                                const RoutingModel& own) {
  if (!document.has("routing")) {
    return network;
  }
  if (own.kind == Routing::random_order && !is_grid(*network)) {
    document.group("routing").reject(
        "kind",
        fmt::format(
            "messages in a {} have no order of dimensions to draw (random_order is for lines, "
            "rings, meshes, hypercubes and tori; valiant and minimal_adaptive suit every network)",
            network->kind()));
  }
  if (own.kind != Routing::fixed) {
    expect_suitable_routing(*network, own_ways_name(own.kind),
                            document.group("routing").place_of("kind"));
  }
  if (own.kind == Routing::minimal_adaptive && !network->structure().are_routes_shortest) {
    return with_routing(std::move(network), Params::parse("kind=shortest"));
  }
  return own.kind == Routing::fixed || own.kind == Routing::ecmp
             ? with_routing(std::move(network), document.group("routing"))
             : network;
}

}  // namespace dcube
