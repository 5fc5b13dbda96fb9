#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "dcube/core/int128.hpp"
#include "dcube/search/partners.hpp"

namespace dcube {

/// The least weight of pairs of processes in different parts, where one part has `part` processes:
/// the relaxation of the greatest cut with a fixed size (Rendl, Rinaldi & Wiegele 2010; Hager, Phan
/// & Zhang 2013).
///
/// y is -1 for the processes of the part, 1 for the others and for an anchor. Y = y y' is positive
/// semidefinite, Y w = 0 with w = 1 for a process and 2 part - count for the anchor, and three
/// points satisfy b c Y(1, 2) + b d Y(1, 3) + c d Y(2, 3) >= -1 for all signs.
class LeastSection {
 public:
  /// 0 < part < count of processes, which is 3 to 512.
  LeastSection(const Partners& partners, std::uint32_t part);

  /// Multiplications of a step, roughly.
  static double work_of_a_step(std::uint32_t processes);
  static constexpr std::uint32_t first_steps = 120;
  static constexpr std::uint32_t steps_of_a_round = 20;

  /// Steps of the relaxation without triangles, or with those that are most violated. False where
  /// should_stop() ended it.
  bool begin(const std::function<bool()>& should_stop);
  bool add_round(const std::function<bool()>& should_stop);

  /// What the multipliers prove, in whole numbers: the greatest so far. A multiple of what divides
  /// all weights.
  std::uint64_t proved() const { return proved_; }

 private:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;

  struct Triangle {
    std::array<std::uint16_t, 3> points{};  ///< ascending
    std::array<std::int8_t, 3> signs{};     ///< of the pairs 0 1, 0 2, 1 2
    double multiplier = 0;
  };

  template <class Visit>
  static void for_each_pair(const Triangle& triangle, Visit visit);
  double violation(const Triangle& triangle) const;
  bool improve(std::uint32_t steps, const std::function<bool()>& should_stop);
  void step();
  void find_triangles();
  void prove();
  /// Twice the value of the dual, in units of 2^-44 of the weights' scale.
  Int128 doubled_value() const;

  Eigen::Index points_ = 0;  ///< the last one is the anchor
  std::uint64_t unit_ = 1;
  int weight_bits_ = 0;  ///< weights count over 2^weight_bits_
  Eigen::Matrix<std::int64_t, Eigen::Dynamic, Eigen::Dynamic> weights_;  ///< times 2^(44 - bits)
  std::int64_t anchor_weight_ = 0;                                       ///< entry of w
  Vector null_vector_;                                                   ///< w / |w|
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
