#include <algorithm>
#include <exception>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/refuse.hpp"
#include "dcube/network/host_machine.hpp"
#include "dcube/scenario/link_sharing.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/workload/open_receive.hpp"

namespace dcube {
namespace {

/// Pairs of sender and receiver in each stage of a run.
class StageMessages {
 public:
  StageMessages(std::uint32_t stages, std::size_t processes)
      : processes_{processes}, stages_(stages) {}

  void add(ProcessId from, ProcessId to, std::uint32_t stage) {
    if (stage == no_stage) {
      return;
    }
    Stage& messages = stages_[stage];
    const std::uint32_t across = from.index() ^ to.index();
    if (messages.has_crossed.empty()) {
      messages.has_crossed.resize(processes_);
      messages.across = across;
    }
    if (across == messages.across && !messages.has_crossed[from.index()]) {
      messages.has_crossed[from.index()] = true;
    } else {
      messages.others.emplace_back(from, to);
    }
  }

  /// Fills in the maxima by stage. `map` is the node of each process.
  void measure(const Machine& machine, std::span<const NodeId> map, RunResult& result) const {
    for (const Stage& stage : stages_) {
      std::vector<std::pair<NodeId, NodeId>> routes;
      for (std::uint32_t from = 0; from < stage.has_crossed.size(); ++from) {
        if (stage.has_crossed[from]) {
          routes.emplace_back(map[from], map[from ^ stage.across]);
        }
      }
      for (const auto& [from, to] : stage.others) {
        routes.emplace_back(map[from.index()], map[to.index()]);
      }
      std::uint32_t longest = 0;
      for (const auto& [from, to] : routes) {
        longest = std::max(longest, machine.topology->distance(from, to));
      }
      result.stage_dilation_max.push_back(longest);
      result.stage_link_load_max.push_back(
          max_link_load(*machine.topology, routes, link_sharing(machine)));
    }
  }

 private:
  /// Compact form: in most stages every process sends one message, all across the same dimension of
  /// a cube. Such a message takes a bit.
  struct Stage {
    std::uint32_t across = 0;       ///< the process numbers of sender and receiver, xor
    std::vector<bool> has_crossed;  ///< per sender
    std::vector<std::pair<ProcessId, ProcessId>> others;
  };

