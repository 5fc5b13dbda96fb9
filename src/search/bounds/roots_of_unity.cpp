#include "roots_of_unity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "zero_sum_spectrum.hpp"

namespace dcube {

RootsOfUnity::RootsOfUnity(std::uint32_t n) {
  // No root of the C library: at least the length of a number, and at most 3/2 of it.
  const auto size = [](const std::complex<double>& z) {
    return std::abs(z.real()) + std::abs(z.imag());
  };
  for (std::uint32_t i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * i / n;
    values.emplace_back(std::cos(angle), std::sin(angle));
  }
  double most = rounding_of(4);  // of the products
  bool are_apart = true;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::complex<double> next = values[(i + 1) % n];
    most = std::max(most, size(values[1 % n] * values[i] - next) + rounding_of(8));
    are_apart = are_apart && (i == 0 || size(values[i] - 1.0) > 2.0 / n);
  }
  error = are_apart && n * most < 1e-6 ? 8 * n * most : std::numeric_limits<double>::infinity();
}

}  // namespace dcube
