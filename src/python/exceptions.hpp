#pragma once

#include <exception>

#include "interpreter.hpp"

namespace dcube::python {

/// The Python exception that says what a C++ one does, in the words of the command line. Needs the
/// lock.
py::object python_exception(const std::exception_ptr& failure);

void translate_exceptions();

}  // namespace dcube::python
