#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "app/compare/comparison.hpp"
#include "app/options/options.hpp"
#include "app/search/search_children.hpp"
#include "app/search/search_methods.hpp"
#include "app/search/search_options.hpp"
#include "app/search/search_report.hpp"
#include "app/search/search_traffic.hpp"
#include "app/search/search_watch.hpp"
#include "app/terminal/interrupt.hpp"
#include "app/terminal/output.hpp"
#include "app/terminal/readable.hpp"
#include "command.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/scenario/write_file.hpp"
#include "dcube/search/search.hpp"

namespace dcube::app {
namespace {

/// The place of what is wrong with the whole problem.
const char* problem_place(const SearchOptions& options) {
  return options.has_scenario() ? options.scenario.file.c_str() : "--traffic";
}

/// What there is to search on: from a scenario or from options.
struct Subject {
  std::shared_ptr<const Machine> machine;
  NamedTraffic traffic;
  std::optional<CostBound> makespan_bound;
  std::size_t jobs = 1;
};

std::optional<CostBound> simulated_bound(const Scenario& scenario) {
  const std::optional<MakespanBound> bound = makespan_bound(scenario);
  if (!bound) {
    return std::nullopt;
  }
  // In binary fractions of a second; a picosecond too little is still a bound.
  return CostBound{static_cast<std::uint64_t>(std::floor(bound->makespan_s * 1e12 + 0.01)),
                   bound->source};
}

/// Nothing on SIGINT.
std::optional<Subject> subject_of(const SearchOptions& options, const InterruptWatch& interrupt) {
  if (!options.has_scenario()) {
    auto machine = machine_option("--machine", options.machine);
    const std::uint32_t nodes = machine->topology->node_count();
    return Subject{std::move(machine), traffic_option(options.traffic, options.weights, nodes),
                   std::nullopt, 1};
  }
  const Scenario scenario = load(options.scenario);
  auto traffic = recorded_traffic(options.scenario, scenario, interrupt);
  if (!traffic) {
    return std::nullopt;
  }
  return Subject{scenario.machine, std::move(*traffic), simulated_bound(scenario),
                 jobs_option(options.jobs, std::max<std::uint64_t>(
                                               1, estimated_memory_bytes(run_size(scenario))))};
}

void write_files(const SearchOptions& options, const SearchProblem& problem,
                 const SearchOutcome& outcome) {
  if (!options.output.empty()) {
    write_file(options.output, explicit_embedding_json(outcome.found.map));
  }
  if (options.certificate.empty()) {
    return;
  }
  if (has_complete_proof(outcome)) {
    write_file(options.certificate, certificate_json(problem, outcome));
  } else {
    complain(fmt::format("{}: not written: the enumeration is not complete ({})",
                         options.certificate, outcome.ended));
  }
}

void check_certificate(const SearchOptions& options, const std::string& method) {
  if (!options.certificate.empty() && !is_proof(method)) {
    throw InputError("--certificate",
                     fmt::format("{} proves nothing; use --method exhaustive", method));
  }
}

SearchProblem problem_of(const SearchOptions& options, const Subject& subject, SearchWatch& watch) {
  const Ticks compute =
      duration_option("--compute", options.compute.empty() ? "0s" : options.compute);
  const Ticks hop = duration_option("--hop", options.hop.empty() ? "1s" : options.hop);
  SearchProblem problem{.topology = *subject.machine->topology,
                        .traffic = subject.traffic.traffic,
                        .objective = objective_option(options.objective),
                        .guest = subject.traffic.guest,
                        .sharing = subject.machine->links.duplex == Duplex::half
                                       ? LinkSharing::undirected
                                       : LinkSharing::directed,
                        .cc_compute = compute,
                        .cc_hop = hop,
                        .simulate = Simulator{options.scenario, subject.jobs, watch},
                        .makespan_bound = subject.makespan_bound};
  at_least_at(problem_place(options), [&] {
    check_problem(problem);
    return 0;
  });
  return problem;
}

/// What is known before the search.
SearchOutcome outcome_of(const SearchOptions& options, const Subject& subject,
                         const SearchProblem& problem) {
  SearchOutcome outcome;
  outcome.machine =
      fmt::format("{} ({})", subject.machine->name, describe(*subject.machine->topology));
  outcome.traffic = subject.traffic.name;
  std::tie(outcome.method, outcome.reason) = chosen_method(options.method, problem);
  outcome.seed = seed_option("--seed", options.seed);
  outcome.effort = options.effort.empty() ? default_effort(outcome.method, problem.objective)
                                          : positive_int_option("--effort", options.effort);
  check_certificate(options, outcome.method);
  outcome.bounds = cost_bounds(problem);
  return outcome;
}

ExitStatus without_map(const SearchOptions& options, SearchWatch& watch) {
  const bool is_interrupted = watch.is_interrupted();
  complain(fmt::format("{}: {}", options.scenario.file,
                       is_interrupted ? "interrupted before anything was simulated"
                                      : "every simulation failed (dcube run shows how)"));
  return is_interrupted ? ExitStatus::interrupted : ExitStatus::experiment_failed;
}

ExitStatus search(const SearchOptions& options) {
  check_search_options(options);
  const auto limit = time_limit_option(options);
  const InterruptWatch interrupt;
  const std::optional<Subject> subject = subject_of(options, interrupt);
  if (!subject) {
    complain(fmt::format("{}: interrupted before the search began", options.scenario.file));
    return ExitStatus::interrupted;
  }
  SearchWatch watch{interrupt, limit};
  const SearchProblem problem = problem_of(options, *subject, watch);
  SearchOutcome outcome = outcome_of(options, *subject, problem);
  const auto start = std::chrono::steady_clock::now();
  at_least_at("--method", [&] {
    run_method(problem, watch, outcome);
    return 0;
  });
  outcome.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  watch.end_progress();
  if (outcome.found.map.empty()) {
    return without_map(options, watch);
  }
  print(options.json ? search_json(problem, outcome) : search_summary(problem, outcome));
  write_files(options, problem, outcome);
  if (watch.is_interrupted()) {
    complain("interrupted; the best map so far is kept");
    return ExitStatus::interrupted;
  }
  return ExitStatus::done;
}

}  // namespace

Command search_command(CLI::App& app) {
  const auto options = std::make_shared<SearchOptions>();
  CLI::App* parser = app.add_subcommand(
      "search", "Find a good embedding for a program's traffic, and how far it is from a bound");
  add_search_options(*parser, *options);
  parser->footer(
      "Examples:\n  dcube search --machine torus:16x16 --traffic cube:8 --weights doubling\n"
      "  dcube search scenarios/quickstart.json --objective makespan --output found.json\n"
      "  dcube search --machine ring:16 --traffic cube:4 --objective cc-time --method exhaustive");
  return {parser, [options] { return search(*options); }};
}

}  // namespace dcube::app
