#include "arrays.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>

#include "dcube/core/errors.hpp"

namespace dcube::python {
namespace {

/// The first of Python's integers that numpy has no exact place for: beyond int64.
std::optional<std::string> too_large_integer(const py::object& values) {
  const auto objects = numpy("array")(values, py::arg("dtype") = "object").attr("reshape")(-1);
  for (const py::handle each : objects) {
    int overflow = 0;
    if (PyLong_Check(each.ptr()) &&
        (PyLong_AsLongLongAndOverflow(each.ptr(), &overflow), overflow != 0)) {
      return py::str(each).cast<std::string>();
    }
  }
  return std::nullopt;
}

/// Whether integers of a type are as those of this computer.
bool are_plain_integers(const py::dtype& type) {
  return (type.kind() == 'i' || type.kind() == 'u') &&
         (type.byteorder() == '=' || type.byteorder() == '|');
}

template <class T>
bool any_wraps(bool is_product, const py::array& a, const py::array& b) {
  const auto* const left = static_cast<const T*>(a.data());
  const auto* const right = static_cast<const T*>(b.data());
  T unused{};
  bool any = false;
  for (py::ssize_t i = 0; i < a.size(); ++i) {
    any |= is_product ? __builtin_mul_overflow(left[i], right[i], &unused)
                      : __builtin_add_overflow(left[i], right[i], &unused);
  }
  return any;
}

/// Whether the odd part of any has more than 53 bits.
template <class T>
bool any_exceeds_float64(const py::array& integers) {
  const std::span values{static_cast<const T*>(integers.data()),
                         static_cast<std::size_t>(integers.size())};
  return std::ranges::any_of(values, [](T value) {
    const std::uint64_t magnitude = value < T{0} ? -static_cast<std::uint64_t>(value) : value;
    return magnitude > std::uint64_t{1} << 53 &&
           magnitude >> std::countr_zero(magnitude) >= std::uint64_t{1} << 53;
  });
}

}  // namespace

py::object numpy(const char* name) {
  // Never let go: the interpreter may have ended by then.
  static PyObject* const module = py::module_::import("numpy").release().ptr();
  return py::handle{module}.attr(name);
}

bool is_array(py::handle value) { return py::isinstance<py::array>(value); }

void refuse_values(const std::string& problem) { throw InputError("values", problem); }

py::array array_given(const py::object& values, bool is_sized) {
  const bool has_type = is_array(values) || py::hasattr(values, "dtype");
  const bool is_plain_array =
      Py_IS_TYPE(values.ptr(), py::detail::npy_api::get().PyArray_Type_) != 0;
  if (has_type && !is_plain_array && py::isinstance(values, numpy("ma").attr("MaskedArray"))) {
    refuse_values("a masked array has no place for its mask in messages (give x.filled(0), say)");
  }
  py::array array;
  try {
    array = numpy("array")(values);
  } catch (const py::error_already_set& error) {
    if (!error.matches(PyExc_ValueError) && !error.matches(PyExc_OverflowError)) {
      throw;
    }
    refuse_values("numpy makes no array of them (are all rows of one length?)");
  }
  if (has_type) {
    return array;
  }
  const char kind = array.dtype().kind();
  const bool may_be_too_large =
      kind == 'O' || (kind == 'u' && array.itemsize() == sizeof(std::uint64_t)) ||
      (kind == 'f' && numpy("any")(numpy("abs")(array).attr("__ge__")(0x1p63)).cast<bool>());
  if (!may_be_too_large) {
    return array;
  }
  if (const std::optional<std::string> integer = too_large_integer(values)) {
    if (!is_sized) {
      refuse_values(*integer +
                    " does not fit in 64 bits with a sign (give floats, or element_bytes=, "
                    "the size of such a number in a message)");
    }
    return numpy("array")(values, py::arg("dtype") = "object");
  }
  return array;
}

py::array plain_numbers(const py::array& result, const py::dtype& type) {
  if (type.kind() == 'O') {
    return result;
  }
  py::array numbers = array_given(result.attr("tolist")(), false);
  // Python has integers and floats of one size each.
  const bool are_integers =
      numbers.dtype().kind() == 'i' && (type.kind() == 'i' || type.kind() == 'u');
  const bool are_floats = numbers.dtype().kind() == 'f' && type.kind() == 'f';
  if (are_integers || are_floats) {
    const py::array narrow = numbers.attr("astype")(type);
    if (are_floats || numpy("array_equal")(narrow, numbers).cast<bool>()) {
      return narrow;
    }
  }
  return numbers;
}

bool exceed_float64(const py::array& values) {
  const py::dtype type = values.dtype();
  if (!are_plain_integers(type) || type.itemsize() != sizeof(std::int64_t)) {
    return false;
  }
  return type.kind() == 'i' ? any_exceeds_float64<std::int64_t>(values)
                            : any_exceeds_float64<std::uint64_t>(values);
}

bool wraps(bool is_product, const py::array& a, const py::array& b) {
  const py::dtype type = a.dtype();
  if (!are_plain_integers(type)) {
    return false;
  }
  const bool is_signed = type.kind() == 'i';
  switch (type.itemsize()) {
    case 1:
      return is_signed ? any_wraps<std::int8_t>(is_product, a, b)
                       : any_wraps<std::uint8_t>(is_product, a, b);
    case 2:
      return is_signed ? any_wraps<std::int16_t>(is_product, a, b)
                       : any_wraps<std::uint16_t>(is_product, a, b);
    case 4:
      return is_signed ? any_wraps<std::int32_t>(is_product, a, b)
                       : any_wraps<std::uint32_t>(is_product, a, b);
    default:
      return is_signed ? any_wraps<std::int64_t>(is_product, a, b)
                       : any_wraps<std::uint64_t>(is_product, a, b);
  }
}

}  // namespace dcube::python
