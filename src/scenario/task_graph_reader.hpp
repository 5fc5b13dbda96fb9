#pragma once

#include "dcube/core/params.hpp"
#include "dcube/scenario/task_graph.hpp"

namespace dcube {

/// Reads a task graph, a mapping or both from JSON that has been read. Throws InputError.
TaskGraphFile read_task_graph(const Params& document);

}  // namespace dcube
