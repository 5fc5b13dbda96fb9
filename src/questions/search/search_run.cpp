#include "search_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "core/counted.hpp"
#include "core/decimal.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/network/link_rates.hpp"
#include "dcube/questions/search_traffic.hpp"
#include "dcube/runs/child_batch.hpp"
#include "dcube/scenario/documents.hpp"
#include "dcube/scenario/link_sharing.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/search/methods.hpp"
#include "dcube/topology/hop_weights.hpp"
#include "node_choice.hpp"

namespace dcube {
namespace {

/// Different supersteps that estimates of makespans know: with more, a candidate takes longer and
/// the maps are no better.
std::size_t most_supersteps(const Machine& machine) {
  constexpr std::size_t usual = 32;
  constexpr std::size_t most_counters = 16'000'000;  // of 32 bytes
  return std::min(usual, most_counters / (std::size_t{machine.topology->link_slots()} + 1));
}

/// A field that this search does not use is a mistake.
void check_belonging(const SearchRequest& request, const Goal& goal) {
  const auto belongs = [](const char* field, bool is_given, bool does, const std::string& where) {
    refuse_if(is_given && !does, field, "{}", where);
  };
  belongs(".weights", !request.weights.empty(), !request.traffic.empty(),
          "needs `.traffic` SHAPE, whose dimensions it weighs");
  belongs(".slack", !request.slack.empty(), !request.has_scenario(),
          "is for `.machine` and `.traffic` (the machine of a scenario has `node.slots`)");
  const std::vector<std::string>& settings = request.scenario.settings;  // --jitter is one of them
  belongs(".set", !settings.empty(), request.has_scenario(),
          fmt::format("{} needs a `.scenario`, in which it is replaced",
                      settings.empty() ? "" : parse_override(settings.front()).pointer));
  belongs(".embedding", !request.scenario.embedding.empty(), request.has_scenario(),
          "needs a `.scenario`, whose embedding it replaces");
  const bool is_of_cubes = goal.has(&ObjectiveTraits::needs_cube);
  const std::string of_cubes = listed(objectives_with(&ObjectiveTraits::needs_cube));
  belongs(".compute", request.compute.has_value(), is_of_cubes,
          fmt::format("is the computing time of a stage, for `.objective` {} alone", of_cubes));
  belongs(".hop", request.hop.has_value(), is_of_cubes,
          fmt::format("is the time of a message over a link, for `.objective` {} alone", of_cubes));
  const ObjectiveTraits& traits = traits_of(goal.objective);
  std::vector<Objective> threaded = objectives_with(&ObjectiveTraits::is_sum);
  std::ranges::copy(objectives_with(&ObjectiveTraits::is_simulated), std::back_inserter(threaded));
  belongs(".jobs", request.jobs.has_value(), traits.is_simulated || traits.is_sum,
          fmt::format("is a number of threads or simulations, for `.objective` {} alone",
                      listed(threaded)));
  belongs(".seeds", request.seeds.has_value(), traits.is_simulated,
          fmt::format("is a number of seeds of the jitter, for `.objective` {} alone",
                      listed(objectives_with(&ObjectiveTraits::is_simulated))));
  belongs(".prove", request.prove.has_value(), traits.is_sum,
          fmt::format("is the time for a better bound, which {} alone have",
                      listed(objectives_with(&ObjectiveTraits::is_sum))));
  belongs(".effort", request.effort.has_value(), request.method != "scotch",
          "cannot be chosen for libscotch (leave it out)");
}

/// Millionths in "3%" or "0.03".
std::uint64_t read_slack(std::string_view text) {
  const bool is_percent = text.ends_with('%');
  std::optional<Decimal> read =
      read_decimal(is_percent ? trimmed(text.substr(0, text.size() - 1)) : text);
  if (read) {
    read->exponent += is_percent ? 4 : 6;
  }
  const std::optional<std::uint64_t> millionths = read ? whole_value(*read) : std::nullopt;
  constexpr std::uint64_t most = 100'000'000;
  refuse_if(!millionths || read->is_negative || *millionths > most, ".slack",
            "{} is no slack (3% or 0.03; up to 10000%, by 0.0001%)", shown(text));
  constexpr std::uint64_t whole = 1'000'000;
  refuse_if(!is_percent && *millionths > whole, ".slack",
            "{0} is a share above 1; write {0}% or another percentage", text);
  return *millionths;
}

/// The machine with slots for so many processes above their mean on a node.
std::shared_ptr<const Machine> with_slack(const Machine& machine, std::uint64_t nodes,
                                          std::uint64_t processes, std::string_view slack) {
  constexpr std::uint64_t whole = 1'000'000;
  const UInt128 all = UInt128{processes} * (whole + read_slack(slack));
  const UInt128 shares = UInt128{std::max<std::uint64_t>(1, nodes)} * whole;
  const auto slots = static_cast<std::uint64_t>((all + shares - 1) / shares);
  refuse_if(slots > std::numeric_limits<std::uint32_t>::max() / machine.topology->node_count(),
            ".slack", "{} makes {} slots a node, more than the machine can number", slack, slots);
  auto changed = std::make_shared<Machine>(machine);
  changed->node.slots = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, slots));
  return changed;
}

