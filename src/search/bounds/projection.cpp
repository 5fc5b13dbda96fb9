#include "projection.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "bounds.hpp"
#include "topology/grid_kind.hpp"

// A map is a permutation matrix X: processes (padded by ones without flows) to slots. The cost is
// half the trace of A X D X', with the weights A and the distances D. Every permutation matrix has
// row sums 1, so X = J / n + V Y V', where J has entries 1, the columns of V are an orthonormal
// basis of the vectors whose entries add up to 0, and Y is orthogonal. The trace falls apart into
//   the trace of (V'AV) Y (V'DV) Y', at least the least scalar product of the eigenvalues,
//   2/n times the sum of (row sum of A)(row sum of D), at least their least scalar product, and
//   a constant (Hadley, Rendl & Wolkowicz 1992).
// D has a zero diagonal, so numbers may be added to the diagonal of A without a change of the cost.
// The bound is a concave function of them, and every one of its values is a bound (Rendl &
// Wolkowicz 1992).

namespace dcube {
namespace {

constexpr const char* projection =
    "projection: the eigenvalues of weights and distances in the opposite order (Hadley, Rendl & "
    "Wolkowicz 1992)";

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// V'MV: reflects the vector of ones to the first axis (Householder 1958), and drops that.
Matrix projected(const Matrix& matrix) {
  const Eigen::Index n = matrix.rows();
  Vector normal = Vector::Constant(n, 1 / std::sqrt(static_cast<double>(n)));
  normal[0] += 1;
  normal.normalize();
  const Vector image = matrix * normal;
  const Matrix reflected = matrix - 2 * image * normal.transpose() -
                           2 * normal * image.transpose() +
                           4 * normal.dot(image) * normal * normal.transpose();
  return reflected.bottomRightCorner(n - 1, n - 1);
}

/// V u.
Vector lifted(const Vector& vector) {
  const Eigen::Index n = vector.size() + 1;
  Vector normal = Vector::Constant(n, 1 / std::sqrt(static_cast<double>(n)));
  normal[0] += 1;
  normal.normalize();
  Vector whole(n);
  whole << 0, vector;
  return whole - 2 * normal.dot(whole) * normal;
}

Matrix distance_matrix(const SlotDistances& distances) {
  const auto n = static_cast<Eigen::Index>(distances.slot_count());
  const auto slots = static_cast<Eigen::Index>(distances.slots());
  Matrix matrix(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) {
      matrix(i, j) =
          distances(static_cast<std::size_t>(i / slots), static_cast<std::size_t>(j / slots));
    }
  }
  return matrix;
}

/// As parts of the greatest.
Matrix weight_matrix(const Partners& partners, std::size_t slots, double scale) {
  const auto n = static_cast<Eigen::Index>(slots);
  Matrix matrix = Matrix::Zero(n, n);
  for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
    for (const Partner& partner : partners.of(process)) {
      if (partner.process.index() != process) {
        matrix(process, partner.process.index()) = static_cast<double>(partner.weight) / scale;
      }
    }
  }
  return matrix;
}

std::vector<double> values_of(const Vector& vector) {
  return {vector.data(), vector.data() + vector.size()};
}

/// The bound as a function of what is added to the diagonal of the weights.
class Projection {
 public:
  Projection(const Matrix& weights, const std::vector<double>& spectrum,
             const Vector& distance_sums)
      : weights_{weights}, spectrum_{spectrum}, distance_sums_{distance_sums} {
    by_distance_.resize(static_cast<std::size_t>(distance_sums.size()));
    std::iota(by_distance_.begin(), by_distance_.end(), Eigen::Index{0});
    std::ranges::stable_sort(by_distance_, std::greater{},
                             [&](Eigen::Index i) { return distance_sums_[i]; });
  }

  struct Value {
    double bound = 0;  ///< of both ways of each pair
    Vector slope;      ///< a supergradient
  };

  Value operator()(const Vector& diagonal) const {
    const Eigen::Index n = weights_.rows();
    const auto size = static_cast<double>(n);
    Matrix changed = weights_;
    changed.diagonal() += diagonal;
    const Eigen::SelfAdjointEigenSolver<Matrix> solver{projected(changed)};
    const Vector& eigenvalues = solver.eigenvalues();
    Value value{0, Vector::Constant(n, -distance_sums_.sum() / (size * size))};
    const std::vector<double> partners_of = spread_over_equals(eigenvalues);
    for (Eigen::Index i = 0; i < n - 1; ++i) {
      value.bound += eigenvalues[i] * spectrum_[static_cast<std::size_t>(n - 2 - i)];
      const Vector wave = lifted(solver.eigenvectors().col(i));
      value.slope += partners_of[static_cast<std::size_t>(i)] * wave.cwiseAbs2();
    }
    const Vector sums = changed.rowwise().sum();
    std::vector<Eigen::Index> by_weight(static_cast<std::size_t>(n));
    std::iota(by_weight.begin(), by_weight.end(), Eigen::Index{0});
    std::ranges::stable_sort(by_weight, {}, [&](Eigen::Index i) { return sums[i]; });
    for (std::size_t i = 0; i < by_weight.size(); ++i) {
      const double distance = distance_sums_[by_distance_[i]];
      value.bound += 2 / size * sums[by_weight[i]] * distance;
      value.slope[by_weight[i]] += 2 / size * distance;
    }
    value.bound -= sums.sum() * distance_sums_.sum() / (size * size);
    return value;
  }

