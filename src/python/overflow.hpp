#pragma once

#include <pybind11/numpy.h>

namespace dcube::python {

/// Whether a sum, or a product, of arrays of one type and size wraps round: those of whole numbers
/// may. The arrays have no gaps.
bool wraps(bool is_product, const pybind11::array& a, const pybind11::array& b);

}  // namespace dcube::python
