#include <fmt/format.h>
#include <poll.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "child_batch.hpp"
#include "child_figures.hpp"
#include "command.hpp"
#include "comparison.hpp"
#include "dcube/search/search.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "readable.hpp"
#include "search_report.hpp"
#include "search_traffic.hpp"

namespace dcube::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t effort_moves = 1'000'000;
constexpr std::uint64_t effort_simulations = 200;
constexpr std::uint64_t effort_partial_maps = 200'000'000;
/// Up to so many nodes an enumeration takes about as long as annealing.
constexpr std::uint32_t enumerable_nodes = 8;

const std::array<std::string, 5> method_names{"auto", "annealing", "scotch", "exhaustive",
                                              "constant-distances"};

struct SearchOptions {
  ScenarioOptions scenario;
  std::string machine;
  std::string traffic;
  std::string weights;
  std::string objective = "hop-bytes";
  std::string method = "auto";
  std::string seed = "1";
  std::string effort;
  std::string time_limit;
  std::string compute = "0s";
  std::string hop = "1s";
  std::string jobs;
  std::string output;
  std::string certificate;
  bool json = false;

  bool has_scenario() const { return !scenario.file.empty(); }
};

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

Objective objective_option(const std::string& text) {
  const auto names = objective_names();
  choice("--objective", text, names);
  return static_cast<Objective>(std::ranges::find(names, text) - names.begin());
}

/// The place of what is wrong with the whole problem.
const char* problem_place(const SearchOptions& options) {
  return options.has_scenario() ? options.scenario.file.c_str() : "--traffic";
}

void check_options(const SearchOptions& options) {
  if (options.has_scenario() == !options.machine.empty()) {
    throw InputError("search", "give either SCENARIO or --machine with --traffic");
  }
  if (options.machine.empty() != options.traffic.empty()) {
    throw InputError(options.machine.empty() ? "--traffic" : "--machine",
                     "--machine and --traffic belong together");
  }
  if (!options.weights.empty() && options.traffic.empty()) {
    throw InputError("--weights", "weights are those of --traffic SHAPE");
  }
  if (objective_option(options.objective) == Objective::makespan && !options.has_scenario()) {
    throw InputError("--objective", "a makespan takes a SCENARIO to simulate");
  }
  choice("--method", options.method, method_names);
  check_output_folder(options.output);
  at("--certificate", [&] { check_output_folder(options.certificate); });
}

/// Everything that says when to stop, and shows how far it is.
class Watch {
 public:
  Watch(const InterruptWatch& interrupt, std::optional<std::chrono::nanoseconds> limit)
      : interrupt_{interrupt} {
    if (limit) {
      end_ = Clock::now() + *limit;
    }
  }

  bool is_interrupted() {
    pollfd descriptor{interrupt_.descriptor(), POLLIN, 0};
    was_interrupted_ = was_interrupted_ || poll(&descriptor, 1, 0) > 0;
    return was_interrupted_;
  }
  bool is_late() const { return end_ && Clock::now() >= *end_; }

  SearchControl control() {
    return {[this] { return is_interrupted() || is_late(); },
            [this](const SearchProgress& progress) {
              progress_.show(fmt::format("{} of {}, best {}", grouped(progress.done),
                                         grouped(progress.effort), grouped(progress.best)));
            }};
  }

 private:
  const InterruptWatch& interrupt_;
  std::optional<Clock::time_point> end_;
  bool was_interrupted_ = false;
  Progress progress_{ProgressOutput::on_terminal, "searching"};
};

/// Costs by simulation, each in a child process.
class Simulator {
 public:
  Simulator(const ScenarioOptions& options, std::size_t at_once, const InterruptWatch& interrupt)
      : options_{options}, interrupt_{interrupt} {
    limits_.at_once = at_once;
  }

  std::vector<std::optional<std::uint64_t>> operator()(
      std::span<const std::vector<NodeId>> maps) const {
    std::vector<std::function<std::string()>> jobs;
    for (const std::vector<NodeId>& map : maps) {
      jobs.emplace_back([&] { return simulate(map); });
    }
    std::vector<std::optional<std::uint64_t>> costs;
    for (const ChildResult& result :
         run_in_children(jobs, limits_, interrupt_, [](std::size_t) {})) {
      if (result.end == ChildEnd::interrupted) {
        return {};
      }
      costs.emplace_back();
      if (result.end == ChildEnd::finished) {
        const auto figures = received_figures<Figures>(result.output);
        if (figures.is_completed) {
          costs.back() = static_cast<std::uint64_t>(figures.makespan.count());
        }
      }
    }
    return costs;
  }

 private:
  struct Figures {
    bool is_completed;
    Ticks makespan;
  };

  std::string simulate(const std::vector<NodeId>& map) const {
    ScenarioOptions placed = options_;
    FoundMap found;
    found.map = map;
    placed.settings.push_back("/embedding=" + found_embedding_json(found));
    Scenario scenario = load(placed);
    const RunResult result = run_scenario(scenario);
    return sent_figures(
        Figures{result.report.outcome == Outcome::completed, result.report.makespan});
  }

