#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/file_names.hpp"
#include "core/json_reading.hpp"
#include "core/mapped.hpp"
#include "core/number_setting.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/network/host_machine.hpp"
#include "dcube/scenario/documents.hpp"
#include "dcube/scenario/machines.hpp"
#include "dcube/scenario/overrides.hpp"
#include "dcube/scenario/platform_search.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/scenario/validation.hpp"
#include "unit_warnings.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> scenario_keys{
    "schema_version", "name", "description", "machine", "embedding",
    "program",        "seed", "execution",   "jitter",  "$schema"};

std::shared_ptr<const Machine> read_scenario_machine(const Params& document, bool is_named) {
  const Setting* machine = document.find("machine");
  if (machine != nullptr && machine->group() == nullptr) {
    document.reject("machine", machine->describe() +
                                   " is no machine (a name in platforms/, a file, a network such "
                                   "as \"torus:8x8\" or a group of settings { .. })");
  }
  return read_machine(document.group("machine"), "unnamed",
                      is_named ? VersionKey::required : VersionKey::optional);
}

/// Settings without a place are what a name given in place of the scenario's own stands for.
bool is_named(const Setting* embedding) {
  return embedding == nullptr || embedding->group() == nullptr ||
         embedding->group()->place().empty();
}

/// A name or a group; an embedding drawn at random takes the scenario's seed unless it has its own.
Params read_embedding_settings(const Params& document, std::uint64_t seed) {
  const Setting* embedding = document.find("embedding");
  if (embedding != nullptr && embedding->text() == nullptr && embedding->group() == nullptr) {
    document.reject("embedding", embedding->describe() +
                                     " is no embedding (a name, or settings { \"kind\": .. })");
  }
  const bool is_group = embedding != nullptr && embedding->group() != nullptr;
  Params settings =
      is_group ? is_named(embedding) ? embedding->group()->at(document.place_of("embedding"))
                                     : *embedding->group()
               : named_embedding(embedding != nullptr ? *embedding->text() : "standard",
                                 document.place_of("embedding"));
  const EmbeddingKind* kind = find_kind(embedding_catalog(), settings.text("kind"));
  if (kind != nullptr && std::ranges::count(kind->parameters, "seed", &ParameterHelp::name) > 0 &&
      !settings.has("seed")) {
    settings.set("seed", number_setting(seed));
  }
  return settings;
}

/// Complaints about a named embedding's kind are about the name itself.
std::unique_ptr<Embedding> read_embedding(const Machine& machine, const Guest& guest,
                                          const Params& settings, const Params& document) {
  const auto place_of = [&](const InputError& error) {
    const bool is_about_kind = error.place() == settings.place_of("kind");
    return is_named(document.find("embedding")) && is_about_kind ? settings.place() : error.place();
  };
  try {
    return make_embedding(*machine.topology, guest, settings, machine.node.slots);
  } catch (const MemoryError& error) {
    throw MemoryError(place_of(error), error.problem());
  } catch (const InputError& error) {
    throw InputError(place_of(error), error.problem());
  }
}

std::shared_ptr<const Machine> machine_to_run(const std::shared_ptr<const Machine>& machine,
                                              const Program& program, const Params& document) {
  if (!program.uses_host()) {
    return machine;
  }
  refuse_if(!machine->host, document.place_of("machine"),
            "{} has no host computer, which this {} talks to; add one "
            "(\"host\": {{\"attached_to\": 0, \"latency\": ..}} in the machine)",
            machine->name, program.kind());
  return at_place(document.place_of("machine"),
                  [&] { return std::make_shared<Machine>(machine_with_host(*machine)); });
}

Execution read_execution(const Params& document) {
  const std::array<std::string, 3> names{"automatic", "actors", "coroutines"};
  return choice<Execution>(document, "execution", names, "automatic");
}

