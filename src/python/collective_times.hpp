#pragma once

#include "interpreter.hpp"

namespace dcube::python {

void bind_collective_times(py::module_& module);

}  // namespace dcube::python
