#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bounds.hpp"
#include "zero_sum_spectrum.hpp"

// Let x be 1 for the processes of one part and -1 for the others, and L the Laplacian of the
// weights. What the parts exchange is x'Lx / 4. Numbers d of the sum s may be added to the diagonal
// for s, because the squares of x are all 1 (Donath & Hoffman 1973, Boppana 1987). With m of n
// processes in the first part, x = c 1 + y with c = (2m - n) / n, where the entries of y add up to
// 0 and its squares to r = n - n c^2. So with M = V'(L + diag d)V on these vectors, whose
// eigenvalues are w, and g = V'd, four times the exchange is at least the least of
// y'My + 2c g'y - (1 - c^2) s, which for every u below all w is at least
//   u r - c^2 (sum of g^2 / (w - u)) - (1 - c^2) s.
// It is concave in d, and the squares of the best x are a supergradient.

namespace dcube {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Eigenvalues of a Laplacian with one diagonal more.
class CutSpectrum {
 public:
  CutSpectrum(const Matrix& laplacian, const Vector& diagonal)
      : changed_{with_diagonal(laplacian, diagonal)},
        waves_{zero_sum_spectrum(changed_)},
        pull_{waves_.waves.transpose() * diagonal},
        pull_norm_{diagonal.norm()},
        sum_{diagonal.sum()},
        norm_{changed_.norm()} {}

  struct Value {
    double exchanged = 0;
    Vector side;  ///< x of that bound, whose squares need not be 1
  };
  /// Bound with `part` processes in the first part, if the solver is right.
  Value of(std::uint64_t part) const { return of(part, {}); }

  /// Least bound with `least` to `most` processes in the first part, whatever the solver did.
  double proved(std::uint64_t least, std::uint64_t most) const {
    const SpectrumError error = error_of(waves_, changed_);
    double exchanged = std::numeric_limits<double>::infinity();
    for (std::uint64_t part = least; part <= most; ++part) {
      const double of_part = of(part, error).exchanged;
      exchanged = of_part < exchanged ? of_part : exchanged;
      if (!(of_part > 0)) {
        return 0;
      }
    }
    return exchanged;
  }

 private:
  Value of(std::uint64_t part, const SpectrumError& error) const {
    const Vector& values = waves_.values;
    const auto n = static_cast<double>(changed_.rows());
    const double offset = (2 * static_cast<double>(part) - n) / n;
    const double square = 4 * static_cast<double>(part) * (n - static_cast<double>(part)) / n;
    const Vector pull = offset * pull_;
    const auto length = [&](double u) {
      return (pull.array() / (values.array() - u)).square().sum();
    };
    // The best u makes y as long as it is. Any other gives a bound, too.
    const double beside = 1e-9 * norm_;
    double low = values[0] - beside - pull.norm() / std::sqrt(square);
    double high = values[0] - beside;
    if (length(high) > square) {
      for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (length(middle) > square ? high : low) = middle;
      }
    } else {
      low = high;
    }
    // True eigenvalues may be nearer to u, and the pull along their vectors greater.
    const double nearer = error.values + rounding_of(4) * (norm_ + std::abs(low));
    const double least_apart = values.minCoeff() - low - nearer;
    if (!(least_apart > 0)) {
      return {0, Vector::Zero(changed_.rows())};
    }
    const double more_pull = std::abs(offset) * (error.waves + rounding_of(2 * changed_.rows())) *
                             pull_norm_ * (1 + waves_.waves.norm());
    const double pulled =
        std::sqrt((pull.array().square() / (values.array() - low - nearer)).sum()) +
        more_pull / std::sqrt(least_apart);
    const double lifted = (1 - offset * offset) * sum_;
    const double margin = rounding_of(4 * changed_.rows()) *
                          (std::abs(low) * square + pulled * pulled + std::abs(sum_));
    Value value;
    value.exchanged = (low * square - pulled * pulled - lifted - margin) / 4;
    Vector along = -(pull.array() / (values.array() - low)).matrix();
    // The missing length is along the least eigenvalue.
    along[0] += std::copysign(std::sqrt(std::max(0.0, square - along.squaredNorm())), along[0]);
    value.side = (waves_.waves * along).array() + offset;
    return value;
  }

  Matrix changed_;
  ZeroSumSpectrum waves_;
  Vector pull_;
  double pull_norm_ = 0;
  double sum_ = 0;  ///< sum of the diagonal, exact
  double norm_ = 0;
};

}  // namespace

std::uint64_t spectral_cut(const Partners& partners, std::uint64_t least, std::uint64_t most) {
  constexpr std::uint64_t most_processes = 256;
  const std::uint64_t processes = partners.process_count();
  if (processes > most_processes || processes < 3 || partners.total_weight() == 0 || least == 0 ||
      most >= processes || least > most) {
    return 0;
  }
  const WeightMatrix weights{partners, processes};
  Matrix laplacian = -weights.entries;
  laplacian.diagonal() = weights.entries.rowwise().sum();
  const auto measure = [&](const Vector& diagonal) {
    const CutSpectrum spectrum{laplacian, diagonal};
    CutSpectrum::Value value = spectrum.of(least);
    for (std::uint64_t part = least + 1; part <= most; ++part) {
      if (auto other = spectrum.of(part); other.exchanged < value.exchanged) {
        value = std::move(other);
      }
    }
    const double crossing = 4 * value.exchanged;
    return DiagonalValue{crossing, (value.side.array().square() - 1).matrix(),
                         std::max(crossing, 1.0)};
  };
  const Vector nothing = Vector::Zero(laplacian.rows());
  const Vector diagonal = raised(nothing, measure(nothing), 0.3, 1e-9, measure);
  return std::ranges::all_of(diagonal, WeightMatrix::is_exact)
             ? weights.proved(CutSpectrum{laplacian, diagonal}.proved(least, most))
             : 0;
}

}  // namespace dcube
