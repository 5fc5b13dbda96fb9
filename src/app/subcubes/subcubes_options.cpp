#include "subcubes_options.hpp"

#include <string>

namespace dcube::app {
namespace {

std::uint32_t dimensions(const std::string& text) {
  return whole_number(text, 0, SubcubeProblem::most_cube_dimensions, "a number of dimensions");
}

void add_mapping_options(Parser& parser, SubcubesOptions& options) {
  parser.argument("GRAPH", options.request.graph, "the file of the task graph").reads_file();
  parser
      .option("--traffic", options.request.traffic, "SHAPE|FILE",
              "the task graph as a traffic file (CSV, MatrixMarket, Scotch) or a shape such as "
              "mesh:4x4")
      .reads_file();
  parser.option("--random", options.request.random, "SETTINGS",
                "draw the task graph from the seed: tasks=25,ccp=0.2,w=20 or tasks=25,edges=63");
  parser.option("--subcube", options.request.subcube, dimensions, "D",
                "dimensions of the subcube of each task");
  parser.option("--dimensions", options.request.dimensions, dimensions, "N",
                "dimensions of the cube (default: as few as give every task a subcube)");
  parser
      .option("--method", options.request.method, "NAME",
              "annealing (default), paper (annealing as published), random or exhaustive")
      .one_of(SubcubesRequest::methods());
  parser.flag("--parallel", options.request.parallel, "only parallel mappings (default)");
  parser.flag("--non-parallel", options.request.non_parallel,
              "only mappings that are not parallel");
  parser.flag("--any", options.request.any, "all mappings");
  add_seed_option(parser, options.request.seed, "seed of everything drawn");
  parser.option("--restarts", options.request.restarts, positive_int, "N",
                "annealings from other starts, or random mappings; the best counts (default: 4 "
                "for annealing, else 1)");
  parser.option("--moves", options.request.moves, positive_int, "N",
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
      .option("--evaluate", options.request.evaluate, "FILE",
              "measure the mapping in this file (of the tasks, or of all nodes of a reduction) "
              "in place of looking for one")
      .reads_file();
  parser
      .option("--map", options.request.map, "[FORMAT:]FILE",
              "the same with the map of the nodes of a reduction, as dcube search writes it or "
              "in any map format (see dcube list formats)")
      .reads_file();
  add_hosts_option(parser, options.request.hosts);
  parser.option("--simulate", options.request.simulate, positive_int, "K",
                "simulate K mappings and compare their bandwidth with their makespan");
  parser
      .option("--machine", options.request.machine, "M",
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

}  // namespace

void add_subcubes_options(Parser& parser, SubcubesOptions& options) {
  add_mapping_options(parser, options);
  add_output_options(parser, options);
}

}  // namespace dcube::app
