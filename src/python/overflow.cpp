#include "overflow.hpp"

#include <cstdint>

namespace dcube::python {
namespace {

namespace py = pybind11;

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

}  // namespace

bool wraps(bool is_product, const py::array& a, const py::array& b) {
  const py::dtype type = a.dtype();
  const bool is_signed = type.kind() == 'i';
  if ((!is_signed && type.kind() != 'u') || (type.byteorder() != '=' && type.byteorder() != '|')) {
    return false;
  }
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