/// A part alone, which is drawn with the scenario's seed, or both.
Jitter read_jitter(const Params& document, std::uint64_t seed) {
  const auto read_part = [](const Params& settings, std::string_view key) {
    const Setting& part = settings.required(key);
    if (part.number() == nullptr) {
      settings.reject_value(key, "a relative amplitude of computing times (a number >= 0 and < 1)");
    }
    return at_place(settings.place_of(key), [&] { return parse_jitter_part(part.number()->text); });
  };
  const Setting* const setting = document.find("jitter");
  if (setting == nullptr) {
    return {};
  }
  if (setting->group() == nullptr) {
    return {read_part(document, "jitter"), seed};
  }
  const Params& jitter = *setting->group();
  jitter.allow_only(std::vector<std::string>{"part", "seed"});
  return {read_part(jitter, "part"), jitter.seed("seed", seed)};
}

/// Whether the settings make the machine and the program that these are.
bool are_parts_of(const ScenarioParts& parts, const Params& document) {
  const auto is_equal = [&](const char* key) {
    const Setting* const before = parts.document.find(key);
    const Setting* const now = document.find(key);
    return before == nullptr || now == nullptr ? before == now : *before == *now;
  };
  return parts.program && is_equal("machine") && is_equal("program") && is_equal("seed");
}

Scenario read_scenario(Params document, const fs::path& file, std::vector<fs::path> inputs,
                       const ReadingListener& on_reading, ScenarioParts* shared_parts) {
  allow_only_of(document, "a scenario", scenario_keys);
  check_schema_version(document, VersionKey::required);
  check_labels(document);
  Scenario scenario;
  scenario.inputs = std::move(inputs);
  scenario.name = read_name(document, file.stem().string());
  scenario.source = file.string();
  scenario.seed = document.seed("seed", 0);
  scenario.execution = read_execution(document);
  scenario.jitter = read_jitter(document, scenario.seed);
  const Setting* machine = document.find("machine");
  const bool is_named = machine != nullptr && machine->text() != nullptr;
  make_reachable(document, "/machine/name", file.parent_path(), scenario.inputs);
  if (const Setting* const group = document.find("machine");
      group != nullptr && group->group() != nullptr) {
    document.set("machine", with_files_in(*group->group(), file.parent_path(), scenario.inputs));
  }
  ScenarioParts own_parts;
  ScenarioParts& parts = shared_parts != nullptr ? *shared_parts : own_parts;
  if (!are_parts_of(parts, document)) {
    parts = {};
    parts.machine = read_scenario_machine(document, is_named);
  }
  scenario.machine = parts.machine;
  scenario.embedding_settings = read_embedding_settings(document, scenario.seed);
  scenario.program_settings = document.group("program", R"({"kind": "cc_dcube"})");
  if (!parts.program) {
    std::map<std::string, fs::path> read;
    parts.program = make_program(
        scenario.program_settings,
        ProgramContext{*parts.machine, scenario.seed, file.parent_path(), &read, on_reading});
    warn_of_program_units(scenario.program_settings);
    for (const auto& [place, input] : read) {
      parts.program_inputs.emplace(
          "/program" + place.substr(scenario.program_settings.place().size()), input);
    }
    if (shared_parts != nullptr) {
      parts.document = document;
    }
  }
  scenario.program = parts.program;
  scenario.program_inputs = parts.program_inputs;
  for (const auto& [pointer, input] : scenario.program_inputs) {
    scenario.inputs.push_back(input);
  }
  scenario.run_machine = machine_to_run(scenario.machine, *scenario.program, document);
  scenario.embedding_settings = with_map_of_file(
      scenario.embedding_settings, {*scenario.machine->topology, scenario.machine->node.slots},
      scenario.program->guest().process_count(), file.parent_path(), scenario.inputs);
  scenario.embedding = read_embedding(*scenario.machine, scenario.program->guest(),
                                      scenario.embedding_settings, document);
  document.set("name", scenario.name);
  document.set("embedding", scenario.embedding_settings);
  scenario.document = std::move(document);
  return scenario;
}

