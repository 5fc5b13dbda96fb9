#include "dual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace dcube {
namespace {

using Whole = Eigen::Matrix<std::int64_t, Eigen::Dynamic, Eigen::Dynamic>;
using Fixed = DifferenceClasses::Fixed;

constexpr int matrix_bits = 2 * Dual::fraction_bits;
constexpr int value_bits = matrix_bits + DifferenceClasses::fraction_bits;

/// Costs of a pair by class, or of a process by orbit, in units of 2^-92.
class CostTable {
 public:
  CostTable(std::size_t rows, std::size_t columns) : columns_{columns}, costs_(rows * columns) {}

  std::span<Int128> row(std::size_t row) {
    return std::span{costs_}.subspan(row * columns_, columns_);
  }
  void subtract(std::size_t at, std::int64_t factor, std::span<const Fixed> means) {
    const std::span<Int128> costs = row(at);
    for (std::size_t i = 0; i < columns_; ++i) {
      costs[i] -= Int128{factor} * means[i];
    }
  }
  Int128 least(std::size_t at, std::size_t first = 0) {
    const std::span<Int128> costs = row(at).subspan(first);
    return *std::min_element(costs.begin(), costs.end());
  }
  Int128 least_of(std::size_t at, std::uint64_t allowed) {
    Int128 least = Int128{std::numeric_limits<std::int64_t>::max()} << 62U;
    const std::span<Int128> costs = row(at);
    for (std::size_t i = 0; i < columns_; ++i) {
      if ((allowed >> i & 1U) != 0) {
        least = std::min(least, costs[i]);
      }
    }
    return least;
  }

 private:
  std::size_t columns_;
  std::vector<Int128> costs_;
};

class DualValue {
 public:
  DualValue(const DifferenceClasses& classes, const Talkers& talkers)
      : classes_{classes},
        talkers_{talkers},
        centre_{classes.has_centre() ? 1U : 0U},
        first_class_{talkers.slots == 1 ? 1U : 0U},
        pairs_(talkers.count() * (talkers.count() - 1) / 2, classes.class_count()),
        idle_pairs_(talkers.count() + 1, classes.class_count()),
        centre_pairs_(talkers.count() + 1, classes.orbit_count()) {}

  std::size_t rows() const { return centre_ + talkers_.count() + (talkers_.idle > 0 ? 1 : 0); }

  /// Whether M fits into 62 bits, of which L L' has 59 at most. The centre's part of w v' is
  /// checked where it is made.
  bool fits(const Dual::Mode& mode) const {
    constexpr std::int64_t most_factor = std::int64_t{1} << 25U;
    constexpr std::int64_t most_level = std::int64_t{1} << 58U;
    return static_cast<std::size_t>(mode.factor.rows()) == rows() && mode.factor.cols() <= 512 &&
           static_cast<std::size_t>(mode.level.rows()) == rows() &&
           (mode.factor.array().abs() <= most_factor).all() &&
           (mode.level.array().abs() <= most_level).all() && mode.idle >= 0 &&
           mode.idle <= most_level;
  }

  bool add(const Dual& dual) {
    for (std::size_t i = 0; i < dual.modes.size(); ++i) {
      if (!add(i + 1, dual.modes[i])) {
        return false;
      }
    }
    return std::ranges::all_of(dual.cuts, [this](const Dual::Cut& cut) { return add(cut); });
  }

  bool add(std::size_t mode, const Dual::Mode& part) {
    if (!fits(part)) {
      return false;
    }
    Whole matrix = part.factor * part.factor.transpose();
    for (Eigen::Index a = centre_; a < matrix.rows(); ++a) {
      for (Eigen::Index b = centre_; b < matrix.cols(); ++b) {
        matrix(a, b) += part.level[a] + part.level[b];
      }
    }
    if (centre_ == 1 && !add_centre(mode, part, matrix)) {
      return false;
    }
    const std::span<const Fixed> means =
        std::span{classes_.means}.subspan(mode * classes_.class_count(), classes_.class_count());
    const std::size_t count = talkers_.count();
    const auto idle = static_cast<double>(talkers_.idle);
    std::size_t pair = 0;
    for (std::size_t a = 0; a < count; ++a) {
      constant_ -= Int128{at(matrix, a, a)} << DifferenceClasses::fraction_bits;
      doubt(at(matrix, a, a), 1, 0);
      for (std::size_t b = a + 1; b < count; ++b) {
        const std::int64_t factor = 2 * at(matrix, a, b);
        pairs_.subtract(pair++, factor, means);
        doubt(factor, 1, classes_.error);
      }
    }
    if (talkers_.idle == 0) {
      return true;
    }
    const Int128 others = Int128{talkers_.idle - 1};
    constant_ -= (talkers_.idle * (Int128{at(matrix, count, count)} + others * part.idle))
                 << DifferenceClasses::fraction_bits;
    for (std::size_t a = 0; a < count; ++a) {
      const std::int64_t factor = 2 * at(matrix, a, count);
      idle_pairs_.subtract(a, factor, means);
      doubt(factor, idle, classes_.error);
    }
    const std::int64_t factor = 2 * (at(matrix, count, count) - part.idle);
    idle_pairs_.subtract(count, factor, means);
    doubt(factor, idle * idle / 2, classes_.error);
    return true;
  }

