#pragma once

#include "interpreter.hpp"

namespace dcube::python {

void bind_comparisons(py::module_& module);

}  // namespace dcube::python
