
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/scenario/machines.hpp"
#include "dcube/topology/routing.hpp"
#include "dcube/topology/topology.hpp"
#include "documents.hpp"
#include "file_names.hpp"
#include "json_reading.hpp"
#include "platform_search.hpp"
#include "program/operations.hpp"
#include "topology/adjacency.hpp"
#include "topology/graph.hpp"
#include "topology/grid_kind.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

const std::array<std::string, 15> machine_keys{
    "schema_version", "name", "description", "topology", "routing", "failed", "link",   "links",
    "endpoint",       "node", "switching",   "network",  "compute", "host",   "$schema"};
const std::array<std::string, 4> failed_keys{"nodes", "links", "spares", "at"};
const std::array<std::string, 7> link_keys{"latency",    "per_byte",  "bandwidth", "duplex",
                                           "contention", "pipelined", "packet"};
const std::array<std::string, 5> override_keys{"from", "to", "latency", "per_byte", "bandwidth"};
const std::array<std::string, 5> endpoint_keys{"send", "send_per_byte", "receive",
                                               "receive_per_byte", "eager_limit"};
const std::array<std::string, 4> node_keys{"slots", "cores", "local", "injection"};
const std::array<std::string, 3> transfer_keys{"latency", "per_byte", "bandwidth"};
const std::array<std::string, 2> network_keys{"kind", "model"};
const std::array<std::string, 4> host_keys{"attached_to", "latency", "per_byte", "bandwidth"};

/// Costs given replace those of `otherwise`.
TransferCost read_cost(const Params& settings, const TransferCost& otherwise) {
  TransferCost cost = otherwise;
  cost.fixed = settings.duration("latency", otherwise.fixed);
  cost.per_byte = settings.duration("per_byte", otherwise.per_byte);
  if (settings.has("bandwidth")) {
    if (settings.has("per_byte")) {
      settings.reject("bandwidth", "given beside `per_byte` (one of them says what a byte costs)");
    }
    cost.per_byte = settings.time_per_byte("bandwidth");
  }
  return cost;
}

/// "link": one group for all dimensions, or a list with one for each.
std::vector<Params> link_entries(const Params& document, std::uint32_t dimensions) {
  const Setting* link = document.find("link");
  if (link == nullptr) {
    return std::vector<Params>(dimensions);
  }
  if (link->list() == nullptr) {
    return std::vector<Params>(dimensions, document.group("link"));
  }
  std::vector<Params> entries = document.groups("link", "links { .. }", 0);
  if (entries.size() != dimensions) {
    document.reject("link", fmt::format("{} entries for {} dimensions (one for each, or one group "
                                        "for all)",
                                        entries.size(), dimensions));
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
      entry.reject(key, fmt::format("{} differs from another dimension's (the whole machine has "
                                    "one)",
                                    entry.find(key)->describe()));
    }
    found = value;
  }
  return found.value_or(otherwise);
}

Duplex read_duplex(const Params& link) {
  const std::array<std::string, 2> names{"full", "half"};
  return choice<Duplex>(link, "duplex", names, "full");
}

Contention read_contention(const Params& link) {
  return link.boolean("contention", true) ? Contention::on : Contention::off;
}

NodeId read_node(const Params& settings, std::string_view key, const Topology& topology) {
  const std::int64_t last = std::int64_t{topology.node_count()} - 1;
  const std::string what = fmt::format("a node (0 to {})", last);
  return NodeId{static_cast<std::uint32_t>(settings.integer(key, 0, last, what))};
}

/// A network and its links by their ends, which are looked up where a document names single links.
class LinksByEnds {
 public:
  explicit LinksByEnds(std::shared_ptr<const Topology> topology) : topology_{std::move(topology)} {}

  const Topology& topology() const { return *topology_; }
  const std::shared_ptr<const Topology>& shared() const { return topology_; }

  /// Nothing when the nodes are no neighbours.
  std::optional<LinkId> link(NodeId from, NodeId to) const {
    if (!links_) {
      links_ = adjacency_of(*topology_);
    }
    return links_->link_between(from, to);
  }

