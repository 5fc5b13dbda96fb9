#include "subcubes_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <string>
#include <utility>

#include "app/options/options.hpp"
#include "app/subcubes/subcubes_machine.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/params.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/questions/search_traffic.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/scenario/task_graph.hpp"

namespace dcube::app {
namespace {

const std::array<std::string, 4> methods{"annealing", "paper", "random", "exhaustive"};

std::uint32_t dimensions(const std::string& text) {
  return whole_number(text, 0, SubcubeProblem::most_cube_dimensions, "a number of dimensions");
}

void add_mapping_options(Parser& parser, SubcubesOptions& options) {
  parser.argument("GRAPH", options.graph, "the file of the task graph").reads_file();
  parser
      .option("--traffic", options.traffic, "SHAPE|FILE",
              "the task graph as a traffic file (CSV, MatrixMarket, Scotch) or a shape such as "
              "mesh:4x4")
      .reads_file();
  parser.option("--random", options.random, "SETTINGS",
                "draw the task graph from the seed: tasks=25,ccp=0.2,w=20 or tasks=25,edges=63");
  parser.option("--subcube", options.subcube, dimensions, "D",
                "dimensions of the subcube of each task");
  parser.option("--dimensions", options.dimensions, dimensions, "N",
                "dimensions of the cube (default: as few as give every task a subcube)");
  parser
      .option("--method", options.method, "NAME",
              "annealing (default), paper (annealing as published), random or exhaustive")
      .one_of(methods);
  parser.flag("--parallel", options.parallel, "only parallel mappings (default)");
  parser.flag("--non-parallel", options.non_parallel, "only mappings that are not parallel");
  parser.flag("--any", options.any, "all mappings");
  add_seed_option(parser, options.seed, "seed of all draws");
  parser.option("--restarts", options.restarts, positive_int, "N",
                "annealings from other starts, or random mappings; the best counts (default: 4 "
                "for annealing, else 1)");
  parser.option("--moves", options.moves, positive_int, "N",
                "moves at each of 127 temperatures (default: 96 a task; paper: 24)");
}

void add_output_options(Parser& parser, SubcubesOptions& options) {
  options.outputs.add_main(parser, "mapping", "write the task graph with its mapping");
  // A scenario lets the tasks exchange their messages. A reduction is the task graph in which every
  // node of a subcube is a task of its own, for optimisers of single nodes.
  options.outputs.add_write(parser, {{"mapping"}, {"scenario"}, {"reduction"}, {"result"}});
  options.outputs.add_old_spelling(parser, "--scenario", "scenario");
  options.outputs.add_old_spelling(parser, "--reduction", "reduction");
  parser
      .option("--evaluate", options.evaluate, "FILE",
              "measure the mapping in this file (of the tasks, or of all nodes of a reduction) "
              "in place of looking for one")
      .reads_file();
  parser
      .option("--map", options.map, "[FORMAT:]FILE",
              "the same with the map of the nodes of a reduction, as dcube search writes it or "
              "in any map format (see dcube list formats)")
      .reads_file();
  add_hosts_option(parser, options.hosts);
  parser.option("--simulate", options.simulate, positive_int, "K",
                "simulate K mappings and compare their bandwidth with their makespan");
  parser
      .option("--machine", options.machine, "M",
              "machine to simulate on: a name, a file or a network such as hypercube:6 (default: a "
              "hypercube on which a byte takes 1 us a hop)")
      .reads_file();
  add_runs_options(parser, options.runs);
  add_records_option(parser, options.runs);
  parser
      .option("--pair", options.pair, "ADDRESS ADDRESS",
              "only measure two subcubes: their distances and frontiers")
      .takes(2);
  parser.flag("--conjecture", options.conjecture,
              "only check that no mapping beats the parallel ones, for all task graphs");
  add_display_options(parser, options.display);
}

// --- What the options name ---

RandomTaskGraph random_settings(const std::string& text) {
  const Params settings = Params::parse(text, "--random: ");
  settings.allow_only(random_task_graph_keys());
  return read_random_task_graph(settings);
}

Traffic load_graph(const SubcubesOptions& options) {
  const int sources = !options.graph.empty() + !options.random.empty() + !options.traffic.empty();
  refuse_if(sources != 1, "GRAPH", "{}",
            sources == 0 ? "a task graph is missing (a file, --traffic or --random)"
                         : "one of GRAPH, --traffic and --random says who communicates");
  if (!options.traffic.empty()) {
    return traffic_option(options.traffic, {}).traffic;
  }
  if (!options.random.empty()) {
    SplitMix64 random{options.seed};
    const RandomTaskGraph settings = random_settings(options.random);
    return at_place("--random", [&] { return random_task_graph(settings, random); });
  }
  TaskGraphFile file = load_task_graph(options.graph);
  refuse_if(!file.graph, options.graph, "`tasks` is missing (the file has a mapping only)");
  return std::move(*file.graph);
}

/// The dimensions of the smallest cube with room for all tasks.
std::uint32_t fitting_dimensions(std::uint32_t tasks, std::uint32_t subcube) {
  return std::max(1U, subcube + static_cast<std::uint32_t>(std::bit_width(tasks - 1)));
}

/// The problem on the smallest cube with room, or a larger one where left-out nodes leave too
/// little.
SubcubeProblem fitting_problem(const Traffic& graph, std::uint32_t subcube,
                               const std::string& machine, MappingKind kind) {
  const std::uint32_t least = fitting_dimensions(graph.process_count(), subcube);
  for (std::uint32_t dimensions = least;; ++dimensions) {
    const bool is_last = dimensions >= largest_cube_of(machine);
    try {
      SubcubeProblem problem{graph, subcube, dimensions, left_out_on(machine, dimensions)};
      const bool is_certain_to_fit =
          problem.has_parallel_mapping() &&
          (kind != MappingKind::non_parallel || dimensions > least || problem.left_out().empty());
      if (is_last || is_certain_to_fit) {
        return problem;
      }
    } catch (const InputError&) {
      if (is_last) {
        throw;
      }
    }
  }
}

/// The subcubes that are formed by the nodes of a reduction, copy by copy.
SubcubeMapping put_together(const std::string& file, const SubcubeProblem& problem,
                            std::span<const NodeId> nodes) {
  const auto mapping = mapping_of_copies(problem, nodes);
  refuse_if(!mapping, file,
            "is no mapping to subcubes (the copies of some task do not form one; with "
            "heavier joints they do in every optimum)");
  return *mapping;
}

}  // namespace

void add_subcubes_options(Parser& parser, SubcubesOptions& options) {
  add_mapping_options(parser, options);
  add_output_options(parser, options);
}

void check_subcubes_options(const SubcubesOptions& options) {
  const bool anneals = options.method == "annealing" || options.method == "paper";
  const bool has_graph =
      !options.graph.empty() || !options.traffic.empty() || !options.random.empty();
  refuse_if(options.moves && !anneals, "--moves", "{} makes no moves (leave it out)",
            options.method);
  refuse_if(options.restarts && options.method == "exhaustive", "--restarts",
            "exhaustive starts once (leave it out)");
  refuse_if(!options.evaluate.empty() && !options.map.empty(), "--map",
            "one of --evaluate and --map gives the mapping");
  check_hosts_option(options.hosts, {options.map});
  refuse_if(has_graph && (options.conjecture || !options.pair.empty()),
            options.conjecture ? "--conjecture" : "--pair", "takes no task graph");
}

MappingKind kind_of(const SubcubesOptions& options) {
  refuse_if(options.parallel + options.non_parallel + options.any > 1, "--parallel",
            "one of --parallel, --non-parallel and --any can be chosen");
  return options.non_parallel ? MappingKind::non_parallel
         : options.any        ? MappingKind::any
                              : MappingKind::parallel;
}

std::optional<SubcubeMapping> load_given(const SubcubesOptions& options) {
  if (options.evaluate.empty()) {
    return std::nullopt;
  }
  TaskGraphFile file = load_task_graph(options.evaluate);
  refuse_if(!file.mapping, options.evaluate, "`mapping` is missing");
  return std::move(file.mapping);
}

SubcubeProblem load_problem(const SubcubesOptions& options,
                            const std::optional<SubcubeMapping>& given) {
  Traffic graph = load_graph(options);
  refuse_if(!options.subcube && !given, "--subcube",
            "is missing (the dimensions of the subcube of a task)");
  const std::uint32_t subcube = options.subcube ? *options.subcube : given->front().dimensions();
  return at_least_at("--dimensions", [&] {
    if (!options.dimensions && !given) {
      return fitting_problem(graph, subcube, options.machine, kind_of(options));
    }
    const std::uint32_t dimensions =
        options.dimensions ? *options.dimensions : given->front().cube_dimensions();
    return SubcubeProblem{std::move(graph), subcube, dimensions,
                          left_out_on(options.machine, dimensions)};
  });
}

SubcubeMapping given_mapping(const SubcubesOptions& options, const SubcubeProblem& problem,
                             const SubcubeMapping& given) {
  const std::size_t copies = std::size_t{problem.task_count()} << problem.subcube_dimensions();
  const bool are_nodes =
      problem.subcube_dimensions() > 0 && given.size() == copies && given.front().dimensions() == 0;
  if (!are_nodes) {
    at_place(options.evaluate, [&] { check_mapping(problem, given); });
    return given;
  }
  const SubcubeProblem single{Traffic{static_cast<std::uint32_t>(copies), {}},
                              0,
                              problem.cube_dimensions(),
                              {problem.left_out().begin(), problem.left_out().end()}};
  at_place(options.evaluate, [&] { check_mapping(single, given); });
  return put_together(options.evaluate, problem,
                      mapped(given, [](const Subcube& subcube) { return subcube.node(0); }));
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
    SubcubeMapping mapping =
        put_together(options.map, problem, make_embedding(*topology, guest, settings)->map());
    at_place(options.map, [&] { check_mapping(problem, mapping); });
    return mapping;
  });
}

}  // namespace dcube::app
