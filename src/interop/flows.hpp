#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/decimal.hpp"
#include "core/scanner.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/embedding/traffic.hpp"

namespace dcube {

/// Flows of all pairs, those from a process to itself among them; ascending by (from, to).
inline std::vector<Flow> with_own_flows(const Traffic& traffic) {
  std::vector<Flow> flows(traffic.flows().size() + traffic.own_flows().size());
  const auto ends = [](const Flow& flow) { return std::pair{flow.from, flow.to}; };
  std::ranges::merge(traffic.flows(), traffic.own_flows(), flows.begin(), {}, ends, ends);
  return flows;
}

/// Weight of a flow in files with one number: bytes, or messages when no flow has bytes.
inline std::uint64_t single_weight(const Traffic& traffic, const Flow& flow) {
  return traffic.total_bytes() > 0 ? flow.bytes : flow.messages;
}

/// A whole number 0 to 2^63-1, also if written as a real one ("6.4e1"). Complains that `word` "is
/// not `what`".
inline std::uint64_t whole_weight(const Scanner& scanner, std::string_view word,
                                  std::string_view what) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  if (const auto plain = parsed<std::uint64_t>(word); plain && *plain <= most) {
    return *plain;
  }
  const std::optional<Decimal> decimal = read_decimal(word);
  const std::optional<std::uint64_t> whole = decimal ? whole_value(*decimal) : std::nullopt;
  if (!whole || *whole > most || decimal->is_negative) {
    scanner.reject(fmt::format("{} is not {}", word.empty() ? "nothing" : shown(word), what));
  }
  return *whole;
}

/// What `Reader` makes of a file.
template <class Reader>
Traffic traffic_by(std::string_view text, const std::string& file) {
  return Reader{text, file}.traffic();
}

/// Whether a text of digits 0 and 1 has a 1 so far from its end.
inline bool is_set(std::string_view flags, std::size_t from_the_right) {
  return from_the_right < flags.size() && flags[flags.size() - 1 - from_the_right] == '1';
}

/// Throws InputError that names the file when the flows add up past 63 bits.
inline Traffic traffic_of(const std::string& file, std::uint64_t process_count,
                          std::vector<Flow> flows) {
  return at_place(file, [&] {
    return Traffic{static_cast<std::uint32_t>(process_count), std::move(flows)};
  });
}

}  // namespace dcube
