#pragma once

#include "interpreter.hpp"

namespace dcube::python {

void bind_sweeps(py::module_& module);

}  // namespace dcube::python
