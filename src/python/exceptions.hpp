#pragma once

#include <exception>
#include <string>

#include "interpreter.hpp"

namespace dcube::python {

/// The Python exception that says what a C++ one does, in the words of the command line. Needs the
/// lock.
py::object python_exception(const std::exception_ptr& failure);

void translate_exceptions();

/// A RuntimeWarning, unless `text` is empty. Needs the lock.
inline void warn_of(const std::string& text) {
  if (!text.empty() && PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) != 0) {
    throw py::error_already_set();
  }
}

}  // namespace dcube::python
