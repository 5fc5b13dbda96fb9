#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "dcube/core/int128.hpp"
#include "matrices.hpp"
#include "search/pairs.hpp"

namespace dcube {

/// The least weight of pairs of processes in different parts, where one part has `part` processes:
/// the relaxation of the greatest cut with a fixed size (Rendl, Rinaldi & Wiegele 2010; Hager, Phan
/// & Zhang 2013).
///
/// y is -1 for the processes of the part, 1 for the others and for an anchor. Y = y y' is positive
/// semidefinite, Y w = 0 with w = 1 for a process and 2 part - count for the anchor, and three
/// points satisfy b c Y(1, 2) + b d Y(1, 3) + c d Y(2, 3) >= -1 for all signs.
///
/// What a dual proves. Let M = L L' + w v' + v w' and t >= 0 for each triangle. For every y
///   sum of weights (1 - Y) / 2 >= that - <M, Y> - sum t (1 + b c Y + b d Y + c d Y),
/// because <L L', Y> and the brackets are not negative and Y w = 0. The right-hand side is a
/// constant and a sum over pairs of a number times Y, which is at least minus the number's
/// magnitude.
class LeastSection {
 public:
  /// 0 < part < count of processes, which is 3 to 512.
  LeastSection(const Partners& partners, std::uint32_t part)
      : points_{static_cast<Eigen::Index>(partners.process_count()) + 1},
        weights_{Whole::Zero(points_, points_)},
        anchor_weight_{2 * std::int64_t{part} - std::int64_t{partners.process_count()}},
        null_vector_{Vector::Ones(points_)},
        values_{Matrix::Identity(points_, points_)},
        projected_{values_},
        multipliers_{Matrix::Zero(points_, points_)},
        penalty_{usual_penalty} {
    std::uint64_t most = 0;
    dcube::for_each_pair(partners, [&](std::uint32_t, std::uint32_t, std::uint64_t weight) {
      most = std::max(most, weight);
    });
    unit_ = common_divisor(partners);
    weight_bits_ = static_cast<int>(std::bit_width(most));
    const int shift = level_bits - weight_bits_;
    dcube::for_each_pair(partners, [&](Eigen::Index a, Eigen::Index b, std::uint64_t weight) {
      // Bits that are dropped make no section greater.
      weights_(a, b) = weights_(b, a) =
          static_cast<std::int64_t>(shift >= 0 ? weight << shift : weight >> -shift);
    });
    costs_ = -0.5 * std::ldexp(1.0, -level_bits) * weights_.cast<double>();
    null_vector_[points_ - 1] = static_cast<double>(anchor_weight_);
    null_vector_ /= null_vector_.norm();
  }

  /// Multiplications of a step, roughly.
  static double work_of_a_step(std::uint32_t processes) {
    constexpr double of_a_decomposition = 14;
    const double rows = processes + 1.0;
    return of_a_decomposition * rows * rows * rows;
  }

  static constexpr std::uint32_t first_steps = 120;
  static constexpr std::uint32_t steps_of_a_round = 20;

  /// Steps of the relaxation without triangles, or with those that are most violated. False where
  /// should_stop() ended it.
  bool begin(const std::function<bool()>& should_stop) { return improve(first_steps, should_stop); }

  bool add_round(const std::function<bool()>& should_stop) {
    find_triangles();
    return improve(steps_of_a_round, should_stop);
  }

  /// What the multipliers prove, in whole numbers: the greatest so far. A multiple of what divides
  /// all weights.
  std::uint64_t proved() const { return proved_; }

 private:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;
  using Whole = Eigen::Matrix<std::int64_t, Eigen::Dynamic, Eigen::Dynamic>;

  static constexpr int factor_bits = 22;
  static constexpr int level_bits = 2 * factor_bits;

  // Found by trial: how far pairs and multipliers step with triangles.
  static constexpr double pair_weight = 1;
  static constexpr double triangle_step = 0.5;
  static constexpr double usual_penalty = 0.02;
  static constexpr double visible_violation = 0.02;

  struct Triangle {
    std::array<std::uint16_t, 3> points{};  ///< ascending
    std::array<std::int8_t, 3> signs{};     ///< of the pairs 0 1, 0 2, 1 2
    double multiplier = 0;
  };