/// The files of the scenarios that dcube brings along, by name.
std::map<std::string, fs::path> shipped_scenarios() {
  return json_files(
      mapped(data_folders(), [](const fs::path& folder) { return folder / "scenarios"; }));
}

}  // namespace

void make_reachable(Params& document, std::string_view pointer,
                    const std::optional<fs::path>& folder, std::vector<fs::path>& inputs) {
  const Setting* machine = document.find("machine");
  if (pointer.starts_with("/machine/") && machine != nullptr && machine->text() != nullptr) {
    document.set("machine",
                 machine_document(*machine->text(), folder, document.place_of("machine"), inputs));
  }
}

/// Kinds whose name may be followed by a colon and a setting: "boxes:2x2x1", "cyclic:switch".
struct SpeltSetting {
  std::string_view kind;
  std::string_view key;
};
constexpr std::array<SpeltSetting, 2> spelt_settings{{{"boxes", "box"}, {"cyclic", "over"}}};

/// The key of the setting that may follow the name of a kind; empty for any other.
std::string_view spelt_key(std::string_view kind) {
  const auto found = std::ranges::find(spelt_settings, kind, &SpeltSetting::kind);
  return found == spelt_settings.end() ? std::string_view{} : found->key;
}

Params named_embedding(const std::string& name, std::string_view place) {
  if (name.find(',') != std::string::npos) {
    const std::vector<std::string_view> axes = split_at(name, ',');
    const auto is_axis = [](std::string_view axis) {
      return !axis.empty() && find_kind(embedding_catalog(), axis) == nullptr;
    };
    refuse_if(std::ranges::none_of(axes, is_axis), place,
              "{} is not one embedding (a name with commas is an order of axes, such as "
              "data,tensor)",
              Setting{name}.describe());
    Params settings{std::string{place}};
    settings.set("kind", "axes");
    settings.set("order",
                 mapped(axes, [](std::string_view axis) { return Setting{std::string{axis}}; }));
    return settings;
  }
  constexpr std::string_view separator = " of ";
  const std::size_t of = name.find(separator);
  const std::string words = name.substr(0, of);
  const std::size_t colon = words.find(':');
  const std::string_view key =
      colon == std::string::npos ? std::string_view{} : spelt_key(words.substr(0, colon));
  const std::string kind = key.empty() ? words : words.substr(0, colon);
  if (find_kind(embedding_catalog(), kind) == nullptr) {
    throw InputError(place, Setting{name}.describe() + " is no embedding" +
                                nearest_name_hint(kind, names_of(embedding_catalog())));
  }
  Params settings{std::string{place}};
  settings.set("kind", kind);
  if (!key.empty()) {
    settings.set(std::string{key}, words.substr(colon + 1));
  }
  if (of != std::string::npos) {
    const std::string guest = name.substr(of + separator.size());
    settings.set("guest", at_place(place, [&] { return Guest::parse(guest); }).name());
  }
  return settings;
}

std::string embedding_name(const Params& settings) {
  const std::string kind = settings.text("kind");
  if (kind == "axes" && settings.has("order")) {
    return joined(settings.list("order", "axes"), ",",
                  [](const Setting& axis) { return axis.text() ? *axis.text() : axis.describe(); });
  }
  const std::string key{spelt_key(kind)};
  std::string name = kind;
  if (!key.empty() && settings.has(key)) {
    const Setting& value = *settings.find(key);
    name += ':' + (kind == "boxes"           ? joined(settings.positive_ints(key, "a side"), "x")
                   : value.text() != nullptr ? *value.text()
                                             : value.describe());
  }
  return settings.has("guest") ? name + " of " + settings.text("guest") : name;
}

