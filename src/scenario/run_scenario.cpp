#include <algorithm>
#include <utility>
#include <vector>

#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "link_sharing.hpp"
#include "network/host_machine.hpp"

namespace dcube {
namespace {

void measure_stages(const Scenario& scenario, const std::vector<NodeId>& map, RunResult& result) {
  const Machine& machine = *scenario.run_machine;
  const LinkSharing sharing = link_sharing(machine);
  for (std::uint32_t stage = 0; stage < scenario.program->stage_count(); ++stage) {
    std::vector<std::pair<NodeId, NodeId>> routes;
    std::uint32_t longest = 0;
    for (const auto& [from, to] : scenario.program->stage_messages(stage)) {
      routes.emplace_back(map[from.index()], map[to.index()]);
      longest = std::max(longest, machine.topology->distance(map[from.index()], map[to.index()]));
    }
    result.stage_dilation_max.push_back(longest);
    result.stage_link_load_max.push_back(max_link_load(*machine.topology, routes, sharing));
  }
}

}  // namespace

std::vector<NodeId> run_map(const Scenario& scenario) {
  std::vector<NodeId> map = scenario.embedding->map();
  if (scenario.program->uses_host()) {
    map.push_back(host_node(*scenario.machine));
  }
  return map;
}

RunSize run_size(const Scenario& scenario) {
  return {.machine = *scenario.run_machine,
          .processes =
              scenario.program->guest().process_count() + (scenario.program->uses_host() ? 1 : 0),
          .execution = scenario.execution,
          .data_bytes = scenario.program->data_bytes()};
}

RunExplanation explain_run(const Scenario& scenario, const CausalRecord& record,
                           const RunReport& report) {
  const std::vector<NodeId> map = run_map(scenario);
  const Guest guest = scenario.program->guest();
  const ExplainedRun run{record, report, *scenario.run_machine, map, guest};
  return {find_critical_path(run), explain_waiting(run)};
}

RunResult run_scenario(Scenario& scenario, Observer* observer, RunProgress progress) {
  expect_fits_in_memory(run_size(scenario));
  const std::vector<NodeId> map = run_map(scenario);
  SimulationInput input{.machine = *scenario.run_machine,
                        .map = map,
                        .body = [&](Process& process) { return scenario.program->run(process); },
                        .stage_count = scenario.program->stage_count(),
                        .execution = scenario.execution,
                        .observer = observer,
                        .progress = std::move(progress)};
  RunResult result;
  result.report = simulate(input);
  if (result.report.outcome == Outcome::completed) {
    result.verified = scenario.program->verify();
    if (result.verified == false) {
      result.report.outcome = Outcome::not_verified;
    }
  }
  result.theory = scenario.program->theory(map);
  result.sequential_time = sequential_time_of(*scenario.program);
  measure_stages(scenario, map, result);
  return result;
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
