#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "dcube/core/time.hpp"

namespace dcube::detail {

/// Ticks on SimGrid's clock, during one run.
///
/// That clock is a double and never goes back. Between a power of two and the next a double has one
/// unit, and a run makes this unit its tick. So whatever SimGrid computes, its dates are whole
/// ticks, rounded to the nearest, and times do not depend on when the run begins. A run that begins
/// in the first half of such a range has 2^51 ticks (2,251 s) for that. Past the end of a range a
/// date has an error of a tick or two.
class SimGridClock {
 public:
  /// For a run that may begin when SimGrid's clock is at `clock`.
  explicit SimGridClock(double clock = 0) {
    int exponent = std::clamp(std::ilogb(std::max(clock, 1.0)), first_range, last_range);
    start_ = std::max(begin_of(exponent), even(clock, tick_in(exponent)));
    if (exponent < last_range && start_ >= 1.5 * begin_of(exponent)) {
      ++exponent;
      start_ = begin_of(exponent);
    }
    tick_ = tick_in(exponent);
  }

  /// SimGrid's date of time 0: an even number of ticks, so that halves are rounded the same way.
  double start() const { return start_; }
  /// So many ticks, which need not be whole, in SimGrid's seconds.
  double simgrid_time(double ticks) const { return ticks * tick_; }
  double simgrid_time(Ticks time) const { return simgrid_time(static_cast<double>(time.count())); }
  /// Whole ticks from the start to a date, at most the longest time.
  Ticks time_at(double date) const {
    constexpr auto end_of_time = static_cast<double>(std::numeric_limits<std::int64_t>::max());
    const double ticks = std::floor((date - start_) / tick_);
    return ticks >= end_of_time ? Ticks::max() : Ticks{static_cast<std::int64_t>(ticks)};
  }

  /// What SimGrid need not tell from no time at all, in its seconds: less than any tick.
  static constexpr double no_time = 0x1p-42;

 private:
  static constexpr int mantissa_bits = std::numeric_limits<double>::digits - 1;
  /// SimGrid's solver has limits that are not relative. For rates of 1 byte/s and more these ranges
  /// keep clear of them.
  static constexpr int first_range = 12;
  static constexpr int last_range = 22;

  static double begin_of(int range) { return std::ldexp(1.0, range); }
  static double tick_in(int range) { return std::ldexp(1.0, range - mantissa_bits); }
  static double even(double date, double tick) { return std::ceil(date / (2 * tick)) * (2 * tick); }

  double start_ = 0;
  double tick_ = 0;
};

}  // namespace dcube::detail
