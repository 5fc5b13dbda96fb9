#include "values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"

namespace dcube::python {
namespace {

[[noreturn]] void refuse_duration(py::handle value) {
  throw py::type_error(fmt::format(
      "{} is no duration (a text such as \"1.5us\", a whole number of picoseconds or a fraction of "
      "them)",
      py::repr(value).cast<std::string>()));
}

std::int64_t whole(py::handle value) {
  const long long number = PyLong_AsLongLong(value.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw InputError("", "simulated time exceeds 63 bits of picoseconds (106 days)");
  }
  refuse_if(number < 0, "", "{} ps is less than no time", number);
  return number;
}

}  // namespace

ExactTime read_duration(py::handle value) {
  if (PyUnicode_Check(value.ptr())) {
    return parse_duration(value.cast<std::string>());
  }
  if (is_truth(value)) {
    refuse_duration(value);
  }
  if (PyIndex_Check(value.ptr()) != 0) {
    const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    if (!index) {  // an array
      PyErr_Clear();
      refuse_duration(value);
    }
    return ExactTime{Ticks{whole(index)}};
  }
  if (!PyFloat_Check(value.ptr()) && py::hasattr(value, "numerator") &&
      py::hasattr(value, "denominator")) {
    return ExactTime{whole(value.attr("numerator")), whole(value.attr("denominator"))};
  }
  refuse_duration(value);
}

Ticks read_ticks(py::handle value) {
  if (PyLong_CheckExact(value.ptr())) {
    return Ticks{whole(value)};
  }
  return round_cost(read_duration(value), ExactTime{}, 0);
}

py::array_t<std::int64_t> array_of(std::span<const Ticks> times) {
  py::array_t<std::int64_t> array(static_cast<py::ssize_t>(times.size()));
  std::ranges::transform(times, array.mutable_data(), [](Ticks time) { return time.count(); });
  return array;
}

py::array_t<std::uint32_t> array_of(std::span<const NodeId> nodes) {
  py::array_t<std::uint32_t> array(static_cast<py::ssize_t>(nodes.size()));
  std::ranges::transform(nodes, array.mutable_data(), &NodeId::index);
  return array;
}

py::object plain_object(const CellValue& value) {
  py::object object = py::none();
  visit_plain(value, [&](const auto& plain) { object = py::cast(plain); });
  return object;
}

}  // namespace dcube::python
