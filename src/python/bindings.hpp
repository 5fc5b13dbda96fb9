#pragma once

#include "interpreter.hpp"

namespace dcube::python {

// What each part of the module adds to it.

void bind_process(py::module_& module);
void bind_programs(py::module_& module);
void bind_answers(py::module_& module);
void bind_comparisons(py::module_& module);
void bind_runs(py::module_& module);
void bind_measures(py::module_& module);
void bind_searches(py::module_& module);
void bind_sweeps(py::module_& module);

/// Has the methods of a class complain of their arguments by name, in place of pybind11, which
/// tells its C++ signature. Calls that succeed cost nothing more. They get signatures, too.
void name_arguments_of_methods(const py::object& type);

}  // namespace dcube::python
