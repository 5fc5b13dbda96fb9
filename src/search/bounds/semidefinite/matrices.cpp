#include "matrices.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <utility>

namespace dcube {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

}  // namespace

/// Shifted by the norm: Eigen 3.4 gives up where many eigenvalues are 0 (zero_sum_spectrum.cpp).
Spectrum spectrum_of(Matrix matrix) {
  const double shift = matrix.norm();
  matrix.diagonal().array() += shift;
  const Eigen::SelfAdjointEigenSolver<Matrix> solver{matrix};
  return {solver.eigenvalues().array() - shift, solver.eigenvectors()};
}

/// Takes the null vector out of a symmetric matrix: returns v with R = matrix - w v' - v w'.
Vector take_out(Matrix& matrix, const Vector& w) {
  Vector v = matrix * w;
  v -= 0.5 * w.dot(v) * w;
  matrix.noalias() -= w * v.transpose();
  matrix.noalias() -= v * w.transpose();
  return v;
}

Matrix positive_part(const Matrix& matrix) {
  const Spectrum spectrum = spectrum_of(matrix);
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
  const Spectrum spectrum = spectrum_of(matrix);
  Eigen::Index first = 0;
  constexpr double nothing = 1e-12;
  while (first < matrix.rows() && spectrum.values[first] <= nothing) {
    ++first;
  }
  const Eigen::Index rank = matrix.rows() - first;
  return spectrum.vectors.rightCols(rank) * spectrum.values.tail(rank).cwiseSqrt().asDiagonal();
}

/// Nearest multiple of 2^-bits, in such units.
std::int64_t whole(double value, int bits) {
  constexpr double most = 0x1p62;
  return static_cast<std::int64_t>(
      std::clamp(std::nearbyint(std::ldexp(value, bits)), -most, most));
}

}  // namespace dcube