  bool add(const Dual::Cut& cut) {
    constexpr std::int64_t most_multiplier = std::int64_t{1} << 56U;
    const CutDistance& distance = classes_.distances[cut.cut.distance];
    const std::int64_t most = cut.cut.most(distance);
    if (cut.multiplier < 0 || cut.multiplier > most_multiplier ||
        (cut.cut.points > 3 && distance.total == 0) || (most > 0 && distance.total == 0) ||
        !has_points_of(cut.cut, distance)) {
      return false;
    }
    magnitude_ +=
        std::ldexp(static_cast<double>(cut.multiplier), DifferenceClasses::fraction_bits) *
        static_cast<double>(most);
    const Int128 multiplier = Int128{cut.multiplier} << DifferenceClasses::fraction_bits;
    constant_ -= multiplier * most;
    for (std::size_t i = 0; i < cut.cut.points; ++i) {
      for (std::size_t j = i + 1; j < cut.cut.points; ++j) {
        const Int128 factor = multiplier * (cut.cut.signs[i] * cut.cut.signs[j]);
        add_distance(cut.cut.talkers[i], cut.cut.talkers[j], factor, distance);
      }
    }
    return true;
  }

  ProvedBound bound(std::span<const std::uint64_t> allowed) {
    Int128 value = constant_ - doubts();
    std::size_t pair = 0;
    const int shift = value_bits - talkers_.scale_bits;
    for (std::size_t a = 0; a < talkers_.count(); ++a) {
      for (std::size_t b = a + 1; b < talkers_.count(); ++b, ++pair) {
        const std::span<Int128> costs = pairs_.row(pair);
        for (std::size_t of = 0; of < costs.size(); ++of) {
          costs[of] += Int128{talkers_.weight(a, b)} * classes_.hops[of] << shift;
        }
        value += allowed.empty() ? pairs_.least(pair, first_class_)
                                 : pairs_.least_of(pair, allowed[pair]);
      }
    }
    const Int128 idle = Int128{talkers_.idle};
    if (idle > 0) {
      for (std::size_t a = 0; a < talkers_.count(); ++a) {
        value += idle * idle_pairs_.least(a, first_class_);
      }
      if (idle > 1) {
        value += idle * (idle - 1) / 2 * idle_pairs_.least(talkers_.count(), first_class_);
      }
    }
    if (centre_ == 1) {
      for (std::size_t a = 0; a < talkers_.count(); ++a) {
        value += centre_pairs_.least(a);
      }
      value += idle * centre_pairs_.least(talkers_.count());
    }
    // Above all sums of the magnitudes of what was added.
    const double most = magnitude_ * 4 + std::ldexp(1.0, value_bits + 20);
    return most < 0x1p125 ? ProvedBound{true, value, rounded_up(value, shift)} : ProvedBound{};
  }

  /// Takes away classes that make the bound `reached`. Follows bound().
  void narrow(const ProvedBound& bound, std::span<std::uint64_t> allowed, std::uint64_t reached) {
    const int shift = value_bits - talkers_.scale_bits;
    for (std::size_t pair = 0; pair < allowed.size(); ++pair) {
      const Int128 others = bound.value - pairs_.least_of(pair, allowed[pair]);
      const std::span<const Int128> costs = pairs_.row(pair);
      for (std::size_t of = 0; of < costs.size(); ++of) {
        const std::uint64_t bit = std::uint64_t{1} << of;
        if ((allowed[pair] & bit) != 0 && rounded_up(others + costs[of], shift) >= reached) {
          allowed[pair] &= ~bit;
        }
      }
    }
  }

 private:
  std::int64_t at(const Whole& matrix, std::size_t a, std::size_t b) const {
    return matrix(static_cast<Eigen::Index>(centre_ + a), static_cast<Eigen::Index>(centre_ + b));
  }

  /// Takes note that a factor multiplies means that may be wrong.
  void doubt(std::int64_t factor, double times, Fixed error) {
    const double size = std::abs(static_cast<double>(factor)) * times;
    doubt_ += size * static_cast<double>(error);
    magnitude_ += std::ldexp(size, DifferenceClasses::fraction_bits);
  }
  Int128 doubts() const {
    constexpr double above = 1 + 1e-6;  // the rounding of a sum of what is not negative
    return static_cast<Int128>(doubt_ * above) + 1;
  }

