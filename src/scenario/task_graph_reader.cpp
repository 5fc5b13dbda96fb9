#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/file_names.hpp"
#include "core/json_reading.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/number_setting.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/program/task_messages.hpp"
#include "dcube/scenario/documents.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/scenario/experiments.hpp"
#include "dcube/scenario/overrides.hpp"
#include "dcube/scenario/platform_search.hpp"
#include "dcube/scenario/task_graph.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

const std::array<std::string, 7> task_graph_keys{
    "$schema", "schema_version", "name", "description", "tasks", "messages", "mapping"};
constexpr std::array written_labels{"name", "description"};
const std::array<std::string, 4> random_graph_keys{"tasks", "edges", "ccp", "w"};
const std::array<std::string, 11> graph_study_keys{"tasks",   "edges",       "ccp",  "w",
                                                   "subcube", "dimensions",  "kind", "method",
                                                   "measure", "repetitions", "seed"};
const std::array<std::string, 3> kind_names{"parallel", "non_parallel", "any"};
const std::array<std::string, 3> method_names{"random", "paper", "annealing"};
const std::array<std::string, 4> measure_names{"bandwidth", "diameter", "node_distance",
                                               "subcube_distance"};

constexpr std::int64_t most_tasks = 1 << SubcubeProblem::most_cube_dimensions;
/// Limit for random graphs, whose pairs are listed.
constexpr std::int64_t most_random_tasks = 4096;

std::uint32_t small_integer(const Params& settings, std::string_view key, std::int64_t least,
                            std::int64_t most, std::string_view what) {
  return static_cast<std::uint32_t>(
      settings.integer(key, least, most, fmt::format("{} ({} to {})", what, least, most)));
}

Traffic read_graph(const Params& document) {
  const auto tasks = small_integer(document, "tasks", 1, most_tasks, "a number of tasks");
  const auto bytes = [](const Params& message) {
    return static_cast<std::uint64_t>(
        message.integer("2", 0, std::numeric_limits<std::int64_t>::max(), "a number of bytes"));
  };
  std::vector<Flow> flows =
      mapped(read_task_messages(document, tasks, 0, bytes), [](const TaskMessage& message) {
        return Flow{ProcessId{message.from}, ProcessId{message.to}, message.bytes, 1};
      });
  return at_place(document.place_of("messages"), [&] { return Traffic{tasks, std::move(flows)}; });
}

SubcubeMapping read_mapping(const Params& document) {
  SubcubeMapping mapping;
  for (const Setting& entry : document.list("mapping", "addresses over 0, 1 and *")) {
    const std::string place = document.place_of("mapping", mapping.size());
    refuse_if(entry.text() == nullptr, place,
              "{} is not the address of a subcube (a text of 0, 1 and *)", entry.describe());
    mapping.push_back(at_place(place, [&] { return Subcube::parse(*entry.text()); }));
  }
  return mapping;
}

Setting messages_setting(const Traffic& graph) {
  return mapped(graph.flows(), [](const Flow& flow) {
    return Setting{Setting::List{number_setting(flow.from.index()), number_setting(flow.to.index()),
                                 number_setting(flow.bytes)}};
  });
}

Setting addresses_setting(std::span<const Subcube> mapping) {
  return mapped(mapping, [](const Subcube& subcube) { return Setting{subcube.text()}; });
}

/// Processes are on the nodes of tasks, ascending.
Params embedding_of_tasks(std::span<const Subcube> mapping,
                          std::span<const NodeId> node_of_cube_node) {
  std::vector<std::uint32_t> cube_nodes;
  for (const Subcube& subcube : mapping) {
    for (std::uint32_t i = 0; i < subcube.node_count(); ++i) {
      cube_nodes.push_back(subcube.node(i).index());
    }
  }
  std::ranges::sort(cube_nodes);
  return explicit_embedding(
      mapped(cube_nodes, [&](std::uint32_t node) { return node_of_cube_node[node]; }));
}

Params unit_hypercube(std::uint32_t dimensions) {
  return group_of(
      {{"name", fmt::format("hypercube-{}", dimensions)},
       {"topology", group_of({{"kind", "hypercube"}, {"dimensions", number_setting(dimensions)}})},
       {"link", group_of({{"per_byte", "1us"}})}});
}

}  // namespace

