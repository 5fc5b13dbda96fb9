#pragma once

#include <Eigen/Core>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dcube/core/int128.hpp"
#include "difference_classes.hpp"
#include "talkers.hpp"

// A solution of the dual in whole numbers, and the bound that it proves. For every map, whatever
// the numbers are,
//   cost >= cost - sum over modes <M, Y> - sum over cuts lambda (rhs - value)
// where M = L L' + w v' + v w' (see DifferenceClasses): <L L', Y> and lambda (rhs - value) are not
// negative, Y w = 0. The right-hand side is a constant and a sum over pairs of what the class of
// their difference costs, which is at least the least over classes.

namespace dcube {

/// sum over i < j of b_i b_j d(i, j) <= total ((sum b)^2 - 1) / 4, for a sum of cuts d and an odd
/// number of processes (hypermetric, Deza & Laurent 1997).
struct ProcessCut {
  static constexpr std::size_t most_points = 5;

  std::uint8_t distance = 0;  ///< in DifferenceClasses::distances
  std::uint8_t points = 3;
  std::array<std::int8_t, most_points> signs{};      ///< the first is 1
  std::array<std::uint16_t, most_points> talkers{};  ///< ascending; Talkers::count(): the centre

  friend auto operator<=>(const ProcessCut&, const ProcessCut&) = default;
  /// Right-hand side for the doubled distance.
  std::int64_t most(const CutDistance& of) const;
};

/// Matrices have a row for the centre (where the machine has one), one for each talker, and one
/// for each idle process, all alike, of which one is kept.
struct Dual {
  static constexpr int fraction_bits = 22;

  struct Mode {
    Eigen::Matrix<std::int64_t, Eigen::Dynamic, Eigen::Dynamic> factor{};  ///< L, times 2^22
    Eigen::Matrix<std::int64_t, Eigen::Dynamic, 1> level{};                ///< v, times 2^44
    /// Multiplier, times 2^44, of q (q - 1) (1 - Y) >= 0 for two of q idle processes.
    std::int64_t idle = 0;
  };
  struct Cut {
    ProcessCut cut;
    std::int64_t multiplier = 0;  ///< times 2^44, of the doubled distance
  };

  std::vector<Mode> modes{};  ///< the first is of mode 1
  std::vector<Cut> cuts{};
};

struct ProvedBound {
  bool is_known = false;  ///< false where numbers are too large
  /// The least cost is at least value 2^scale_bits / 2^92.
  Int128 value = 0;
  std::uint64_t cost = 0;  ///< rounded up to a multiple of Talkers::unit
};

/// `allowed`: for each pair of talkers a < b, in order, a bit for each class that their difference
/// may have; empty: all.
ProvedBound proved_bound(const DifferenceClasses& classes, const Talkers& talkers, const Dual& dual,
                         std::span<const std::uint64_t> allowed = {});

/// proved_bound() of what is allowed. Takes from that the classes that no map which costs less than
/// `reached` has: with the pair in such a class the dual proves as much.
ProvedBound narrowed_bound(const DifferenceClasses& classes, const Talkers& talkers,
                           const Dual& dual, std::span<std::uint64_t> allowed,
                           std::uint64_t reached);

}  // namespace dcube