 private:
  std::shared_ptr<const Topology> topology_;
  mutable std::optional<Adjacency> links_;
};

/// The directed link between the nodes that `from` and `to` name.
LinkId read_link(const Params& entry, const LinksByEnds& network,
                 std::string_view from_key = "from", std::string_view to_key = "to") {
  const Topology& topology = network.topology();
  const NodeId from = read_node(entry, from_key, topology);
  const NodeId to = read_node(entry, to_key, topology);
  const std::optional<LinkId> link = network.link(from, to);
  if (!link) {
    entry.reject(to_key, fmt::format("no link joins node {} to node {} (its neighbours: {})", from,
                                     to, fmt::join(topology.neighbours(from), ", ")));
  }
  return *link;
}

void read_link_override(const Params& entry, const LinksByEnds& network, LinkModel& links) {
  entry.allow_only(override_keys);
  const Topology& topology = network.topology();
  const LinkId link = read_link(entry, network);
  if (!entry.has("latency") && !entry.has("per_byte") && !entry.has("bandwidth")) {
    throw InputError(entry.place(), "overrides nothing (give latency, per_byte or bandwidth)");
  }
  const TransferCost cost =
      read_cost(entry, links.per_dimension.at(topology.link(link)->dimension));
  if (!links.overrides.emplace(link, cost).second) {
    throw InputError(entry.place(), "this link has been overridden before (once is enough)");
  }
}

