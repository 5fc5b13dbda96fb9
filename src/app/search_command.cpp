#include <fmt/format.h>
#include <fmt/ranges.h>

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

#include "app/options/options.hpp"
#include "app/output/output_options.hpp"
#include "app/output/output_plan.hpp"
#include "app/search/search_children.hpp"
#include "app/search/search_methods.hpp"
#include "app/search/search_report.hpp"
#include "app/search/search_traffic.hpp"
#include "app/terminal/output.hpp"
#include "app/terminal/readable.hpp"
#include "batch/child_batch.hpp"
#include "batch/child_message.hpp"
#include "batch/interrupt.hpp"
#include "command.hpp"
#include "core/refuse.hpp"
#include "dcube/batch/comparison.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/search/search.hpp"
#include "topology/grid_kind.hpp"

namespace dcube::app {
namespace {

// --- Options ---

/// `dcube search` as it was called. An empty text: not given.
struct SearchOptions {
  ScenarioRequest scenario;
  std::string machine;
  std::string traffic;
  std::string weights;
  Objective objective = Objective::hop_bytes;
  std::string method = "auto";
  std::uint64_t seed = 0;
  std::optional<std::uint32_t> effort;
  TimeLimitOption time_limit;
  CcCostOptions costs;
  JobsOption jobs;
  OutputOptions outputs;
  DisplayOptions display;