TaskGraphFile read_task_graph(const Params& document) {
  allow_only_of(document, "a task graph", task_graph_keys);
  check_schema_version(document, VersionKey::required);
  check_labels(document);
  TaskGraphFile result;
  for (const char* label : written_labels) {
    if (document.has(label)) {
      result.labels.set(label, document.text(label));
    }
  }
  if (document.has("tasks") || document.has("messages")) {
    result.graph = read_graph(document);
  }
  if (document.has("mapping")) {
    result.mapping = read_mapping(document);
  }
  refuse_if(!result.graph && !result.mapping, document.place(),
            "has neither a task graph (`tasks` and `messages`) nor a `mapping`");
  return result;
}

TaskGraphFile load_task_graph(const fs::path& file) {
  return read_task_graph(read_json_file(file));
}

std::string task_graph_json(const Traffic& graph, std::span<const Subcube> mapping,
                            const Params& labels) {
  ordered_json json{{"schema_version", 1}};
  for (const char* label : written_labels) {
    if (labels.has(label)) {
      json[label] = labels.text(label);
    }
  }
  json["tasks"] = graph.process_count();
  json["messages"] = messages_setting(graph);
  if (!mapping.empty()) {
    json["mapping"] = addresses_setting(mapping);
  }
  return json_layout(json);
}

Params exchange_scenario(const Traffic& graph, std::span<const Subcube> mapping,
                         const ExchangeScenario& settings) {
  Params program = group_of({{"kind", "subcube_exchange"},
                             {"mapping", addresses_setting(mapping)},
                             {"messages", messages_setting(graph)}});
  Params scenario = group_of({{"schema_version", number_setting(1)}});
  if (settings.machine.empty()) {
    scenario.set("machine", unit_hypercube(mapping.front().cube_dimensions()));
  } else {
    scenario.set("machine", names_json_file(settings.machine)
                                ? name_in(settings.folder, settings.machine)
                                : settings.machine);
  }
  if (settings.node_of_cube_node.empty()) {
    scenario.set("embedding", "standard");
  } else {
    program.set("processes", "tasks");
    scenario.set("embedding", embedding_of_tasks(mapping, settings.node_of_cube_node));
  }
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
  return json_layout(exchange_scenario(graph, mapping, settings));
}

std::span<const std::string> random_task_graph_keys() { return random_graph_keys; }

RandomTaskGraph read_random_task_graph(const Params& settings) {
  RandomTaskGraph graph;
  graph.tasks = small_integer(settings, "tasks", 1, most_random_tasks, "a number of tasks");
  if (settings.has("edges")) {
    refuse_if(settings.has("ccp"), settings.place_of("ccp"),
              "has no meaning beside `edges` (which says how many); leave one out");
    const std::int64_t pairs = std::int64_t{graph.tasks} * (graph.tasks - 1) / 2;
    graph.edges = small_integer(settings, "edges", 0, pairs, "a number of pairs of the tasks");
  }
  if (settings.has("ccp")) {
    graph.probability = settings.real("ccp", 0, 1, "a probability (0 to 1)");
  }
  if (settings.has("w")) {
    graph.weight = static_cast<std::uint64_t>(
        settings.integer("w", 1, std::int64_t{1} << 40U, "a number of bytes (1 to 2^40)"));
  }
  return graph;
}

SubcubeStudy read_subcube_study(const Params& settings) {
  settings.allow_only(graph_study_keys);
  SubcubeStudy study;
  study.graph = read_random_task_graph(settings);
  study.cube_dimensions =
      small_integer(settings, "dimensions", 1, SubcubeProblem::most_cube_dimensions,
                    "a number of cube dimensions");
  study.subcube_dimensions =
      small_integer(settings, "subcube", 0, study.cube_dimensions, "dimensions of a subcube");
  study.kind = choice<MappingKind>(settings, "kind", kind_names, "parallel");
  settings.required("method");
  study.method = choice<SubcubeMethod>(settings, "method", method_names, "");
  study.measure = choice<SubcubeMeasure>(settings, "measure", measure_names, "bandwidth");
  if (settings.has("repetitions")) {
    study.repetitions =
        small_integer(settings, "repetitions", 1, 1'000'000, "a number of repetitions");
  }
  study.seed = settings.seed("seed", 0);
  // Complains now, not in the middle of a study, when the tasks do not fit.
  const SubcubeProblem problem{Traffic{study.graph.tasks, {}}, study.subcube_dimensions,
                               study.cube_dimensions};
  SplitMix64 random{study.seed};
  random_mapping(problem, study.kind, random);
  return study;
}

}  // namespace dcube
