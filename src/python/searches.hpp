#pragma once

#include "interpreter.hpp"

namespace dcube::python {

void bind_searches(py::module_& module);

}  // namespace dcube::python
