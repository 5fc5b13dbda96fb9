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

#include "core/file_names.hpp"
#include "core/json_reading.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "core/warnings.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/interop/machine_files.hpp"
#include "dcube/program/operations.hpp"
#include "dcube/scenario/documents.hpp"
#include "dcube/scenario/machines.hpp"
#include "dcube/scenario/platform_search.hpp"
#include "dcube/topology/platform.hpp"
#include "dcube/topology/topology.hpp"
#include "link_reader.hpp"
#include "unit_warnings.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

const std::array<std::string, 15> machine_keys{
    "schema_version", "name", "description", "topology", "routing", "failed", "link",   "links",
    "endpoint",       "node", "switching",   "network",  "compute", "host",   "$schema"};
const std::array<std::string, 17> endpoint_keys{
    "send",          "send_per_byte", "receive",     "receive_per_byte",
    "gap",           "gap_per_byte",  "eager_limit", "larger",
    "call",          "call_per_port", "combine",     "combine_per_byte",
    "copy_per_byte", "plan",          "piece",       "exchange",
    "several_ports"};
const std::array<std::string, 6> several_ports_keys{"combine", "combine_per_byte", "copy_per_byte",
                                                    "plan",    "in_step",          "threads"};
const std::array<std::string, 5> endpoint_step_keys{"above", "send", "send_per_byte", "receive",
                                                    "receive_per_byte"};
const std::array<std::string, 4> node_keys{"slots", "cores", "local", "injection"};
const std::array<std::string, 3> transfer_keys{"latency", "per_byte", "bandwidth"};
const std::array<std::string, 2> network_keys{"kind", "model"};
const std::array<std::string, 4> host_keys{"attached_to", "latency", "per_byte", "bandwidth"};

/// Costs of messages above a size; what an entry does not say is as below it.
std::vector<EndpointStep> read_endpoint_steps(const Params& costs, const EndpointModel& small) {
  std::vector<EndpointStep> steps;
  if (!costs.has("larger")) {
    return steps;
  }
  EndpointStep step{.send = small.send, .receive = small.receive};
  for (const Params& entry : costs.groups("larger", "costs of larger messages")) {
    entry.allow_only(endpoint_step_keys);
    const std::uint64_t above = entry.size_bytes("above");
    refuse_if(!steps.empty() && above <= step.above, entry.place_of("above"),
              "{} bytes are not above those of the entry before ({})", above, step.above);
    refuse_if(entry.keys().size() == 1, entry.place(),
              "overrides nothing (give send, send_per_byte, receive or receive_per_byte)");
    step = {above,
            {entry.duration("send", step.send.fixed),
             entry.duration("send_per_byte", step.send.per_byte)},
            {entry.duration("receive", step.receive.fixed),
             entry.duration("receive_per_byte", step.receive.per_byte)}};
    steps.push_back(step);
  }
  return steps;
}

SeveralPorts read_several_ports(const Params& costs) {
  SeveralPorts several;
  if (!costs.has("several_ports")) {
    return several;
  }
  const Params& settings = costs.group("several_ports");
  settings.allow_only(several_ports_keys);
  const auto cost = [&](std::string_view key) {
    return settings.has(key) ? std::optional{settings.duration(key)} : std::nullopt;
  };
  several.combine = cost("combine");
  several.combine_per_byte = cost("combine_per_byte");
  several.copy_per_byte = cost("copy_per_byte");
  several.plan = cost("plan");
  several.in_step = settings.boolean("in_step", false);
  several.threads = settings.boolean("threads", false);
  return several;
}

EndpointModel read_endpoint(const Params& document) {
  if (!document.has("endpoint")) {
    return {};
  }
  const Params& costs = document.group("endpoint");
  costs.allow_only(endpoint_keys);
  EndpointModel endpoint{
      {costs.duration("send", ExactTime{}), costs.duration("send_per_byte", ExactTime{})},
      {costs.duration("receive", ExactTime{}), costs.duration("receive_per_byte", ExactTime{})},
      {costs.duration("gap", ExactTime{}), costs.duration("gap_per_byte", ExactTime{})}};
  if (costs.has("eager_limit")) {
    endpoint.eager_limit_bytes = costs.size_bytes("eager_limit");
  }
  endpoint.larger = read_endpoint_steps(costs, endpoint);
  endpoint.call = costs.duration("call", ExactTime{});
  endpoint.call_per_port = costs.duration("call_per_port", ExactTime{});
  endpoint.combine = costs.duration("combine", ExactTime{});
  endpoint.combine_per_byte = costs.duration("combine_per_byte", ExactTime{});
  endpoint.copy_per_byte = costs.duration("copy_per_byte", ExactTime{});
  endpoint.plan = costs.duration("plan", ExactTime{});
  endpoint.piece = costs.duration("piece", ExactTime{});
  endpoint.exchange = costs.duration("exchange", ExactTime{});
  endpoint.several_ports = read_several_ports(costs);
  return endpoint;
}

