#include "bisection.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

// Let x be 1 for the processes of one part and -1 for the others, and L the Laplacian of the
// weights. What the parts exchange is x'Lx / 4. Numbers d that add up to 0 may be added to the
// diagonal, because the squares of x are all 1 (Donath & Hoffman 1973, Boppana 1987). With m of n
// processes in the first part, x = c 1 + y with c = (2m - n) / n, where the entries of y add up to
// 0 and its squares to r = n - n c^2. So with M = V'(L + diag d)V on these vectors, whose
// eigenvalues are w, and g = V'd, four times the exchange is at least the least of y'My + 2c g'y,
// which for every u below all w is at least
//   u r - c^2 (sum of g^2 / (w - u)).
// It is concave in d, and the squares of the best x are a supergradient.

namespace dcube {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

class SpectralCut {
 public:
  SpectralCut(const Partners& partners, double scale)
      : laplacian_{Matrix::Zero(partners.process_count(), partners.process_count())} {
    for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
      for (const Partner& partner : partners.of(process)) {
        if (partner.process.index() != process) {
          const double weight = static_cast<double>(partner.weight) / scale;
          laplacian_(process, partner.process.index()) -= weight;
          laplacian_(process, process) += weight;
        }
      }
    }
  }

  /// For one diagonal. It adds up to 0 but for rounding.
  class Spectrum {
   public:
    Spectrum(const Matrix& laplacian, const Vector& diagonal) {
      Matrix changed = laplacian;
      changed.diagonal() += diagonal;
      // The vector of ones gets an eigenvalue above all others.
      const auto n = static_cast<double>(laplacian.rows());
      const Vector sums = changed.rowwise().sum() / n;
      const double mean = sums.sum() / n;
      norm_ = changed.norm();
      changed.colwise() -= sums;
      changed.rowwise() -= sums.transpose();
      changed.array() += mean + 10 * (norm_ + 1) / n;
      const Eigen::SelfAdjointEigenSolver<Matrix> solver{changed};
      const Eigen::Index others = laplacian.rows() - 1;
      values_ = solver.eigenvalues().head(others);
      waves_ = solver.eigenvectors().leftCols(others);
      pull_ = waves_.transpose() * diagonal;
      pull_norm_ = diagonal.norm();
    }

    struct Value {
      double exchanged = 0;
      Vector side;  ///< x of that bound, whose squares need not be 1
    };
    /// With `part` processes in the first part.
    Value of(std::uint64_t part) const {
      const auto n = static_cast<double>(waves_.rows());
      const double offset = (2 * static_cast<double>(part) - n) / n;
      const double square = n - n * offset * offset;
      const Vector pull = offset * pull_;
      const double least = values_.minCoeff();
      const auto length = [&](double u) {
        return (pull.array() / (values_.array() - u)).square().sum();
      };
      // The best u makes y as long as it is. Any other gives a bound, too.
      const double beside = 1e-9 * norm_;
      double low = least - beside - pull.norm() / std::sqrt(square);
      double high = least - beside;
      if (length(high) > square) {
        for (int i = 0; i < 60; ++i) {
          const double middle = (low + high) / 2;
          (length(middle) > square ? high : low) = middle;
        }
      } else {
        low = high;
      }
      Value value;
      const double margin =
          1e-9 * (norm_ * square + 2 * std::abs(offset) * pull_norm_ * std::sqrt(square));
      value.exchanged =
          (low * square - (pull.array().square() / (values_.array() - low)).sum() - margin) / 4;
      Vector along = -(pull.array() / (values_.array() - low)).matrix();
      // What is missing in length is along the least eigenvalue.
      along[0] += std::copysign(std::sqrt(std::max(0.0, square - along.squaredNorm())), along[0]);
      value.side = (waves_ * along).array() + offset;
      return value;
    }

   private:
    Vector values_;  ///< ascending
    Matrix waves_;
    Vector pull_;
    double pull_norm_ = 0;
    double norm_ = 0;
  };

  Spectrum with(const Vector& diagonal) const { return {laplacian_, diagonal}; }
  Eigen::Index size() const { return laplacian_.rows(); }

 private:
  Matrix laplacian_;
};

}  // namespace

std::uint64_t spectral_cut(const Partners& partners, std::uint64_t least, std::uint64_t most) {
  constexpr std::uint64_t most_processes = 256;
  constexpr std::uint64_t most_work = 4'000'000;
  const std::uint64_t processes = partners.process_count();
  if (processes > most_processes || processes < 3 || partners.total_weight() == 0 || least == 0 ||
      most >= processes || least > most) {
    return 0;
  }
  std::uint64_t greatest = 1;
  for (std::uint32_t process = 0; process < processes; ++process) {
    for (const Partner& partner : partners.of(process)) {
      greatest = std::max(greatest, partner.weight);
    }
  }
  const auto scale = static_cast<double>(greatest);
  const SpectralCut cut{partners, scale};
  double best = 0;
  const auto measure = [&](const Vector& diagonal) {
    const SpectralCut::Spectrum spectrum = cut.with(diagonal);
    SpectralCut::Spectrum::Value value = spectrum.of(least);
    for (std::uint64_t part = least + 1; part <= most; ++part) {
      if (auto other = spectrum.of(part); other.exchanged < value.exchanged) {
        value = std::move(other);
      }
    }
    best = std::max(best, value.exchanged);
    return value;
  };
  Vector diagonal = Vector::Zero(cut.size());
  SpectralCut::Spectrum::Value value = measure(diagonal);
  const std::uint64_t steps =
      std::min<std::uint64_t>(60, most_work / (processes * processes * processes));
  double step = 0.3;
  for (std::uint64_t i = 0; i < steps; ++i) {
    const Vector slope = (value.side.array().square() - 1).matrix();
    const double steepness = slope.squaredNorm();
    if (steepness < 1e-9) {
      break;
    }
    // Rounded, so that computers that round differently go the same way.
    constexpr double unit = 1.0 / (1 << 20);
    const double towards = std::max(4 * value.exchanged, 1.0);
    Vector next = ((diagonal + step * towards / steepness * slope) / unit).array().round() * unit;
    next.array() -= next.sum() / static_cast<double>(processes);
    SpectralCut::Spectrum::Value there = measure(next);
    if (there.exchanged > value.exchanged) {
      diagonal = next;
      value = std::move(there);
      step *= 1.3;
    } else {
      step /= 2;
    }
  }
  const double exchanged = std::ceil(best * scale);
  return exchanged > 0 ? static_cast<std::uint64_t>(exchanged) : 0;
}

}  // namespace dcube