/// What the edges of a graph say of their links.
void read_edge_costs(const Params& document, const LinksByEnds& network, LinkModel& links) {
  if (network.topology().kind() != "graph") {
    return;
  }
  for (const GraphEdge& edge : read_graph_edges(document.group("topology"))) {
    if (!edge.latency && !edge.per_byte) {
      continue;
    }
    TransferCost cost = links.per_dimension.front();
    cost.fixed = edge.latency.value_or(cost.fixed);
    cost.per_byte = edge.per_byte.value_or(cost.per_byte);
    const LinkId link = network.link(edge.from, edge.to).value();
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
  if (!agreed(links, "pipelined", true, read_pipelined)) {
    document.reject("switching",
                    "is cut_through, whose links are always pipelined (leave out "
                    "`pipelined`: false)");
  }
  return Switching::cut_through;
}

std::optional<std::uint64_t> read_packet(const Params& link) {
  const std::uint64_t bytes = link.size_bytes("packet");
  if (bytes == 0) {
    link.reject("packet",
                "0 bytes carry nothing (a size in bytes, or no key where messages travel "
                "whole)");
  }
  return bytes;
}

/// The routings whose messages draw or choose their ways, in the order of Routing.
const std::array<std::string, 3> own_ways{"random_order", "valiant", "minimal_adaptive"};
const std::array<std::string, 2> drawn_keys{"kind", "seed"};

RoutingModel read_own_ways(const Params& document) {
  if (!document.has("routing")) {
    return {};
  }
  const Params& settings = document.group("routing");
  const auto* const name = std::ranges::find(own_ways, settings.text("kind", ""));
  if (name == own_ways.end()) {
    return {};
  }
  settings.allow_only(drawn_keys);
  const auto kind = static_cast<Routing>(1 + (name - own_ways.begin()));
  if (kind == Routing::minimal_adaptive && settings.has("seed")) {
    settings.reject("seed", "is for ways that are drawn (random_order, valiant)");
  }
  if (!settings.has("seed")) {
    return {kind};
  }
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  return {kind, static_cast<std::uint64_t>(settings.integer("seed", 0, last, "a seed (from 0)"))};
}

LinkModel read_links(const Params& document, const LinksByEnds& network) {
  const std::vector<Params> entries = link_entries(document, network.topology().dimension_count());
  LinkModel links;
  for (const Params& entry : entries) {
    entry.allow_only(link_keys);
    links.per_dimension.push_back(read_cost(entry, {}));
  }
  links.duplex = agreed(entries, "duplex", Duplex::full, read_duplex);
  links.contention = agreed(entries, "contention", Contention::on, read_contention);
  links.switching = read_switching(document, entries);
  links.packet_bytes = agreed(entries, "packet", std::optional<std::uint64_t>{}, read_packet);
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
  for (const auto& [link, cost] : single.overrides) {  // one direction of an edge, say
    links.overrides[link] = cost;
  }
  return links;
}

/// "routing": the network with routes that follow from their ends alone. Messages that draw or
/// choose their ways keep to the network's own where they have no choice.
std::shared_ptr<const Topology> with_routing_of(const Params& document,
                                                std::shared_ptr<const Topology> network,
                                                const RoutingModel& own) {
  if (!document.has("routing")) {
    return network;
  }
  if (own.kind == Routing::random_order && !is_grid(*network)) {
    document.group("routing").reject(
        "kind", fmt::format("messages in a {} have no order of dimensions to draw (random_order is "
                            "for lines, rings, meshes, tori and hypercubes; valiant and "
                            "minimal_adaptive suit every network)",
                            network->kind()));
  }
  return own.kind == Routing::fixed ? with_routing(std::move(network), document.group("routing"))
                                    : network;
}

std::vector<NodeId> read_nodes(const Params& settings, const char* key, const Topology& topology) {
  std::vector<NodeId> nodes;
  if (!settings.has(key)) {
    return nodes;
  }
  const Setting::List& list = settings.list(key, "nodes", 0);
  const Params entries = Params::of_entries(list, settings.place_of(key));
  for (std::size_t i = 0; i < list.size(); ++i) {
    nodes.push_back(read_node(entries, std::to_string(i), topology));
  }
  return nodes;
}

/// What has failed from an instant on.
struct FailuresFrom {
  Ticks at{0};
  Failures failures;
};

FailuresFrom read_failures(const Params& settings, const LinksByEnds& network) {
  settings.allow_only(failed_keys);
  FailuresFrom read;
  if (settings.has("at")) {
    read.at = round_cost(settings.duration("at"), ExactTime{}, 0);
  }
  Failures& failures = read.failures;
  failures.nodes = read_nodes(settings, "nodes", network.topology());
  failures.spares = read_nodes(settings, "spares", network.topology());
  if (settings.has("links")) {
    std::size_t entry = 0;
    for (const Setting& pair : settings.list("links", "links [[3, 4], ..]", 0)) {
      const std::string place = settings.place_of("links", entry++);
      if (pair.list() == nullptr || pair.list()->size() != 2) {
        throw InputError(place, pair.describe() + " is no link (the two nodes it joins)");
      }
      failures.links.push_back(
          read_link(Params::of_entries(*pair.list(), place), network, "0", "1"));
    }
  }
  return read;
}

/// "failed": one group, or a list of them, in order of time.
std::vector<FailuresFrom> read_all_failures(const Params& document, const LinksByEnds& network) {
  std::vector<FailuresFrom> all;
  const Setting* const failed = document.find("failed");
  if (failed != nullptr && failed->list() != nullptr) {
    for (const Params& group :
         document.groups("failed", "failures [{\"nodes\": [..], \"at\": ..}, ..]", 0)) {
      all.push_back(read_failures(group, network));
    }
  } else if (failed != nullptr) {
    all.push_back(read_failures(document.group("failed"), network));
  }
  std::ranges::stable_sort(all, {}, &FailuresFrom::at);
  return all;
}

/// Every two nodes that are left must reach each other.
void check_parts(const Params& document, const Topology& topology) {
  if (topology.usable_count() == 0) {
    document.reject("failed", "leaves no node that could host a process");
  }
  const std::vector<NodeId> cut_off = cut_off_nodes(topology);
  if (!cut_off.empty()) {
    constexpr std::size_t most_shown = 8;
    const std::span<const NodeId> shown{cut_off.data(), std::min(cut_off.size(), most_shown)};
    document.reject(
        "failed",
        fmt::format(
            "parts the machine: node{} {}{} cannot reach the others; name {} under `nodes`, "
            "too",
            cut_off.size() == 1 ? "" : "s", fmt::join(shown, ", "),
            cut_off.size() > most_shown ? fmt::format(" and {} more", cut_off.size() - most_shown)
                                        : "",
            cut_off.size() == 1 ? "it" : "them"));
  }
}

void append(Failures& all, const Failures& more) {
  all.nodes.insert(all.nodes.end(), more.nodes.begin(), more.nodes.end());
  all.links.insert(all.links.end(), more.links.begin(), more.links.end());
  all.spares.insert(all.spares.end(), more.spares.begin(), more.spares.end());
}

/// The network as it is at the start, and what becomes of it. A node that fails later forwards
/// messages until then, and hosts no process.
std::shared_ptr<const Topology> with_failures_of(const Params& document, const LinksByEnds& network,
                                                 std::shared_ptr<const Topology> routed,
                                                 std::vector<Fault>& faults) {
  const std::vector<FailuresFrom> all = read_all_failures(document, network);
  if (all.empty()) {
    return routed;
  }
  Failures by_now;
  for (const FailuresFrom& part : all) {
    if (part.at == Ticks{0}) {
      append(by_now, part.failures);
    }
    by_now.spares.insert(by_now.spares.end(), part.failures.spares.begin(),
                         part.failures.spares.end());
    if (part.at > Ticks{0}) {
      by_now.spares.insert(by_now.spares.end(), part.failures.nodes.begin(),
                           part.failures.nodes.end());
    }
  }
  std::shared_ptr<const Topology> topology = with_failures(routed, by_now);
  check_parts(document, *topology);
  for (const FailuresFrom& part : all) {
    if (part.at > Ticks{0}) {
      append(by_now, part.failures);
      if (!faults.empty() && faults.back().at == part.at) {
        faults.pop_back();
      }
      faults.push_back({part.at, with_failures(routed, by_now)});
    }
  }
  return topology;
}

EndpointModel read_endpoint(const Params& document) {
  if (!document.has("endpoint")) {
    return {};
  }
  const Params& costs = document.group("endpoint");
  costs.allow_only(endpoint_keys);
  EndpointModel endpoint{
      {costs.duration("send", ExactTime{}), costs.duration("send_per_byte", ExactTime{})},
      {costs.duration("receive", ExactTime{}), costs.duration("receive_per_byte", ExactTime{})}};
  if (costs.has("eager_limit")) {
    endpoint.eager_limit_bytes = costs.size_bytes("eager_limit");
  }
  return endpoint;
}

TransferCost read_transfer(const Params& settings, std::string_view key) {
  const Params& cost = settings.group(key);
  cost.allow_only(transfer_keys);
  return read_cost(cost, {});
}

std::optional<TransferCost> read_injection(const Params& document) {
  return document.has("node") && document.group("node").has("injection")
             ? std::optional{read_transfer(document.group("node"), "injection")}
             : std::nullopt;
}

NodeModel read_node_model(const Params& document, const Topology& topology) {
  NodeModel node;
  if (!document.has("node")) {
    return node;
  }
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  const Params& settings = document.group("node");
  settings.allow_only(node_keys);
  if (settings.has("slots")) {
    // Processes have numbers of 32 bits.
    const std::int64_t most_slots = most / topology.node_count();
    node.slots = static_cast<std::uint32_t>(
        settings.integer("slots", 1, most_slots,
                         fmt::format("a number of processes on a node (1 to {})", most_slots)));
  }
  if (settings.has("cores")) {
    node.cores = static_cast<std::uint32_t>(settings.integer(
        "cores", 1, most, fmt::format("a number of cores of a node (1 to {})", most)));
  }
  if (settings.has("local")) {
    node.local = read_transfer(settings, "local");
  }
  return node;
}

enum class NetworkKind { switched, fluid };

/// "network": its kind, or a group with its kind and, where that is fluid, SimGrid's model.
std::optional<FluidModel> read_network(const Params& document) {
  const std::array<std::string, 2> kinds{"switched", "fluid"};
  const std::array<std::string, 2> models{"CM02", "LV08"};
  const Setting* const network = document.find("network");
  if (network == nullptr || network->group() == nullptr) {
    const auto kind = choice<NetworkKind>(document, "network", kinds, "switched");
    return kind == NetworkKind::fluid ? std::optional{FluidModel::cm02} : std::nullopt;
  }
  const Params& settings = *network->group();
  settings.allow_only(network_keys);
  settings.required("kind");
  if (choice<NetworkKind>(settings, "kind", kinds, "") == NetworkKind::fluid) {
    return choice<FluidModel>(settings, "model", models, "CM02");
  }
  if (settings.has("model")) {
    settings.reject("model", "given for a switched network (only a fluid one has a model)");
  }
  return std::nullopt;
}

/// What the rules of the network leave no sense for.
void check_network(const Params& document, const Machine& machine) {
  if (!machine.links.faults.empty() && machine.links.contention == Contention::off) {
    document.reject("failed", "has instants (`at`), which need links with contention");
  }
  for (const Fault& fault : machine.links.faults) {
    if (machine.host && machine.host->attached_to &&
        !fault.left->is_alive(*machine.host->attached_to)) {
      document.group("host").reject(
          "attached_to", fmt::format("node {} fails during the run", *machine.host->attached_to));
    }
  }
  const bool has_own_rules = !machine.links.faults.empty() || machine.links.packet_bytes ||
                             machine.links.routing.kind != Routing::fixed;
  if (machine.fluid && has_own_rules) {
    document.reject("network",
                    "is fluid, and SimGrid's flows know neither packets, nor ways that "
                    "messages draw or choose, nor failures during a run");
  }
}

std::optional<HostComputer> read_host(const Params& document, const Topology& topology) {
  if (!document.has("host")) {
    return std::nullopt;
  }
  const Params& settings = document.group("host");
  settings.allow_only(host_keys);
  HostComputer host;
  host.link = read_cost(settings, {});
  const Setting& attached = settings.required("attached_to");
  if (attached.text() == nullptr) {
    host.attached_to = read_node(settings, "attached_to", topology);
  } else if (*attached.text() != "all") {
    settings.reject("attached_to", attached.describe() + " is neither a node number nor \"all\"");
  }
  if (host.attached_to && !topology.is_alive(*host.attached_to)) {
    settings.reject("attached_to", fmt::format("node {} has failed", *host.attached_to));
  }
  return host;
}

std::map<std::string, ExactTime> read_compute(const Params& document) {
  std::map<std::string, ExactTime> durations;
  if (document.has("compute")) {
    const Params& table = document.group("compute");
    table.allow_only(operation_names());
    for (const std::string& operation : table.keys()) {
      durations.emplace(operation, table.duration(operation));
    }
  }
  return durations;
}

/// The settings with the file that `key` names, if it names one, as seen from anywhere. The
/// contents stand in the place of a file of JSON. The file is added to `inputs`.
Params with_file_in(const Params& settings, const std::string& key, const fs::path& folder,
                    std::vector<fs::path>& inputs) {
  const Setting* const name = settings.find(key);
  if (name == nullptr || name->text() == nullptr || name->text()->empty()) {
    return settings;
  }
  const fs::path file = path_in(folder, *name->text());
  inputs.push_back(file);
  Params changed = settings;
  if (file.extension() == ".json") {
    changed.set(key, read_json_file(file));
  } else {
    changed.set(key, fs::absolute(file).lexically_normal().string());
  }
  return changed;
}

/// "torus:8x8", not a file of that name.
bool names_network(std::string_view name) {
  return name.find(':') != std::string_view::npos && name.find('/') == std::string_view::npos &&
         !name.ends_with(".json");
}

/// The network's kind and the one parameter that it requires; a hop takes 1 s, as on the machines
/// called unit-*.
Params network_document(const std::string& name, const fs::path& folder, std::string_view place,
                        std::vector<fs::path>& inputs) {
  const std::size_t colon = name.find(':');
  Params topology{name + ": "};
  topology.set("kind", name.substr(0, colon));
  try {
    const TopologyKind& kind = required_kind(topology_catalog(), topology, "a topology");
    const auto required = std::find_if(
        kind.parameters.begin(), kind.parameters.end(),
        [](const ParameterHelp& parameter) { return parameter.default_value.empty(); });
    expects(required != kind.parameters.end(), "a network requires a size");
    const std::string settings =
        fmt::format("kind={},{}={}", kind.name, required->name, name.substr(colon + 1));
    topology = Params::parse(settings, name + ": ");
    topology = with_file_in(topology, "edges", folder, inputs);
    make_topology(topology);
  } catch (const InputError& error) {
    if (place.empty()) {
      throw;
    }
    throw InputError(place, error.what());
  }
  Params document = Params::parse("schema_version=1");
  document.set("name", name);
  document.set("topology", std::move(topology));
  document.set("link", Params::parse("latency=1s"));
  return document;
}

}  // namespace