 private:
  /// The eigenvalue of the distances that belongs to each of the weights; the mean of them where
  /// those are equal but for rounding, because then their waves are arbitrary.
  std::vector<double> spread_over_equals(const Vector& eigenvalues) const {
    constexpr double tolerance = 1e-9;
    const auto count = static_cast<std::size_t>(eigenvalues.size());
    const double size = std::max(1.0, eigenvalues.cwiseAbs().maxCoeff());
    std::vector<double> shares(spectrum_.rbegin(), spectrum_.rend());
    for (std::size_t first = 0; first < count;) {
      std::size_t end = first + 1;
      while (end < count && eigenvalues[static_cast<Eigen::Index>(end)] -
                                    eigenvalues[static_cast<Eigen::Index>(end - 1)] <
                                tolerance * size) {
        ++end;
      }
      const double mean = std::accumulate(shares.begin() + static_cast<std::ptrdiff_t>(first),
                                          shares.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
                          static_cast<double>(end - first);
      std::fill(shares.begin() + static_cast<std::ptrdiff_t>(first),
                shares.begin() + static_cast<std::ptrdiff_t>(end), mean);
      first = end;
    }
    return shares;
  }

  const Matrix& weights_;
  const std::vector<double>& spectrum_;  ///< of the distances, ascending
  Vector distance_sums_;
  std::vector<Eigen::Index> by_distance_;  ///< slots, farthest from all others first
};

}  // namespace

std::vector<double> projected_spectrum(const SlotDistances& distances) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver{projected(distance_matrix(distances)),
                                                     Eigen::EigenvaluesOnly};
  return values_of(solver.eigenvalues());
}

std::vector<double> spectrum_of_cycles(const SearchProblem& problem) {
  const Topology& topology = problem.topology;
  if (!wraps_around(topology) || problem.has_unusable_nodes()) {
    return {};
  }
  const double slots = problem.slots;
  const double nodes = topology.node_count();
  std::vector<double> spectrum;
  for (const std::uint32_t side : topology.shape()) {
    for (std::uint32_t wave = 1; wave < side; ++wave) {
      double sum = 0;
      for (std::uint32_t at = 1; at < side; ++at) {
        sum += std::min(at, side - at) *
               std::cos(2 * std::numbers::pi * (static_cast<double>(wave) * at / side));
      }
      spectrum.push_back(sum * slots * nodes / side);
    }
  }
  spectrum.resize(topology.node_count() * std::size_t{problem.slots} - 1, 0.0);
  std::ranges::sort(spectrum);
  return spectrum;
}

CostBound projection_bound(const SearchProblem& problem, const SlotDistances& distances,
                           const Partners& partners) {
  constexpr std::size_t most_slots = 300;
  const std::size_t slots = distances.slot_count();
  if (slots > most_slots || slots < 3 || partners.total_weight() == 0) {
    return {};
  }
  std::uint64_t most = 0;
  for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
    for (const Partner& partner : partners.of(process)) {
      most = std::max(most, partner.weight);
    }
  }
  const auto scale = static_cast<double>(most);
  const Matrix weights = weight_matrix(partners, slots, scale);
  const Matrix all_distances = distance_matrix(distances);
  std::vector<double> spectrum = spectrum_of_cycles(problem);
  if (spectrum.empty()) {
    spectrum = projected_spectrum(distances);
  }
  const Projection bound_with{weights, spectrum, all_distances.rowwise().sum()};
  // A margin for rounding: the solver finds the eigenvalues of a matrix that differs from the given
  // one by less than 1e-10 of its norm (n^2 times the unit roundoff is below 1e-11), and by Hoffman
  // & Wielandt (1953) they then differ as little.
  constexpr double margin = 1e-9;
  const double distance_norm = all_distances.norm();
  double best = 0;
  const auto measure = [&](const Vector& diagonal) {
    Projection::Value value = bound_with(diagonal);
    Matrix changed = weights;
    changed.diagonal() += diagonal;
    best = std::max(best, value.bound - margin * changed.norm() * distance_norm);
    return value;
  };
  // Plain weights are good where most processes exchange something, their Laplacian where few do.
  // From the better one supergradients lead on.
  Vector diagonal = Vector::Zero(weights.rows());
  Projection::Value value = measure(diagonal);
  const Vector laplacian = -weights.rowwise().sum();
  if (Projection::Value other = measure(laplacian); other.bound > value.bound) {
    diagonal = laplacian;
    value = std::move(other);
  }
  constexpr std::size_t most_work = 4'000'000;
  const std::size_t steps = std::min<std::size_t>(60, most_work / (slots * slots * slots));
  double step = 0.05;
  for (std::size_t i = 0; i < steps; ++i) {
    const double steepness = value.slope.squaredNorm();
    if (steepness < 1e-12) {
      break;
    }
    // Rounded, so that computers that round differently go the same way.
    constexpr double unit = 1.0 / (1 << 20);
    const Vector next = ((diagonal + step * std::abs(value.bound) / steepness * value.slope) / unit)
                            .array()
                            .round() *
                        unit;
    Projection::Value there = measure(next);
    if (there.bound > value.bound) {
      diagonal = next;
      value = std::move(there);
      step *= 1.3;
    } else {
      step /= 2;
    }
  }
  const double cost = std::ceil(best * scale / 2);
  return {cost > 0 ? static_cast<std::uint64_t>(cost) : 0, projection};
}

}  // namespace dcube