TransferCost read_transfer(const Params& settings, std::string_view key) {
  const Params& cost = settings.group(key);
  cost.allow_only(transfer_keys);
  return read_cost(cost, {});
}

/// Without a cost, an interface would take a tick, as a link does.
void expect_cost(const Params& cost) {
  refuse_if(std::ranges::none_of(transfer_keys, [&](const auto& key) { return cost.has(key); }),
            cost.place(), "costs nothing (give latency, per_byte or bandwidth)");
}

/// `out` and `in` stand in place of costs that are alike.
void refuse_costs_of_both_ways(const Params& injection) {
  for (const std::string& key : transfer_keys) {
    refuse_if(injection.has(key), injection.place_of(key),
              "given beside `out` or `in` (it would be the cost of both)");
  }
}

/// Injection, and the number of its servers.
void read_injection(const Params& document, LinkModel& links) {
  if (!document.has("node") || !document.group("node").has("injection")) {
    return;
  }
  const Params& node = document.group("node");
  const Params& injection = node.group("injection");
  std::vector<std::string> keys{transfer_keys.begin(), transfer_keys.end()};
  keys.insert(keys.end(), {"interfaces", "out", "in"});
  injection.allow_only(keys);
  if (injection.has("out") || injection.has("in")) {
    refuse_costs_of_both_ways(injection);
    const auto cost = [&injection](std::string_view passage) {
      if (!injection.has(passage)) {
        return std::optional<TransferCost>{};
      }
      const std::optional read = read_transfer(injection, passage);
      expect_cost(injection.group(passage));
      return read;
    };
    links.injection = {cost("out"), cost("in")};
  } else {
    expect_cost(injection);
    links.injection = read_cost(injection, {});
  }
  if (injection.has("interfaces")) {
    links.interfaces = static_cast<std::uint32_t>(
        injection.integer("interfaces", 1, 64, "a number of interfaces (1 to 64)"));
  }
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
  refuse_if(settings.has("model"), settings.place_of("model"),
            "given for a switched network (only a fluid one has a model)");
  return std::nullopt;
}

