#include "scenario_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/scenario/experiments.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/scenario/task_graph.hpp"
#include "explicit_map.hpp"
#include "json_reading.hpp"
#include "machine_reader.hpp"
#include "network/host_machine.hpp"
#include "overrides.hpp"
#include "platform_search.hpp"
#include "schema_validation.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> scenario_keys{"schema_version", "name",      "description",
                                             "machine",        "embedding", "program",
                                             "seed",           "execution", "$schema"};

std::shared_ptr<const Machine> read_scenario_machine(const Params& document,
                                                     const fs::path& folder) {
  const Setting* machine = document.find("machine");
  if (machine != nullptr && machine->text() != nullptr) {
    return read_machine_file(
        find_machine_file(*machine->text(), folder, document.place_of("machine")));
  }
  if (machine != nullptr && machine->group() == nullptr) {
    document.reject("machine", machine->describe() +
                                   " is no machine (a name in platforms/, a file or a group of "
                                   "settings { .. })");
  }
  return read_machine(document.group("machine"), "unnamed", VersionKey::optional);
}

void check_embedding_name(const std::string& name, std::string_view place) {
  if (find_kind(embedding_catalog(), name) == nullptr) {
    throw InputError(place, Setting{name}.describe() + " is no embedding" +
                                nearest_name_hint(name, names_of(embedding_catalog())));
  }
}

Params named_embedding(const std::string& name, std::string_view place) {
  check_embedding_name(name, place);
  Params settings{std::string{place}};
  settings.set("kind", name);
  return settings;
}

/// A name or a group; an embedding drawn at random takes the scenario's seed unless it has its own.
Params read_embedding_settings(const Params& document, std::uint64_t seed) {
  const Setting* embedding = document.find("embedding");
  if (embedding != nullptr && embedding->text() == nullptr && embedding->group() == nullptr) {
    document.reject("embedding", embedding->describe() +
                                     " is no embedding (a name, or settings { \"kind\": .. })");
  }
  const bool is_group = embedding != nullptr && embedding->group() != nullptr;
  Params settings = is_group
                        ? *embedding->group()
                        : named_embedding(embedding != nullptr ? *embedding->text() : "standard",
                                          document.place_of("embedding"));
  const EmbeddingKind* kind = find_kind(embedding_catalog(), settings.text("kind"));
  const bool takes_seed =
      kind != nullptr && std::any_of(kind->parameters.begin(), kind->parameters.end(),
                                     [](const ParameterHelp& help) { return help.name == "seed"; });
  if (takes_seed && !settings.has("seed")) {
    settings.set("seed", Setting::Number{std::to_string(seed)});
  }
  return settings;
}

/// Complaints about a named embedding's kind are about the name itself.
std::unique_ptr<Embedding> read_embedding(const Topology& topology, const Guest& guest,
                                          const Params& settings, const Params& document) {
  try {
    return make_embedding(topology, guest, settings);
  } catch (const InputError& error) {
    const Setting* written = document.find("embedding");
    const bool is_named = written == nullptr || written->group() == nullptr;
    const bool is_about_kind = error.place() == settings.place_of("kind");
    throw InputError(is_named && is_about_kind ? settings.place() : error.place(), error.problem());
  }
}

std::shared_ptr<const Machine> machine_to_run(const std::shared_ptr<const Machine>& machine,
                                              const Program& program, const Params& document) {
  if (!program.uses_host()) {
    return machine;
  }
  if (!machine->host) {
    document.reject(
        "machine", fmt::format("{} has no host computer, which this {} talks to; add one "
                               "(\"host\": {{\"attached_to\": 0, \"latency\": ..}} in the machine)",
                               machine->name, program.kind()));
  }
  try {
    return std::make_shared<Machine>(machine_with_host(*machine));
  } catch (const InputError& error) {
    document.reject("machine", error.problem());
  }
}

Execution read_execution(const Params& document) {
  const std::array<std::string, 3> names{"automatic", "actors", "coroutines"};
  const std::string name = document.choice("execution", names, "automatic");
  return name == "actors"       ? Execution::actors
         : name == "coroutines" ? Execution::coroutines
                                : Execution::automatic;
}

