#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

#include "bounds.hpp"
#include "core/mapped.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "zero_sum_spectrum.hpp"

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

/// Distances of nodes.
Matrix distance_matrix(const SlotDistances& distances) {
  const auto n = static_cast<Eigen::Index>(distances.node_count());
  return Matrix::NullaryExpr(n, n, [&](Eigen::Index i, Eigen::Index j) -> double {
    return distances(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  });
}

/// Sum of the distances from each slot to all others.
Vector distance_sums(const SlotDistances& distances) {
  const Vector of_nodes = distance_matrix(distances).rowwise().sum() * distances.slots();
  return of_nodes.replicate(distances.slots(), 1);
}

double length_of(const std::vector<double>& values) {
  constexpr double above = 1 + 1e-9;  // rounding
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0)) * above;
}

/// The least scalar product of numbers in any order, but for rounding.
struct LeastProduct {
  double sum = 0;
  double magnitude = 0;
};
LeastProduct least_product(std::vector<double> a, std::vector<double> b) {
  std::ranges::sort(a);
  std::ranges::sort(b, std::greater{});
  LeastProduct product;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product.sum += a[i] * b[i];
    product.magnitude += std::abs(a[i] * b[i]);
  }
  return product;
}

std::vector<double> values_of(const Vector& vector) {
  return {vector.data(), vector.data() + vector.size()};
}

/// The bound as a function of what is added to the diagonal of the weights.
class Projection {
 public:
  Projection(const Matrix& weights, const DistanceSpectrum& spectrum, const Vector& distance_sums)
      : weights_{weights}, spectrum_{spectrum}, distance_sums_{distance_sums} {
    by_distance_ = numbered<Eigen::Index>(static_cast<std::size_t>(distance_sums.size()));
    std::ranges::stable_sort(by_distance_, std::greater{},
                             [&](Eigen::Index i) { return distance_sums_[i]; });
  }

  /// Counts both ways of each pair; holds if the solver is right.
  DiagonalValue operator()(const Vector& diagonal) const {
    const Eigen::Index n = weights_.rows();
    const auto size = static_cast<double>(n);
    const Matrix changed = with_diagonal(weights_, diagonal);
    const ZeroSumSpectrum waves = zero_sum_spectrum(changed);
    DiagonalValue sum{0, Vector::Constant(n, -distance_sums_.sum() / (size * size))};
    const std::vector<double> partners_of = spread_over_equals(waves.values);
    for (Eigen::Index i = 0; i < n - 1; ++i) {
      sum.value += waves.values[i] * spectrum_.values[static_cast<std::size_t>(n - 2 - i)];
      sum.slope += partners_of[static_cast<std::size_t>(i)] * waves.waves.col(i).cwiseAbs2();
    }
    const Vector sums = changed.rowwise().sum();
    std::vector<Eigen::Index> by_weight = numbered<Eigen::Index>(static_cast<std::size_t>(n));
    std::ranges::stable_sort(by_weight, {}, [&](Eigen::Index i) { return sums[i]; });
    for (std::size_t i = 0; i < by_weight.size(); ++i) {
      const double distance = distance_sums_[by_distance_[i]];
      sum.value += 2 / size * sums[by_weight[i]] * distance;
      sum.slope[by_weight[i]] += 2 / size * distance;
    }
    sum.value -= sums.sum() * distance_sums_.sum() / (size * size);
    sum.step = std::abs(sum.value);
    return sum;
  }

  /// A bound of both ways of each pair, whatever the solver did. The least scalar product changes
  /// by no more than the length of what one side changes by, times the length of the other.
  double proved(const Vector& diagonal) const {
    if (!std::ranges::all_of(values_of(diagonal), WeightMatrix::is_exact)) {
      return 0;
    }
    const Eigen::Index n = weights_.rows();
    const auto size = static_cast<double>(n);
    const Matrix changed = with_diagonal(weights_, diagonal);
    const ZeroSumSpectrum waves = zero_sum_spectrum(changed);
    const double error = error_of(waves, changed).values;
    const std::vector<double> values = values_of(waves.values);
    const LeastProduct waving = least_product(values, spectrum_.values);
    const double off = error * (length_of(spectrum_.values) + spectrum_.error) +
                       spectrum_.error * length_of(values);
    const Vector sums = changed.rowwise().sum();
    const LeastProduct level = least_product(values_of(sums), values_of(distance_sums_));
    const double mean = sums.sum() * distance_sums_.sum() / (size * size);
    const double rounding =
        rounding_of(4 * n) * (waving.magnitude + 2 * level.magnitude / size +
                              sums.cwiseAbs().sum() * distance_sums_.sum() / (size * size) + off);
    const double bound = waving.sum + 2 * level.sum / size - mean - off - rounding;
    return bound > 0 ? bound : 0;  // 0 where it is no number, too
  }

