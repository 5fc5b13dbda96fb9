#include "search_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "app/terminal/readable.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/interop/map_files.hpp"
#include "search_methods.hpp"

namespace dcube::app {
namespace {

/// Options that say nothing about this search are mistakes.
void check_belonging(const SearchOptions& options, Objective objective) {
  const auto belongs = [](const char* option, bool is_given, bool does, const char* where) {
    if (is_given && !does) {
      throw InputError(option, where);
    }
  };
  belongs("--weights", !options.weights.empty(), !options.traffic.empty(),
          "weights are those of --traffic SHAPE");
  belongs("--set", !options.scenario.settings.empty(), options.has_scenario(),
          "it replaces values of a SCENARIO");
  belongs("--embedding", !options.scenario.embedding.empty(), options.has_scenario(),
          "it replaces the embedding of a SCENARIO");
  belongs("--compute", !options.costs.compute.empty(), objective == Objective::cc_time,
          "a stage's computing time, for --objective cc-time");
  belongs("--hop", !options.costs.hop.empty(), objective == Objective::cc_time,
          "the time of a message over a link, for --objective cc-time");
  belongs("--jobs", !options.jobs.empty(), objective == Objective::makespan,
          "simulations at a time, for --objective makespan");
  belongs("--effort", !options.effort.empty(), options.method != "scotch",
          "libscotch has no effort to choose");
}

void add_subject_options(Parser& parser, SearchOptions& options) {
  add_scenario_argument(parser, options.scenario);
  add_scenario_changes(parser, options.scenario);
  parser
      .option("--machine", options.machine, "M",
              "without a scenario: a machine's name or file, or a network such as torus:8x8")
      .reads_file();
  parser
      .option("--traffic", options.traffic, "SHAPE|FILE",
              "what to place there: cube:6, mesh:8x8, ring:64, tree:15 or a file with lines "
              "from,to,bytes (csv; or mtx, grf)")
      .reads_file();
  parser.option("--weights", options.weights, "W",
                "bytes by dimension of the shape: doubling, halving or 1,2,4 (default: all 1)");
}

void add_steering_options(Parser& parser, SearchOptions& options) {
  constexpr DefaultEfforts efforts;
  parser
      .option("--objective", options.objective, "O",
              fmt::format("{} (default: hop-bytes)", fmt::join(objective_names(), ", ")))
      .one_of(objective_names());
  parser
      .option("--method", options.method, "NAME",
              fmt::format("{} (default: auto)", fmt::join(search_method_names(), ", ")))
      .one_of(search_method_names());
  add_seed_option(parser, options.seed, "seed of annealing and scotch");
  parser.option("--effort", options.effort, "N",
                fmt::format("maps tried: annealing {}, simulations {}, partial maps of an "
                            "enumeration {}",
                            grouped(efforts.moves), grouped(efforts.simulations),
                            grouped(efforts.partial_maps)));
  add_time_limit_option(parser, options.time_limit,
                        "stop after this time; what is found then depends on the computer");
  add_cc_cost_options(parser, options.costs);
  add_jobs_option(parser, options.jobs);
}

void add_output_options(Parser& parser, SearchOptions& options) {
  std::vector<OutputKind> kinds = kinds_of(map_format_catalog());
  kinds.insert(kinds.end(), {{"embedding"}, {"certificate"}, {"result"}});
  options.outputs.add_main(parser, "embedding", "write the embedding found, for --embedding");
  options.outputs.add_write(parser, std::move(kinds));
  options.outputs.add_old_spelling(parser, "--certificate", "certificate");
  add_json_option(parser, options.display);
  add_quiet_option(parser, options.display);
}

}  // namespace

void add_search_options(Parser& parser, SearchOptions& options) {
  add_subject_options(parser, options);
  add_steering_options(parser, options);
  add_output_options(parser, options);
}

void check_search_options(const SearchOptions& options) {
  if (options.has_scenario() == !options.machine.empty()) {
    throw InputError("search", "give either SCENARIO or --machine with --traffic");
  }
  if (options.machine.empty() != options.traffic.empty()) {
    throw InputError(options.machine.empty() ? "--traffic" : "--machine",
                     "--machine and --traffic belong together");
  }
  const Objective objective = objective_option(options.objective);
  if (objective == Objective::makespan && !options.has_scenario()) {
    throw InputError("--objective", "a makespan takes a SCENARIO to simulate");
  }
  check_belonging(options, objective);
  if (!options.has_scenario()) {
    check_hosts_option(options.scenario.hosts, {});
  }
}

Objective objective_option(const std::string& text) {
  const auto names = objective_names();
  return static_cast<Objective>(std::ranges::find(names, text) - names.begin());
}

}  // namespace dcube::app
