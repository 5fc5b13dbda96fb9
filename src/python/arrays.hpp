#pragma once

#include <pybind11/numpy.h>

#include <string>

namespace dcube::python {

namespace py = pybind11;

// Values of collectives as arrays of numpy. All of these need the lock.

/// What the module numpy calls so.
py::object numpy(const char* name);
bool is_array(py::handle value);

/// Throws InputError at the argument `values`.
[[noreturn]] void refuse_values(const std::string& problem);

/// The values as numpy takes them. A copy: collectives write into it. `is_sized`: their size in a
/// message is said, so they may be objects.
py::array array_given(const py::object& values, bool is_sized);
/// Numbers of numpy in place of objects, where the values of processes, of this type, are such.
py::array plain_numbers(const py::array& result, const py::dtype& type);

/// Whether these are integers that float64 does not hold.
bool exceed_float64(const py::array& values);

/// Whether a sum, or a product, of arrays of one type and size wraps round: those of whole numbers
/// may. The arrays have no gaps.
bool wraps(bool is_product, const py::array& a, const py::array& b);

}  // namespace dcube::python
