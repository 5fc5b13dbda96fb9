#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "dcube/core/int128.hpp"

namespace dcube {

/// The eighth power mean of numbers that change one by one. It is near the greatest, but also falls
/// when one of several that are as great does, so annealing sees the way to a lesser maximum. Sums
/// are whole numbers: a change that is taken back leaves no trace, and all computers agree.
class PowerMean {
 public:
  /// Forgets all numbers. There will be `count` of them, none far above `greatest`.
  void reset(std::uint64_t greatest, std::uint64_t count) {
    constexpr std::uint64_t room = 4;
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / room;
    greatest_ = room * std::clamp<std::uint64_t>(greatest, 1, most);
    const auto width = static_cast<unsigned>(std::bit_width(greatest_));
    up_ = digits - std::min(digits, width);
    down_ = width - std::min(digits, width);
    count_ = std::max<std::uint64_t>(count, 1);
    sum_ = 0;
  }

  /// Whether all numbers have to be added anew after a reset(), because this one is too great.
  bool is_passed_by(std::uint64_t number) const { return number > greatest_; }

  void add(std::uint64_t number, std::uint64_t times = 1) { sum_ += times * power(number); }
  void take(std::uint64_t number, std::uint64_t times = 1) { sum_ -= times * power(number); }

  /// In the unit of the numbers.
  double value() const {
    const double root =
        std::sqrt(std::sqrt(std::sqrt(static_cast<double>(sum_) / static_cast<double>(count_))));
    return std::ldexp(root, static_cast<int>(down_) - static_cast<int>(up_));
  }

 private:
  static constexpr unsigned digits = 13;  ///< so that eighth powers have 104 bits

  UInt128 power(std::uint64_t number) const {
    const std::uint64_t scaled = (std::min(number, greatest_) >> down_) << up_;
    const std::uint64_t fourth = scaled * scaled * scaled * scaled;
    return UInt128{fourth} * fourth;
  }

  unsigned up_ = 0;
  unsigned down_ = 0;
  std::uint64_t greatest_ = 0;
  std::uint64_t count_ = 1;
  UInt128 sum_ = 0;
};

}  // namespace dcube
