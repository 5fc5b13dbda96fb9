#include "task_graph_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/json_writing.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/scenario/experiments.hpp"
#include "dcube/scenario/task_graph.hpp"
#include "experiment_figures.hpp"
#include "file_names.hpp"
#include "json_conversion.hpp"
#include "json_reading.hpp"
#include "machine_reader.hpp"
#include "overrides.hpp"
#include "scenario_reader.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

const std::array<std::string, 7> file_keys{"$schema", "schema_version", "name",   "description",
                                           "tasks",   "messages",       "mapping"};
const std::array<std::string, 4> random_graph_keys{"tasks", "edges", "ccp", "w"};
const std::array<std::string, 11> study_keys{"tasks",   "edges",       "ccp",  "w",
                                             "subcube", "dimensions",  "kind", "method",
                                             "measure", "repetitions", "seed"};
const std::array<std::string, 3> kind_names{"parallel", "non_parallel", "any"};
const std::array<std::string, 3> method_names{"random", "paper", "annealing"};
const std::array<std::string, 4> measure_names{"bandwidth", "diameter", "node_distance",
                                               "subcube_distance"};

constexpr std::int64_t most_tasks = 1 << SubcubeProblem::most_cube_dimensions;
/// Of random graphs, whose pairs are listed.
constexpr std::int64_t most_random_tasks = 4096;

std::uint32_t small_integer(const Params& settings, std::string_view key, std::int64_t least,
                            std::int64_t most, std::string_view what) {
  return static_cast<std::uint32_t>(
      settings.integer(key, least, most, fmt::format("{} ({} to {})", what, least, most)));
}

const Setting::List& list_at(const Params& document, std::string_view key) {
  const Setting* setting = document.find(key);
  if (setting->list() == nullptr) {
    document.reject(key, setting->describe() + " is not a list");
  }
  return *setting->list();
}

Flow read_message(const Params& document, std::size_t index, std::uint32_t tasks) {
  // Settings of its own, so that every number is named by its place.
  const Setting& message = list_at(document, "messages")[index];
  const std::string place = fmt::format("{}/{}", document.place_of("messages"), index);
  if (message.list() == nullptr || message.list()->size() != 3) {
    throw InputError(
        place, message.describe() + " is not a message [from task, to task, bytes of each node]");
  }
  Params numbers{place};
  for (std::size_t i = 0; i < 3; ++i) {
    numbers.set(std::to_string(i), (*message.list())[i]);
  }
  const std::string task = fmt::format("a task (0 to {})", tasks - 1);
  const Flow flow{ProcessId{static_cast<std::uint32_t>(numbers.integer("0", 0, tasks - 1, task))},
                  ProcessId{static_cast<std::uint32_t>(numbers.integer("1", 0, tasks - 1, task))},
                  static_cast<std::uint64_t>(numbers.integer(
                      "2", 0, std::numeric_limits<std::int64_t>::max(), "a number of bytes")),
                  1};
  if (flow.from == flow.to) {
    throw InputError(
        place, fmt::format("task {} sends to itself (which needs no network)", flow.from.index()));
  }
  return flow;
}

Traffic read_graph(const Params& document) {
  const auto tasks = small_integer(document, "tasks", 1, most_tasks, "a number of tasks");
  if (!document.has("messages")) {
    throw InputError(document.place(), "`messages` is missing");
  }
  std::vector<Flow> flows;
  for (std::size_t i = 0; i < list_at(document, "messages").size(); ++i) {
    flows.push_back(read_message(document, i, tasks));
  }
  try {
    return {tasks, std::move(flows)};
  } catch (const InputError& error) {
    document.reject("messages", error.problem());
  }
}

SubcubeMapping read_mapping(const Params& document) {
  SubcubeMapping mapping;
  for (const Setting& entry : list_at(document, "mapping")) {
    const std::string place = fmt::format("{}/{}", document.place_of("mapping"), mapping.size());
    if (entry.text() == nullptr) {
      throw InputError(place, entry.describe() +
                                  " is not the address of a subcube (a text of 0, "
                                  "1 and *)");
    }
    try {
      mapping.push_back(Subcube::parse(*entry.text()));
    } catch (const InputError& error) {
      throw InputError(place, error.problem());
    }
  }
  return mapping;
}

ordered_json messages_json(const Traffic& graph) {
  ordered_json messages = ordered_json::array();
  for (const Flow& flow : graph.flows()) {
    messages.push_back({flow.from.index(), flow.to.index(), flow.bytes});
  }
  return messages;
}

Setting number(std::uint64_t value) { return Setting::Number{std::to_string(value)}; }

Setting messages_setting(const Traffic& graph) {
  Setting::List messages;
  for (const Flow& flow : graph.flows()) {
    messages.emplace_back(
        Setting::List{number(flow.from.index()), number(flow.to.index()), number(flow.bytes)});
  }
  return messages;
}

Setting addresses_setting(std::span<const Subcube> mapping) {
  Setting::List addresses;
  for (const Subcube& subcube : mapping) {
    addresses.emplace_back(subcube.text());
  }
  return addresses;
}

Params unit_hypercube(std::uint32_t dimensions) {
  Params topology;
  topology.set("kind", "hypercube");
  topology.set("dimensions", number(dimensions));
  Params link;
  link.set("per_byte", "1us");
  Params machine;
  machine.set("name", fmt::format("hypercube-{}", dimensions));
  machine.set("topology", std::move(topology));
  machine.set("link", std::move(link));
  return machine;
}

