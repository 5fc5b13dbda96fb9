#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "dcube/core/time.hpp"

namespace dcube::detail {

// SimGrid's clock is a double, and 2^40 ticks are a second of it. From 2^12 to 2^13 of its seconds
// the double has a unit of exactly one tick. So fluid runs begin there: whatever SimGrid computes,
// its dates are whole ticks, rounded to the nearest, and they do not depend on when a run begins.

inline constexpr double simgrid_second_ticks = 0x1p40;
inline constexpr double first_exact_date = 0x1p12;  ///< of SimGrid's
/// Where a run may begin: a whole even number of ticks, so that halves are rounded the same way.
inline constexpr double simgrid_start_unit = 0x1p-39;
/// What SimGrid need not tell from no time at all.
inline constexpr double simgrid_no_time = 0x1p-42;

inline double simgrid_time(double ticks) { return ticks / simgrid_second_ticks; }
inline double simgrid_time(Ticks time) { return simgrid_time(static_cast<double>(time.count())); }
/// Whole ticks, at most the longest time.
inline Ticks ticks_of_simgrid(double time) {
  constexpr auto end_of_time = static_cast<double>(std::numeric_limits<std::int64_t>::max());
  const double ticks = std::floor(time * simgrid_second_ticks);
  return ticks >= end_of_time ? Ticks::max() : Ticks{static_cast<std::int64_t>(ticks)};
}
/// The first date not before `clock` at which a fluid run may begin.
inline double start_of_fluid_run(double clock) {
  return std::max(first_exact_date, std::ceil(clock / simgrid_start_unit) * simgrid_start_unit);
}

}  // namespace dcube::detail