  const ScenarioOptions& options_;
  const InterruptWatch& interrupt_;
  BatchLimits limits_;
};

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
    return Subject{machine_option("--machine", options.machine),
                   traffic_option(options.traffic, options.weights), std::nullopt, 1};
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

/// The method to use, and why when it is chosen here.
std::pair<std::string, std::string> chosen_method(const SearchOptions& options,
                                                  const SearchProblem& problem) {
  if (options.method != "auto") {
    return {options.method, {}};
  }
  if (problem.objective == Objective::makespan) {
    return {"annealing", "auto: a makespan comes from simulations"};
  }
  if (problem.topology.node_count() <= enumerable_nodes) {
    return {"exhaustive",
            fmt::format("auto: up to {} nodes every map can be tried", enumerable_nodes)};
  }
  if (problem.objective == Objective::hop_bytes ||
      problem.objective == Objective::average_dilation) {
    return {"annealing+scotch", "auto: the better of both"};
  }
  return {"annealing", "auto: Scotch makes only sums of distances small"};
}

std::uint64_t effort_of(const SearchOptions& options, const SearchProblem& problem,
                        const std::string& method) {
  if (method == "scotch") {
    return 0;
  }
  if (!options.effort.empty()) {
    return positive_int_option("--effort", options.effort);
  }
  if (method == "exhaustive" || method == "constant-distances") {
    return effort_partial_maps;
  }
  return problem.objective == Objective::makespan ? effort_simulations : effort_moves;
}

/// Runs the chosen method; `outcome` says which, and gets what it found.
void run_method(const SearchProblem& problem, const SearchControl& control,
                SearchOutcome& outcome) {
  const AnnealingSettings annealing{.seed = outcome.seed, .effort = outcome.effort};
  const ExhaustiveSettings enumeration{.effort = outcome.effort};
  if (outcome.method == "exhaustive") {
    outcome.proof = enumerate(problem, enumeration, control);
    outcome.found = outcome.proof->found;
  } else if (outcome.method == "constant-distances") {
    outcome.constant_distances = enumerate_constant_distances(problem, enumeration, control);
    outcome.found = outcome.constant_distances->found;
  } else if (outcome.method == "scotch") {
    outcome.found = map_with_scotch(problem, outcome.seed);
  } else {
    outcome.found = anneal(problem, annealing, control);
    if (outcome.method == "annealing+scotch" && !outcome.found.is_cut_short &&
        outcome.found.cost > outcome.bounds.front().cost) {
      const FoundMap scotch = map_with_scotch(problem, outcome.seed);
      if (scotch.cost < outcome.found.cost) {
        outcome.found.map = scotch.map;
        outcome.found.cost = scotch.cost;
        outcome.found.origin = scotch.origin;
      }
    }
  }
  if (outcome.found.starts.empty() && problem.objective != Objective::makespan) {
    outcome.found.starts = best_start(problem).starts;
  }
}

bool has_complete_proof(const SearchOutcome& outcome) {
  return (outcome.proof && outcome.proof->is_complete) ||
         (outcome.constant_distances && outcome.constant_distances->is_complete);
}

std::string why_ended(const SearchOutcome& outcome, Watch& watch) {
  if (outcome.found.is_cut_short) {
    return watch.is_interrupted() ? "interrupted" : "time limit reached, so another run may differ";
  }
  if (has_complete_proof(outcome)) {
    return "enumeration complete";
  }
  if (outcome.found.cost <= outcome.bounds.front().cost) {
    return "bound reached";
  }
  return outcome.method == "scotch" ? "done" : "effort used";
}

/// An enumeration that is complete is a bound itself.
void add_proven_bound(SearchOutcome& outcome) {
  if (outcome.proof && outcome.proof->is_complete &&
      outcome.found.cost > outcome.bounds.front().cost) {
    outcome.bounds.insert(outcome.bounds.begin(),
                          {outcome.found.cost, "enumeration of every map up to symmetry"});
  }
}

