#include "search_request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "app/terminal/interrupt.hpp"
#include "app/terminal/output.hpp"
#include "app/terminal/readable.hpp"
#include "core/refuse.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/questions/comparison.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "map_reasons.hpp"
#include "runs/child_batch.hpp"
#include "runs/child_message.hpp"
#include "scenario/documents.hpp"
#include "scenario/link_rates.hpp"
#include "scenario/link_sharing.hpp"
#include "search_methods.hpp"

namespace dcube::app {
namespace {

bool is_goal_with(const SearchRequest& request, Objective objective) {
  return request.goal.objective == objective ||
         std::ranges::find(request.goal.terms, objective, &ObjectiveTerm::objective) !=
             request.goal.terms.end();
}

/// An option that this search does not use is a mistake.
void check_belonging(const SearchRequest& request) {
  const auto belongs = [](const char* option, bool is_given, bool does, const char* where) {
    refuse_if(is_given && !does, option, "{}", where);
  };
  belongs("--weights", !request.weights.empty(), !request.traffic.empty(),
          "needs --traffic SHAPE, whose dimensions it weighs");
  belongs("--set", !request.scenario.settings.empty(), request.has_scenario(),
          "needs a SCENARIO, whose values it replaces");
  belongs("--embedding", !request.scenario.embedding.empty(), request.has_scenario(),
          "needs a SCENARIO, whose embedding it replaces");
  const bool is_cc_time = is_goal_with(request, Objective::cc_time);
  belongs("--compute", request.costs.compute.has_value(), is_cc_time,
          "is the computing time of a stage, for --objective cc-time alone");
  belongs("--hop", request.costs.hop.has_value(), is_cc_time,
          "is the time of a message over a link, for --objective cc-time alone");
  belongs("--jobs", request.jobs.has_value(),
          request.goal.objective == Objective::makespan || is_sum(request.goal.objective),
          "is a number of threads or simulations, for --objective hop-bytes, average-dilation and "
          "makespan alone");
  belongs("--effort", request.effort.has_value(), request.method != "scotch",
          "cannot be chosen for libscotch (leave it out)");
}

/// Whether a map file or a list of nodes calls nodes by their names.
bool uses_host_names(const SearchRequest& request) {
  const std::vector<NamedOutput> outputs = request.outputs.named();
  return request.nodes.are_given() || find_map_file(request.against).has_value() ||
         std::ranges::any_of(outputs, [](const NamedOutput& output) {
           return find_kind(map_format_catalog(), output.kind) != nullptr;
         });
}

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

HostNames host_names(const SearchRequest& request, const Topology& topology) {
  return request.scenario.hosts.empty() ? HostNames{} : at_least_at("--hosts", [&] {
    return HostNames::parse(request.scenario.hosts, topology.node_count());
  });
}

/// Names that no map file of the scenario needs are for nodes alone.
Scenario load_subject(const SearchRequest& request) {
  ScenarioRequest scenario = request.scenario;
  if (uses_host_names(request) && !reads_map_file(scenario.embedding)) {
    scenario.hosts.clear();
  }
  return load_showing_progress(scenario, request.display.progress());
}

/// How many processes there is room for, where nodes were chosen.
void check_room(const SearchRequest& request, const Machine& machine, std::uint32_t processes) {
  const std::uint64_t nodes = machine.topology->usable_count();
  const std::uint64_t slots = nodes * machine.node.slots;
  refuse_if(request.nodes.choose_nodes() && processes > slots,
            request.nodes.only.empty() ? "--avoid" : "--only", "leaves {} for {} of {}",
            machine.node.slots == 1
                ? counted(nodes, "node")
                : fmt::format("{} on {}", counted(slots, "slot"), counted(nodes, "node")),
            counted(processes, "process"), request.place());
}

}  // namespace

void add_subject_options(Parser& parser, SearchRequest& request) {
  add_scenario_argument(parser, request.scenario);
  add_scenario_changes(parser, request.scenario);
  parser
      .option("--machine", request.machine, "M",
              "without a scenario: a machine's name or file, or a network such as torus:8x8")
      .reads_file();
  parser
      .option("--traffic", request.traffic, "SHAPE|FILE",
              "what to place there: cube:6, mesh:8x8, ring:64, tree:15 or a file with lines "
              "from,to,bytes (csv; or mtx, grf)")
      .reads_file();
  parser.option("--weights", request.weights, "W",
                "bytes by dimension of the shape: doubling, halving or 1,2,4 (default: all 1)");
  add_node_options(parser, request.nodes);
}

void add_steering_options(Parser& parser, SearchRequest& request) {
  parser.option("--objective", request.goal, parse_goal, "O",
                fmt::format("{}, or a sum such as hop-bytes+20%*link-load (default: hop-bytes)",
                            fmt::join(objective_names(), ", ")));
  parser
      .option("--method", request.method, "NAME",
              fmt::format("{} (default: auto)", fmt::join(search_method_names(), ", ")))
      .one_of(search_method_names());
  add_seed_option(parser, request.seed, "seed of annealing and scotch");
  parser.option("--effort", request.effort, positive_int, "N",
                fmt::format("maps tried (default: about a second of them, or until --time-limit); "
                            "partial maps of an enumeration (default: {})",
                            grouped(ExhaustiveSettings{}.effort)));
  add_time_limit_option(parser, request.time_limit,
                        "stop after this time; what is found then depends on the computer");
  add_cc_cost_options(parser, request.costs);
  add_jobs_option(parser, request.jobs);
}

void add_why_option(Parser& parser, bool& why) {
  parser.flag("--why", why, "show the busiest links, who crosses them, and what the bounds forbid");
}

void check_request(const SearchRequest& request, const char* command) {
  refuse_if(request.has_scenario() == !request.machine.empty(), command,
            "give either SCENARIO or --machine with --traffic");
  refuse_if(request.machine.empty() != request.traffic.empty(),
            request.machine.empty() ? "--traffic" : "--machine",
            "--machine and --traffic belong together");
  refuse_if(request.goal.objective == Objective::makespan && !request.has_scenario(), "--objective",
            "a makespan takes a SCENARIO to simulate");
  check_belonging(request);
  if (!request.has_scenario() && !uses_host_names(request)) {
    check_hosts_option(request.scenario.hosts, {});
  }
}

void plan_reads(const SearchRequest& request, OutputPlan& plan) {
  plan.reads({request.traffic, request.scenario.embedding, request.scenario.hosts});
  plan.reads(machine_files({request.machine}));
  plan.reads(request.nodes.files());
  plan.reads({request.against});
}

std::optional<Subject> subject_of(const SearchRequest& request, const InterruptWatch& interrupt) {
  std::optional<InterruptibleReading> reading{std::in_place};
  if (!request.has_scenario()) {
    const auto whole = machine_option("--machine", request.machine);
    HostNames hosts = host_names(request, *whole->topology);
    auto machine = with_nodes_chosen(request.nodes, whole, hosts);
    NamedTraffic traffic = traffic_option(request.traffic, request.weights, whole.get());
    check_room(request, *machine, traffic.traffic.process_count());
    return Subject{whole, std::move(machine), std::move(traffic), std::move(hosts)};
  }
  Scenario scenario = load_subject(request);
  HostNames hosts = host_names(request, *scenario.machine->topology);
  auto machine = with_nodes_chosen(request.nodes, scenario.machine, hosts);
  check_room(request, *machine, scenario.program->guest().process_count());
  reading.reset();
  auto traffic = recorded_traffic(scenario, interrupt, request.display.progress());
  if (!traffic) {
    return std::nullopt;
  }
  return Subject{
      scenario.machine,
      std::move(machine),
      std::move(*traffic),
      std::move(hosts),
      request.goal.objective == Objective::makespan ? simulated_bound(scenario, interrupt)
                                                    : std::nullopt,
      jobs_at_once(request.jobs,
                   std::max<std::uint64_t>(1, estimated_memory_bytes(run_size(scenario)))),
      scenario.document,
      scenario.source,
      scenario.embedding->map(),
      embedding_name(scenario.embedding_settings),
      scenario.inputs};
}

SearchProblem problem_of(const SearchRequest& request, const Subject& subject, SearchWatch& watch) {
  const Machine& machine = *subject.machine;
  for (const Objective objective : {Objective::link_load, Objective::link_time}) {
    refuse_if(is_goal_with(request, objective) && !knows_routes(machine), "--objective",
              "{} needs to know which links a message takes, and on this machine messages draw or "
              "choose their ways; simulate them with --objective makespan",
              to_string(objective));
  }
  const CcUnitCosts costs = request.costs.costs();
  SearchProblem problem{
      .topology = *machine.topology,
      .traffic = subject.traffic.traffic,
      .objective = request.goal.objective,
      .slots = machine.node.slots,
      .guest = subject.traffic.guest,
      .sharing = link_sharing(machine),
      .cc_compute = costs.compute,
      .cc_hop = costs.message_hop,
      .cc_local = hop_time(machine.node.local, 0),
      .simulate = Simulator{subject.document, subject.source, subject.jobs, watch},
      .makespan_bound = subject.makespan_bound,
      .terms = request.goal.terms,
      .scale = request.goal.scale};
  if (is_goal_with(request, Objective::link_time)) {
    problem.rates =
        at_least_at("--objective", [&] { return link_rates(time_per_byte_of_links(machine)); });
  }
  const auto check_at = [&](const char* place) {
    at_least_at(place, [&] {
      check_problem(problem);
      return 0;
    });
  };
  check_at(request.place());
  if (!request.nodes.pins.empty()) {
    const InterruptibleReading reading;
    problem.pins =
        pins_of(request.nodes, *machine.topology, subject.hosts, problem.traffic.process_count());
    check_at("--pin");
  }
  if (request.goal.is_relative) {
    at_least_at("--objective", [&] {
      weigh_by_bounds(problem);
      return 0;
    });
  }
  return problem;
}

SearchOutcome searched(const SearchRequest& request, const Subject& subject,
                       const SearchProblem& problem, SearchWatch& watch) {
  SearchOutcome outcome;
  outcome.machine =
      fmt::format("{} ({}{})", subject.machine->name, describe(problem.topology),
                  problem.slots == 1 ? "" : fmt::format(", {} slots a node", problem.slots));
  outcome.traffic = subject.traffic.name;
  std::tie(outcome.method, outcome.reason) = chosen_method(request.method, problem);
  outcome.seed = request.seed;
  outcome.is_usual_effort = !request.effort && !request.time_limit;
  outcome.effort = request.effort ? *request.effort
                   : request.time_limit && !is_proof(outcome.method) && outcome.method != "scotch"
                       ? endless_effort
                       : default_effort(outcome.method, problem);
  // A thread takes less than a table of all pairs of places.
  constexpr std::uint64_t thread_bytes = 4'000'000;
  outcome.jobs = static_cast<std::uint32_t>(jobs_at_once(request.jobs, thread_bytes));
  outcome.bounds = cost_bounds(problem);
  const auto start = std::chrono::steady_clock::now();
  watch.begin(outcome.bounds.front().cost);
  at_least_at("--method", [&] {
    run_method(problem, watch, outcome);
    return 0;
  });
  outcome.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  watch.end_progress();
  if (!outcome.found.map.empty()) {
    watch.note(outcome.found.cost);
    outcome.history = watch.history();
    if (request.why) {
      const bool has_routes = knows_routes(*subject.machine);
      SearchProblem measured = problem;
      measured.rates = rates_if_any(*subject.machine);
      const MapReasons reasons = reasons_of(measured, outcome.found.map, has_routes);
      outcome.why = reasons_text(reasons, measured, outcome.found.map);
      outcome.why_json = reasons_json(reasons, outcome.found.map).dump();
    }
  }
  return outcome;
}

ExitStatus without_map(const SearchRequest& request, SearchWatch& watch) {
  const bool is_interrupted = watch.is_interrupted();
  complain(fmt::format("{}: {}", request.scenario.file,
                       is_interrupted ? "interrupted before anything was simulated"
                                      : "every simulation failed (dcube run shows how)"));
  return is_interrupted ? ExitStatus::interrupted : ExitStatus::experiment_failed;
}

bool knows_routes(const Machine& machine) { return machine.links.routing.kind == Routing::fixed; }

}  // namespace dcube::app
