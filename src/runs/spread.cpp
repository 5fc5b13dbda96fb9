#include <algorithm>
#include <array>
#include <cmath>

#include "core/mapped.hpp"
#include "dcube/runs/record.hpp"

namespace dcube {
namespace {

/// The 97.5 % quantile of Student's distribution.
double student_quantile(std::size_t freedom) {
  constexpr std::array<double, 30> small{
      12.7062, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.30600, 2.26216, 2.22814,
      2.20099, 2.17881, 2.16037, 2.14479, 2.13145, 2.11991, 2.10982, 2.10092, 2.09302, 2.08596,
      2.07961, 2.07387, 2.06866, 2.06390, 2.05954, 2.05553, 2.05183, 2.04841, 2.04523, 2.04227};
  if (freedom <= small.size()) {
    return small.at(freedom - 1);
  }
  // Cornish and Fisher's expansion about the normal quantile (Abramowitz & Stegun 26.7.5).
  constexpr double z = 1.959963984540054;
  const double n = static_cast<double>(freedom);
  const double z3 = z * z * z;
  const double z5 = z3 * z * z;
  return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n);
}

}  // namespace

bool are_as_long(double one, double other) {
  constexpr double rounding = 1e-9;
  return std::abs(one - other) <= rounding * std::max(one, other);
}

bool are_nearly_as_long(double one, double other) {
  constexpr double exactness_of_models = 0.01;
  return std::abs(one - other) <= exactness_of_models * std::max(one, other);
}

Spread spread_of(const std::vector<double>& numbers) {
  Spread spread{.count = numbers.size()};
  if (numbers.empty()) {
    return spread;
  }
  const auto [least, greatest] = std::ranges::minmax(numbers);
  spread.least = least;
  spread.greatest = greatest;
  const double count = static_cast<double>(numbers.size());
  // Sums are about the least number, so that equal numbers have exactly their own mean and no
  // deviation.
  const double above = sum_of(numbers, [&](double number) { return number - spread.least; });
  spread.mean = spread.least + above / count;
  if (numbers.size() < 2) {
    return spread;
  }
  const double squares = sum_of(
      numbers, [&](double number) { return (number - spread.mean) * (number - spread.mean); });
  spread.deviation = std::sqrt(squares / (count - 1));
  spread.half_interval = student_quantile(numbers.size() - 1) * spread.deviation / std::sqrt(count);
  return spread;
}

}  // namespace dcube
