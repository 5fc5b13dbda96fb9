#include "phase_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "app/terminal/readable.hpp"
#include "app/terminal/table.hpp"
#include "dcube/scenario/phases.hpp"

namespace dcube::app {
namespace {

constexpr std::size_t most_phases = 12;

/// Of many phases those with the greatest `values`, in the order of the program.
std::vector<std::size_t> shown_of(const std::vector<double>& values) {
  std::vector<std::size_t> shown(values.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  std::ranges::stable_sort(shown, std::ranges::greater{},
                           [&](std::size_t phase) { return values[phase]; });
  shown.resize(std::min(shown.size(), most_phases));
  std::ranges::sort(shown);
  return shown;
}

std::string rest_line(std::size_t phases) {
  return phases > most_phases
             ? fmt::format("  and {} shorter ones (--json has all)\n", phases - most_phases)
             : std::string{};
}

}  // namespace

std::string phase_table(const Scenario& scenario, const RunResult& result) {
  const std::vector<PhaseCosts> phases = phases_of(scenario, result);
  if (phases.empty()) {
    return {};
  }
  const auto processes = static_cast<double>(result.report.process_ends.size());
  const auto waiting_s = [&](const PhaseCosts& phase) {
    return phase.costs.total_s.at(static_cast<std::size_t>(Activity::waiting)) / processes;
  };
  std::vector<double> times;
  std::vector<double> scaled;
  for (const PhaseCosts& phase : phases) {
    times.push_back(phase.costs.time.mean_s);
    scaled.insert(scaled.end(),
                  {phase.costs.time.mean_s, to_seconds(phase.costs.time.max), waiting_s(phase)});
  }
  const TimeScale scale{scaled};
  std::vector<Table::Column> columns{{"phase", Table::Align::left},
                                     {"times"},
                                     {"mean"},
                                     {"max"},
                                     {"waiting"},
                                     {"messages"},
                                     {"bytes"},
                                     {"queued"},
                                     {"queued for"}};
  if (result.explanation) {
    columns.push_back({"critical path"});
  }
  Table table{std::move(columns)};
  for (const std::size_t i : shown_of(times)) {
    const PhaseCosts& phase = phases[i];
    const StageCosts& costs = phase.costs;
    std::vector<std::string> cells{"  " + phase.name,
                                   grouped(costs.iterations),
                                   scale.text(costs.time.mean_s),
                                   scale.text(to_seconds(costs.time.max)),
                                   scale.text(waiting_s(phase)),
                                   grouped(costs.messages),
                                   readable_bytes(costs.bytes),
                                   grouped(costs.queued_hops),
                                   costs.queued_hops == 0 ? "-" : readable_seconds(costs.queued_s)};
    if (phase.on_path) {
      const double makespan_s = to_seconds(result.report.makespan);
      cells.push_back(percent(makespan_s > 0 ? to_seconds(*phase.on_path) / makespan_s : 0));
    }
    table.add_row(std::move(cells));
  }
  return table.text() + rest_line(phases.size()) + "\n";
}

std::string phases_on_path_table(const Scenario& scenario, const CriticalPath& path) {
  std::vector<PhaseOnPath> phases = path_by_phase(*scenario.program, path);
  std::erase_if(phases, [](const PhaseOnPath& phase) { return phase.time() == Ticks{0}; });
  if (phases.empty()) {
    return {};
  }
  std::vector<double> times;
  for (const PhaseOnPath& phase : phases) {
    times.push_back(to_seconds(phase.time()));
  }
  const auto share = [&](Ticks time) {
    return time == Ticks{0} ? "-" : percent(to_seconds(time) / to_seconds(path.length));
  };
  const std::array<const char*, cause_kinds> headers{"computing", "endpoint", "hops", "queueing",
                                                     "for ever"};
  std::vector<Table::Column> columns{
      {"critical path by phase", Table::Align::left}, {"time"}, {"of makespan"}};
  for (std::size_t kind = 0; kind < cause_kinds; ++kind) {
    if (path.by_kind.at(kind) > Ticks{0}) {
      columns.push_back({headers.at(kind)});
    }
  }
  Table table{std::move(columns)};
  for (const std::size_t i : shown_of(times)) {
    const PhaseOnPath& phase = phases[i];
    std::vector<std::string> cells{"  " + phase.name, readable_seconds(times[i]),
                                   share(phase.time())};
    for (std::size_t kind = 0; kind < cause_kinds; ++kind) {
      if (path.by_kind.at(kind) > Ticks{0}) {
        cells.push_back(share(phase.by_kind.at(kind)));
      }
    }
    table.add_row(std::move(cells));
  }
  return table.text() + rest_line(phases.size()) + "\n";
}

}  // namespace dcube::app
