#include "fourier.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <kissfft/kissfft.hh>
#include <limits>
#include <numbers>

#include "core/mapped.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

/// exp(-pi i j / h). The quotient j / h is exact because h is a power of two.
Complex root(std::uint64_t j, std::uint64_t half_span) {
  return std::polar(1.0,
                    -std::numbers::pi * (static_cast<double>(j) / static_cast<double>(half_span)));
}

std::vector<Complex> reference_spectrum(const std::vector<Complex>& points) {
  if (points.size() == 1) {
    return points;
  }
  std::vector<Complex> spectrum(points.size());
  kissfft<double>{points.size(), false}.transform(points.data(), spectrum.data());
  return spectrum;
}

}  // namespace

std::uint64_t bit_reversed(std::uint64_t index, std::uint32_t bits) {
  std::uint64_t reversed = 0;
  for (std::uint32_t bit = 0; bit < bits; ++bit) {
    reversed = reversed << 1 | (index >> bit & 1);
  }
  return reversed;
}

void butterflies(std::span<Complex> values, std::uint64_t half_span, Decimation decimation) {
  for (std::uint64_t j = 0; j < half_span; ++j) {
    const Complex factor = root(j, half_span);
    for (std::uint64_t low = j; low < values.size(); low += 2 * half_span) {
      const Complex a = values[low];
      const Complex b = values[low + half_span];
      if (decimation == Decimation::frequency) {
        values[low] = a + b;
        values[low + half_span] = (a - b) * factor;
      } else {
        values[low] = a + factor * b;
        values[low + half_span] = a - factor * b;
      }
    }
  }
}

void own_outputs(std::span<Complex> values, std::span<const Complex> theirs, std::uint64_t first,
                 std::uint64_t half_span, Decimation decimation) {
  expects(theirs.size() == values.size(), "partners in an exchange hold as many values");
  const bool is_lower = (first & half_span) == 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Complex own = values[i];
    const Complex other = theirs[i];
    const std::uint64_t j = (first + i) % half_span;
    if (decimation == Decimation::frequency) {
      values[i] = is_lower ? own + other : (other - own) * root(j, half_span);
    } else {
      values[i] = is_lower ? own + root(j, half_span) * other : other - root(j, half_span) * own;
    }
  }
}

SpectrumCheck check_spectrum(const std::vector<Complex>& points,
                             const std::vector<Complex>& spectrum) {
  expects(points.size() == spectrum.size(), "a spectrum has as many values as there are points");
  const std::vector<Complex> reference = reference_spectrum(points);
  SpectrumCheck check{.error_bound = spectrum_error_bound(points)};
  double greatest = 0;
  for (std::size_t k = 0; k < spectrum.size(); ++k) {
    const double error = std::abs(spectrum[k] - reference[k]);
    // Comparisons with NaN are false, but NaN is wrong.
    constexpr double infinite = std::numeric_limits<double>::infinity();
    check.max_error = std::max(check.max_error, std::isnan(error) ? infinite : error);
    greatest = std::max(greatest, std::abs(reference[k]));
  }
  // The two peaks of real points differ only by rounding, which must not choose between them.
  const auto peak = std::ranges::find_if(reference, [&](const Complex& value) {
    return std::abs(value) >= greatest - 2 * check.error_bound;
  });
  check.peak_bin = static_cast<std::uint64_t>(peak - reference.begin());
  return check;
}

double spectrum_error_bound(std::span<const Complex> points) {
  constexpr double roundings = 20;
  const double stages = std::countr_zero(points.size());
  const double bound = roundings * std::numeric_limits<double>::epsilon() * stages *
                       std::sqrt(static_cast<double>(points.size())) * euclidean_norm(points);
  return std::max(bound, std::numeric_limits<double>::min());
}

double euclidean_norm(std::span<const Complex> points) {
  double scale = 0;
  for (const Complex& point : points) {
    scale = std::max({scale, std::abs(point.real()), std::abs(point.imag())});
  }
  if (scale == 0) {
    return 0;
  }
  // Scaling keeps all squares within the range of a double.
  return scale *
         std::sqrt(sum_of(points, [&](const Complex& point) { return std::norm(point / scale); }));
}

}  // namespace dcube