std::size_t index_of(const Params& settings, std::string_view key,
                     std::span<const std::string> names, std::string_view fallback) {
  const std::string name = settings.choice(key, names, fallback);
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

TaskGraphFile read_task_graph(const Params& document) {
  document.allow_only(file_keys);
  check_schema_version(document, VersionKey::required);
  check_labels(document);
  TaskGraphFile result;
  if (document.has("tasks") || document.has("messages")) {
    result.graph = read_graph(document);
  }
  if (document.has("mapping")) {
    result.mapping = read_mapping(document);
  }
  if (!result.graph && !result.mapping) {
    throw InputError(document.place(),
                     "has neither a task graph (`tasks` and `messages`) nor a `mapping`");
  }
  return result;
}

TaskGraphFile load_task_graph(const fs::path& file) {
  return read_task_graph(read_json_file(file));
}

std::string task_graph_json(const Traffic& graph, std::span<const Subcube> mapping) {
  ordered_json json{
      {"schema_version", 1}, {"tasks", graph.process_count()}, {"messages", messages_json(graph)}};
  for (const Subcube& subcube : mapping) {
    json["mapping"].push_back(subcube.text());
  }
  return json_layout(json);
}

Params exchange_scenario(const Traffic& graph, std::span<const Subcube> mapping,
                         const ExchangeScenario& settings) {
  Params program;
  program.set("kind", "subcube_exchange");
  program.set("mapping", addresses_setting(mapping));
  program.set("messages", messages_setting(graph));
  Params scenario;
  scenario.set("schema_version", number(1));
  if (settings.machine.empty()) {
    scenario.set("machine", unit_hypercube(mapping.front().cube_dimensions()));
  } else {
    const bool is_file =
        settings.machine.find('/') != std::string::npos || settings.machine.ends_with(".json");
    scenario.set("machine",
                 is_file ? name_in(settings.folder, settings.machine) : settings.machine);
  }
  scenario.set("embedding", "standard");
  scenario.set("program", std::move(program));
  if (settings.contention) {
    std::vector<fs::path> inputs;
    const auto folder = settings.folder.empty() ? std::nullopt : std::optional{settings.folder};
    make_reachable(scenario, "/machine/link", folder, inputs);
    return with_value(scenario, "/machine/link/contention", *settings.contention);
  }
  return scenario;
}

std::string exchange_scenario_json(const Traffic& graph, std::span<const Subcube> mapping,
                                   const ExchangeScenario& settings) {
  return json_layout(json_of<ordered_json>(exchange_scenario(graph, mapping, settings)));
}

std::span<const std::string> random_task_graph_keys() { return random_graph_keys; }

RandomTaskGraph read_random_task_graph(const Params& settings) {
  RandomTaskGraph graph;
  graph.tasks = small_integer(settings, "tasks", 1, most_random_tasks, "a number of tasks");
  if (settings.has("edges")) {
    if (settings.has("ccp")) {
      settings.reject("ccp", "has no meaning beside `edges` (which says how many); leave one out");
    }
    const std::int64_t pairs = std::int64_t{graph.tasks} * (graph.tasks - 1) / 2;
    graph.edges = small_integer(settings, "edges", 0, pairs, "a number of pairs of the tasks");
  }
  if (settings.has("ccp")) {
    constexpr std::string_view what = "a probability (0 to 1)";
    graph.probability = real_number(settings, "ccp", what);
    if (graph.probability < 0 || graph.probability > 1) {
      settings.reject("ccp", fmt::format("{} is not {}", settings.find("ccp")->describe(), what));
    }
  }
  if (settings.has("w")) {
    graph.weight = static_cast<std::uint64_t>(
        settings.integer("w", 1, std::int64_t{1} << 40U, "a number of bytes (1 to 2^40)"));
  }
  return graph;
}

SubcubeStudy read_subcube_study(const Params& settings) {
  settings.allow_only(study_keys);
  SubcubeStudy study;
  study.graph = read_random_task_graph(settings);
  study.cube_dimensions =
      small_integer(settings, "dimensions", 1, SubcubeProblem::most_cube_dimensions,
                    "a number of cube dimensions");
  study.subcube_dimensions =
      small_integer(settings, "subcube", 0, study.cube_dimensions, "dimensions of a subcube");
  study.kind = static_cast<MappingKind>(index_of(settings, "kind", kind_names, "parallel"));
  settings.text("method");
  study.method = static_cast<SubcubeMethod>(index_of(settings, "method", method_names, ""));
  study.measure =
      static_cast<SubcubeMeasure>(index_of(settings, "measure", measure_names, "bandwidth"));
  if (settings.has("repetitions")) {
    study.repetitions =
        small_integer(settings, "repetitions", 1, 1'000'000, "a number of repetitions");
  }
  study.seed = settings.seed("seed", 0);
  // Complains, rather than in the middle of a study, when the tasks do not fit.
  const SubcubeProblem problem{Traffic{study.graph.tasks, {}}, study.subcube_dimensions,
                               study.cube_dimensions};
  SplitMix64 random{study.seed};
  random_mapping(problem, study.kind, random);
  return study;
}

}  // namespace dcube
