#pragma once

#include <Eigen/Core>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dcube/search/partners.hpp"

// How an eigenvalue becomes part of a proof. A solver may be wrong, or give up, so what it finds is
// multiplied out again, and what is left over says how far the true eigenvalues can be away. The
// rounding of that check has a bound of its own: a sum of n products has an error below n units of
// roundoff times the sum of their magnitudes, in whatever order they are added (Higham 2002, 3.1).

namespace dcube {

/// Greatest rounding error of a sum of so many products, as a part of their magnitudes; twice that,
/// to leave room for the few roundings beside the sum.
constexpr double rounding_of(Eigen::Index products) {
  constexpr double roundoff = 0x1p-53;
  return 2 * static_cast<double>(products) * roundoff;
}

/// Weight of each pair, as a part of a power of two above all of them. Parts below 2^-40 are
/// dropped, which makes no bound greater. So sums of a row of up to 2^11 entries are exact, and so
/// are those with a number that is_exact().
struct WeightMatrix {
  static constexpr int fraction_bits = 40;

  WeightMatrix(const Partners& partners, std::size_t rows);

  /// Whether its sum with a row has no rounding: a multiple of 2^-40 below 2^11.
  static bool is_exact(double number) {
    return number > -0x1p11 && number < 0x1p11 && number * 0x1p40 == std::floor(number * 0x1p40);
  }
  /// The whole weight that is at least so many such parts; 0 where that is no number of 64 bits.
  std::uint64_t proved(double value) const;

  Eigen::MatrixXd entries;
  double scale = 1;
};

/// The eigenvalues of a symmetric matrix and their vectors, as a solver has found them.
struct Spectrum {
  Eigen::VectorXd values;  ///< ascending
  Eigen::MatrixXd vectors;
};
/// `norm`: of the matrix, or more.
Spectrum spectrum_of(Eigen::MatrixXd matrix, double norm);

/// The eigenvalues of a symmetric matrix on the vectors whose entries add up to 0, and their
/// vectors, as a solver has found them.
struct ZeroSumSpectrum {
  Eigen::VectorXd values;  ///< ascending; one less than the matrix has rows
  Eigen::MatrixXd waves;   ///< a column for each
};
ZeroSumSpectrum zero_sum_spectrum(const Eigen::MatrixXd& matrix);

/// How far it is at most from an orthonormal basis of those vectors and from the truth. Infinite
/// where nothing can be said.
struct SpectrumError {
  /// The matrix in that basis, less the diagonal of `values` (Frobenius norm). So the eigenvalues
  /// in order differ from `values` by vectors of this length at most (Hoffman & Wielandt 1953), and
  /// each by no more.
  double values = 0;
  double waves = 0;  ///< the basis, less `waves` (Frobenius norm)
};
SpectrumError error_of(const ZeroSumSpectrum& spectrum, const Eigen::MatrixXd& matrix);

/// The n-th roots of unity, in order from 1, and how far each is at most from the true one: less
/// than `error`. Numbers of which each is the one before times the first have the first to the n-th
/// as their last, so it is a root; and its powers are all of them when none but the last is 1.
struct RootsOfUnity {
  explicit RootsOfUnity(std::uint32_t n);

  std::vector<std::complex<double>> values;
  double error = 0;  ///< infinite where nothing can be said
};

}  // namespace dcube
