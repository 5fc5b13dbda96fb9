#include "ways.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "core/mapped.hpp"
#include "core/number_setting.hpp"
#include "core/refuse.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/questions/search.hpp"
#include "dcube/questions/varied_requests.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/topology/folded_grid.hpp"
#include "dcube/topology/grid_kind.hpp"

namespace dcube {
namespace {

constexpr const char* all = "all";
constexpr const char* automatic = "automatic";

std::string without_underscores(std::string name) {
  std::erase(name, '_');
  return name;
}

// --- Documents ---

Params program_document(const CollectiveAnswer& answer, const CollectiveWay& way,
                        std::uint64_t bytes) {
  Params program = group_of({{"kind", "collective"},
                             {"operation", std::string{name_of(answer.kind)}},
                             {"algorithm", way.algorithm},
                             {"bytes", number_setting(bytes)},
                             {"value_bytes", number_setting(answer.request.value_bytes)},
                             {"data", false},
                             {"ports", number_setting(way.ports)}});
  if (!answer.request.axes.empty()) {
    program.set("guest", group_of({{"axes", Params::parse(answer.request.axes, ".axes")}}));
    if (!answer.request.over.empty()) {
      program.set("over", mapped(answer.request.over,
                                 [](const std::string& axis) { return Setting{axis}; }));
    }
  } else if (way.has_shape) {
    program.set("shape", numbers_setting(answer.shape));
    if (!answer.twist.empty()) {
      const std::size_t side = answer.shape.size();
      program.set("twist", numbered(side, [&](std::size_t d) {
                    return numbers_setting(std::span{answer.twist}.subspan(d * side, side));
                  }));
    }
  }
  if (answer.node_size > 1 && answer.kind == CollectiveKind::allreduce) {
    program.set("node_size", number_setting(answer.node_size));
  }
  if (answer.request.root) {
    program.set("root", number_setting(*answer.request.root));
  }
  if (!answer.request.compute.empty()) {
    program.set("compute", answer.request.compute);
  }
  return program;
}

// --- Algorithms ---

/// The call has an arbitrary size, which does not matter here.
CollectiveCall call_of(const CollectiveAnswer& answer, const std::string& algorithm,
                       bool has_shape) {
  CollectiveCall call{.kind = answer.kind, .count = 1};
  call.options.algorithm = algorithm;
  call.options.ports = 0;
  call.options.node_size = answer.node_size;
  if (has_shape) {
    call.options.sides = TorusSides{std::span{answer.shape}};
    call.options.twist = answer.twist;
  }
  return call;
}

/// Algorithms that are asked for.
std::vector<std::string> algorithms_of(const CollectiveAnswer& answer) {
  const auto catalog = collective_catalog(answer.kind);
  std::vector<std::string> known = names_of(catalog);
  if (wants_all(answer.request.algorithms)) {
    const CollectiveOptions options = call_of(answer, all, true).options;
    std::erase_if(known, [&](const std::string& name) {
      return !has_gain(*find_kind(catalog, name), options);
    });
    for (const std::string& name : answer.request.algorithms) {
      refuse_if(name != all && name != automatic, ".algorithms", "{} is one of all", name);
    }
    if (answer.request.algorithms.size() > 1) {
      known.emplace_back(automatic);
    }
    return known;
  }
  known.emplace_back(automatic);
  std::vector<std::string> names;
  for (const std::string& name : answer.request.algorithms) {
    refuse_if(std::ranges::find(known, name) == known.end(), ".algorithms",
              "`{}` is not an algorithm of {}{}", name, name_of(answer.kind),
              nearest_name_hint(name, known));
    refuse_if(std::ranges::find(names, name) != names.end(), ".algorithms", "{} is given twice",
              name);
    names.push_back(name);
  }
  return names;
}

std::vector<std::uint32_t> ports_of(const CollectiveRequest& request, std::uint32_t most) {
  if (request.ports) {
    return {*request.ports == 0 ? most : std::min(*request.ports, most)};
  }
  std::vector<std::uint32_t> ports{1};
  for (const std::uint32_t number : {std::uint32_t{2}, most}) {
    if (number <= most && number > ports.back()) {
      ports.push_back(number);
    }
  }
  return ports;
}

// --- Embeddings ---

struct PlacedProcesses {
  std::string name;
  Params settings{};
  bool was_named = false;
  std::string refusal{};
};

Guest torus_of(std::span<const std::uint32_t> sides) {
  return Guest::parse(fmt::format("torus:{}", joined(sides, "x")));
}

/// Sides of the axes of the processes, in their order.
std::vector<std::uint32_t> sides_of_axes(const CollectiveRequest& request) {
  const Params axes = Params::parse(request.axes, ".axes");
  return mapped(axes.keys_as_written(),
                [&](const std::string& name) { return axes.positive_int(name); });
}

/// Shapes of the processes that embeddings may place: the program's own first.
std::vector<Guest> guests_of(const CollectiveAnswer& answer, bool has_shape) {
  if (!answer.request.axes.empty()) {
    return {torus_of(sides_of_axes(answer.request))};
  }
  std::vector<Guest> guests;
  const auto add = [&](const Guest& guest) {
    if (std::ranges::find(guests, guest) == guests.end()) {
      guests.push_back(guest);
    }
  };
  if (has_shape) {
    add(torus_of(answer.shape));
  }
  add(Guest::of_processes(answer.processes));
  add(Guest::parse(fmt::format("ring:{}", answer.processes)));
  return guests;
}

/// The settings with the guest that they place, where that is not the program's own.
Params for_guest(Params settings, const Guest& guest, const Guest& own) {
  if (guest != own && !settings.has("guest")) {
    settings.set("guest", guest.name());
  }
  return settings;
}

/// The embedding on the first shape of the processes that it fits; else why the first does not do.
PlacedProcesses named_embedding_of(CollectiveAnswer& answer, const std::string& name,
                                   bool has_shape) {
  const Topology& topology = *answer.machine->topology;
  const std::uint32_t slots = answer.machine->node.slots;
  PlacedProcesses placed{.name = label_of(name), .was_named = true};
  Params settings = embedding_option(name, answer.request.hosts);
  if (settings.has("file")) {
    settings = read_embedding_file(settings, topology, answer.processes, &answer.inputs, slots);
  }
  if (settings.text("kind") == "random" && !settings.has("seed")) {
    settings.set("seed", number_setting(answer.request.seed));
  }
  const std::vector<Guest> guests = guests_of(answer, has_shape);
  for (const Guest& guest : guests) {
    const Params tried = for_guest(settings, guest, guests.front());
    try {
      make_embedding(topology, guests.front(), tried, slots);
      placed.settings = tried;
      placed.refusal.clear();
      return placed;
    } catch (const InputError& error) {
      refuse_if(!error.place().ends_with("/kind"), ".embeddings", "{}: {}", name, error.problem());
      placed.refusal = placed.refusal.empty() ? error.problem() : placed.refusal;
    }
  }
  return placed;
}

/// Embeddings that fit the shape that the program gives its processes, and where that is none, also
/// those that fit a ring. Plain ones come first: of those with the same map, they are kept. A name
/// alone is what named_embedding_of() makes of it.
std::vector<PlacedProcesses> all_embeddings(const CollectiveAnswer& answer, bool has_shape) {
  const Topology& topology = *answer.machine->topology;
  const std::uint32_t slots = answer.machine->node.slots;
  std::vector<Guest> guests = guests_of(answer, has_shape);
  if (has_shape) {
    guests.resize(1, guests.front());
  }
  std::vector<PlacedProcesses> embeddings;
  std::vector<std::vector<NodeId>> maps;
  std::vector<std::string> taken;
  for (const Guest& guest : guests) {
    std::vector<std::string> names = fitting_embeddings(topology, guest, slots);
    if (embedding_fits("weighted_xor", topology, guest, slots)) {
      names.emplace_back("weighted_xor");  // suits recursive halving and doubling
    }
    // Clang 14 does not compile that of std::ranges.
    std::stable_partition(names.begin(), names.end(), [](const std::string& name) {
      return name == "identity" || name == "standard" || name == "snake";
    });
    for (const std::string& name : names) {
      Params settings = for_guest(group_of({{"kind", name}}), guest, guests.front());
      std::vector<NodeId> map = make_embedding(topology, guests.front(), settings, slots)->map();
      const bool is_taken = std::ranges::find(taken, name) != taken.end();
      taken.push_back(name);
      if (std::ranges::find(maps, map) != maps.end()) {
        continue;
      }
      embeddings.push_back(
          {is_taken ? fmt::format("{} of {}", name, guest.name()) : name, std::move(settings)});
      maps.push_back(std::move(map));
    }
  }
  return embeddings;
}

std::vector<PlacedProcesses> embeddings_of(CollectiveAnswer& answer, bool has_shape) {
  if (wants_all(answer.request.embeddings)) {
    refuse_if(answer.request.embeddings.size() > 1, ".embeddings", "all is no name among others");
    return all_embeddings(answer, has_shape);
  }
  std::vector<PlacedProcesses> embeddings;
  for (const std::string& name : answer.request.embeddings) {
    embeddings.push_back(named_embedding_of(answer, name, has_shape));
    refuse_if(std::ranges::count(embeddings, embeddings.back().name, &PlacedProcesses::name) > 1,
              ".embeddings", "two would be called {} (rename a file, or leave one out)",
              embeddings.back().name);
  }
  return embeddings;
}

}  // namespace

std::vector<std::string> compared_collectives() {
  std::vector<std::string> names;
  for (const CollectiveKind kind : collective_kinds()) {
    if (kind != CollectiveKind::barrier && kind != CollectiveKind::all_to_allv) {
      names.emplace_back(name_of(kind));
    }
  }
  return names;
}

CollectiveKind collective_called(const std::string& name) {
  const std::vector<std::string> names = compared_collectives();
  for (const std::string& known : names) {
    if (without_underscores(name) == without_underscores(known)) {
      return *find_collective(known);
    }
  }
  throw InputError(".operation", fmt::format("`{}` is not a collective that moves data{}", name,
                                             nearest_name_hint(name, names)));
}

namespace {

/// The sides that processes see of the machine where every node has one process.
std::vector<std::uint32_t> machine_sides(const CollectiveAnswer& answer) {
  const Topology& topology = *answer.machine->topology;
  const FoldedGrid grid{topology};
  const bool are_alike = has_sides(topology) && answer.processes == topology.node_count() &&
                         answer.machine->node.slots == 1;
  return are_alike ? std::vector(grid.sides().begin(), grid.sides().end())
                   : std::vector<std::uint32_t>{};
}

/// The twist of a machine whose sides are those of the processes, row by row: where the link leads
/// that goes up from a node at the end of a side.
std::vector<std::uint32_t> machine_twist(const CollectiveAnswer& answer) {
  const Topology& topology = *answer.machine->topology;
  const std::vector<std::uint32_t>& sides = answer.shape;
  if (sides.empty() || !answer.request.axes.empty() ||
      std::ranges::count(topology.structure().lines, Structure::Line::twisted) == 0) {
    return {};
  }
  std::vector<std::uint32_t> twist;
  std::uint32_t stride = 1;
  for (const std::uint32_t side : sides) {
    std::uint32_t wrapped = 0;
    for (const NodeId neighbour : topology.neighbours(NodeId{(side - 1) * stride})) {
      const bool is_at_begin = neighbour.index() / stride % side == 0;
      wrapped = side > 1 && is_at_begin && neighbour.index() != 0 ? neighbour.index() : wrapped;
    }
    for (const std::uint32_t other : sides) {
      twist.push_back(wrapped % other);
      wrapped /= other;
    }
    stride *= side;
  }
  return twist;
}

std::vector<std::uint32_t> group_sides(const CollectiveRequest& request) {
  const Params axes = Params::parse(request.axes);
  return request.over.empty() ? sides_of_axes(request)
                              : mapped(request.over, [&](const std::string& name) {
                                  return axes.positive_int(name);
                                });
}

}  // namespace

void read_subject(CollectiveAnswer& answer) {
  const CollectiveRequest request = answer.request;
  answer.machine = requested_machine(request.machine, request.machine_document);
  answer.request.root.reset();
  const CollectiveWay way{.network = {}, .algorithm = automatic, .embedding = {}};
  constexpr std::uint64_t no_bytes = 0;  // any number of processes has equal shares of them
  const Scenario scenario = [&] {
    try {
      return collective_scenario(answer, way, no_bytes);
    } catch (const InputError& error) {  // nobody has written a file, so it is a field
      const std::string_view place = error.place();
      refuse_if(place.ends_with("/over"), ".over", "{}", error.problem());
      refuse_if(place.starts_with(".axes") || place.find("/guest") != place.npos ||
                    (!request.axes.empty() &&
                     (place.ends_with("/embedding") || place.ends_with("/axes"))),
                ".axes", "{}", error.problem());
      throw InputError(request.settings.empty() ? ".machine" : ".set", error.what());
    }
  }();
  answer.request.root = request.root;
  answer.machine = scenario.machine;
  answer.hosts = at_least_at(
      ".hosts", [&] { return HostNames::parse(request.hosts, *answer.machine->topology); });
  answer.processes = scenario.program->guest().process_count();
  answer.inputs = scenario.inputs;
  answer.memory_bytes = estimated_memory_bytes(run_size(scenario));
  answer.group_size = answer.processes;
  if (request.axes.empty()) {
    answer.node_size = std::min(answer.machine->node.slots, answer.processes);
    answer.shape = machine_sides(answer);
  } else {
    answer.shape = group_sides(request);
    answer.group_size = std::accumulate(answer.shape.begin(), answer.shape.end(), 1U,
                                        std::multiplies<std::uint32_t>{});
  }
  if (scenario.program_settings.has("node_size")) {
    answer.node_size = scenario.program_settings.positive_int("node_size");
  }
  if (answer.shape.size() < 2 || answer.shape.size() > 16) {
    answer.shape.clear();
  }
  answer.twist = machine_twist(answer);
  refuse_if(request.root.value_or(0) >= answer.group_size, ".root",
            "{} is not one of the processes 0 to {}", request.root.value_or(0),
            answer.group_size - 1);
}

bool wants_all(const std::vector<std::string>& names) {
  return std::ranges::find(names, all) != names.end();
}

std::vector<CollectiveWay> collective_ways(CollectiveAnswer& answer) {
  const bool are_all_algorithms = wants_all(answer.request.algorithms);
  const std::vector<PlacedProcesses> plain = embeddings_of(answer, false);
  const std::vector<PlacedProcesses> shaped =
      answer.shape.empty() ? plain : embeddings_of(answer, true);
  std::vector<CollectiveWay> ways;
  for (const std::string& network : answer.request.networks.empty()
                                        ? std::vector<std::string>{{}}
                                        : network_names(answer.request.networks)) {
    for (const std::string& name : algorithms_of(answer)) {
      const CollectiveAlgorithm* const algorithm = find_kind(collective_catalog(answer.kind), name);
      const bool has_shape =
          algorithm != nullptr && algorithm->needs.sides && !answer.shape.empty();
      const CollectiveCall call = call_of(answer, name, has_shape);
      const std::optional<std::string> obstacle =
          algorithm != nullptr ? collective_obstacle(*algorithm, call, answer.group_size)
                               : std::nullopt;
      for (const std::uint32_t ports :
           ports_of(answer.request, algorithm != nullptr ? ports_for(*algorithm, call) : 1)) {
        for (const PlacedProcesses& embedding : has_shape ? shaped : plain) {
          const bool is_embedding_refused = !obstacle && !embedding.refusal.empty();
          ways.push_back(
              {.network = network,
               .algorithm = name,
               .embedding = embedding.name,
               .embedding_settings = embedding.settings,
               .ports = algorithm != nullptr ? ports : 0,
               .has_shape = has_shape,
               .refusal = obstacle.value_or(embedding.refusal),
               .is_embedding_refused = is_embedding_refused,
               .was_named = !are_all_algorithms || (is_embedding_refused && embedding.was_named)});
        }
      }
    }
  }
  return ways;
}

Scenario collective_scenario(const CollectiveAnswer& answer, const CollectiveWay& way,
                             std::uint64_t bytes) {
  const std::optional<Params>& machine = answer.request.machine_document;
  Params document =
      group_of({{"schema_version", number_setting(1)},
                {"machine", machine ? Setting{*machine} : Setting{answer.request.machine}}});
  if (way.embedding_settings.has("kind")) {
    document.set("embedding", way.embedding_settings);
  }
  document.set("program", program_document(answer, way, bytes));
  if (answer.request.seed != 0) {
    document.set("seed", number_setting(answer.request.seed));
  }
  ScenarioRequest options{.settings = answer.request.settings};
  if (!way.network.empty()) {
    options = with_network(std::move(options), way.network);
  }
  return ScenarioSource{"scenario", std::move(document)}.build(options);
}

}  // namespace dcube
