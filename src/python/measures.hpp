#pragma once

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>

#include "dcube/core/errors.hpp"
#include "dcube/core/params.hpp"
#include "dcube/core/time.hpp"
#include "dcube/embedding/traffic.hpp"
#include "interpreter.hpp"

namespace dcube::python {

// Readers of Python keywords into the fields of a request. All need the lock.

/// Keeps `field` where no value of that name is given.
template <class Field>
void take_field(const py::dict& fields, const char* name, Field& field) {
  if (fields.contains(name) && !fields[name].is_none()) {
    try {
      field = fields[name].cast<Field>();
    } catch (const py::cast_error&) {
      throw InputError{"." + std::string{name}, py::repr(fields[name]).cast<std::string>() +
                                                    " has a wrong type, or is out of range"};
    }
  }
}

/// The JSON text of that name, read; nothing where it is not given. Throws InputError at `place`.
std::optional<Params> document_in(const py::dict& fields, const char* name, const char* place);

/// What the keyword `machine` gives: a name, or a document.
void take_machine(const py::dict& fields, std::string& name, std::optional<Params>& document);

/// What the keyword `traffic` gives: the name of a shape or a file, or a matrix.
void take_traffic(const py::dict& fields, std::string& name,
                  std::shared_ptr<const Traffic>& matrix);

/// A duration; nothing where it is not given.
std::optional<Ticks> ticks_in(const py::dict& fields, const char* name);

}  // namespace dcube::python
