#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "interpreter.hpp"

namespace dcube::python {

/// A JSON pointer and a JSON value to put there.
using Overrides = std::vector<std::pair<std::string, std::string>>;

/// A scenario from a text, or from a file where the text is empty. `embedding`, if not empty: a
/// name or a file, as on the command line. Needs no lock. Throws InputError.
Scenario load(const std::string& text, const std::string& file, const Overrides& overrides,
              const std::string& embedding);

void bind_runs(py::module_& module);

}  // namespace dcube::python
