#pragma once

#include "dcube/engine/process.hpp"
#include "dcube/engine/task.hpp"
#include "graph_schedule.hpp"

namespace dcube {

/// What one process does. Its operations start as soon as what they require is done and their cpu
/// is free, and of those that can start at one instant first what entered first (GraphPlace). A
/// message is handled by the cpu and interface whose numbers its sender has.
Task<> run_graph(Process& process, GraphSchedule& graphs);

}  // namespace dcube
