#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <ratio>
#include <string>
#include <string_view>

#include "dcube/core/int128.hpp"

namespace dcube {

/// Simulated time and durations: whole picoseconds, 0 .. 2^63-1 (106 days).
using Ticks = std::chrono::duration<std::int64_t, std::pico>;

/// An exact, non-negative number of picoseconds as a reduced fraction: what a user wrote, before
/// rounding. "446.7us" is 446700000/1; a 400 GB/s link takes 5/2 a byte.
class ExactTime {
 public:
  constexpr ExactTime() = default;
  constexpr explicit ExactTime(Ticks whole) : numerator_{whole.count()} {}
  /// Reduces the fraction. Needs `numerator` >= 0 and `denominator` > 0.
  ExactTime(std::int64_t numerator, std::int64_t denominator);

  std::int64_t numerator() const { return numerator_; }
  std::int64_t denominator() const { return denominator_; }
  bool is_zero() const { return numerator_ == 0; }
  /// For display and estimates only.
  double seconds() const;

  friend bool operator==(const ExactTime&, const ExactTime&) = default;
  /// Order for keys of a map, not by duration.
  friend auto operator<=>(const ExactTime&, const ExactTime&) = default;

 private:
  std::int64_t numerator_ = 0;
  std::int64_t denominator_ = 1;
};

/// Throws InputError when the sum's numerator or denominator exceeds 63 bits.
ExactTime operator+(const ExactTime& a, const ExactTime& b);
/// Throws InputError when the product's numerator exceeds 63 bits.
ExactTime operator*(std::uint32_t count, const ExactTime& time);

/// `fixed + per_unit * count`, computed exactly and rounded once, half up, to whole picoseconds.
/// Throws InputError when it exceeds 63 bits.
Ticks round_cost(const ExactTime& fixed, const ExactTime& per_unit, std::uint64_t count);
/// `per_unit * count / parts`, likewise. Needs `parts` > 0.
Ticks round_part_cost(const ExactTime& per_unit, std::uint64_t count, std::uint32_t parts);

[[noreturn, gnu::cold]] void refuse_late_time();

/// Throws InputError ("simulated time exceeds ..") past 63 bits.
inline Ticks checked_add(Ticks a, Ticks b) {
  Ticks::rep sum = 0;
  if (__builtin_add_overflow(a.count(), b.count(), &sum)) [[unlikely]] {
    refuse_late_time();
  }
  return Ticks{sum};
}

/// Nearest double, in seconds: for reports, never for the simulation.
double to_seconds(Ticks time);
/// Nearest double, in seconds, of a sum that may pass 63 bits.
double to_seconds(Int128 picoseconds);

/// The shortest exact decimal with a fitting unit: "2 s", "446.7 us", "0 s".
std::string format_time(Ticks time);
std::string format_time(const ExactTime& time);

// Text as users write it. Each throws InputError with an empty place; the caller knows the place.

/// "446.7us", "2 s", "1e-6s", "0.5" (seconds). Units ps ns us ms s. Exact; non-negative.
ExactTime parse_duration(std::string_view text);
/// Time per byte of a rate: "1.25GBps", "800MB/s", "2.5e9" (bytes/s). Decimal prefixes k M G T,
/// binary Ki Mi Gi Ti. Positive.
ExactTime parse_time_per_byte(std::string_view rate);
/// "64KiB", "1.5MB", "12". Whole bytes, below 2^63.
std::uint64_t parse_size(std::string_view text);

}  // namespace dcube
