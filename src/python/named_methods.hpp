#pragma once

#include "interpreter.hpp"

namespace dcube::python {

/// Has the methods of a class complain of their arguments by name, in place of pybind11, which
/// tells its C++ signature. Calls that succeed cost nothing more. They get signatures, too.
void name_arguments_of_methods(const py::object& type);

}  // namespace dcube::python
