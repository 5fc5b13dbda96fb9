#pragma once

#include <memory>
#include <string>

#include "dcube/core/time.hpp"
#include "dcube/network/machine.hpp"
#include "interpreter.hpp"

namespace dcube::python {

/// A machine from a JSON text, or by its name where that is empty. Throws InputError.
std::shared_ptr<const Machine> read_machine_text(const std::string& text, const std::string& name,
                                                 Ticks hop);

void bind_measures(py::module_& module);

}  // namespace dcube::python