 private:
  /// The eigenvalue of the distances that belongs to each of the weights; the mean of them where
  /// those are equal but for rounding, because then their waves are arbitrary.
  std::vector<double> spread_over_equals(const Vector& eigenvalues) const {
    constexpr double tolerance = 1e-9;
    const auto count = static_cast<std::size_t>(eigenvalues.size());
    const double size = std::max(1.0, eigenvalues.cwiseAbs().maxCoeff());
    std::vector<double> shares(spectrum_.values.rbegin(), spectrum_.values.rend());
    for (std::size_t first = 0; first < count;) {
      std::size_t end = first + 1;
      while (end < count && eigenvalues[static_cast<Eigen::Index>(end)] -
                                    eigenvalues[static_cast<Eigen::Index>(end - 1)] <
                                tolerance * size) {
        ++end;
      }
      const std::span equals = std::span{shares}.subspan(first, end - first);
      std::ranges::fill(equals, std::accumulate(equals.begin(), equals.end(), 0.0) /
                                    static_cast<double>(equals.size()));
      first = end;
    }
    return shares;
  }

  const Matrix& weights_;
  const DistanceSpectrum& spectrum_;
  Vector distance_sums_;
  std::vector<Eigen::Index> by_distance_;  ///< slots, farthest from all others first
};

}  // namespace

DistanceSpectrum projected_spectrum(const SlotDistances& distances) {
  // The slots of a node are alike. So a wave over the nodes has the eigenvalue once for each slot,
  // and one that adds up to 0 in each node has 0.
  const Matrix of_nodes = distance_matrix(distances);
  const ZeroSumSpectrum waves = zero_sum_spectrum(of_nodes);
  const double slots = distances.slots();
  DistanceSpectrum spectrum{values_of(waves.values * slots),
                            error_of(waves, of_nodes).values * slots};
  spectrum.values.resize(distances.slot_count() - 1, 0.0);
  std::ranges::sort(spectrum.values);
  spectrum.error += rounding_of(2) * length_of(spectrum.values);
  return spectrum;
}

DistanceSpectrum spectrum_of_cycles(const SearchProblem& problem) {
  const Topology& topology = problem.topology;
  if (!wraps_around(topology) || problem.has_unusable_nodes()) {
    return {};
  }
  const double slots = problem.slots;
  const double nodes = topology.node_count();
  DistanceSpectrum spectrum;
  for (const std::uint32_t side : topology.shape()) {
    const RootsOfUnity roots{side};
    for (std::uint32_t wave = 1; wave < side; ++wave) {
      double sum = 0;
      double magnitude = 0;
      for (std::uint32_t at = 1; at < side; ++at) {
        const std::uint32_t distance = std::min(at, side - at);
        sum += distance * roots.values[std::uint64_t{wave} * at % side].real();
        magnitude += distance;
      }
      const double factor = slots * nodes / side;
      spectrum.values.push_back(sum * factor);
      spectrum.error += magnitude * factor * (roots.error + rounding_of(side));
    }
  }
  spectrum.values.resize(topology.node_count() * std::size_t{problem.slots} - 1, 0.0);
  std::ranges::sort(spectrum.values);
  return spectrum;
}

CostBound projection_bound(const SearchProblem& problem, const SlotDistances& distances,
                           const Partners& partners) {
  constexpr std::size_t most_slots = 300;
  const std::size_t slots = distances.slot_count();
  if (slots > most_slots || slots < 3 || distances.node_count() < 2 ||
      partners.total_weight() == 0) {
    return {};
  }
  const WeightMatrix weights{partners, slots};
  DistanceSpectrum spectrum =
      distances.are_weighted() ? DistanceSpectrum{} : spectrum_of_cycles(problem);
  if (spectrum.values.empty()) {
    spectrum = projected_spectrum(distances);
  }
  const Projection bound_with{weights.entries, spectrum, distance_sums(distances)};
  // Plain weights are good where most processes exchange something, their Laplacian where few do.
  // The better one is the start of supergradient steps.
  Vector diagonal = Vector::Zero(weights.entries.rows());
  DiagonalValue value = bound_with(diagonal);
  const Vector laplacian = -weights.entries.rowwise().sum();
  if (DiagonalValue other = bound_with(laplacian); other.value > value.value) {
    diagonal = laplacian;
    value = std::move(other);
  }
  diagonal = raised(diagonal, std::move(value), 0.05, 1e-12, bound_with);
  return {weights.proved(bound_with.proved(diagonal) / 2), projection};
}

}  // namespace dcube
