#include "ways.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/questions/varied_requests.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/scenario/run.hpp"

namespace dcube::app {
namespace {

constexpr const char* all = "all";
constexpr const char* automatic = "automatic";

Setting number_setting(std::uint64_t number) { return Setting::Number{std::to_string(number)}; }

std::string without_underscores(std::string name) {
  std::erase(name, '_');
  return name;
}

// --- Documents ---

Params program_document(const CollectiveQuestion& question, const CollectiveSubject& subject,
                        const CollectiveWay& way, std::uint64_t bytes) {
  Params program;
  program.set("kind", "collective");
  program.set("operation", std::string{name_of(question.kind)});
  program.set("algorithm", way.algorithm);
  program.set("bytes", number_setting(bytes));
  program.set("value_bytes", number_setting(question.value_bytes));
  program.set("data", false);
  program.set("ports", number_setting(way.ports));
  if (way.has_shape) {
    program.set("shape",
                mapped(subject.shape, [](std::uint32_t side) { return number_setting(side); }));
  }
  if (subject.node_size > 1) {
    program.set("node_size", number_setting(subject.node_size));
  }
  if (question.root) {
    program.set("root", number_setting(*question.root));
  }
  if (!question.compute.empty()) {
    program.set("compute", question.compute);
  }
  return program;
}

// --- Algorithms ---

/// What an algorithm makes of a size does not matter here.
CollectiveCall call_of(const CollectiveQuestion& question, const CollectiveSubject& subject,
                       const std::string& algorithm, bool has_shape) {
  CollectiveCall call{.kind = question.kind, .count = 1};
  call.options.algorithm = algorithm;
  call.options.ports = 0;
  call.options.node_size = subject.node_size;
  if (has_shape) {
    call.options.sides = TorusSides{std::span{subject.shape}};
  }
  return call;
}

bool wants_all(const std::vector<std::string>& names) {
  return std::ranges::find(names, all) != names.end();
}

/// Those asked for. `hierarchical` is another algorithm only where a node has several processes.
std::vector<std::string> algorithms_of(const CollectiveQuestion& question,
                                       const CollectiveSubject& subject) {
  const auto catalog = collective_catalog(question.kind);
  std::vector<std::string> known = names_of(catalog);
  if (wants_all(question.algorithms)) {
    std::erase_if(known, [&](const std::string& name) {
      return name == "hierarchical" && subject.node_size == 1;
    });
    for (const std::string& name : question.algorithms) {
      refuse_if(name != all && name != automatic, "--algorithm", "{} is one of all", name);
    }
    if (question.algorithms.size() > 1) {
      known.emplace_back(automatic);
    }
    return known;
  }
  known.emplace_back(automatic);
  std::vector<std::string> names;
  for (const std::string& name : question.algorithms) {
    refuse_if(std::ranges::find(known, name) == known.end(), "--algorithm",
              "`{}` is not an algorithm of {}{}", name, name_of(question.kind),
              nearest_name_hint(name, known));
    refuse_if(std::ranges::find(names, name) != names.end(), "--algorithm", "{} is given twice",
              name);
    names.push_back(name);
  }
  return names;
}

std::vector<std::uint32_t> ports_of(const CollectiveQuestion& question, std::uint32_t most) {
  if (question.ports) {
    return {*question.ports == 0 ? most : std::min(*question.ports, most)};
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

Guest shaped_guest(const CollectiveSubject& subject) {
  return Guest::parse(fmt::format("torus:{}", fmt::join(subject.shape, "x")));
}

Guest ring_guest(const CollectiveSubject& subject) {
  return Guest::parse(fmt::format("ring:{}", subject.processes));
}

/// Shapes of the processes that embeddings may place: the program's own first.
std::vector<Guest> guests_of(const CollectiveSubject& subject, bool has_shape) {
  std::vector<Guest> guests;
  const auto add = [&](const Guest& guest) {
    if (std::ranges::find(guests, guest) == guests.end()) {
      guests.push_back(guest);
    }
  };
  if (has_shape) {
    add(shaped_guest(subject));
  }
  add(Guest::of_processes(subject.processes));
  add(ring_guest(subject));
  return guests;
}

/// The settings with the guest that they place, where that is not the program's own.
Params for_guest(Params settings, const Guest& guest, const Guest& own) {
  if (guest != own && !settings.has("guest")) {
    settings.set("guest", guest.name());
  }
  return settings;
}

/// The first shape of the processes under which it fits; otherwise why the first does not.
PlacedProcesses named_embedding_of(const CollectiveQuestion& question, CollectiveSubject& subject,
                                   const std::string& name, bool has_shape) {
  const Topology& topology = *subject.machine->topology;
  const std::uint32_t slots = subject.machine->node.slots;
  PlacedProcesses placed{.name = label_of(name), .was_named = true};
  Params settings = embedding_option(name, question.hosts);
  if (settings.has("file")) {
    settings = read_embedding_file(settings, topology, subject.processes, &subject.inputs, slots);
  }
  if (settings.text("kind") == "random" && !settings.has("seed")) {
    settings.set("seed", number_setting(question.seed));
  }
  const std::vector<Guest> guests = guests_of(subject, has_shape);
  for (const Guest& guest : guests) {
    const Params tried = for_guest(settings, guest, guests.front());
    try {
      make_embedding(topology, guests.front(), tried, slots);
      placed.settings = tried;
      placed.refusal.clear();
      return placed;
    } catch (const InputError& error) {
      refuse_if(!error.place().ends_with("/kind"), "--embedding", "{}: {}", name, error.problem());
      placed.refusal = placed.refusal.empty() ? error.problem() : placed.refusal;
    }
  }
  return placed;
}

/// Those that fit the shape that the program gives its processes, and where that is none, also
/// those that fit a ring. Plain ones come first: of those with the same map, they are kept. A name
/// alone is what named_embedding_of() makes of it.
std::vector<PlacedProcesses> all_embeddings(const CollectiveSubject& subject, bool has_shape) {
  const Topology& topology = *subject.machine->topology;
  const std::uint32_t slots = subject.machine->node.slots;
  std::vector<Guest> guests = guests_of(subject, has_shape);
  if (has_shape) {
    guests.erase(guests.begin() + 1, guests.end());
  }
  std::vector<PlacedProcesses> embeddings;
  std::vector<std::vector<NodeId>> maps;
  std::vector<std::string> taken;
  for (const Guest& guest : guests) {
    std::vector<std::string> names = fitting_embeddings(topology, guest, slots);
    // Clang 14 does not compile that of std::ranges.
    std::stable_partition(names.begin(), names.end(), [](const std::string& name) {
      return name == "identity" || name == "standard" || name == "snake";
    });
    for (const std::string& name : names) {
      Params settings;
      settings.set("kind", name);
      settings = for_guest(settings, guest, guests.front());
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

std::vector<PlacedProcesses> embeddings_of(const CollectiveQuestion& question,
                                           CollectiveSubject& subject, bool has_shape) {
  if (wants_all(question.embeddings)) {
    refuse_if(question.embeddings.size() > 1, "--embedding", "all is no name among others");
    return all_embeddings(subject, has_shape);
  }
  std::vector<PlacedProcesses> embeddings;
  for (const std::string& name : question.embeddings) {
    embeddings.push_back(named_embedding_of(question, subject, name, has_shape));
    refuse_if(std::ranges::count(embeddings, embeddings.back().name, &PlacedProcesses::name) > 1,
              "--embedding", "the name {} is taken", embeddings.back().name);
  }
  return embeddings;
}

}  // namespace

CollectiveKind collective_called(const std::string& name) {
  std::vector<std::string> names;
  for (const CollectiveKind kind : collective_kinds()) {
    if (kind == CollectiveKind::barrier || kind == CollectiveKind::all_to_allv) {
      continue;
    }
    names.emplace_back(name_of(kind));
    if (without_underscores(name) == without_underscores(names.back())) {
      return kind;
    }
  }
  throw InputError("OPERATION", fmt::format("`{}` is not a collective that moves data{}", name,
                                            nearest_name_hint(name, names)));
}

CollectiveSubject read_subject(const CollectiveQuestion& question) {
  CollectiveSubject subject;
  subject.machine = machine_option("--machine", question.machine);
  CollectiveQuestion plain = question;
  plain.root.reset();
  const CollectiveWay way{.network = {}, .algorithm = automatic, .embedding = {}};
  constexpr std::uint64_t no_bytes = 0;  // any number of processes has equal shares of them
  const Scenario scenario = [&] {
    try {
      return collective_scenario(plain, subject, way, no_bytes);
    } catch (const InputError& error) {  // nobody has written a file, so it is an option
      throw InputError(question.settings.empty() ? "--machine" : "--set", error.what());
    }
  }();
  subject.machine = scenario.machine;
  subject.processes = scenario.program->guest().process_count();
  subject.inputs = scenario.inputs;
  subject.memory_bytes = estimated_memory_bytes(run_size(scenario));
  const Topology& topology = *subject.machine->topology;
  const std::span<const std::uint32_t> shape = topology.shape();
  subject.node_size = std::min(subject.machine->node.slots, subject.processes);
  if (topology.kind() != "graph" && shape.size() > 1 && shape.size() <= 16 &&
      subject.processes == topology.node_count() && subject.machine->node.slots == 1) {
    subject.shape.assign(shape.begin(), shape.end());
  }
  refuse_if(question.root && *question.root >= subject.processes, "--root",
            "{} is not one of the processes 0 to {}", question.root.value_or(0),
            subject.processes - 1);
  return subject;
}

std::vector<CollectiveWay> collective_ways(const CollectiveQuestion& question,
                                           CollectiveSubject& subject) {
  const bool are_all_algorithms = wants_all(question.algorithms);
  const std::vector<PlacedProcesses> plain = embeddings_of(question, subject, false);
  const std::vector<PlacedProcesses> shaped =
      subject.shape.empty() ? plain : embeddings_of(question, subject, true);
  std::vector<CollectiveWay> ways;
  for (const std::string& network : question.networks.empty() ? std::vector<std::string>{{}}
                                                              : network_names(question.networks)) {
    for (const std::string& name : algorithms_of(question, subject)) {
      const CollectiveAlgorithm* const algorithm =
          find_kind(collective_catalog(question.kind), name);
      const bool has_shape =
          algorithm != nullptr && algorithm->needs.sides && !subject.shape.empty();
      const CollectiveCall call = call_of(question, subject, name, has_shape);
      const std::optional<std::string> obstacle =
          algorithm != nullptr ? collective_obstacle(*algorithm, call, subject.processes)
                               : std::nullopt;
      for (const std::uint32_t ports :
           ports_of(question, algorithm != nullptr ? ports_for(*algorithm, call) : 1)) {
        for (const PlacedProcesses& embedding : has_shape ? shaped : plain) {
          ways.push_back({.network = network,
                          .algorithm = name,
                          .embedding = embedding.name,
                          .embedding_settings = embedding.settings,
                          .ports = algorithm != nullptr ? ports : 0,
                          .has_shape = has_shape,
                          .was_named = embedding.was_named || !are_all_algorithms,
                          .refusal = obstacle.value_or(embedding.refusal)});
        }
      }
    }
  }
  return ways;
}

Scenario collective_scenario(const CollectiveQuestion& question, const CollectiveSubject& subject,
                             const CollectiveWay& way, std::uint64_t bytes) {
  Params document;
  document.set("schema_version", number_setting(1));
  document.set("machine", question.machine);
  if (way.embedding_settings.has("kind")) {
    document.set("embedding", way.embedding_settings);
  }
  document.set("program", program_document(question, subject, way, bytes));
  if (question.seed != 0) {
    document.set("seed", number_setting(question.seed));
  }
  ScenarioRequest options{.settings = question.settings};
  if (!way.network.empty()) {
    options = with_network(std::move(options), way.network);
  }
  return ScenarioSource{"scenario", std::move(document)}.build(options);
}

}  // namespace dcube::app
