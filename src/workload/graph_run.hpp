#pragma once

#include "dcube/engine/process.hpp"
#include "dcube/engine/task.hpp"
#include "graph_schedule.hpp"

namespace dcube {

/// What one process does. Its operations start as soon as what they require is done and their cpu
/// is free, in order of the time at which they could have started, and among equals as they became
/// ready. A message is handled by the cpu and interface whose numbers its sender has.
Task<> run_graph(Process& process, GraphSchedule& graphs);

}  // namespace dcube