void write_files(const SearchOptions& options, const SearchProblem& problem,
                 const SearchOutcome& outcome) {
  if (!options.output.empty()) {
    write_file(options.output, found_embedding_json(outcome.found));
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

void check_certificate(const SearchOptions& options, const SearchProblem& problem,
                       const std::string& method) {
  if (options.certificate.empty()) {
    return;
  }
  if (method != "exhaustive" && method != "constant-distances") {
    throw InputError("--certificate",
                     fmt::format("{} proves nothing; use --method exhaustive", method));
  }
  if (problem.objective == Objective::link_load) {
    throw InputError("--certificate", "its checker knows distances, not routes; no link-load");
  }
}

std::optional<std::chrono::nanoseconds> time_limit(const SearchOptions& options) {
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

ExitStatus search(const SearchOptions& options) {
  check_options(options);
  const auto limit = time_limit(options);
  const InterruptWatch interrupt;
  std::optional<Subject> subject = subject_of(options, interrupt);
  if (!subject) {
    complain(fmt::format("{}: interrupted before the search began", options.scenario.file));
    return ExitStatus::interrupted;
  }
  SearchProblem problem{.topology = *subject->machine->topology,
                        .traffic = subject->traffic.traffic,
                        .objective = objective_option(options.objective),
                        .guest = subject->traffic.guest,
                        .sharing = subject->machine->links.duplex == Duplex::half
                                       ? LinkSharing::undirected
                                       : LinkSharing::directed,
                        .cc_compute = duration_option("--compute", options.compute),
                        .cc_hop = duration_option("--hop", options.hop),
                        .simulate = Simulator{options.scenario, subject->jobs, interrupt},
                        .makespan_bound = subject->makespan_bound};
  at_least_at(problem_place(options), [&] {
    check_problem(problem);
    return 0;
  });
  SearchOutcome outcome;
  outcome.machine =
      fmt::format("{} ({})", subject->machine->name, describe(*subject->machine->topology));
  outcome.traffic = subject->traffic.name;
  std::tie(outcome.method, outcome.reason) = chosen_method(options, problem);
  outcome.seed = seed_option("--seed", options.seed);
  outcome.effort = effort_of(options, problem, outcome.method);
  check_certificate(options, problem, outcome.method);
  outcome.bounds = cost_bounds(problem);

  Watch watch{interrupt, limit};
  const auto start = Clock::now();
  at_least_at("--method", [&] {
    run_method(problem, watch.control(), outcome);
    return 0;
  });
  outcome.wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  outcome.ended = why_ended(outcome, watch);
  if (outcome.found.map.empty()) {
    complain(fmt::format("{}: {}", options.scenario.file,
                         watch.is_interrupted() ? "interrupted before anything was simulated"
                                                : "every simulation failed (dcube run shows how)"));
    return watch.is_interrupted() ? ExitStatus::interrupted : ExitStatus::experiment_failed;
  }
  add_proven_bound(outcome);
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
  parser->add_option("SCENARIO", options->scenario.file, "the scenario whose program to place")
      ->type_name("");
  parser
      ->add_option("--set", options->scenario.settings,
                   "replace a value of the scenario, named by JSON pointer")
      ->type_name("/POINTER=VALUE")
      ->allow_extra_args(false);
  parser
      ->add_option("--machine", options->machine,
                   "without a scenario: a machine's name or file, or a network such as torus:8x8")
      ->type_name("M");
  parser
      ->add_option("--traffic", options->traffic,
                   "what to place there: cube:6, mesh:8x8, ring:64, tree:15 or a file with lines "
                   "from,to,bytes (csv; or mtx, grf)")
      ->type_name("SHAPE|FILE");
  parser
      ->add_option("--weights", options->weights,
                   "bytes by dimension of the shape: doubling, halving or 1,2,4 (default: all 1)")
      ->type_name("W");
  parser
      ->add_option("--objective", options->objective,
                   fmt::format("{} (default: hop-bytes)", fmt::join(objective_names(), ", ")))
      ->type_name("O");
  parser
      ->add_option("--method", options->method,
                   fmt::format("{} (default: auto)", fmt::join(method_names, ", ")))
      ->type_name("NAME");
  parser->add_option("--seed", options->seed, "of annealing and scotch (default: 1)")
      ->type_name("N");
  parser
      ->add_option("--effort", options->effort,
                   fmt::format("maps tried: annealing {}, simulations {}, partial maps of an "
                               "enumeration {}",
                               grouped(effort_moves), grouped(effort_simulations),
                               grouped(effort_partial_maps)))
      ->type_name("N");
  parser
      ->add_option("--time-limit", options->time_limit,
                   "stop after this time; what is found then depends on the computer")
      ->type_name("TIME");
  parser
      ->add_option("--compute", options->compute,
                   "cc-time: computing time of a stage (default: 0s)")
      ->type_name("TIME");
  parser->add_option("--hop", options->hop, "cc-time: a message over one link (default: 1s)")
      ->type_name("TIME");
  add_jobs_option(*parser, options->jobs);
  parser->add_option("--output", options->output, "write the embedding found, for --embedding")
      ->type_name("FILE");
  parser
      ->add_option("--certificate", options->certificate,
                   "write the proof of an enumeration, for scripts/check_certificate.py")
      ->type_name("FILE");
  parser->add_flag("--json", options->json, "print the result as JSON");
  parser->footer(
      "Examples:\n  dcube search --machine torus:16x16 --traffic cube:8 --weights doubling\n"
      "  dcube search scenarios/quickstart.json --objective makespan --output found.json\n"
      "  dcube search --machine ring:16 --traffic cube:4 --objective cc-time --method exhaustive");
  return {parser, [options] { return search(*options); }};
}

}  // namespace dcube::app
