#include "searches.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "batch/child_batch.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/interop/traffic_files.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/search/search.hpp"
#include "dcube/topology/routing.hpp"
#include "exceptions.hpp"
#include "measures.hpp"
#include "program.hpp"
#include "runs.hpp"
#include "scenario/link_rates.hpp"
#include "search/methods.hpp"
#include "values.hpp"

namespace dcube::python {
namespace {

using Clock = std::chrono::steady_clock;

/// What is searched: either a scenario, or a machine and the shape or the file of a traffic.
struct Subject {
  std::string scenario_text, scenario_file;
  Overrides overrides;
  std::string machine_text, machine_name;
  std::string traffic;
  std::vector<std::uint64_t> weights;
  std::optional<std::vector<std::uint32_t>> only;
  std::vector<std::uint32_t> avoid;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pins;

  bool has_scenario() const { return !scenario_text.empty() || !scenario_file.empty(); }
};

/// Adds up what processes send each other, without a host computer.
class Recorder final : public Observer {
 public:
  explicit Recorder(std::uint32_t processes) : processes_{processes} {}

  HopReports hop_reports() const override { return HopReports::queued; }
  void on_delivery(const Delivery& delivery) override {
    if (delivery.source.index() < processes_ && delivery.destination.index() < processes_) {
      flows_.push_back({delivery.source, delivery.destination, delivery.bytes, 1});
      if (flows_.size() > 2 * merged_ + 65536) {
        flows_ = merged();
        merged_ = flows_.size();
      }
    }
  }
  Traffic traffic() { return {processes_, merged()}; }

 private:
  std::vector<Flow> merged() {
    const Traffic sum{processes_, std::move(flows_)};
    return {sum.flows().begin(), sum.flows().end()};
  }