  template <class Visit>
  static void for_each_pair(const Triangle& triangle, Visit visit) {
    visit(triangle.points[0], triangle.points[1], triangle.signs[0]);
    visit(triangle.points[0], triangle.points[2], triangle.signs[1]);
    visit(triangle.points[1], triangle.points[2], triangle.signs[2]);
  }

  double violation(const Triangle& triangle) const {
    double value = -1;
    for_each_pair(triangle, [&](auto a, auto b, auto sign) { value -= sign * values_(a, b); });
    return value;
  }

  double next_multiplier(const Triangle& triangle) const {
    return std::max(0.0, triangle.multiplier + 2 * penalty_ * triangle_step * violation(triangle));
  }

  bool improve(std::uint32_t steps, const std::function<bool()>& should_stop) {
    bool goes_on = true;
    for (std::uint32_t i = 0; i < steps && goes_on; ++i) {
      goes_on = !should_stop || !should_stop();
      if (goes_on) {
        step();
      }
    }
    prove();
    return goes_on;
  }

  void step() {
    Matrix gradient = costs_;
    Matrix moved = Matrix::Zero(points_, points_);
    for (const Triangle& triangle : triangles_) {
      const double next = next_multiplier(triangle);
      for_each_pair(triangle, [&](auto a, auto b, auto sign) {
        gradient(a, b) -= sign * next;
        moved(a, b) += pair_weight;
      });
    }
    const double over = 1 / (2 * penalty_);
    for (Eigen::Index b = 1; b < points_; ++b) {
      for (Eigen::Index a = 0; a < b; ++a) {
        const double target = projected_(a, b) - multipliers_(a, b) - over * gradient(a, b);
        const double weighed = (target + moved(a, b) * values_(a, b)) / (1 + moved(a, b));
        values_(a, b) = values_(b, a) = std::clamp(weighed, -1.0, 1.0);
      }
    }
    for (Triangle& triangle : triangles_) {
      triangle.multiplier = next_multiplier(triangle);
    }
    const double relaxation = triangles_.empty() ? 1.7 : 1.6;
    const Matrix sum = relaxation * values_ + (1 - relaxation) * projected_ + multipliers_;
    Matrix rest = sum;
    take_out(rest, null_vector_);
    Matrix next = positive_part(rest);
    const double primal = (values_ - next).norm();
    const double dual = (next - projected_).norm();
    multipliers_ = sum - next;
    projected_ = std::move(next);
    // Only before there are triangles.
    if (++steps_done_ % 10 == 0 && triangles_.empty() && dual > 0) {
      const double wanted = std::clamp(std::sqrt(primal / dual), 0.7, 1.4);
      const double after = std::clamp(penalty_ * wanted, usual_penalty / 4, 4 * usual_penalty);
      multipliers_ *= penalty_ / after;
      penalty_ = after;
    }
  }

  void find_triangles() {
    constexpr double slack = -0.05;
    std::erase_if(triangles_, [&](const Triangle& triangle) {
      return triangle.multiplier <= 1e-9 && violation(triangle) < slack;
    });
    const auto order = [](const Triangle& triangle) {
      return std::tie(triangle.points, triangle.signs);
    };
    std::vector<Triangle> known = triangles_;
    std::ranges::sort(known, {}, order);
    struct Found {
      double by = 0;
      Triangle triangle;
    };
    std::vector<Found> found;
    constexpr std::array<std::array<std::int8_t, 3>, 4> all_signs{
        {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}};
    const auto count = static_cast<std::uint16_t>(points_);
    for (std::uint16_t a = 0; a < count; ++a) {
      for (auto b = static_cast<std::uint16_t>(a + 1); b < count; ++b) {
        for (auto c = static_cast<std::uint16_t>(b + 1); c < count; ++c) {
          for (const std::array<std::int8_t, 3>& signs : all_signs) {
            const Triangle triangle{{a, b, c}, signs};
            const double by = violation(triangle);
            if (by > visible_violation) {
              found.push_back({by, triangle});
            }
          }
        }
      }
    }
    std::erase_if(found, [&](const Found& one) {
      return std::ranges::binary_search(known, order(one.triangle), {}, order);
    });
    const std::size_t most = static_cast<std::size_t>(points_) * (known.empty() ? 8 : 5);
    const std::size_t added = std::min(most, found.size());
    std::ranges::partial_sort(found, found.begin() + static_cast<std::ptrdiff_t>(added),
                              [&](const Found& one, const Found& other) {
                                return one.by != other.by
                                           ? one.by > other.by
                                           : order(one.triangle) < order(other.triangle);
                              });
    for (std::size_t i = 0; i < added; ++i) {
      triangles_.push_back(found[i].triangle);
    }
  }

