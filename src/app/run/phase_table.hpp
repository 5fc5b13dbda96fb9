#pragma once

#include <string>

#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube::app {

/// Table of the costs of each phase of the program, and an empty line after it. Empty where phases
/// were not counted.
std::string phase_table(const Scenario& scenario, const RunResult& result);

/// Table of the critical path's time in each phase of the program, and an empty line after it.
/// Empty where its stages have no names.
std::string phases_on_path_table(const Scenario& scenario, const CriticalPath& path);

}  // namespace dcube::app
