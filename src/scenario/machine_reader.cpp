
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
#include "dcube/topology/topology.hpp"
#include "documents.hpp"
#include "json_reading.hpp"
#include "platform_search.hpp"
#include "program/operations.hpp"

namespace dcube {
namespace {

const std::array<std::string, 13> machine_keys{
    "schema_version", "name",      "description", "topology", "link", "links",  "endpoint",
    "node",           "switching", "network",     "compute",  "host", "$schema"};
const std::array<std::string, 5> link_keys{"latency", "per_byte", "bandwidth", "duplex",
                                           "contention"};
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

/// The directed link that an entry of "links" names.
LinkId read_link(const Params& entry, const Topology& topology) {
  const NodeId from = read_node(entry, "from", topology);
  const NodeId to = read_node(entry, "to", topology);
  if (topology.distance(from, to) != 1) {
    entry.reject("to", fmt::format("no link joins node {} to node {} (its neighbours: {})", from,
                                   to, fmt::join(topology.neighbours(from), ", ")));
  }
  return topology.next_run(from, to).first;
}

void read_link_override(const Params& entry, const Topology& topology, LinkModel& links) {
  entry.allow_only(override_keys);
  const LinkId link = read_link(entry, topology);
  if (!entry.has("latency") && !entry.has("per_byte") && !entry.has("bandwidth")) {
    throw InputError(entry.place(), "overrides nothing (give latency, per_byte or bandwidth)");
  }
  const TransferCost cost =
      read_cost(entry, links.per_dimension.at(topology.link(link)->dimension));
  if (!links.overrides.emplace(link, cost).second) {
    throw InputError(entry.place(), "this link has been overridden before (once is enough)");
  }
}

LinkModel read_links(const Params& document, const Topology& topology) {
  const std::vector<Params> entries = link_entries(document, topology.dimension_count());
  LinkModel links;
  for (const Params& entry : entries) {
    entry.allow_only(link_keys);
    links.per_dimension.push_back(read_cost(entry, {}));
  }
  links.duplex = agreed(entries, "duplex", Duplex::full, read_duplex);
  links.contention = agreed(entries, "contention", Contention::on, read_contention);
  if (document.has("links")) {
    for (const Params& entry :
         document.groups("links", "overrides [{\"from\": .., \"to\": ..}, ..]", 0)) {
      read_link_override(entry, topology, links);
    }
  }
  return links;
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

/// "torus:8x8", not a file of that name.
bool names_network(std::string_view name) {
  return name.find(':') != std::string_view::npos && name.find('/') == std::string_view::npos &&
         !name.ends_with(".json");
}

/// The network's kind and the one parameter that it requires; a hop takes 1 s, as on the machines
/// called unit-*.
Params network_document(const std::string& name, std::string_view place) {
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
  document.choice("switching", std::array<std::string, 1>{"store_and_forward"}, "");
  auto machine = std::make_shared<Machine>();
  machine->name = read_name(document, default_name);
  machine->topology = make_topology(document.group("topology"));
  machine->links = read_links(document, *machine->topology);
  machine->endpoint = read_endpoint(document);
  machine->node = read_node_model(document, *machine->topology);
  machine->links.injection = read_injection(document);
  machine->fluid = read_network(document);
  machine->host = read_host(document, *machine->topology);
  machine->compute = read_compute(document);
  return machine;
}

Params machine_document(const std::string& name, const std::optional<std::filesystem::path>& folder,
                        std::string_view place, std::vector<std::filesystem::path>& inputs) {
  if (names_network(name)) {
    return network_document(name, place);
  }
  const std::filesystem::path file = find_machine_file(name, folder, place);
  inputs.push_back(file);
  Params document = read_json_file(file);
  if (!document.has("name")) {
    document.set("name", file.stem().string());
  }
  return document;
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
