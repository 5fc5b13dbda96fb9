#include "readable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace dcube::app {
namespace {

struct Unit {
  double size;
  const char* name;
};

constexpr std::array<Unit, 5> time_units{
    {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {1e-12, "ps"}}};
constexpr std::array<Unit, 5> byte_units{
    {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "bytes"}}};

/// The largest unit that `value` reaches, otherwise the smallest.
template <std::size_t count>
const Unit& fitting_unit(const std::array<Unit, count>& units, double value) {
  const auto fitting = std::find_if(units.begin(), units.end(),
                                    [&](const Unit& unit) { return value >= unit.size; });
  return fitting == units.end() ? units.back() : *fitting;
}

/// Decimals that give `value` four digits.
int decimals_of_four_digits(double value) {
  return value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
}

bool is_exact(double value, int decimals) {
  const double scaled = value * std::pow(10, decimals);
  return std::abs(scaled - std::round(scaled)) <= 1e-9 * std::max(1.0, std::abs(scaled));
}

std::string with_unit(double value, const Unit& unit) {
  const double scaled = value / unit.size;
  const int decimals = is_exact(scaled, 0) ? 0 : decimals_of_four_digits(scaled) - 1;
  return fmt::format("{:.{}f} {}", scaled, std::max(0, decimals), unit.name);
}

}  // namespace

std::string grouped(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t end = text.size(); end > 3; end -= 3) {
    text.insert(end - 3, 1, ',');
  }
  return text;
}

std::string counted(std::uint64_t count, const std::string& noun) {
  const char* plural = noun.ends_with('s') ? "es" : "s";
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : plural);
}

std::string readable_bytes(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  return with_unit(value, fitting_unit(byte_units, value));
}

std::string readable_seconds(double seconds) {
  return seconds > 0 ? with_unit(seconds, fitting_unit(time_units, seconds)) : "0 s";
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

TimeScale::TimeScale(std::span<const double> seconds) {
  const double longest = seconds.empty() ? 0 : *std::max_element(seconds.begin(), seconds.end());
  if (longest <= 0) {
    return;
  }
  const Unit& unit = fitting_unit(time_units, longest);
  unit_s_ = unit.size;
  unit_ = unit.name;
  const int most = decimals_of_four_digits(longest / unit_s_);
  const auto shows_all = [&] {
    return std::all_of(seconds.begin(), seconds.end(),
                       [&](double time) { return is_exact(time / unit_s_, decimals_); });
  };
  while (decimals_ < most && !shows_all()) {
    ++decimals_;
  }
}

std::string TimeScale::text(double seconds) const {
  return fmt::format("{:.{}f} {}", seconds / unit_s_, decimals_, unit_);
}

}  // namespace dcube::app