  std::uint32_t processes_;
  std::vector<Flow> flows_;
  std::size_t merged_ = 0;
};

Traffic recorded(Scenario scenario, Watch& watch) {
  const std::uint32_t processes = scenario.program->guest().process_count();
  Recorder recorder{processes};
  const LockDuring held{*scenario.program};
  const RunResult result =
      run_scenario(scenario, &recorder, watch.of_run(processes), Findings::report);
  refuse_if(result.report.outcome != Outcome::completed, scenario.source,
            "its run ends in {}, so it shows no whole traffic", to_string(result.report.outcome));
  return recorder.traffic();
}

/// "cube:6" or a file, and the shape if it is one.
std::pair<Traffic, std::optional<Guest>> read_traffic_of(const Subject& subject) {
  if (std::filesystem::exists(subject.traffic) || subject.traffic.find(':') == std::string::npos) {
    return {read_traffic(subject.traffic), std::nullopt};
  }
  const Guest guest = at_place("traffic", [&] { return Guest::parse(subject.traffic); });
  if (subject.weights.empty()) {
    return {Traffic::of(guest), guest};
  }
  refuse_if(subject.weights.size() != guest.dimension_count(), "weights",
            "{} weights for {} dimensions; give one for each", subject.weights.size(),
            guest.dimension_count());
  return {Traffic::of(guest, subject.weights), guest};
}

NodeId node_of(const char* place, std::uint32_t node, const Topology& topology) {
  refuse_if(node >= topology.node_count(), place, "{} is not a node of the {} (0 to {})", node,
            describe(topology), topology.node_count() - 1);
  return NodeId{node};
}

/// The network with the nodes that may host processes.
std::shared_ptr<const Topology> chosen_nodes(const Subject& subject, const Machine& machine) {
  const Topology& topology = *machine.topology;
  if (!subject.only && subject.avoid.empty()) {
    return machine.topology;
  }
  std::vector<bool> may_host(topology.node_count(), !subject.only);
  for (const std::uint32_t node : subject.only.value_or(std::vector<std::uint32_t>{})) {
    may_host[node_of("only", node, topology).index()] = true;
  }
  for (const std::uint32_t node : subject.avoid) {
    may_host[node_of("avoid", node, topology).index()] = false;
  }
  return with_hosts_among(machine.topology, may_host);
}

std::vector<std::optional<NodeId>> pins_of(const Subject& subject, const Topology& topology,
                                           std::uint32_t processes) {
  std::vector<std::optional<NodeId>> pins(subject.pins.empty() ? 0 : processes);
  for (const auto& [process, node] : subject.pins) {
    refuse_if(process >= processes, "pins", "{} is not a process (0 to {})", process,
              processes - 1);
    pins[process] = node_of("pins", node, topology);
  }
  return pins;
}

struct Found {
  std::string method;
  FoundMap map{};
  std::vector<CostBound> bounds{};
  std::string refuted{};  ///< about a bound that was above the cost
  bool is_optimal = false;
  std::uint64_t optima = 0;
};

Found find(const SearchProblem& problem, const std::string& method, std::uint64_t seed,
           std::optional<std::uint64_t> effort, std::uint32_t jobs, const SearchControl& control) {
  const std::span<const std::string> known = search_method_names();
  refuse_if(method != annealing_from_scotch && std::ranges::find(known, method) == known.end(),
            "method", "`{}` is no method{}", method, nearest_name_hint(method, known));
  Found found{.method = chosen_method(method, problem).first};
  const std::uint64_t tries = effort.value_or(default_effort(found.method, problem));
  found.bounds = cost_bounds(problem);
  if (found.method == "exhaustive") {
    ExhaustiveProof proof = enumerate(problem, {.effort = tries}, control);
    found.map = std::move(proof.found);
    found.is_optimal = proof.is_complete;
    found.optima = proof.optima;
  } else if (found.method == "constant-distances") {
    ConstantDistanceProof proof = enumerate_constant_distances(problem, {.effort = tries}, control);
    found.map = std::move(proof.found);
  } else if (found.method == "scotch") {
    found.map = map_with_scotch(problem, seed);
  } else {
    AnnealingSettings annealing{.seed = seed,
                                .effort = tries,
                                .agreement = effort ? 0 : usual_agreement,
                                .jobs = jobs,
                                .bound = found.bounds.front().cost};
    if (found.method == annealing_from_scotch) {
      annealing.more_starts = [&] { return scotch_starts(problem, seed); };
    }
    found.map = anneal(problem, annealing, control);
  }
  if (found.map.starts.empty() && problem.objective != Objective::makespan) {
    found.map.starts = best_start(problem).starts;
  }
  found.refuted = take_refuted(found.bounds, found.map);
  if (found.map.cost == found.bounds.front().cost) {
    found.is_optimal = true;
  }
  return found;
}

py::dict described(const Found& found) {
  py::dict all;
  all["map"] = array_of(std::span<const NodeId>{found.map.map});
  all["cost"] = found.map.cost;
  all["origin"] = found.map.origin;
  all["method"] = found.method;
  all["moves"] = found.map.moves;
  all["is_cut_short"] = found.map.is_cut_short;
  all["is_optimal"] = found.is_optimal;
  all["optima"] = found.optima;
  py::dict starts;
  for (const StartValue& start : found.map.starts) {
    starts[py::str(start.embedding)] = start.cost;
  }
  all["starts"] = std::move(starts);
  py::list bounds;
  for (const CostBound& bound : found.bounds) {
    bounds.append(py::make_tuple(bound.cost, bound.source));
  }
  all["bounds"] = std::move(bounds);
  return all;
}

py::dict search(const Subject& subject, const std::string& objective, const std::string& method,
                std::uint64_t seed, std::optional<std::uint64_t> effort,
                std::optional<double> time_limit_s, std::optional<std::uint32_t> jobs,
                const py::object& compute, const py::object& hop, const py::object& on_progress) {
  std::optional<Turn> turn;
  if (subject.has_scenario()) {
    turn.emplace();
  }
  Watch watch{on_progress};
  const Ticks cc_compute = read_ticks(compute);
  const Ticks cc_hop = read_ticks(hop);
  Found found;
  std::uint64_t flows = 0;
  std::uint64_t bytes = 0;
  std::uint64_t scale = 1;
  {
    const py::gil_scoped_release unlocked;
    const Goal goal = at_place("objective", [&] { return parse_goal(objective); });
    refuse_if(goal.objective == Objective::makespan && !subject.has_scenario(), "objective",
              "a makespan takes a scenario to simulate");
    refuse_if(jobs && !is_sum(goal.objective), "jobs",
              "is a number of threads, for the objectives hop-bytes and average-dilation alone");
    refuse_if(jobs == 0U, "jobs", "0 is not a number of threads (a positive integer)");
    // A thread takes less than a table of all pairs of places.
    constexpr std::uint64_t thread_bytes = 4'000'000;
    const auto threads = static_cast<std::uint32_t>(jobs_at_once(jobs, thread_bytes));
    std::shared_ptr<const Machine> machine;
    std::optional<Traffic> traffic;
    std::optional<Guest> guest;
    std::optional<RepeatedRuns> runs;
    std::unique_ptr<LockDuring> held;
    const auto build = [&] {
      return load(subject.scenario_text, subject.scenario_file, subject.overrides, {});
    };
    if (subject.has_scenario()) {
      Scenario scenario = build();
      machine = scenario.machine;
      guest = scenario.program->guest();
      traffic.emplace(recorded(std::move(scenario), watch));
      if (goal.objective == Objective::makespan) {
        Scenario repeated = build();
        held = std::make_unique<LockDuring>(*repeated.program);
        runs.emplace(std::move(repeated));
        runs->on_progress(watch.of_run(guest->process_count()));
      }
    } else {
      machine = read_machine_text(subject.machine_text, subject.machine_name, cc_hop);
      std::tie(traffic, guest) = read_traffic_of(subject);
    }
    const auto end =
        time_limit_s
            ? std::optional{Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                               std::chrono::duration<double>{*time_limit_s})}
            : std::nullopt;
    const std::shared_ptr<const Topology> topology = chosen_nodes(subject, *machine);
    SearchProblem problem{.topology = *topology,
                          .traffic = *traffic,
                          .objective = goal.objective,
                          .slots = machine->node.slots,
                          .guest = guest,
                          .sharing = machine->links.duplex == Duplex::half ? LinkSharing::undirected
                                                                           : LinkSharing::directed,
                          .cc_compute = cc_compute,
                          .cc_hop = cc_hop,
                          .cc_local = hop_time(machine->node.local, 0),
                          .terms = goal.terms,
                          .scale = goal.scale};
    if (problem.minimises(Objective::link_time)) {
      problem.rates =
          at_least_at("objective", [&] { return link_rates(time_per_byte_of_links(*machine)); });
    }
    problem.pins = pins_of(subject, *topology, traffic->process_count());
    problem.simulate = [&](std::span<const std::vector<NodeId>> maps) {
      std::vector<std::optional<std::uint64_t>> costs;
      for (const std::vector<NodeId>& map : maps) {
        const RunReport report = runs->run(map);
        costs.push_back(report.outcome == Outcome::completed
                            ? std::optional{static_cast<std::uint64_t>(report.makespan.count())}
                            : std::nullopt);
      }
      return costs;
    };
    at_least_at(subject.has_scenario() ? "scenario" : "traffic", [&] {
      check_problem(problem);
      return 0;
    });
    if (goal.is_relative) {
      at_least_at("objective", [&] {
        weigh_by_bounds(problem);
        return 0;
      });
    }
    // Python hears of signals in one thread alone. What it raises there ends the others, too.
    const std::thread::id own_thread = std::this_thread::get_id();
    std::exception_ptr raised;
    SearchProgress last;
    const SearchControl control{
        .should_stop =
            [&] {
              if (std::this_thread::get_id() == own_thread && !raised) {
                try {
                  watch.look([&] { return py::make_tuple(last.done, last.effort, last.best); });
                } catch (...) {
                  raised = std::current_exception();
                }
              }
              return raised || (end && Clock::now() >= *end);
            },
        .on_progress = [&](const SearchProgress& progress) { last = progress; }};
    found = at_least_at("method",
                        [&] { return find(problem, method, seed, effort, threads, control); });
    if (raised) {
      std::rethrow_exception(raised);
    }
    flows = traffic->flows().size();
    bytes = traffic->total_bytes();
    scale = problem.scale;
  }
  warn_of(found.refuted);
  py::dict all = described(found);
  all["flows"] = flows;
  all["bytes"] = bytes;
  all["scale"] = scale;
  return all;
}

}  // namespace

