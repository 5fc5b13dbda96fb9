#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/process.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/engine/task.hpp"
#include "dcube/network/machine.hpp"

namespace dcube::testing {

/// One step of a process that only moves data about.
struct Step {
  enum class Kind { compute, send, receive, exchange };
  Kind kind = Kind::compute;
  Ticks duration{0};
  ProcessId peer;
  std::uint64_t bytes = 0;
  ExchangeMode mode = ExchangeMode::rendezvous;
};

/// A machine, a placement and what every process does: one case for the simulators to agree on.
struct ScriptCase {
  Machine machine;
  std::vector<NodeId> map;
  std::vector<std::vector<Step>> scripts;  ///< of each process
  std::string description;                 ///< seed and shape, for the message of a failure
};

/// What the seed stands for: topology, costs, duplex, contention, placement and programs, with
/// times that make ties frequent. Topologies are those of the catalogue and random graphs of up to
/// 75 nodes, a few complete graphs with more blocks of links than an event has directions, and all
/// these with a host computer. One case in eight loses a step and so may deadlock.
ScriptCase random_case(std::uint64_t seed);

/// Runs the script as a program of the engine.
Task<> run_script(Process& process, const std::vector<Step>& script);

/// The engine's input for a case, which must outlive it.
SimulationInput input_of(const ScriptCase& scripted, Observer* observer);

}  // namespace dcube::testing
