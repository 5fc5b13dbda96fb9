#include "machine_reader.hpp"

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

#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/scenario/machines.hpp"
#include "dcube/topology/topology.hpp"
#include "json_reading.hpp"
#include "platform_search.hpp"
#include "program/operations.hpp"

namespace dcube {
namespace {

const std::array<std::string, 10> machine_keys{
    "schema_version", "name",     "description", "topology", "link",
    "links",          "endpoint", "switching",   "compute",  "host"};
const std::array<std::string, 5> link_keys{"latency", "per_byte", "bandwidth", "duplex",
                                           "contention"};
const std::array<std::string, 5> override_keys{"from", "to", "latency", "per_byte", "bandwidth"};
const std::array<std::string, 4> endpoint_keys{"send", "send_per_byte", "receive",
                                               "receive_per_byte"};
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

/// The entries of a list of groups, each checked to be one.
std::vector<Params> groups_of(const Params& settings, std::string_view key) {
  std::vector<Params> groups;
  const Setting::List& list = *settings.find(key)->list();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].group() == nullptr) {
      throw InputError(fmt::format("{}/{}", settings.place_of(key), i),
                       list[i].describe() + " is not a group of settings { .. }");
    }
    groups.push_back(*list[i].group());
  }
  return groups;
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
  std::vector<Params> entries = groups_of(document, "link");
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
  return link.choice("duplex", names, "full") == "full" ? Duplex::full : Duplex::half;
}

Contention read_contention(const Params& link) {
  return link.boolean("contention", true) ? Contention::on : Contention::off;
}

NodeId read_node(const Params& settings, std::string_view key, const Topology& topology) {
  const std::int64_t last = std::int64_t{topology.node_count()} - 1;
  const std::string what = fmt::format("a node (0 to {})", last);
  return NodeId{static_cast<std::uint32_t>(settings.integer(key, 0, last, what))};
}

std::string node_list(const std::vector<NodeId>& nodes) {
  std::string text;
  for (const NodeId node : nodes) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", node.index());
  }
  return text;
}

/// The directed link that an entry of "links" names.
LinkId read_link(const Params& entry, const Topology& topology) {
  const NodeId from = read_node(entry, "from", topology);
  const NodeId to = read_node(entry, "to", topology);
  if (topology.distance(from, to) != 1) {
    entry.reject("to", fmt::format("no link joins node {} to node {} (its neighbours: {})",
                                   from.index(), to.index(), node_list(topology.neighbours(from))));
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
  if (const Setting* overrides = document.find("links")) {
    if (overrides->list() == nullptr) {
      document.reject("links", overrides->describe() +
                                   " is not a list of overrides [{\"from\": .., \"to\": ..}, ..]");
    }
    for (const Params& entry : groups_of(document, "links")) {
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
  return {
      {costs.duration("send", ExactTime{}), costs.duration("send_per_byte", ExactTime{})},
      {costs.duration("receive", ExactTime{}), costs.duration("receive_per_byte", ExactTime{})}};
}

std::optional<HostComputer> read_host(const Params& document, const Topology& topology) {
  if (!document.has("host")) {
    return std::nullopt;
  }
  const Params& settings = document.group("host");
  settings.allow_only(host_keys);
  HostComputer host;
  host.link = read_cost(settings, {});
  const Setting* attached = settings.find("attached_to");
  if (attached == nullptr || attached->text() == nullptr) {
    host.attached_to = read_node(settings, "attached_to", topology);
  } else if (*attached->text() != "all") {
    settings.reject("attached_to", attached->describe() + " is neither a node number nor \"all\"");
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

void check_switching(const Params& document) {
  const std::array<std::string, 1> names{"store_and_forward"};
  document.choice("switching", names, names.front());
}

std::vector<std::string> with_schema_key(std::span<const std::string> keys) {
  std::vector<std::string> all{keys.begin(), keys.end()};
  all.emplace_back("$schema");
  return all;
}

std::string read_name(const Params& document, const std::string& default_name) {
  if (!document.has("name")) {
    return default_name;
  }
  std::string name = document.text("name");
  if (name.empty()) {
    document.reject("name", "\"\" is not a name (a text of at least one letter)");
  }
  return name;
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
  Params document;
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
  document.set("schema_version", Setting::Number{"1"});
  document.set("name", name);
  document.set("topology", std::move(topology));
  Params link;
  link.set("latency", "1s");
  document.set("link", std::move(link));
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
    if (document.has(key)) {
      document.text(key);
    }
  }
}

std::shared_ptr<const Machine> read_machine(const Params& document, const std::string& default_name,
                                            VersionKey version) {
  document.allow_only(with_schema_key(machine_keys));
  check_schema_version(document, version);
  check_labels(document);
  check_switching(document);
  auto machine = std::make_shared<Machine>();
  machine->name = read_name(document, default_name);
  machine->topology = make_topology(document.group("topology"));
  machine->links = read_links(document, *machine->topology);
  machine->endpoint = read_endpoint(document);
  machine->host = read_host(document, *machine->topology);
  machine->compute = read_compute(document);
  return machine;
}

std::shared_ptr<const Machine> read_machine_file(const std::filesystem::path& file) {
  return read_machine(read_json_file(file), file.stem().string(), VersionKey::required);
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
    Params link;
    link.set("latency", fmt::format("{}ps", network_hop.count()));
    document.set("link", std::move(link));
  }
  return read_machine(document, name_or_file, VersionKey::required);
}

}  // namespace dcube
