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

}  // namespace dcube::python