std::vector<CostPart> parts_of(const SearchProblem& problem, const FoundMap& found,
                               std::vector<std::string>& refuted) {
  const auto whole = static_cast<double>(std::max<std::uint64_t>(1, found.cost));
  return mapped(problem.terms, [&](const ObjectiveTerm& term) {
    const SearchProblem one = problem.with_objective(term.objective);
    std::vector<CostBound> bounds = cost_bounds(one);
    CostPart part{term, cost_of(one, found.map)};
    refuted.push_back(take_refuted(bounds, part.cost));
    part.bound = bounds.front().cost;
    part.share = static_cast<double>(term.weight * part.cost) / whole;
    return part;
  });
}

/// What messages take on each link, for estimates.
std::vector<LinkTimes> link_times_of(const Machine& machine) {
  const Topology& topology = *machine.topology;
  const auto value = [](const ExactTime& time) {
    return static_cast<double>(time.numerator()) / static_cast<double>(time.denominator());
  };
  std::vector<LinkTimes> all(topology.link_slots());
  for (std::uint32_t number = 0; number < all.size(); ++number) {
    if (const auto link = topology.link(LinkId{number})) {
      const TransferCost& cost = cost_of_link(machine, LinkId{number}, *link);
      const double latency = value(cost.fixed);
      const double per_byte = value(cost.per_byte);
      const Switching switching = machine.links.switching;
      all[number] = {latency, switching == Switching::cut_through ? 0 : per_byte,
                     switching == Switching::store_and_forward ? latency : 0, per_byte};
      if (cost.never_queues || machine.links.contention == Contention::off) {
        all[number].busy_latency = all[number].busy_per_byte = 0;
      }
    }
  }
  return all;
}

}  // namespace

Goal check_request(const SearchRequest& request, const char* question) {
  Goal goal = at_place(".objective", [&] { return parse_goal(request.objective); });
  refuse_if(
      request.has_scenario() == (!request.machine.empty() || request.machine_document.has_value()),
      question, "give either `.scenario` or `.machine` with `.traffic`");
  const bool has_machine = !request.has_scenario();
  refuse_if(has_machine == request.traffic.empty(), has_machine ? ".machine" : ".traffic",
            "`.machine` and `.traffic` belong together");
  refuse_if(traits_of(goal.objective).is_simulated && !request.has_scenario(), ".objective",
            "a {} takes a `.scenario` to simulate", to_string(goal.objective));
  const std::span<const std::string> methods = search_method_names();
  refuse_if(request.method != annealing_from_scotch &&
                std::ranges::find(methods, request.method) == methods.end(),
            ".method", "`{}` is no method{}", request.method,
            nearest_name_hint(request.method, methods));
  if (!request.slack.empty()) {
    read_slack(request.slack);
  }
  refuse_if(request.jobs == 0U, ".jobs", "0 is not a number of threads (a positive integer)");
  refuse_if(request.effort == 0U, ".effort", "0 is not a positive integer");
  refuse_if(request.seeds == 0U, ".seeds", "0 is not a positive integer");
  const std::chrono::duration<double> limit = request.time_limit.value_or(std::chrono::seconds{1});
  refuse_if(limit.count() <= 0, ".time_limit", "{:g} s is not a time limit (a positive duration)",
            limit.count());
  const std::chrono::duration<double> proof = request.prove.value_or(std::chrono::seconds{1});
  refuse_if(proof.count() <= 0, ".prove", "{:g} s is no time for a proof (a positive duration)",
            proof.count());
  check_belonging(request, goal);
  if (has_machine && !request.nodes.are_given() && !request.writes_hosts) {
    check_hosts_option(request.scenario.hosts, {});
  }
  return goal;
}

