#include "dcube/scenario/phases.hpp"

#include "core/mapped.hpp"

namespace dcube {

Ticks PhaseOnPath::time() const { return sum_of(by_kind); }

std::vector<PhaseOnPath> path_by_phase(const Program& program, const CriticalPath& path) {
  auto phases =
      mapped(program.stage_names(), [](const std::string& name) { return PhaseOnPath{name}; });
  if (phases.empty()) {
    return phases;
  }
  phases.push_back({outside_phases});
  for (const PathPart& part : path.parts) {
    PhaseOnPath& phase = part.stage == no_stage ? phases.back() : phases.at(part.stage);
    phase.by_kind.at(static_cast<std::size_t>(part.kind)) += part.end - part.begin;
  }
  return phases;
}

std::string phase_name(const Program& program, std::uint32_t stage) {
  const std::vector<std::string> names = program.stage_names();
  return names.empty() ? std::string{} : stage == no_stage ? outside_phases : names.at(stage);
}

std::vector<PhaseCosts> phases_of(const Scenario& scenario, const RunResult& result) {
  std::vector<PhaseCosts> phases;
  if (result.report.stage_costs.empty()) {
    return phases;
  }
  std::vector<PhaseOnPath> on_path = path_by_phase(
      *scenario.program, result.explanation ? result.explanation->path : CriticalPath{});
  for (std::size_t stage = 0; stage < on_path.size(); ++stage) {
    phases.push_back({std::move(on_path[stage].name), result.report.stage_costs.at(stage), {}});
    if (result.explanation) {
      phases.back().on_path = on_path[stage].time();
    }
  }
  const PhaseCosts& outside = phases.back();
  if (outside.costs.time.max == Ticks{0} && outside.costs.messages == 0 &&
      outside.on_path.value_or(Ticks{0}) == Ticks{0}) {
    phases.pop_back();
  }
  return phases;
}

}  // namespace dcube