  void prove() {
    const Int128 doubled = doubled_value();
    if (doubled <= 0) {
      return;
    }
    // Weights are what is counted over 2^(level_bits - weight_bits_).
    const int shift = level_bits - weight_bits_ + 1;
    const Int128 unit =
        shift >= 0 ? Int128{unit_} << shift : (Int128{unit_} + (Int128{1} << -shift) - 1) >> -shift;
    const Int128 units = shift >= 0 ? (doubled + unit - 1) / unit : doubled / unit;
    proved_ = std::max(proved_, static_cast<std::uint64_t>(units) * unit_);
  }

  /// Twice the value of the dual, in units of 2^-44 of the weights' scale.
  Int128 doubled_value() const {
    using WholeVector = Eigen::Matrix<std::int64_t, Eigen::Dynamic, 1>;
    Matrix rest = -penalty_ * multipliers_;
    Vector level = take_out(rest, null_vector_);
    level *= null_vector_[0];  // w has ones at the processes here
    const Whole factor =
        positive_factor(rest).unaryExpr([](double x) { return whole(x, factor_bits); });
    const WholeVector levels = level.unaryExpr([](double x) { return whole(x, level_bits); });
    // So products have less than 61 bits.
    constexpr std::int64_t most_factor = std::int64_t{1} << 25U;
    constexpr std::int64_t most_level = std::int64_t{1} << 48U;
    if ((factor.array().abs() > most_factor).any() || (levels.array().abs() > most_level).any()) {
      return 0;
    }
    const Whole products = factor * factor.transpose();
    const auto matrix = [&](Eigen::Index a, Eigen::Index b) {
      const std::int64_t of_a = a + 1 == points_ ? anchor_weight_ : 1;
      const std::int64_t of_b = b + 1 == points_ ? anchor_weight_ : 1;
      return Int128{products(a, b)} + Int128{of_a} * levels[b] + Int128{of_b} * levels[a];
    };
    Int128 value = 0;
    std::vector<Int128> pairs(static_cast<std::size_t>(points_ * points_));  // what multiplies Y
    const auto pair = [&](Eigen::Index a, Eigen::Index b) -> Int128& {
      return pairs[static_cast<std::size_t>(a * points_ + b)];
    };
    for (Eigen::Index a = 0; a < points_; ++a) {
      value -= 2 * matrix(a, a);
      for (Eigen::Index b = a + 1; b < points_; ++b) {
        value += weights_(a, b);
        pair(a, b) = -Int128{weights_(a, b)} - 4 * matrix(a, b);
      }
    }
    for (const Triangle& triangle : triangles_) {
      const Int128 multiplier = std::max<std::int64_t>(0, whole(triangle.multiplier, level_bits));
      value -= 2 * multiplier;
      for_each_pair(triangle,
                    [&](auto a, auto b, auto sign) { pair(a, b) -= 2 * multiplier * sign; });
    }
    for (const Int128 of_pair : pairs) {
      value -= of_pair < 0 ? -of_pair : of_pair;
    }
    return value;
  }

  Eigen::Index points_ = 0;  ///< the last one is the anchor
  std::uint64_t unit_ = 1;
  int weight_bits_ = 0;             ///< weights count over 2^weight_bits_
  Whole weights_;                   ///< times 2^(44 - bits)
  std::int64_t anchor_weight_ = 0;  ///< entry of w
  Vector null_vector_;              ///< w / |w|
  Matrix costs_;
  Matrix values_;
  Matrix projected_;
  Matrix multipliers_;
  double penalty_ = 0;
  std::uint32_t steps_done_ = 0;
  std::vector<Triangle> triangles_;
  std::uint64_t proved_ = 0;
};

}  // namespace dcube