SearchRun::SearchRun(const char* question, const SearchRequest& request,
                     const SearchListeners& listeners, SearchAnswer& answer)
    : request_{request},
      listeners_{listeners},
      answer_{answer},
      goal_{check_request(request, question)} {
  answer.seed = request.seed;
  read();
}

/// Throws InputError when the chosen nodes have too few slots for the processes.
void SearchRun::expect_room() const {
  const Machine& machine = *answer_.machine;
  const std::uint64_t nodes = machine.topology->usable_count();
  const std::uint64_t slots = nodes * machine.node.slots;
  const bool has_only = !request_.nodes.only.empty();
  refuse_if(
      request_.nodes.choose_nodes() && processes_ > slots, has_only ? ".only" : ".avoid",
      "{}leaves {} for {} of {}", has_only && !request_.nodes.avoid.empty() ? "with `.avoid` " : "",
      machine.node.slots == 1
          ? counted(nodes, "node")
          : fmt::format("{} on {}", counted(slots, "slot"), counted(nodes, "node")),
      counted(processes_, "process"), request_.has_scenario() ? request_.place() : "`.traffic`");
}

Scenario SearchRun::load_scenario_of_request() const {
  ScenarioRequest scenario = request_.scenario;
  // Names that no map file of the scenario needs are for nodes alone.
  if ((request_.nodes.are_given() || request_.writes_hosts) &&
      !reads_map_file(scenario.embedding)) {
    scenario.hosts.clear();
  }
  return request_.document ? ScenarioSource{scenario.file, *request_.document}.build(scenario)
                           : load(scenario);
}

void SearchRun::read() {
  if (request_.has_scenario()) {
    scenario_.emplace(load_scenario_of_request());
    answer_.inputs = scenario_->inputs;
    own_map_ = scenario_->embedding->map();
    read_seeds();
    own_embedding_ = embedding_name(scenario_->embedding_settings);
  }
  answer_.whole = scenario_ ? scenario_->machine
                            : requested_machine(request_.machine, request_.machine_document);
  answer_.hosts = at_least_at(".hosts", [&] {
    return HostNames::parse(request_.scenario.hosts, *answer_.whole->topology);
  });
  answer_.machine = with_nodes_chosen(request_.nodes, answer_.whole, answer_.hosts);
  answer_.slots_of_files = answer_.whole->node.slots;
  if (scenario_) {
    guest_ = scenario_->program->guest();
    processes_ = guest_->process_count();
    answer_.traffic_name = scenario_->program->kind();
  } else {
    const bool has_slack = !request_.slack.empty();
    NamedTraffic named = traffic_option(request_.traffic, request_.weights, request_.matrix,
                                        has_slack ? nullptr : answer_.whole.get());
    guest_ = std::move(named.guest);
    processes_ = named.traffic.process_count();
    answer_.traffic_name = std::move(named.name);
    answer_.traffic = std::make_shared<Traffic>(std::move(named.traffic));
    if (has_slack) {
      const std::uint64_t nodes = answer_.machine->topology->usable_count();
      answer_.whole = with_slack(*answer_.whole, nodes, processes_, request_.slack);
      answer_.machine = with_slack(*answer_.machine, nodes, processes_, request_.slack);
      answer_.slots_of_files = std::max(answer_.slots_of_files, answer_.machine->node.slots);
    }
  }
  expect_room();
  pins_ = pins_of(request_.nodes, *answer_.machine->topology, answer_.hosts, processes_);
}