  std::size_t processes_;
  std::vector<Stage> stages_;
};

SimulationInput input_of(const Scenario& scenario, const Machine& machine,
                         std::span<const NodeId> map, Program& program) {
  return {.machine = machine,
          .map = map,
          .body = [&program](Process& process) { return program.run(process); },
          .stage_count = program.stage_count(),
          .execution = scenario.execution,
          .observer = nullptr,
          .progress = {},
          .program_pays_endpoints = program.pays_endpoints(),
          .jitter = scenario.jitter};
}

std::vector<NodeId> with_host(const Scenario& scenario, std::vector<NodeId> map) {
  if (scenario.program->uses_host()) {
    map.push_back(host_node(*scenario.machine));
  }
  return map;
}

/// The scenario's program as it was before any run.
std::unique_ptr<Program> new_program(const Scenario& scenario) {
  const std::filesystem::path folder = std::filesystem::path{scenario.source}.parent_path();
  return make_program(scenario.program_settings, {*scenario.machine, scenario.seed, folder});
}

/// Whether the answer of a run that has completed is right; a wrong one is the run's outcome.
std::optional<bool> check_answer(Program& program, RunReport& report) {
  if (report.outcome != Outcome::completed) {
    return std::nullopt;
  }
  const std::optional<bool> is_right = program.verify();
  if (is_right == false) {
    report.outcome = Outcome::not_verified;
  }
  return is_right;
}

std::optional<Theory> theory_of(const Scenario& scenario, std::span<const NodeId> map,
                                const RunReport& report) {
  const bool is_fluid = scenario.run_machine->fluid.has_value();
  // No formula is about flows, or about times that vary.
  if (!is_fluid && scenario.jitter.part == 0) {
    if (std::optional<Theory> formula = scenario.program->theory(map)) {
      return formula;
    }
  }
  if (report.outcome != Outcome::completed) {
    return std::nullopt;
  }
  if (report.queued_hops == 0 && !is_fluid) {
    return Theory{report.makespan, std::string{run_in_which_nothing_queued}};
  }
  const bool links_fail = !scenario.run_machine->links.faults.empty();  // which needs contention
  if (links_fail || !is_repeatable(scenario, report)) {
    return std::nullopt;
  }
  const std::unique_ptr<Program> program = new_program(scenario);
  if (program->kind() != scenario.program->kind()) {
    return std::nullopt;  // the caller has put a program of its own into the scenario
  }
  Machine machine = *scenario.run_machine;
  machine.links.contention = Contention::off;
  const RunReport free = simulate(input_of(scenario, machine, map, *program));
  if (free.outcome != Outcome::completed) {
    return std::nullopt;
  }
  return Theory{free.makespan, std::string{run_without_contention}};
}

/// Exception that ends a run that takes too long.
struct TooMany {};

}  // namespace

bool is_repeatable(const Scenario& scenario, const RunReport& report) {
  constexpr std::uint64_t most_hops_and_processes = 1'000'000;
  constexpr std::uint64_t most_data_bytes = std::uint64_t{64} << 20;
  return report.hops <= most_hops_and_processes &&
         report.process_ends.size() <= most_hops_and_processes &&
         scenario.program->data_bytes() <= most_data_bytes &&
         std::ranges::all_of(scenario.program_inputs, [](const auto& input) {
           // The input of a pipe is gone, and a name may stand for several files.
           return std::filesystem::is_regular_file(input.second) ||
                  !std::filesystem::exists(input.second);
         });
}

std::optional<RunReport> contention_free_run(const Scenario& scenario, Observer* observer) {
  constexpr std::uint64_t most = 1'000'000;
  constexpr std::uint64_t most_data_bytes = std::uint64_t{256} << 20;
  const std::vector<NodeId> map = run_map(scenario);
  if (map.size() > most || scenario.program->data_bytes() > most_data_bytes) {
    return std::nullopt;
  }
  const std::unique_ptr<Program> program = new_program(scenario);
  if (program->kind() != scenario.program->kind()) {
    return std::nullopt;  // the caller has put a program of its own into the scenario
  }
  SimulationInput input = input_of(scenario, *scenario.run_machine, map, *program);
  input.transport = Transport::contention_free;
  input.observer = observer;
  std::uint64_t messages = 0;
  input.on_send = [&](ProcessId, ProcessId, std::uint32_t) {
    if (++messages > most) {
      throw TooMany{};
    }
  };
  try {
    RunReport report = simulate(input);
    if (report.outcome != Outcome::completed && !report.heeds_time) {
      return std::nullopt;
    }
    return report;
  } catch (const TooMany&) {
    return std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;  // the program does not bear to be ended where it asks the time
  }
}

std::vector<NodeId> run_map(const Scenario& scenario) {
  return with_host(scenario, scenario.embedding->map());
}

void expect_explicable(const Machine& machine) {
  refuse_if(machine.fluid.has_value(), ".why",
            "the machine's network is fluid, and flows that share links have no hops to follow "
            "(`.set` /machine/network=switched has)");
}

RunExplanation explain_run(const Scenario& scenario, const CausalRecord& record,
                           const RunReport& report) {
  const std::vector<NodeId> map = run_map(scenario);
  const Guest guest = scenario.program->guest();
  const ExplainedRun run{record, report, *scenario.run_machine, map, guest};
  return {find_critical_path(run), explain_waiting(run), explain_overlap(run)};
}

bool has_phases(const Scenario& scenario) {
  constexpr std::uint64_t most = std::uint64_t{1} << 22;
  const Program& program = *scenario.program;
  return !program.stage_names().empty() &&
         std::uint64_t{program.stage_count()} * program.guest().process_count() <= most;
}

RunResult run_scenario(Scenario& scenario, Observer* observer, RunProgress progress,
                       Findings findings) {
  const bool counts_stages = findings != Findings::report && has_phases(scenario);
  RunSize size = run_size(scenario);
  if (counts_stages) {
    size.data_bytes += size.processes * counted_stages_bytes(scenario.program->stage_count());
  }
  expect_fits_in_memory(size);
  const std::vector<NodeId> map = run_map(scenario);
  SimulationInput input = input_of(scenario, *scenario.run_machine, map, *scenario.program);
  input.counts_stages = counts_stages;
  input.observer = observer;
  input.progress = std::move(progress);
  StageMessages stages{input.stage_count, map.size()};
  const bool tells_stages =
      findings != Findings::report && input.stage_count > 0 && !scenario.program->repeats_stages();
  if (tells_stages) {
    input.on_send = [&stages](ProcessId from, ProcessId to, std::uint32_t stage) {
      stages.add(from, to, stage);
    };
  }
  RunResult result;
  result.report = simulate(input);
  name_awaited(*scenario.program, result.report);
  result.verified = check_answer(*scenario.program, result.report);
  result.sequential_time = sequential_time_of(*scenario.program);
  if (findings == Findings::all) {
    result.theory = theory_of(scenario, map, result.report);
  }
  if (tells_stages) {
    stages.measure(*scenario.run_machine, map, result);
  }
  return result;
}

RepeatedRuns::RepeatedRuns(Scenario scenario) : scenario_{std::move(scenario)} {
  expect_fits_in_memory(run_size(scenario_));
}

RunReport RepeatedRuns::run(std::vector<NodeId> map, const Jitter& jitter) {
  scenario_.jitter = jitter;
  return run(std::move(map));
}

RunReport RepeatedRuns::run(std::vector<NodeId> map) {
  if (has_run_ && !scenario_.program->forget_runs()) {
    renew_program(scenario_);
  }
  has_run_ = true;
  expects(map.size() == scenario_.program->guest().process_count(),
          "a map has a node for each process");
  map = with_host(scenario_, std::move(map));
  SimulationInput input = input_of(scenario_, *scenario_.run_machine, map, *scenario_.program);
  input.progress = progress_;
  RunReport report = simulate(input);
  check_answer(*scenario_.program, report);
  return report;
}

void renew_program(Scenario& scenario) {
  scenario.program.reset();  // the data of two may not fit
  scenario.program = new_program(scenario);
}

std::vector<ProcessId> waiting_cycle(const RunReport& report) {
  const std::size_t processes = report.process_ends.size();
  // The walk from each blocked process that first reached a process; 0: none yet.
  std::vector<std::uint32_t> walk_of(processes, 0);
  std::vector<std::uint32_t> awaited(processes, 0);
  std::vector<bool> is_blocked(processes, false);
  for (const BlockedProcess& blocked : report.blocked) {
    if (blocked.awaits == anyone) {
      continue;
    }
    awaited[blocked.process.index()] = blocked.awaits.index();
    is_blocked[blocked.process.index()] = true;
  }
  std::uint32_t walk = 0;
  for (const BlockedProcess& start : report.blocked) {
    ++walk;
    std::uint32_t at = start.process.index();
    while (is_blocked[at] && walk_of[at] == 0) {
      walk_of[at] = walk;
      at = awaited[at];
    }
    if (is_blocked[at] && walk_of[at] == walk) {
      std::vector<ProcessId> cycle{ProcessId{at}};
      for (std::uint32_t next = awaited[at]; next != at; next = awaited[next]) {
        cycle.emplace_back(next);
      }
      return cycle;
    }
  }
  return {};
}

}  // namespace dcube