  /// M of the centre's row is a(0) a(i) + v(0) - F v(i), rounded to a unit.
  bool add_centre(std::size_t mode, const Dual::Mode& part, Whole& matrix) {
    if (!classes_.mode_has_centre[mode]) {
      return true;  // Y has no such row
    }
    const Fixed sum = classes_.centre_sums[mode] * talkers_.slots;
    const double sum_error = static_cast<double>(classes_.sum_error) * talkers_.slots;
    const auto with_sum = [&](std::int64_t level) {
      return Int128{sum} * level >> DifferenceClasses::fraction_bits;
    };
    const std::span<const Fixed> means = std::span{classes_.centre_means}.subspan(
        mode * classes_.orbit_count(), classes_.orbit_count());
    const Int128 own = Int128{matrix(0, 0)} - 2 * with_sum(part.level[0]);
    constant_ -= own << DifferenceClasses::fraction_bits;
    const auto doubt_of_sum = [&](std::int64_t level, double times) {
      doubt_ += 2 * times *
                (std::abs(static_cast<double>(level)) * sum_error +
                 2 * std::ldexp(1.0, DifferenceClasses::fraction_bits));
    };
    doubt_of_sum(part.level[0], 1);
    for (Eigen::Index i = 1; i < matrix.rows(); ++i) {
      const Int128 entry = Int128{matrix(0, i)} + part.level[0] - with_sum(part.level[i]);
      constexpr Int128 most = Int128{1} << 61U;
      if (entry > most || entry < -most) {
        return false;
      }
      const std::int64_t factor = 2 * static_cast<std::int64_t>(entry);
      const auto row = static_cast<std::size_t>(i) - 1;
      centre_pairs_.subtract(row, factor, means);
      const double times = row == talkers_.count() ? static_cast<double>(talkers_.idle) : 1;
      doubt(factor, times, classes_.error);
      doubt_of_sum(part.level[i], times);
    }
    return true;
  }

  /// Whether the points are different, ascending, and known to the distance.
  bool has_points_of(const ProcessCut& cut, const CutDistance& distance) const {
    const std::size_t points = talkers_.count() + (distance.from_centre.empty() ? 0 : 1);
    for (std::size_t i = 0; i < cut.points; ++i) {
      if (cut.talkers[i] >= points || (i > 0 && cut.talkers[i - 1] >= cut.talkers[i])) {
        return false;
      }
    }
    return cut.points % 2 == 1 && cut.points <= ProcessCut::most_points;
  }

  void add_distance(std::size_t a, std::size_t b, Int128 factor, const CutDistance& distance) {
    const bool is_of_centre = b == talkers_.count();
    const std::vector<std::int64_t>& lengths =
        is_of_centre ? distance.from_centre : distance.of_class;
    const std::span<Int128> costs =
        is_of_centre ? centre_pairs_.row(a) : pairs_.row(talkers_.pair_of(a, b));
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      costs[i] += factor * lengths[i];
    }
    magnitude_ += std::abs(static_cast<double>(factor)) * static_cast<double>(lengths.back());
  }

  std::uint64_t rounded_up(Int128 value, int shift) const {
    if (value <= 0) {
      return 0;
    }
    const Int128 unit = Int128{talkers_.unit} << shift;
    const Int128 units = (value + unit - 1) / unit;
    return static_cast<std::uint64_t>(units) * talkers_.unit;
  }

  const DifferenceClasses& classes_;
  const Talkers& talkers_;
  std::uint32_t centre_;
  std::uint32_t first_class_;
  CostTable pairs_;
  CostTable idle_pairs_;    ///< the last row is of two idle ones
  CostTable centre_pairs_;  ///< the last row is of an idle one
  Int128 constant_ = 0;
  double doubt_ = 0;
  double magnitude_ = 0;
};

}  // namespace

std::int64_t ProcessCut::most(const CutDistance& of) const {
  const auto sum = std::accumulate(signs.begin(), signs.begin() + points, std::int64_t{0});
  return of.total * ((sum * sum - 1) / 4);
}

ProvedBound proved_bound(const DifferenceClasses& classes, const Talkers& talkers, const Dual& dual,
                         std::span<const std::uint64_t> allowed) {
  DualValue value{classes, talkers};
  return value.add(dual) ? value.bound(allowed) : ProvedBound{};
}

ProvedBound narrowed_bound(const DifferenceClasses& classes, const Talkers& talkers,
                           const Dual& dual, std::span<std::uint64_t> allowed,
                           std::uint64_t reached) {
  DualValue value{classes, talkers};
  const ProvedBound bound = value.add(dual) ? value.bound(allowed) : ProvedBound{};
  if (bound.is_known) {
    value.narrow(bound, allowed, reached);
  }
  return bound;
}

}  // namespace dcube
