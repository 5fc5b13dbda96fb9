#include "dcube/show/readable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/counted.hpp"
#include "core/units.hpp"

namespace dcube {
namespace {

constexpr double unit_ticks_per_second = Ticks::period::den;

/// Decimals that give `value` four digits.
int decimals_of_four_digits(double value) {
  return value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
}

bool is_exact(double value, int decimals) {
  const double scaled = value * std::pow(10, decimals);
  return std::abs(scaled - std::round(scaled)) <= 1e-9 * std::max(1.0, std::abs(scaled));
}

/// `value` of the smallest unit, in a fitting one.
std::string with_unit(double value, const std::array<Unit, 5>& units) {
  const Unit& unit = fitting_unit(units, value);
  const double scaled = value / static_cast<double>(unit.size);
  const int decimals = is_exact(scaled, 0) ? 0 : decimals_of_four_digits(scaled) - 1;
  return fmt::format("{:.{}f} {}", scaled, std::max(0, decimals), unit.name);
}

}  // namespace

std::string readable_bytes(std::uint64_t bytes) {
  return bytes < 1000 ? counted(bytes, "byte") : with_unit(static_cast<double>(bytes), byte_units);
}

std::string readable_seconds(double seconds) {
  return seconds > 0 ? with_unit(seconds * unit_ticks_per_second, time_units) : "0 s";
}

std::string readable_rate(double bytes_per_second) {
  return (bytes_per_second < 1000 ? fmt::format("{:.3g} B", bytes_per_second)
                                  : with_unit(bytes_per_second, byte_units)) +
         "/s";
}

double bytes_per_second(const ExactTime& per_byte) {
  return static_cast<double>(per_byte.denominator()) * unit_ticks_per_second /
         static_cast<double>(per_byte.numerator());
}

std::string readable_rate(const ExactTime& per_byte) {
  return readable_rate(bytes_per_second(per_byte));
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

TimeScale::TimeScale(std::span<const double> seconds) {
  const double longest = seconds.empty() ? 0 : *std::ranges::max_element(seconds);
  if (longest <= 0) {
    return;
  }
  const Unit& unit = fitting_unit(time_units, longest * unit_ticks_per_second);
  unit_s_ = static_cast<double>(unit.size) / unit_ticks_per_second;
  unit_ = unit.name;
  const int most = decimals_of_four_digits(longest / unit_s_);
  const auto shows_all = [&] {
    return std::ranges::all_of(seconds,
                               [&](double time) { return is_exact(time / unit_s_, decimals_); });
  };
  while (decimals_ < most && !shows_all()) {
    ++decimals_;
  }
}

std::string TimeScale::text(double seconds) const {
  return fmt::format("{:.{}f} {}", seconds / unit_s_, decimals_, unit_);
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  double scaled = static_cast<double>(bytes);
  while (scaled >= 1024 && unit + 1 < units.size()) {
    scaled /= 1024;
    ++unit;
  }
  const bool is_whole = bytes % (std::uint64_t{1} << (10 * unit)) == 0;
  const int decimals = is_whole || scaled >= 100 ? 0 : scaled >= 10 ? 1 : 2;
  return fmt::format("{:.{}f} {}", scaled, decimals, units.at(unit));
}

}  // namespace dcube