/// Refuses settings that mean nothing on a network of this kind.
void check_network(const Params& document, const Machine& machine) {
  refuse_if(!machine.links.faults.empty() && machine.links.contention == Contention::off,
            document.place_of("failed"), "has instants (`at`), which need links with contention");
  for (const Fault& fault : machine.links.faults) {
    if (machine.host && machine.host->attached_to &&
        !fault.left->is_alive(*machine.host->attached_to)) {
      document.group("host").reject(
          "attached_to", fmt::format("node {} fails during the run", *machine.host->attached_to));
    }
  }
  const bool has_own_rules = !machine.links.faults.empty() || machine.links.packet_bytes ||
                             machine.links.routing.kind != Routing::fixed;
  const auto never_queues = [](const auto& of) { return of.second.never_queues; };
  refuse_if(machine.fluid && (std::ranges::count(machine.links.per_dimension, true,
                                                 &TransferCost::never_queues) > 0 ||
                              std::ranges::any_of(machine.links.overrides, never_queues)),
            document.place_of("network"),
            "is fluid, and dcube's flows share every link; some of these never queue (FATPIPE)");
  refuse_if(machine.fluid && has_own_rules, document.place_of("network"),
            "is fluid, and SimGrid's flows know neither packets, nor routes that messages draw or "
            "choose, nor failures during a run");
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
  if (host.attached_to && !topology.is_terminal(*host.attached_to)) {
    settings.reject("attached_to", fmt::format("{} is no terminal (those are nodes 0 to {})",
                                               topology.name_of(*host.attached_to),
                                               topology.terminal_count() - 1));
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

/// Takes what a platform says of its hosts, where the document says nothing.
void take_platform_hosts(const Params& document, const Topology& network, Machine& machine) {
  const PlatformCosts* const platform = platform_costs(network);
  if (platform == nullptr) {
    return;
  }
  for (const std::string& warning : platform->warnings) {
    warn(document.group("topology").full_text("platform", "is no file"), warning);
  }
  if (platform->flop) {
    machine.compute.emplace("flop", *platform->flop);
  }
  const bool has_local = document.has("node") && document.group("node").has("local");
  if (platform->local && !has_local) {
    machine.node.local = {platform->local->latency, platform->local->per_byte};
  }
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

/// "torus:8x8", "fat_tree:4,8/1,2", not a file of that name.
bool names_network(std::string_view name) {
  const std::size_t colon = name.find(':');
  const TopologyKind* const kind = find_kind(topology_catalog(), name.substr(0, colon));
  const bool has_slashes = kind != nullptr && kind->read_spelling != nullptr;
  return colon != std::string_view::npos && !name.ends_with(".json") &&
         machine_format_of(name) == nullptr &&
         (has_slashes || name.find('/') == std::string_view::npos);
}

/// Settings of a network from what follows its kind: as the kind spells it, or the value of the
/// first parameter that it requires, or key=value pairs.
Params settings_of(const TopologyKind& kind, const std::string& text, const std::string& place) {
  if (kind.read_spelling != nullptr) {
    return kind.read_spelling(text);
  }
  const auto required = std::ranges::find_if(kind.parameters, [](const ParameterHelp& parameter) {
    return parameter.default_value.empty();
  });
  expects(required != kind.parameters.end(), "a network requires a size");
  const std::string key = text.substr(0, text.find('='));
  const bool names_key = std::ranges::count(kind.parameters, key, &ParameterHelp::name) > 0;
  return Params::parse(names_key ? text : fmt::format("{}={}", required->name, text), place);
}

/// The network; a hop takes 1 s, as on the machines called unit-*.
Params network_document(const std::string& name, const fs::path& folder, std::string_view place,
                        std::vector<fs::path>& inputs) {
  const std::size_t colon = name.find(':');
  Params topology{name + ": "};
  topology.set("kind", name.substr(0, colon));
  try {
    const TopologyKind& kind = required_kind(topology_catalog(), topology, "a topology");
    const Params settings = settings_of(kind, name.substr(colon + 1), name + ": ");
    for (const std::string& key : settings.keys_as_written()) {
      topology.set(key, *settings.find(key));
    }
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
  for (const auto& [group, key] :
       {std::pair{"topology", "edges"}, std::pair{"topology", "platform"},
        std::pair{"routing", "file"}}) {
    if (const Setting* const settings = changed.find(group);
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
  refuse_if(!document.has("schema_version"), document.place(),
            "`schema_version` is missing; add \"schema_version\": 1");
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
  allow_only_of(document, "a machine", machine_keys);
  check_schema_version(document, version);
  check_labels(document);
  auto machine = std::make_shared<Machine>();
  machine->name = read_name(document, default_name);
  const LinksByEnds network{with_hop_weights_of(
      document,
      make_topology(document.group("topology", R"({"kind": "torus", "shape": [8, 8]})")))};
  machine->links = read_links(document, network);
  machine->topology = with_failures_of(
      document, network, with_routing_of(document, network.shared(), machine->links.routing),
      machine->links.faults);
  std::erase_if(machine->links.overrides,
                [&](const auto& entry) { return !machine->topology->link(entry.first); });
  machine->endpoint = read_endpoint(document);
  machine->node = read_node_model(document, *machine->topology);
  read_injection(document, machine->links);
  machine->fluid = read_network(document);
  machine->host = read_host(document, *machine->topology);
  check_network(document, *machine);
  machine->compute = read_compute(document);
  take_platform_hosts(document, network.topology(), *machine);
  warn_of_machine_units(document);
  return machine;
}

Params machine_document(const std::string& name, const std::optional<std::filesystem::path>& folder,
                        std::string_view place, std::vector<std::filesystem::path>& inputs) {
  if (names_network(name)) {
    return network_document(name, folder.value_or(fs::path{}), place, inputs);
  }
  const std::filesystem::path file = find_machine_file(name, folder, place);
  inputs.push_back(file);
  const MachineFormat* const format = machine_format_of(name);
  Params document = format != nullptr ? format->read(fs::absolute(file).lexically_normal())
                                      : read_json_file(file);
  if (!document.has("name")) {
    document.set("name", file.stem().string());
  }
  return with_files_in(document, known_as(file).parent_path(), inputs);
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
