#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "dcube/runs/limits.hpp"
#include "interpreter.hpp"

namespace dcube::python {

/// Limits of child processes, as the keywords of Python give them.
struct LimitsOfChildren {
  std::optional<std::uint32_t> jobs{};
  std::optional<double> time_limit_s{};  ///< of each simulation
};

/// Has `ask` simulate in child processes, within these limits. Raises KeyboardInterrupt when Ctrl-C
/// has come.
void simulate_in_children(const LimitsOfChildren& given, const py::object& on_progress,
                          const std::function<void(const SimulationLimits&)>& ask);

/// The same within the limits `jobs` and `time_limit_s` of a request's fields, without Python's
/// lock; returns the answer.
std::string answer_of_children(const py::dict& fields, const py::object& on_progress,
                               const std::function<std::string(const SimulationLimits&)>& ask);

}  // namespace dcube::python
