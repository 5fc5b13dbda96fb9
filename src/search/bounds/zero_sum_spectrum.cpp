#include "zero_sum_spectrum.hpp"

#include <Eigen/Eigenvalues>
#include <bit>
#include <limits>
#include <numbers>

#include "search/pairs.hpp"

// Let the columns of V be an orthonormal basis of the vectors whose entries add up to 0, W the
// waves, and L the diagonal of the values. Without its column sums W is V Q, and less than
//   e = |1'W| / sqrt(n)
// away. Q = U H with U orthogonal and H symmetric, not negative (polar decomposition), and
//   |U - Q| = |H - I| <= |H^2 - I| = |Q'Q - I| <= |W'W - I| + e^2 = d.
// For every row a, V'MV Q - Q L = V'(M V Q - V Q L - 1 a'), so
//   |U'(V'MV)U - L| <= |M W - W L - 1 a'| + (|M| + |L|)(e + d).

namespace dcube {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// The vector of ones becomes the first axis by a reflection (Householder 1958) along this one.
Vector normal_of(Eigen::Index n) {
  Vector normal = Vector::Constant(n, 1 / std::sqrt(static_cast<double>(n)));
  normal[0] += 1;
  normal.normalize();
  return normal;
}

}  // namespace

WeightMatrix::WeightMatrix(const Partners& partners, std::size_t rows)
    : entries{Matrix::Zero(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(rows))} {
  std::uint64_t most = 0;
  for_each_pair(partners, [&](std::uint32_t, std::uint32_t, std::uint64_t weight) {
    most = std::max(most, weight);
  });
  const auto bits = static_cast<int>(std::bit_width(most));
  const int dropped = std::max(0, bits - fraction_bits);
  scale = std::ldexp(1.0, bits);
  for_each_pair(partners, [&](Eigen::Index a, Eigen::Index b, std::uint64_t weight) {
    entries(a, b) = entries(b, a) =
        std::ldexp(static_cast<double>(weight >> dropped), dropped - bits);
  });
}

std::uint64_t WeightMatrix::proved(double value) const {
  const double weight = std::ceil(value * scale);
  return weight > 0 && weight < 0x1p64 ? static_cast<std::uint64_t>(weight) : 0;
}

// Eigen 3.4 takes an entry beside the diagonal for 0 when its square is small against the entries
// on the diagonal beside it. Where many eigenvalues are 0 those are noise, and it gives up after
// its 30 steps a row, with the eigenvalues in no order. No diagonal is 0 once the norm is added to
// all eigenvalues.
Spectrum spectrum_of(Matrix matrix, double norm) {
  matrix.diagonal().array() += norm;
  const Eigen::SelfAdjointEigenSolver<Matrix> solver{matrix};
  return {solver.eigenvalues().array() - norm, solver.eigenvectors()};
}

ZeroSumSpectrum zero_sum_spectrum(const Matrix& matrix) {
  const Eigen::Index n = matrix.rows();
  const Vector normal = normal_of(n);
  const Vector image = matrix * normal;
  const Matrix reflected = matrix - 2 * image * normal.transpose() -
                           2 * normal * image.transpose() +
                           4 * normal.dot(image) * normal * normal.transpose();
  const Spectrum found = spectrum_of(reflected.bottomRightCorner(n - 1, n - 1), reflected.norm());
  ZeroSumSpectrum spectrum{found.values, Matrix::Zero(n, n - 1)};
  spectrum.waves.bottomRows(n - 1) = found.vectors;
  spectrum.waves -= 2 * normal * (normal.transpose() * spectrum.waves);
  return spectrum;
}

SpectrumError error_of(const ZeroSumSpectrum& spectrum, const Matrix& matrix) {
  constexpr double above = 1 + 1e-9;  // the rounding of a norm
  const Eigen::Index n = matrix.rows();
  const Matrix& waves = spectrum.waves;
  const double size = (matrix.norm() + spectrum.values.lpNorm<Eigen::Infinity>()) * above;
  const double waves_size = waves.norm() * above;

  Matrix left = matrix * waves - waves * spectrum.values.asDiagonal();
  const Eigen::RowVectorXd means = left.colwise().mean();
  left.rowwise() -= means;
  const double residual = left.norm() * above + rounding_of(n + 8) * size * waves_size;
  const double sums = waves.colwise().sum().norm() * above / std::sqrt(static_cast<double>(n)) +
                      rounding_of(n) * waves_size;
  Matrix products = waves.transpose() * waves;
  products.diagonal().array() -= 1;
  const double apart =
      products.norm() * above + rounding_of(n + 2) * waves_size * waves_size + sums * sums;

  const SpectrumError error{(residual + size * (sums + apart)) * above, (sums + apart) * above};
  constexpr double infinite = std::numeric_limits<double>::infinity();
  // U exists where Q is regular. What is no number is not below anything.
  return apart < 0.5 && error.values < infinite ? error : SpectrumError{infinite, infinite};
}

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