fs::path find_scenario(const std::string& name_or_file) {
  // A file that cannot be looked up is complained of where it is read.
  std::error_code error;
  if (name_or_file.find('/') != std::string::npos || fs::exists(name_or_file, error) || error) {
    return name_or_file;
  }
  const std::map<std::string, fs::path> shipped = shipped_scenarios();
  const std::string name =
      name_or_file.substr(0, name_or_file.size() - (name_or_file.ends_with(".json") ? 5 : 0));
  if (const auto found = shipped.find(name); found != shipped.end()) {
    return found->second;
  }
  const std::string hint = nearest_name_hint(name, names_of(shipped));
  throw InputError(
      name_or_file,
      fmt::format("cannot be read (there is neither such a file nor a scenario of that name{})",
                  hint.starts_with("; did") ? hint : "; see dcube list scenarios"));
}

std::vector<std::pair<std::string, std::string>> list_scenarios() {
  std::vector<std::pair<std::string, std::string>> scenarios;
  for (const auto& [name, file] : shipped_scenarios()) {
    try {
      scenarios.emplace_back(name, read_json_file(file).text("description", ""));
    } catch (const InputError& error) {
      scenarios.emplace_back(name, fmt::format("unusable: {}", error.what()));
    }
  }
  return scenarios;
}

Params read_scenario_document(const fs::path& file) { return read_json_file(file); }

Scenario build_scenario(const Params& document, const fs::path& file,
                        const std::vector<Override>& overrides, const ReadingListener& on_reading,
                        ScenarioParts* parts) {
  std::vector<fs::path> inputs{file};
  Params changed = document;
  std::map<std::string, Setting::List> values;  // that were given, by pointer
  for (const Override& change : overrides) {
    make_reachable(changed, change.pointer, file.parent_path(), inputs);
    const auto below = values.lower_bound(change.pointer + "/");
    refuse_if(below != values.end() && below->first.starts_with(change.pointer + "/"),
              ".set " + change.pointer, "replaces {}, which is set before it (give it first)",
              below->first);
    Setting::List& given = values[change.pointer];
    given.push_back(value_of(change, document));
    changed = with_value(changed, change.pointer, given.back());
    refuse_if(given.size() > 1 && !change.pointer.ends_with("/-"), ".set " + change.pointer,
              "is given twice (a value is replaced once)");
    if (!change.file.empty()) {
      inputs.push_back(change.file);
    }
  }
  Scenario scenario = read_scenario(std::move(changed), file, std::move(inputs), on_reading, parts);
  for (auto& [pointer, given] : values) {
    scenario.overridden.set(pointer, given.size() == 1 ? given.front() : std::move(given));
  }
  return scenario;
}

Scenario load_scenario(const fs::path& name_or_file, const std::vector<Override>& overrides) {
  const fs::path file = find_scenario(name_or_file.string());
  return build_scenario(read_scenario_document(file), file, overrides);
}

DocumentKind validate_document(const fs::path& named,
                               const std::function<void(const Scenario&)>& on_scenario) {
  const Params document = read_json_file(named);
  const fs::path file = known_as(named);
  if (document.has("program") || document.has("machine")) {
    const Scenario scenario = build_scenario(document, file);
    if (on_scenario) {
      on_scenario(scenario);
    }
    return DocumentKind::scenario;
  }
  if (document.has("topology")) {
    std::vector<fs::path> inputs;
    read_machine(with_files_in(document, file.parent_path(), inputs), file.stem().string(),
                 VersionKey::required);
    return DocumentKind::machine;
  }
  if (document.has("experiments")) {
    read_experiments(document, file);
    return DocumentKind::experiments;
  }
  if (document.has("tasks") || document.has("mapping")) {
    read_task_graph(document);
    return DocumentKind::task_graph;
  }
  throw InputError(document.place(),
                   "is neither a machine (`topology` is missing), a scenario (`machine` and "
                   "`program` are missing), a file of experiments (`experiments` is missing) nor a "
                   "task graph (`tasks` is missing)");
}

}  // namespace dcube
