#pragma once

#include <optional>
#include <string_view>

#include "core/text.hpp"

namespace dcube {

/// A number that is written without a unit.
inline std::optional<double> bare_number(std::string_view text) {
  return parsed<double>(trimmed(text));
}

// Costs that only a forgotten unit explains, and what to say of them.

/// A bandwidth: less than 1 kB/s.
inline bool is_low_rate(std::string_view text) {
  constexpr double least = 1000;  // bytes a second
  return bare_number(text).value_or(least) < least;
}
inline constexpr std::string_view low_rate_words =
    "is below 1 kB/s (a number without a unit is bytes per second); write the unit, such as "
    "\"10GBps\"";

/// A latency or an overhead, on a machine with a bandwidth: more than a millisecond.
inline bool is_long_cost(std::string_view text) {
  constexpr double most_s = 1e-3;
  return bare_number(text).value_or(0) > most_s;
}
inline constexpr std::string_view long_cost_words =
    "is above 1 ms on a machine with a bandwidth (a number without a unit is seconds); write the "
    "unit, such as \"600ns\" or \"600s\"";

}  // namespace dcube
