#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <utility>
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

inline Eigen::MatrixXd with_diagonal(Eigen::MatrixXd matrix, const Eigen::VectorXd& more) {
  matrix.diagonal() += more;
  return matrix;
}

/// What a diagonal that is added to a matrix gives: a concave function of it.
struct DiagonalValue {
  double value = 0;
  Eigen::VectorXd slope;  ///< a supergradient
  double step = 0;        ///< by which the value might well grow
};

/// A diagonal of greater value, by steps along supergradients from one whose value is known. As
/// many as take little time, of a length that adapts, beginning with a part of what the slope
/// promises.
template <class ValueOf>
Eigen::VectorXd raised(Eigen::VectorXd diagonal, DiagonalValue here, double part, double flat,
                       ValueOf value_of) {
  constexpr std::uint64_t most_work = 4'000'000;
  const auto rows = static_cast<std::uint64_t>(diagonal.size());
  const std::uint64_t steps = std::min<std::uint64_t>(60, most_work / (rows * rows * rows));
  for (std::uint64_t i = 0; i < steps; ++i) {
    const double steepness = here.slope.squaredNorm();
    if (steepness < flat) {
      break;
    }
    // Rounded, so that computers that round differently go the same way.
    constexpr double unit = 1.0 / (1 << 20);
    const Eigen::VectorXd next =
        ((diagonal + part * here.step / steepness * here.slope) / unit).array().round() * unit;
    DiagonalValue there = value_of(next);
    if (there.value > here.value) {
      diagonal = next;
      here = std::move(there);
      part *= 1.3;
    } else {
      part /= 2;
    }
  }
  return diagonal;
}

/// The n-th roots of unity, in order from 1, and how far each is at most from the true one: less
/// than `error`. Numbers of which each is the one before times the first have the first to the n-th
/// as their last, so it is a root; and its powers are all of them when none but the last is 1.
struct RootsOfUnity {
  explicit RootsOfUnity(std::uint32_t n);

  std::vector<std::complex<double>> values;
  double error = 0;  ///< infinite where nothing can be said
};

}  // namespace dcube