  bool has_scenario() const { return !scenario.file.empty(); }
};

Objective objective_named(const std::string& text) {
  const auto names = objective_names();
  const auto name = std::ranges::find(names, text);
  refuse_if(name == names.end(), "", "`{}` is not one of its choices{}", text,
            nearest_name_hint(text, names));
  return static_cast<Objective>(name - names.begin());
}

/// An option that this search does not use is a mistake.
void check_belonging(const SearchOptions& options) {
  const auto belongs = [](const char* option, bool is_given, bool does, const char* where) {
    refuse_if(is_given && !does, option, "{}", where);
  };
  belongs("--weights", !options.weights.empty(), !options.traffic.empty(),
          "needs --traffic SHAPE, whose dimensions it weighs");
  belongs("--set", !options.scenario.settings.empty(), options.has_scenario(),
          "needs a SCENARIO, whose values it replaces");
  belongs("--embedding", !options.scenario.embedding.empty(), options.has_scenario(),
          "needs a SCENARIO, whose embedding it replaces");
  belongs("--compute", options.costs.compute.has_value(), options.objective == Objective::cc_time,
          "is the computing time of a stage, for --objective cc-time alone");
  belongs("--hop", options.costs.hop.has_value(), options.objective == Objective::cc_time,
          "is the time of a message over a link, for --objective cc-time alone");
  belongs("--jobs", options.jobs.has_value(), options.objective == Objective::makespan,
          "is a number of simulations at a time, for --objective makespan alone");
  belongs("--effort", options.effort.has_value(), options.method != "scotch",
          "cannot be chosen for libscotch (leave it out)");
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
  parser.option("--objective", options.objective, objective_named, "O",
                fmt::format("{} (default: hop-bytes)", fmt::join(objective_names(), ", ")));
  parser
      .option("--method", options.method, "NAME",
              fmt::format("{} (default: auto)", fmt::join(search_method_names(), ", ")))
      .one_of(search_method_names());
  add_seed_option(parser, options.seed, "seed of annealing and scotch");
  parser.option("--effort", options.effort, positive_int, "N",
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

void add_search_options(Parser& parser, SearchOptions& options) {
  add_subject_options(parser, options);
  add_steering_options(parser, options);
  add_output_options(parser, options);
}

/// Options that do not fit together, and names that mean nothing, are refused.
void check_search_options(const SearchOptions& options) {
  refuse_if(options.has_scenario() == !options.machine.empty(), "search",
            "give either SCENARIO or --machine with --traffic");
  refuse_if(options.machine.empty() != options.traffic.empty(),
            options.machine.empty() ? "--traffic" : "--machine",
            "--machine and --traffic belong together");
  refuse_if(options.objective == Objective::makespan && !options.has_scenario(), "--objective",
            "a makespan takes a SCENARIO to simulate");
  check_belonging(options);
  if (!options.has_scenario()) {
    check_hosts_option(options.scenario.hosts, {});
  }
}

// --- The command ---

/// Where a complaint about the whole problem happened.
const char* problem_place(const SearchOptions& options) {
  return options.has_scenario() ? options.scenario.file.c_str() : "--traffic";
}

/// What is searched: from a scenario or from options.
struct Subject {
  std::shared_ptr<const Machine> machine;
  NamedTraffic traffic;
  std::optional<CostBound> makespan_bound{};
  std::size_t jobs = 1;
  Params document{};     ///< of the scenario
  std::string source{};  ///< where that stands
  std::vector<std::filesystem::path> inputs{};
};

/// The program is run for it, in a process of its own.
std::optional<CostBound> simulated_bound(const Scenario& scenario,
                                         const InterruptWatch& interrupt) {
  const auto look = [&] {
    const std::optional<MakespanBound> bound = makespan_bound(scenario);
    return bound ? sent(bound->makespan_s, bound->source) : std::string{};
  };
  const auto results = run_in_children({look}, BatchLimits{}, interrupt, [](std::size_t) {});
  std::optional<MakespanBound> bound = closed_makespan_bound(scenario);
  if (results.front().end == ChildEnd::finished && !results.front().output.empty()) {
    ChildReader message{results.front().output};
    const auto makespan_s = message.read<double>();
    bound = MakespanBound{makespan_s, message.read_text()};
  }
  if (!bound) {
    return std::nullopt;
  }
  // In binary fractions of a second; a picosecond too little is still a bound.
  return CostBound{static_cast<std::uint64_t>(std::floor(bound->makespan_s * 1e12 + 0.01)),
                   bound->source};
}

/// Returns nothing when SIGINT has come.
std::optional<Subject> subject_of(const SearchOptions& options, const InterruptWatch& interrupt) {
  if (!options.has_scenario()) {
    auto machine = machine_option("--machine", options.machine);
    NamedTraffic traffic = traffic_option(options.traffic, options.weights, machine.get());
    return Subject{std::move(machine), std::move(traffic)};
  }
  Scenario scenario = load(options.scenario);
  auto traffic = recorded_traffic(scenario, interrupt, options.display.progress());
  if (!traffic) {
    return std::nullopt;
  }
  return Subject{scenario.machine,
                 std::move(*traffic),
                 options.objective == Objective::makespan ? simulated_bound(scenario, interrupt)
                                                          : std::nullopt,
                 jobs_at_once(options.jobs, std::max<std::uint64_t>(
                                                1, estimated_memory_bytes(run_size(scenario)))),
                 scenario.document,
                 scenario.source,
                 scenario.inputs};
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
    plan.put(output.file, at_place(output.option, [&] {
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

void check_certificate(const std::vector<NamedOutput>& outputs, const std::string& method,
                       const Topology& topology) {
  const auto certificate = std::ranges::find(outputs, "certificate", &NamedOutput::kind);
  if (certificate != outputs.end() && !is_proof(method)) {
    throw InputError(certificate->option,
                     fmt::format("{} proves nothing; use --method exhaustive", method));
  }
  if (certificate != outputs.end() &&
      (!is_grid(topology) || topology.routing() != "dimension_order" ||
       topology.usable_count() < topology.node_count())) {
    throw InputError(certificate->option,
                     "a certificate is about a whole line, ring, mesh, torus or hypercube with its "
                     "usual routes, which its checker builds; leave it out");
  }
}

SearchProblem problem_of(const SearchOptions& options, const Subject& subject, SearchWatch& watch) {
  refuse_if(
      options.objective == Objective::link_load &&
          subject.machine->links.routing.kind != Routing::fixed,
      "--objective",
      "link-load needs to know which links a message takes, and on this machine messages draw "
      "or choose their ways; simulate them with --objective makespan");
  const CcUnitCosts costs = options.costs.costs();
  SearchProblem problem{
      .topology = *subject.machine->topology,
      .traffic = subject.traffic.traffic,
      .objective = options.objective,
      .slots = subject.machine->node.slots,
      .guest = subject.traffic.guest,
      .sharing = subject.machine->links.duplex == Duplex::half ? LinkSharing::undirected
                                                               : LinkSharing::directed,
      .cc_compute = costs.compute,
      .cc_hop = costs.message_hop,
      .cc_local = hop_time(subject.machine->node.local, 0),
      .simulate = Simulator{subject.document, subject.source, subject.jobs, watch},
      .makespan_bound = subject.makespan_bound};
  at_least_at(problem_place(options), [&] {
    check_problem(problem);
    return 0;
  });
  return problem;
}

/// Fills in what is known before the search.
SearchOutcome outcome_of(const SearchOptions& options, const Subject& subject,
                         const SearchProblem& problem) {
  SearchOutcome outcome;
  outcome.machine =
      fmt::format("{} ({}{})", subject.machine->name, describe(*subject.machine->topology),
                  problem.slots == 1 ? "" : fmt::format(", {} slots a node", problem.slots));
  outcome.traffic = subject.traffic.name;
  std::tie(outcome.method, outcome.reason) = chosen_method(options.method, problem);
  outcome.seed = options.seed;
  outcome.effort = options.effort.value_or(default_effort(outcome.method, problem.objective));
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
  OutputPlan plan;
  const std::vector<NamedOutput> outputs = plan.writes(options.outputs);
  plan.reads({options.traffic, options.scenario.embedding, options.scenario.hosts});
  plan.reads(machine_files({options.machine}));
  const InterruptWatch interrupt;
  const std::optional<Subject> subject = subject_of(options, interrupt);
  if (!subject) {
    complain(fmt::format("{}: interrupted before the search began", options.scenario.file));
    return ExitStatus::interrupted;
  }
  plan.reads(subject->inputs);
  SearchWatch watch{interrupt, options.time_limit, options.display.progress()};
  const SearchProblem problem = problem_of(options, *subject, watch);
  SearchOutcome outcome = outcome_of(options, *subject, problem);
  check_certificate(outputs, outcome.method, problem.topology);
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
      plan.finish(options.display.shown([&] { return search_json(problem, outcome); },
                                        [&] { return search_summary(problem, outcome); }));
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
