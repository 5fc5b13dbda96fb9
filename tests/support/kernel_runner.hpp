#pragma once

#include "dcube/engine/simulation.hpp"

namespace dcube::testing {

/// Runs the processes on the engine's kernel and network without SimGrid: thousands of runs in one
/// operating-system process.
RunReport run_without_simgrid(const SimulationInput& input);
/// Runs `body` with process i on node i.
RunReport run_without_simgrid(const Machine& machine, std::uint32_t processes,
                              const std::function<Task<>(Process&)>& body,
                              std::uint32_t stage_count = 0);

}  // namespace dcube::testing
