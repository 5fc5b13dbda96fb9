#pragma once

#include "dcube/engine/simulation.hpp"

namespace dcube::testing {

/// Runs the processes on the engine's kernel and network without SimGrid: thousands of runs in one
/// operating-system process.
RunReport run_without_simgrid(const SimulationInput& input);

/// simulate() in a child process, because SimGrid runs once in each; false when the child crashed
/// or `check`, called there with the report, says no.
bool check_in_child(const SimulationInput& input,
                    const std::function<bool(const RunReport&)>& check);

}  // namespace dcube::testing
