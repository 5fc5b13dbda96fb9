#include "subcubes_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/options/options.hpp"
#include "app/search/search_traffic.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/params.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/scenario/task_graph.hpp"

namespace dcube::app {
namespace {

RandomTaskGraph random_settings(const std::string& text) {
  const Params settings = Params::parse(text, "--random: ");
  settings.allow_only(random_task_graph_keys());
  return read_random_task_graph(settings);
}

Traffic load_graph(const SubcubesOptions& options) {
  const int sources = !options.graph.empty() + !options.random.empty() + !options.traffic.empty();
  if (sources != 1) {
    throw InputError("GRAPH", sources == 0
                                  ? "a task graph is missing (a file, --traffic or --random)"
                                  : "one of GRAPH, --traffic and --random says who communicates");
  }
  if (!options.traffic.empty()) {
    return traffic_option(options.traffic, {}).traffic;
  }
  if (!options.random.empty()) {
    SplitMix64 random{seed_option(options.seed)};
    const RandomTaskGraph settings = random_settings(options.random);
    return at("--random", [&] { return random_task_graph(settings, random); });
  }
  TaskGraphFile file = load_task_graph(options.graph);
  if (!file.graph) {
    throw InputError(options.graph, "`tasks` is missing (the file has a mapping only)");
  }
  return std::move(*file.graph);
}

/// The least cube with room for all tasks.
std::uint32_t fitting_dimensions(std::uint32_t tasks, std::uint32_t subcube) {
  return std::max(1U, subcube + static_cast<std::uint32_t>(std::bit_width(tasks - 1)));
}

/// The subcubes that the nodes of the copies of a reduction form.
SubcubeMapping put_together(const std::string& file, const SubcubeProblem& problem,
                            std::span<const NodeId> nodes) {
  const auto mapping = mapping_of_copies(problem, nodes);
  if (!mapping) {
    throw InputError(file,
                     "is no mapping to subcubes (the copies of some task do not form one; with "
                     "heavier joints they do in every optimum)");
  }
  return *mapping;
}

}  // namespace

std::optional<SubcubeMapping> load_given(const SubcubesOptions& options) {
  if (options.evaluate.empty()) {
    return std::nullopt;
  }
  TaskGraphFile file = load_task_graph(options.evaluate);
  if (!file.mapping) {
    throw InputError(options.evaluate, "`mapping` is missing");
  }
  return std::move(file.mapping);
}

SubcubeProblem load_problem(const SubcubesOptions& options,
                            const std::optional<SubcubeMapping>& given) {
  Traffic graph = load_graph(options);
  const bool has_nodes = given && !options.subcube.empty();
  std::uint32_t subcube = given && !has_nodes ? given->front().dimensions() : 0;
  if (!options.subcube.empty()) {
    subcube = dimensions_option("--subcube", options.subcube);
  } else if (!given) {
    throw InputError("--subcube", "is missing (the dimensions of the subcube of a task)");
  }
  const std::uint32_t dimensions = !options.dimensions.empty()
                                       ? dimensions_option("--dimensions", options.dimensions)
                                   : given ? given->front().cube_dimensions()
                                           : fitting_dimensions(graph.process_count(), subcube);
  return at("--dimensions", [&] { return SubcubeProblem{std::move(graph), subcube, dimensions}; });
}

SubcubeMapping given_mapping(const SubcubesOptions& options, const SubcubeProblem& problem,
                             const SubcubeMapping& given) {
  const std::size_t copies = std::size_t{problem.task_count()} << problem.subcube_dimensions();
  const bool are_nodes =
      problem.subcube_dimensions() > 0 && given.size() == copies && given.front().dimensions() == 0;
  if (!are_nodes) {
    at(options.evaluate, [&] { check_mapping(problem, given); });
    return given;
  }
  const SubcubeProblem single{Traffic{static_cast<std::uint32_t>(copies), {}}, 0,
                              problem.cube_dimensions()};
  at(options.evaluate, [&] { check_mapping(single, given); });
  std::vector<NodeId> nodes;
  nodes.reserve(given.size());
  for (const Subcube& node : given) {
    nodes.push_back(node.node(0));
  }
  return put_together(options.evaluate, problem, nodes);
}

SubcubeMapping mapping_of_map(const SubcubesOptions& options, const SubcubeProblem& problem) {
  Params cube;
  cube.set("kind", "hypercube");
  cube.set("dimensions", Setting::Number{std::to_string(problem.cube_dimensions())});
  const auto topology = make_topology(cube);
  const std::uint32_t copies = problem.task_count() << problem.subcube_dimensions();
  return at_least_at("--map", [&] {
    const Params settings =
        read_embedding_file(embedding_option(options.map, options.hosts), *topology, copies);
    const Guest guest = Guest::parse(fmt::format("line:{}", copies));
    return put_together(options.map, problem, make_embedding(*topology, guest, settings)->map());
  });
}

}  // namespace dcube::app
