#include "subcubes_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/params.hpp"

namespace dcube::app {
namespace {

const std::array<std::string, 4> methods{"annealing", "paper", "random", "exhaustive"};

void add_mapping_options(Parser& parser, SubcubesOptions& options) {
  parser.argument("GRAPH", options.graph, "the file of the task graph").reads_file();
  parser
      .option("--traffic", options.traffic, "SHAPE|FILE",
              "the task graph as a traffic file (CSV, MatrixMarket, Scotch) or a shape such as "
              "mesh:4x4")
      .reads_file();
  parser.option("--random", options.random, "SETTINGS",
                "draw the task graph from the seed: tasks=25,ccp=0.2,w=20 or tasks=25,edges=63");
  parser.option("--subcube", options.subcube, "D", "dimensions of the subcube of each task");
  parser.option("--dimensions", options.dimensions, "N",
                "dimensions of the cube (default: as few as give every task a subcube)");
  parser
      .option("--method", options.method, "NAME",
              "annealing (default), paper (annealing as published), random or exhaustive")
      .one_of(methods);
  parser.flag("--parallel", options.parallel, "only parallel mappings (default)");
  parser.flag("--non-parallel", options.non_parallel, "only mappings that are not parallel");
  parser.flag("--any", options.any, "all mappings");
  add_seed_option(parser, options.seed, "seed of all draws");
  parser.option("--restarts", options.restarts, "N",
                "annealings from other starts, or random mappings; the best counts (default: 4 "
                "for annealing, else 1)");
  parser.option("--moves", options.moves, "N",
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
  parser.option("--simulate", options.simulate, "K",
                "simulate so many mappings and hold bandwidth against makespan");
  parser
      .option("--machine", options.machine, "M",
              "machine to simulate on: a name, a file or a network such as hypercube:6 (default: a "
              "hypercube on which a byte takes 1 us a hop)")
      .reads_file();
  add_jobs_option(parser, options.jobs);
  parser
      .option("--pair", options.pair, "ADDRESS ADDRESS",
              "only say how two subcubes lie to each other")
      .takes(2);
  parser.flag("--conjecture", options.conjecture,
              "only check that no mapping beats the parallel ones, for all task graphs");
  add_display_options(parser, options.display);
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
  if (!options.moves.empty() && !anneals) {
    throw InputError("--moves", fmt::format("{} makes no moves (leave it out)", options.method));
  }
  if (!options.restarts.empty() && options.method == "exhaustive") {
    throw InputError("--restarts", "exhaustive starts once (leave it out)");
  }
  if (!options.evaluate.empty() && !options.map.empty()) {
    throw InputError("--map", "one of --evaluate and --map gives the mapping");
  }
  check_hosts_option(options.hosts, {options.map});
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
