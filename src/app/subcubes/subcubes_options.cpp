#include "subcubes_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/options/options.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/params.hpp"

namespace dcube::app {
namespace {

const std::array<std::string, 4> methods{"annealing", "paper", "random", "exhaustive"};

void add_mapping_options(CLI::App& parser, SubcubesOptions& options) {
  parser.add_option("GRAPH", options.graph, "the file of the task graph")->type_name("");
  parser
      .add_option("--traffic", options.traffic,
                  "the task graph as a traffic file (CSV, MatrixMarket, Scotch) or a shape such as "
                  "mesh:4x4")
      ->type_name("SHAPE|FILE");
  parser
      .add_option("--random", options.random,
                  "draw the task graph from the seed: tasks=25,ccp=0.2,w=20 or tasks=25,edges=63")
      ->type_name("SETTINGS");
  parser.add_option("--subcube", options.subcube, "dimensions of the subcube of each task")
      ->type_name("D");
  parser
      .add_option("--dimensions", options.dimensions,
                  "dimensions of the cube (default: as few as give every task a subcube)")
      ->type_name("N");
  parser
      .add_option("--method", options.method,
                  "annealing (default), paper (annealing as published), random or exhaustive")
      ->type_name("NAME");
  parser.add_flag("--parallel", options.parallel, "only parallel mappings (default)");
  parser.add_flag("--non-parallel", options.non_parallel, "only mappings that are not parallel");
  parser.add_flag("--any", options.any, "all mappings");
  parser.add_option("--seed", options.seed, "seed of all draws (default: 0)")->type_name("N");
  parser
      .add_option("--restarts", options.restarts,
                  "annealings from other starts, or random mappings; the best counts (default: 4 "
                  "for annealing, else 1)")
      ->type_name("N");
  parser
      .add_option("--moves", options.moves,
                  "moves at each of 127 temperatures (default: 96 a task; paper: 24)")
      ->type_name("N");
}

void add_output_options(CLI::App& parser, SubcubesOptions& options) {
  parser.add_option("--output", options.output, "write the task graph with its mapping")
      ->type_name("FILE");
  parser
      .add_option("--scenario", options.scenario,
                  "write a scenario in which the tasks exchange their messages, for dcube run")
      ->type_name("FILE");
  parser
      .add_option("--evaluate", options.evaluate,
                  "measure the mapping in this file (of the tasks, or of all nodes of a reduction) "
                  "in place of looking for one")
      ->type_name("FILE");
  parser
      .add_option("--map", options.map,
                  "the same with the map of the nodes of a reduction, as dcube search writes it or "
                  "in any map format (see dcube list formats)")
      ->type_name("[FORMAT:]FILE");
  parser
      .add_option(
          "--reduction", options.reduction,
          "only write the task graph in which every node of a subcube is a task of its own, "
          "for optimisers of single nodes; .json, or a traffic file (.mtx, .csv, .grf)")
      ->type_name("[FORMAT:]FILE");
  parser
      .add_option("--simulate", options.simulate,
                  "simulate so many mappings and hold bandwidth against makespan")
      ->type_name("K");
  parser
      .add_option("--machine", options.machine,
                  "machine to simulate on (default: a hypercube on which a byte takes 1 us a hop)")
      ->type_name("NAME");
  add_jobs_option(parser, options.jobs);
  parser.add_option("--pair", options.pair, "only say how two subcubes lie to each other")
      ->type_name("ADDRESS ADDRESS")
      ->expected(2);
  parser.add_flag("--conjecture", options.conjecture,
                  "only check that no mapping beats the parallel ones, for all task graphs");
  parser.add_flag("--json", options.json, "print JSON");
  parser.add_flag("--full", options.full, "list every task");
}

}  // namespace

void add_subcubes_options(CLI::App& parser, SubcubesOptions& options) {
  add_mapping_options(parser, options);
  add_output_options(parser, options);
}

void check_subcubes_options(const SubcubesOptions& options) {
  if (std::find(methods.begin(), methods.end(), options.method) == methods.end()) {
    throw InputError("--method", fmt::format("{} is no method{}", options.method,
                                             nearest_name_hint(options.method, methods)));
  }
  const bool anneals = options.method == "annealing" || options.method == "paper";
  const bool has_graph =
      !options.graph.empty() || !options.traffic.empty() || !options.random.empty();
  if (!options.moves.empty() && !anneals) {
    throw InputError("--moves", fmt::format("{} makes no moves (leave it out)", options.method));
  }
  if (!options.restarts.empty() && options.method == "exhaustive") {
    throw InputError("--restarts", "exhaustive starts once (leave it out)");
  }
  if (!options.evaluate.empty() && !options.map.empty()) {
    throw InputError("--map", "one of --evaluate and --map gives the mapping");
  }
  if (!options.machine.empty() && options.simulate.empty() && options.scenario.empty()) {
    throw InputError("--machine", "is for --simulate or --scenario; give one of them");
  }
  if (has_graph && (options.conjecture || !options.pair.empty())) {
    throw InputError(options.conjecture ? "--conjecture" : "--pair", "takes no task graph");
  }
}

std::uint32_t dimensions_option(std::string_view option, const std::string& text) {
  constexpr std::int64_t most = SubcubeProblem::most_cube_dimensions;
  return at(option, [&] {
    Params params;
    params.set("value", Setting::Number{text});
    return static_cast<std::uint32_t>(
        params.integer("value", 0, most, fmt::format("a number of dimensions (0 to {})", most)));
  });
}

MappingKind kind_of(const SubcubesOptions& options) {
  if (options.parallel + options.non_parallel + options.any > 1) {
    throw InputError("--parallel", "one of --parallel, --non-parallel and --any can be chosen");
  }
  return options.non_parallel ? MappingKind::non_parallel
         : options.any        ? MappingKind::any
                              : MappingKind::parallel;
}

}  // namespace dcube::app
