#pragma once

#include <functional>
#include <string>

#include "dcube/runs/limits.hpp"
#include "interpreter.hpp"

namespace dcube::python {

/// Has `ask` simulate in child processes, within the limits `jobs` and `time_limit_s` of a
/// request's fields. Raises KeyboardInterrupt when Ctrl-C has come.
void simulate_in_children(const py::dict& fields, const py::object& on_progress,
                          const std::function<void(const SimulationLimits&)>& ask);

/// The same without Python's lock; returns the answer.
std::string answer_of_children(const py::dict& fields, const py::object& on_progress,
                               const std::function<std::string(const SimulationLimits&)>& ask);

}  // namespace dcube::python
