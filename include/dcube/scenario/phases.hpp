#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dcube/core/time.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/program/program.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/trace/critical_path.hpp"

namespace dcube {

/// Name of the entry for everything outside the phases.
inline constexpr const char* outside_phases = "(no phase)";

/// A phase of a program, which is a stage with a name, and its part of the critical path: what
/// processes do in it, and messages that they wait for in it.
struct PhaseOnPath {
  std::string name;
  std::array<Ticks, cause_kinds> by_kind{};  ///< [CauseKind]

  Ticks time() const;
};

/// The phases of the program in its order, and `outside_phases` last. They add up to the length of
/// the path. Empty where the stages have no names.
std::vector<PhaseOnPath> path_by_phase(const Program& program, const CriticalPath& path);

/// Name of a stage: that of its phase, or `outside_phases`. Empty where the stages have no names.
std::string phase_name(const Program& program, std::uint32_t stage);

/// Costs of one phase.
struct PhaseCosts {
  std::string name;
  StageCosts costs;
  std::optional<Ticks> on_path;  ///< where the run was explained
};

/// The phases of the program in its order, and last `outside_phases` if it has any costs. Empty
/// where phases were not counted: see has_phases().
std::vector<PhaseCosts> phases_of(const Scenario& scenario, const RunResult& result);

}  // namespace dcube