void bind_searches(py::module_& module) {
  module.def(
      "search",
      [](std::string scenario_text, std::string scenario_file, Overrides overrides,
         std::string machine_text, std::string machine_name, std::string traffic,
         std::vector<std::uint64_t> weights, const std::string& objective,
         const std::string& method, std::uint64_t seed, std::optional<std::uint64_t> effort,
         std::optional<double> time_limit_s, std::optional<std::uint32_t> jobs,
         const py::object& compute, const py::object& hop,
         std::optional<std::vector<std::uint32_t>> only, std::vector<std::uint32_t> avoid,
         std::vector<std::pair<std::uint32_t, std::uint32_t>> pins, const py::object& on_progress) {
        return search({.scenario_text = std::move(scenario_text),
                       .scenario_file = std::move(scenario_file),
                       .overrides = std::move(overrides),
                       .machine_text = std::move(machine_text),
                       .machine_name = std::move(machine_name),
                       .traffic = std::move(traffic),
                       .weights = std::move(weights),
                       .only = std::move(only),
                       .avoid = std::move(avoid),
                       .pins = std::move(pins)},
                      objective, method, seed, effort, time_limit_s, jobs, compute, hop,
                      on_progress);
      },
      py::arg("scenario_text"), py::arg("scenario_file"), py::arg("overrides"),
      py::arg("machine_text"), py::arg("machine_name"), py::arg("traffic"), py::arg("weights"),
      py::arg("objective"), py::arg("method"), py::arg("seed"), py::arg("effort"),
      py::arg("time_limit_s"), py::arg("jobs"), py::arg("compute"), py::arg("hop"), py::arg("only"),
      py::arg("avoid"), py::arg("pins"), py::arg("on_progress"));
  module.def("objectives", [] {
    py::list names;
    for (const std::string& name : objective_names()) {
      names.append(name);
    }
    return names;
  });
}

}  // namespace dcube::python