std::string read_name(const Params& document, const fs::path& file) {
  if (!document.has("name")) {
    return file.stem().string();
  }
  std::string name = document.text("name");
  if (name.empty()) {
    document.reject("name", "\"\" is not a name (a text of at least one letter)");
  }
  return name;
}

Params in_one_piece(const Scenario& scenario, Params document) {
  make_reachable(document, "/machine/name", fs::path{scenario.source}.parent_path());
  document.set("name", scenario.name);
  document.set("embedding", scenario.embedding_settings);
  return document;
}

Scenario read_scenario(const Params& document, const fs::path& file) {
  document.allow_only(scenario_keys);
  check_schema_version(document, VersionKey::required);
  check_labels(document);
  Scenario scenario;
  scenario.name = read_name(document, file);
  scenario.source = file.string();
  scenario.seed = document.seed("seed", 0);
  scenario.execution = read_execution(document);
  scenario.machine = read_scenario_machine(document, file.parent_path());
  scenario.embedding_settings = read_embedding_settings(document, scenario.seed);
  scenario.program_settings = document.group("program");
  scenario.program =
      make_program(scenario.program_settings,
                   ProgramContext{*scenario.machine, scenario.seed, file.parent_path()});
  scenario.run_machine = machine_to_run(scenario.machine, *scenario.program, document);
  scenario.embedding_settings =
      with_map_of_file(scenario.embedding_settings, *scenario.machine->topology,
                       scenario.program->guest().process_count(), file.parent_path());
  scenario.embedding = read_embedding(*scenario.machine->topology, scenario.program->guest(),
                                      scenario.embedding_settings, document);
  scenario.document = in_one_piece(scenario, document);
  return scenario;
}

}  // namespace

void make_reachable(Params& document, std::string_view pointer, const fs::path& folder) {
  const Setting* machine = document.find("machine");
  if (!points_below(pointer, "machine") || machine == nullptr || machine->text() == nullptr) {
    return;
  }
  const fs::path file = find_machine_file(*machine->text(), folder, document.place_of("machine"));
  Params content = read_json_file(file);
  if (!content.has("name")) {
    content.set("name", file.stem().string());
  }
  document.set("machine", std::move(content));
}

Scenario load_scenario(const fs::path& file, const std::vector<Override>& overrides) {
  Params document = read_json_file(file);
  for (const Override& change : overrides) {
    make_reachable(document, change.pointer, file.parent_path());
    document = with_override(document, change);
  }
  return build_scenario(document, file);
}

Scenario build_scenario(const Params& document, const fs::path& file) {
  const auto complaint = schema_complaint(DocumentKind::scenario, document);
  Scenario scenario = read_scenario(document, file);
  if (complaint) {
    throw InputError(document.place() + complaint->pointer, complaint->problem);
  }
  return scenario;
}

Params load_embedding_settings(const std::string& name_or_file) {
  if (const std::optional<MapFile> file = find_map_file(name_or_file)) {
    if (file->format->holds_embedding) {
      return read_json_file(file->file);
    }
    Params settings;
    settings.set("kind", "explicit");
    settings.set("file", file->file.string());
    settings.set("format", file->format->name);
    return settings;
  }
  const bool is_file = name_or_file.find('/') != std::string::npos;
  return is_file ? read_json_file(name_or_file) : named_embedding(name_or_file, "");
}

Params read_embedding_file(const Params& settings, const Topology& topology,
                           std::optional<std::uint32_t> processes) {
  return with_map_of_file(settings, topology, processes, {});
}

DocumentKind validate_document(const fs::path& file) {
  const Params document = read_json_file(file);
  if (document.has("program") || document.has("machine")) {
    load_scenario(file);
    return DocumentKind::scenario;
  }
  if (document.has("topology")) {
    read_machine_file(file);
    return DocumentKind::machine;
  }
  if (document.has("experiments")) {
    load_experiments(file);
    return DocumentKind::experiments;
  }
  if (document.has("tasks") || document.has("mapping")) {
    load_task_graph(file);
    return DocumentKind::task_graph;
  }
  throw InputError(document.place(),
                   "is neither a machine (`topology` is missing), a scenario (`machine` and "
                   "`program` are missing), a file of experiments (`experiments` is missing) nor a "
                   "task graph (`tasks` is missing)");
}

}  // namespace dcube