void SearchRun::read_seeds() {
  const bool has_jitter = scenario_->jitter.part > 0;
  refuse_if(request_.seeds && !has_jitter, ".seeds",
            "counts the seeds of the jitter, and computing times of {} do not vary (`.set` "
            "/jitter=0.05 makes them)",
            scenario_->source);
  constexpr std::uint32_t usual_seeds = 4;
  const bool is_simulated = traits_of(goal_.objective).is_simulated;
  seeds_ = request_.seeds.value_or(has_jitter && is_simulated ? usual_seeds : 1);
}

bool SearchRun::begin() {
  watch_.emplace(listeners_);
  std::optional<CostBound> bound;
  Simulate simulate;
  Simulate brief_simulate;
  std::vector<Superstep> supersteps;
  if (scenario_) {
    const bool is_simulated = traits_of(goal_.objective).is_simulated;
    std::optional<RecordedTraffic> recorded = recorded_traffic(
        *scenario_, *watch_, is_simulated ? most_supersteps(*scenario_->machine) : 0);
    if (!recorded) {
      answer_.is_interrupted = true;
      return false;
    }
    answer_.traffic = std::make_shared<Traffic>(std::move(recorded->traffic));
    if (recorded->supersteps.size() > 1) {
      supersteps = std::move(recorded->supersteps);
    }
    if (is_simulated) {
      bound = simulated_bound(*scenario_, seeds_, link_work_beside(request_), *watch_);
      const std::size_t jobs = jobs_at_once(
          request_.jobs, std::max<std::uint64_t>(1, estimated_memory_bytes(run_size(*scenario_))));
      simulate_ = simulate_maps(*scenario_, seeds_, jobs, *watch_);
      simulate = mean_over_seeds(simulate_);
      if (auto brief = brief_scenario(*scenario_, messages_of(*answer_.traffic), *watch_)) {
        brief_simulate = mean_over_seeds(simulate_maps(brief->scenario, seeds_, jobs, *watch_));
        answer_.brief = std::move(brief->runs);
      }
    }
  }
  watch_->limit(request_.time_limit);
  answer_.problem = make_problem(std::move(simulate), std::move(bound));
  answer_.problem->supersteps = std::move(supersteps);
  if (brief_simulate) {
    answer_.problem->brief = {std::move(brief_simulate), answer_.brief->share};
  }
  std::tie(answer_.method, answer_.reason) = chosen_method(request_.method, *answer_.problem);
  if (listeners_.on_begin) {
    listeners_.on_begin(answer_);
  }
  return true;
}

std::shared_ptr<SearchProblem> SearchRun::make_problem(Simulate simulate,
                                                       std::optional<CostBound> bound) const {
  const Machine& machine = *answer_.machine;
  for (const ObjectiveTerm& part : goal_.parts()) {
    refuse_if(traits_of(part.objective).needs_routes && !knows_routes(machine), ".objective",
              "{} needs to know which links a message takes, and on this machine messages draw or "
              "choose their routes; simulate them with `.objective` {}",
              to_string(part.objective), listed(objectives_with(&ObjectiveTraits::is_simulated)));
  }
  const auto made = std::make_shared<SearchProblem>(
      SearchProblem{.topology = *machine.topology,
                    .traffic = *answer_.traffic,
                    .objective = goal_.objective,
                    .slots = machine.node.slots,
                    .guest = guest_,
                    .sharing = link_sharing(machine),
                    .cc_compute = request_.compute.value_or(usual_cc_cost),
                    .cc_hop = request_.hop.value_or(usual_cc_cost),
                    .cc_local = hop_time(machine.node.local, 0),
                    .simulate = std::move(simulate),
                    .makespan_bound = std::move(bound),
                    .terms = goal_.terms,
                    .scale = goal_.scale});
  SearchProblem& problem = *made;
  if (problem.simulate) {
    problem.link_times = link_times_of(machine);
  }
  if (goal_.has(&ObjectiveTraits::needs_rates)) {
    problem.rates = at_least_at(".objective", [&] {
      return link_rates(machine.topology->link_count() == 0 ? std::vector<ExactTime>{}
                                                            : time_per_byte_of_links(machine));
    });
  }
  at_least_at(request_.has_scenario() ? request_.place() : ".machine",
              [&] { check_routes(problem.topology); });
  at_least_at(request_.place(), [&] { check_problem(problem); });
  if (!pins_.empty()) {
    problem.pins = pins_;
    at_least_at(".pins", [&] { check_problem(problem); });
  }
  if (goal_.is_relative) {
    at_least_at(".objective", [&] { weigh_by_bounds(problem); });
  }
  return made;
}

