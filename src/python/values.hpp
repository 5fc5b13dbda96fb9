#pragma once

#include <pybind11/numpy.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/show/columns.hpp"
#include "interpreter.hpp"

namespace dcube::python {

/// JSON pointers, each with a JSON value to put there.
using Overrides = std::vector<std::pair<std::string, std::string>>;

/// A text with a unit, a whole number of picoseconds or a fraction of them. Throws py::type_error,
/// InputError.
ExactTime read_duration(py::handle value);
/// Reads a duration, rounded to whole picoseconds.
Ticks read_ticks(py::handle value);

/// A numpy array with a copy of the values.
template <class T>
py::array_t<T> array_of(std::span<const T> values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}
template <class T>
py::array_t<T> array_of(const std::vector<T>& values) {
  return array_of(std::span<const T>{values});
}
py::array_t<std::int64_t> array_of(std::span<const Ticks> times);
py::array_t<std::uint32_t> array_of(std::span<const NodeId> nodes);

/// None, a bool, an int, a float, or a str. Times are in seconds.
py::object plain_object(const CellValue& value);
/// Adds the values of a row to a dict, by key.
template <class Row>
void add_values(py::dict& all, const Columns<Row>& columns, const Row& row) {
  for (const Column<Row>& column : columns) {
    if (!column.key.empty()) {
      all[py::str(column.key)] = plain_object(column.value(row));
    }
  }
}

}  // namespace dcube::python
