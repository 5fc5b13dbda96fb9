#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/compare/comparison.hpp"
#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
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
#include "dcube/core/catalog.hpp"
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
  std::optional<CostBound> makespan_bound{};
  std::size_t jobs = 1;
  Params document{};     ///< of the scenario
  std::string source{};  ///< where that stands
  std::vector<std::filesystem::path> inputs{};
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
    return Subject{std::move(machine), traffic_option(options.traffic, options.weights, nodes)};
  }
  Scenario scenario = load(options.scenario);
  auto traffic = recorded_traffic(scenario, interrupt, options.display.progress());
  if (!traffic) {
    return std::nullopt;
  }
  return Subject{scenario.machine,
                 std::move(*traffic),
                 simulated_bound(scenario),
                 jobs_option(options.jobs, std::max<std::uint64_t>(
                                               1, estimated_memory_bytes(run_size(scenario)))),
                 scenario.document,
                 scenario.source,
                 scenario.inputs};
}

std::vector<NamedOutput> planned_outputs(const SearchOptions& options, OutputPlan& plan) {
  std::vector<NamedOutput> outputs = options.outputs.named();
  for (const NamedOutput& output : outputs) {
    plan.writes(output.option, output.file);
  }
  plan.reads({options.traffic, options.scenario.embedding, options.scenario.hosts});
  plan.reads(machine_files({options.machine}));
  return outputs;
}

void put_file(const NamedOutput& output, const Subject& subject, const SearchProblem& problem,
              const SearchOutcome& outcome, OutputPlan& plan) {
  if (output.kind == "embedding") {
    plan.put(output.file, explicit_embedding_json(outcome.found.map));
  } else if (output.kind == "result") {
    plan.put(output.file, search_json(problem, outcome));
  } else if (output.kind != "certificate") {
    const MapFormat& format = *find_kind(map_format_catalog(), output.kind);
    const HostNames hosts;
    plan.put(output.file, at(output.option, [&] {
               return format.write({*subject.machine, outcome.found.map, hosts,
                                    [&] { return subject.traffic.traffic; }});
             }));
  } else if (has_complete_proof(outcome)) {
    plan.put(output.file, certificate_json(problem, outcome));
  } else {
    complain(fmt::format("{}: not written: the enumeration is not complete ({})",
                         output.file.string(), outcome.ended));
  }
}

void check_certificate(const std::vector<NamedOutput>& outputs, const std::string& method) {
  const auto certificate = std::ranges::find(outputs, "certificate", &NamedOutput::kind);
  if (certificate != outputs.end() && !is_proof(method)) {
    throw InputError(certificate->option,
                     fmt::format("{} proves nothing; use --method exhaustive", method));
  }
}

SearchProblem problem_of(const SearchOptions& options, const Subject& subject, SearchWatch& watch) {
  const CcUnitCosts costs = cc_cost_options(options.costs);
  SearchProblem problem{
      .topology = *subject.machine->topology,
      .traffic = subject.traffic.traffic,
      .objective = objective_option(options.objective),
      .guest = subject.traffic.guest,
      .sharing = subject.machine->links.duplex == Duplex::half ? LinkSharing::undirected
                                                               : LinkSharing::directed,
      .cc_compute = costs.compute,
      .cc_hop = costs.message_hop,
      .simulate = Simulator{subject.document, subject.source, subject.jobs, watch},
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
  outcome.seed = seed_option(options.seed);
  outcome.effort = options.effort.empty() ? default_effort(outcome.method, problem.objective)
                                          : positive_int_option("--effort", options.effort);
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
  const auto limit = time_limit_option(options.time_limit);
  OutputPlan plan;
  const std::vector<NamedOutput> outputs = planned_outputs(options, plan);
  const InterruptWatch interrupt;
  const std::optional<Subject> subject = subject_of(options, interrupt);
  if (!subject) {
    complain(fmt::format("{}: interrupted before the search began", options.scenario.file));
    return ExitStatus::interrupted;
  }
  plan.reads(subject->inputs);
  SearchWatch watch{interrupt, limit, options.display.progress()};
  const SearchProblem problem = problem_of(options, *subject, watch);
  SearchOutcome outcome = outcome_of(options, *subject, problem);
  check_certificate(outputs, outcome.method);
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
  for (const NamedOutput& output : outputs) {
    put_file(output, *subject, problem, outcome, plan);
  }
  const ExitStatus written =
      plan.finish(options.display.json    ? search_json(problem, outcome)
                  : options.display.quiet ? ""
                                          : search_summary(problem, outcome));
  if (watch.is_interrupted()) {
    complain("interrupted; the best map so far is kept");
    return ExitStatus::interrupted;
  }
  return written;
}

}  // namespace

void search_command(CommandLine& line) {
  const auto options = std::make_shared<SearchOptions>();
  Parser parser = line.add(
      "search", "Find a good embedding for a program's traffic, and how far it is from a bound",
      [options] { return search(*options); });
  add_search_options(parser, *options);
  parser.examples(
      "dcube search --machine torus:16x16 --traffic cube:8 --weights doubling\n"
      "dcube search scenarios/quickstart.json --objective makespan --output found.json\n"
      "dcube search --machine ring:16 --traffic cube:4 --objective cc-time --method exhaustive");
}

}  // namespace dcube::app