void SearchRun::find() {
  SearchProblem& problem = *answer_.problem;
  answer_.machine_name =
      fmt::format("{} ({}{})", answer_.machine->name, describe(problem.topology),
                  problem.slots == 1 ? "" : fmt::format(", {} slots a node", problem.slots));
  answer_.effort = request_.effort ? *request_.effort
                   : request_.time_limit && !is_proof(answer_.method) && answer_.method != "scotch"
                       ? endless_effort
                       : (default_effort(answer_.method, problem) + seeds_ - 1) / seeds_;
  answer_.bounds = cost_bounds(problem);
  // A thread takes less than a table of all pairs of places.
  constexpr std::uint64_t thread_bytes = 4'000'000;
  const MethodSettings settings{
      .is_usual_effort = !request_.effort && !request_.time_limit,
      .jobs = static_cast<std::uint32_t>(jobs_at_once(request_.jobs, thread_bytes))};
  const auto start = SearchWatch::Clock::now();
  watch_->begin();
  add_usual_semidefinite_bound(request_.time_limit, *watch_, answer_);
  at_least_at(".method", [&] { run_method(settings, *watch_, answer_); });
  if (request_.prove && !answer_.found.map.empty()) {
    watch_->limit(request_.prove);
    prove_further(settings.jobs, *watch_, answer_);
  }
  answer_.wall_s = std::chrono::duration<double>(SearchWatch::Clock::now() - start).count();
  if (seeds_ > 1 && !answer_.found.map.empty()) {
    add_spread();
  }
  problem.simulate = {};
  problem.brief.reset();
  simulate_ = {};
  if (answer_.found.checked == 0) {
    answer_.brief.reset();
  }
  answer_.is_interrupted = watch_->is_interrupted();
  if (answer_.found.map.empty()) {
    return;
  }
  watch_->note(answer_.found.cost);
  answer_.history = watch_->history();
  watch_->note_bound(answer_.bounds.front().cost);
  answer_.bound_history = watch_->bounds();
  answer_.parts = parts_of(problem, answer_.found, answer_.refuted);
  measure_by_all_objectives();
}

void SearchRun::add_spread() {
  watch_->limit({});
  const auto times = simulate_(std::span{&answer_.found.map, 1}).results.front();
  if (times) {
    const auto [least, greatest] = std::ranges::minmax(*times);
    answer_.under_jitter = {.seeds = seeds_, .least = least, .greatest = greatest};
  }
}

void SearchRun::measure_by_all_objectives() {
  SearchProblem measured = *answer_.problem;
  measured.rates = rates_if_any(*answer_.machine);
  const std::vector<NodeId>& map = answer_.found.map;
  const bool knows_links = knows_routes(*answer_.machine);
  if (request_.why) {
    answer_.why = reasons_of(measured, map, knows_links);
    answer_.refuted.insert(answer_.refuted.end(), answer_.why->refuted.begin(),
                           answer_.why->refuted.end());
  }
  // Their bounds take a second for half a million flows.
  constexpr std::size_t most_flows = 100'000;
  if (!request_.why && measured.traffic.flows().size() > most_flows) {
    return;
  }
  const ObjectiveTraits& traits = traits_of(measured.objective);
  if (traits.is_sum && traits.flow_weight == FlowWeight::bytes &&
      hop_weights_of(measured.topology).empty()) {
    measured.hop_bytes_bound = answer_.bounds.front();  // others rest on it
  }
  for (const MeasuredObjective& one :
       request_.why
           ? answer_.why->measured
           : measured_by_all(measured, map, knows_links, answer_.refuted, measured.objective)) {
    if (one.problem.objective != measured.objective && one.cost > 0 &&
        one.cost == one.bounds.front().cost) {
      answer_.also_least.push_back(one);
    }
  }
}

}  // namespace dcube
