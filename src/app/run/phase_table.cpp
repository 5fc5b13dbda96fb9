#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/mapped.hpp"
#include "dcube/scenario/phases.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/show/readable.hpp"
#include "run_summary.hpp"

namespace dcube::app {
namespace {

constexpr std::size_t most_phases = 12;

/// The longest `most_phases` phases, in the order of the program.
template <class Phase, class Time>
std::vector<const Phase*> longest(const std::vector<Phase>& phases, Time time) {
  auto shown = mapped(phases, [](const Phase& phase) { return &phase; });
  keep_greatest(shown, most_phases, [&](const Phase* phase) { return time(*phase); });
  std::ranges::sort(shown);  // they stand in one vector
  return shown;
}

std::string rest_line(std::size_t phases) {
  return phases > most_phases
             ? fmt::format("  and {} shorter ones (--json has all)\n", phases - most_phases)
             : std::string{};
}

double waiting_s(const PhaseCosts& phase, const RunReport& report) {
  return phase.costs.total_s.at(static_cast<std::size_t>(Activity::waiting)) /
         static_cast<double>(report.process_ends.size());
}

Columns<PhaseCosts> phase_columns(const RunReport& report, const TimeScale& scale) {
  using Row = const PhaseCosts&;
  return {
      {"phase", Shown::text, [](Row phase) { return "  " + phase.name; }},
      {"times", Shown::count, [](Row phase) { return phase.costs.iterations; }},
      {"mean", Shown::figure, [scale](Row phase) { return scale.text(phase.costs.time.mean_s); }},
      {"max", Shown::figure,
       [scale](Row phase) { return scale.text(to_seconds(phase.costs.time.max)); }},
      {"waiting", Shown::figure,
       [&report, scale](Row phase) { return scale.text(waiting_s(phase, report)); }},
      {"messages", Shown::count, [](Row phase) { return phase.costs.messages; }},
      {"bytes", Shown::figure, [](Row phase) { return readable_bytes(phase.costs.bytes); }},
      {"queued", Shown::count, [](Row phase) { return phase.costs.queued_hops; }},
      {"queued for", Shown::figure, [](Row phase) {
         return phase.costs.queued_hops == 0 ? "-" : readable_seconds(phase.costs.queued_s);
       }}};
}

Column<PhaseCosts> path_column(const RunReport& report) {
  return {"critical path", Shown::share,
          [makespan_s = to_seconds(report.makespan)](const PhaseCosts& phase) {
            return makespan_s > 0 ? to_seconds(*phase.on_path) / makespan_s : 0;
          }};
}

}  // namespace

std::string phase_table(const Scenario& scenario, const RunResult& result) {
  const std::vector<PhaseCosts> phases = phases_of(scenario, result);
  if (phases.empty()) {
    return {};
  }
  std::vector<double> times;
  for (const PhaseCosts& phase : phases) {
    times.insert(times.end(), {phase.costs.time.mean_s, to_seconds(phase.costs.time.max),
                               waiting_s(phase, result.report)});
  }
  Columns<PhaseCosts> columns = phase_columns(result.report, TimeScale{times});
  if (result.explanation) {
    columns.push_back(path_column(result.report));
  }
  const auto mean_s = [](const PhaseCosts& phase) { return phase.costs.time.mean_s; };
  return text_table(columns, longest(phases, mean_s)).text() + rest_line(phases.size()) + "\n";
}

std::string phases_on_path_table(const Scenario& scenario, const CriticalPath& path) {
  std::vector<PhaseOnPath> phases = path_by_phase(*scenario.program, path);
  std::erase_if(phases, [](const PhaseOnPath& phase) { return phase.time() == Ticks{0}; });
  if (phases.empty()) {
    return {};
  }
  const auto share = [&](Ticks time) {
    return time == Ticks{0} ? CellValue{} : CellValue{to_seconds(time) / to_seconds(path.length)};
  };
  constexpr std::array<const char*, cause_kinds> headers{"computing", "endpoint", "hops",
                                                         "queueing", "for ever"};
  using Row = const PhaseOnPath&;
  Columns<PhaseOnPath> columns{
      {"critical path by phase", Shown::text, [](Row phase) { return "  " + phase.name; }},
      {"time", Shown::figure, [](Row phase) { return readable_seconds(to_seconds(phase.time())); }},
      {"of makespan", Shown::share, [&](Row phase) { return share(phase.time()); }}};
  for (std::size_t kind = 0; kind < cause_kinds; ++kind) {
    if (path.by_kind.at(kind) > Ticks{0}) {
      columns.push_back({headers.at(kind), Shown::share,
                         [&, kind](Row phase) { return share(phase.by_kind.at(kind)); }});
    }
  }
  return text_table(columns, longest(phases, [](Row phase) { return to_seconds(phase.time()); }))
             .text() +
         rest_line(phases.size()) + "\n";
}

}  // namespace dcube::app