Params with_files_in(const Params& machine, const fs::path& folder, std::vector<fs::path>& inputs) {
  Params changed = machine;
  for (const auto& [group, key] : {std::pair{"topology", "edges"}, std::pair{"routing", "file"}}) {
    if (const Setting* const settings = machine.find(group);
        settings != nullptr && settings->group() != nullptr) {
      changed.set(group, with_file_in(*settings->group(), key, folder, inputs));
    }
  }
  return changed;
}

void check_schema_version(const Params& document, VersionKey version) {
  if (version == VersionKey::optional && !document.has("schema_version")) {
    return;
  }
  document.integer("schema_version", 1, 1, "a schema version that this dcube reads (1)");
}

void check_labels(const Params& document) {
  for (const char* key : {"$schema", "description"}) {
    document.text(key, "");
  }
}

std::string read_name(const Params& document, const std::string& otherwise) {
  return document.has("name") ? document.full_text("name", "is not a name") : otherwise;
}

std::shared_ptr<const Machine> read_machine(const Params& document, const std::string& default_name,
                                            VersionKey version) {
  document.allow_only(machine_keys);
  check_schema_version(document, version);
  check_labels(document);
  auto machine = std::make_shared<Machine>();
  machine->name = read_name(document, default_name);
  const LinksByEnds network{make_topology(document.group("topology"))};
  machine->links = read_links(document, network);
  machine->topology = with_failures_of(
      document, network, with_routing_of(document, network.shared(), machine->links.routing),
      machine->links.faults);
  std::erase_if(machine->links.overrides,
                [&](const auto& entry) { return !machine->topology->link(entry.first); });
  machine->endpoint = read_endpoint(document);
  machine->node = read_node_model(document, *machine->topology);
  machine->links.injection = read_injection(document);
  machine->fluid = read_network(document);
  machine->host = read_host(document, *machine->topology);
  check_network(document, *machine);
  machine->compute = read_compute(document);
  return machine;
}

Params machine_document(const std::string& name, const std::optional<std::filesystem::path>& folder,
                        std::string_view place, std::vector<std::filesystem::path>& inputs) {
  if (names_network(name)) {
    return network_document(name, folder.value_or(fs::path{}), place, inputs);
  }
  const std::filesystem::path file = find_machine_file(name, folder, place);
  inputs.push_back(file);
  Params document = read_json_file(file);
  if (!document.has("name")) {
    document.set("name", file.stem().string());
  }
  return with_files_in(document, file.parent_path(), inputs);
}

std::shared_ptr<const Machine> load_machine(const std::string& name_or_file, Ticks network_hop) {
  std::vector<std::filesystem::path> inputs;
  Params document = machine_document(name_or_file, std::nullopt, "", inputs);
  if (inputs.empty()) {
    document.set("link", Params::parse(fmt::format("latency={}ps", network_hop.count())));
  }
  return read_machine(document, name_or_file, VersionKey::required);
}

}  // namespace dcube
