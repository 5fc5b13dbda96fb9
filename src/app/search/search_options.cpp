#include "search_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "app/terminal/readable.hpp"
#include "dcube/core/errors.hpp"
#include "search_methods.hpp"

namespace dcube::app {
namespace {

std::string choice(const char* option, const std::string& value,
                   std::span<const std::string> names) {
  if (std::ranges::find(names, value) == names.end()) {
    throw InputError(option, fmt::format("{} is none of {}{}", value, fmt::join(names, ", "),
                                         nearest_name_hint(value, names).starts_with("; did")
                                             ? nearest_name_hint(value, names)
                                             : ""));
  }
  return value;
}

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
  belongs("--compute", !options.compute.empty(), objective == Objective::cc_time,
          "a stage's computing time, for --objective cc-time");
  belongs("--hop", !options.hop.empty(), objective == Objective::cc_time,
          "the time of a message over a link, for --objective cc-time");
  belongs("--jobs", !options.jobs.empty(), objective == Objective::makespan,
          "simulations at a time, for --objective makespan");
  belongs("--effort", !options.effort.empty(), options.method != "scotch",
          "libscotch has no effort to choose");
}

void add_subject_options(CLI::App& parser, SearchOptions& options) {
  parser.add_option("SCENARIO", options.scenario.file, "the scenario whose program to place")
      ->type_name("");
  parser
      .add_option("--set", options.scenario.settings,
                  "replace a value of the scenario, named by JSON pointer")
      ->type_name("/POINTER=VALUE")
      ->allow_extra_args(false);
  parser
      .add_option("--machine", options.machine,
                  "without a scenario: a machine's name or file, or a network such as torus:8x8")
      ->type_name("M");
  parser
      .add_option("--traffic", options.traffic,
                  "what to place there: cube:6, mesh:8x8, ring:64, tree:15 or a file with lines "
                  "from,to,bytes (csv; or mtx, grf)")
      ->type_name("SHAPE|FILE");
  parser
      .add_option("--weights", options.weights,
                  "bytes by dimension of the shape: doubling, halving or 1,2,4 (default: all 1)")
      ->type_name("W");
}

void add_steering_options(CLI::App& parser, SearchOptions& options) {
  constexpr DefaultEfforts efforts;
  parser
      .add_option("--objective", options.objective,
                  fmt::format("{} (default: hop-bytes)", fmt::join(objective_names(), ", ")))
      ->type_name("O");
  parser
      .add_option("--method", options.method,
                  fmt::format("{} (default: auto)", fmt::join(search_method_names(), ", ")))
      ->type_name("NAME");
  parser.add_option("--seed", options.seed, "of annealing and scotch (default: 1)")->type_name("N");
  parser
      .add_option("--effort", options.effort,
                  fmt::format("maps tried: annealing {}, simulations {}, partial maps of an "
                              "enumeration {}",
                              grouped(efforts.moves), grouped(efforts.simulations),
                              grouped(efforts.partial_maps)))
      ->type_name("N");
  parser
      .add_option("--time-limit", options.time_limit,
                  "stop after this time; what is found then depends on the computer")
      ->type_name("TIME");
  parser
      .add_option("--compute", options.compute, "cc-time: computing time of a stage (default: 0s)")
      ->type_name("TIME");
  parser.add_option("--hop", options.hop, "cc-time: a message over one link (default: 1s)")
      ->type_name("TIME");
  add_jobs_option(parser, options.jobs);
}

void add_output_options(CLI::App& parser, SearchOptions& options) {
  parser.add_option("--output", options.output, "write the embedding found, for --embedding")
      ->type_name("FILE");
  parser
      .add_option("--certificate", options.certificate,
                  "write the proof of an enumeration, for scripts/check_certificate.py")
      ->type_name("FILE");
  parser.add_flag("--json", options.json, "print the result as JSON");
}

}  // namespace

void add_search_options(CLI::App& parser, SearchOptions& options) {
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
  choice("--method", options.method, search_method_names());
  check_belonging(options, objective);
  check_output_folder(options.output);
  check_output_folder(options.certificate, "--certificate");
}

Objective objective_option(const std::string& text) {
  const auto names = objective_names();
  choice("--objective", text, names);
  return static_cast<Objective>(std::ranges::find(names, text) - names.begin());
}

std::optional<std::chrono::nanoseconds> time_limit_option(const SearchOptions& options) {
  if (options.time_limit.empty()) {
    return std::nullopt;
  }
  const auto limit = std::chrono::duration_cast<std::chrono::nanoseconds>(
      duration_option("--time-limit", options.time_limit));
  if (limit.count() == 0) {
    throw InputError("--time-limit", "0 is not a time limit (a positive duration)");
  }
  return limit;
}

}  // namespace dcube::app
