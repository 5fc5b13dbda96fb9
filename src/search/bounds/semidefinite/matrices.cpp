#include "matrices.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "search/bounds/zero_sum_spectrum.hpp"

namespace dcube {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

}  // namespace

/// Along a line towards the weights (Held, Wolfe & Crowder 1974).
void project_on_simplex(Eigen::Ref<Vector> values, const Vector& weights, std::uint64_t allowed) {
  thread_local std::vector<std::pair<double, Eigen::Index>> order;
  order.clear();
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (i >= 64 || (allowed >> i & 1U) != 0) {
      order.emplace_back(-values[i] / weights[i], i);
    } else {
      values[i] = 0;
    }
  }
  std::sort(order.begin(), order.end());
  double sum = -1;
  double squares = 0;
  double level = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Eigen::Index i = order[k].second;
    if (k > 0 && -order[k].first <= sum / squares) {
      break;
    }
    sum += weights[i] * values[i];
    squares += weights[i] * weights[i];
    level = sum / squares;
  }
  for (const auto& [unused, i] : order) {
    values[i] = std::max(0.0, values[i] - weights[i] * level);
  }
}

Vector take_out(Matrix& matrix, const Vector& w) {
  Vector v = matrix * w;
  v -= 0.5 * w.dot(v) * w;
  matrix.noalias() -= w * v.transpose();
  matrix.noalias() -= v * w.transpose();
  return v;
}

Matrix positive_part(const Matrix& matrix) {
  const Spectrum spectrum = spectrum_of(matrix, matrix.norm());
  const Eigen::Index n = matrix.rows();
  Eigen::Index negative = 0;
  while (negative < n && spectrum.values[negative] <= 0) {
    ++negative;
  }
  if (n - negative <= n / 2) {
    const Matrix root = spectrum.vectors.rightCols(n - negative) *
                        spectrum.values.tail(n - negative).cwiseSqrt().asDiagonal();
    return root * root.transpose();
  }
  const Matrix root = spectrum.vectors.leftCols(negative) *
                      (-spectrum.values.head(negative)).cwiseSqrt().asDiagonal();
  return matrix + root * root.transpose();
}

Matrix positive_factor(const Matrix& matrix) {
  const Spectrum spectrum = spectrum_of(matrix, matrix.norm());
  Eigen::Index first = 0;
  constexpr double nothing = 1e-12;
  while (first < matrix.rows() && spectrum.values[first] <= nothing) {
    ++first;
  }
  const Eigen::Index rank = matrix.rows() - first;
  return spectrum.vectors.rightCols(rank) * spectrum.values.tail(rank).cwiseSqrt().asDiagonal();
}

std::int64_t whole(double value, int bits) {
  constexpr double most = 0x1p62;
  return static_cast<std::int64_t>(
      std::clamp(std::nearbyint(std::ldexp(value, bits)), -most, most));
}

}  // namespace dcube
