#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "printable.hpp"

namespace dcube {

/// A decimal number as written, unrounded: digits * 10^exponent.
struct Decimal {
  bool is_negative = false;
  std::string digits;         ///< without zeros at either end; empty: the number is 0
  std::int64_t exponent = 0;  ///< saturates near +-10^18, far beyond any use

  bool is_zero() const { return digits.empty(); }
};

/// Length of the number ("-1.5e-3", ".5") that `text` begins with; 0 when it begins with none.
std::size_t decimal_length(std::string_view text);

/// The number that the whole of `text` is.
std::optional<Decimal> read_decimal(std::string_view text);

/// The value, if it is a whole number 0 .. 2^64-1 ("1e3" is).
std::optional<std::uint64_t> whole_value(const Decimal& number);

/// The product with a whole number below 2^60.
Decimal times(Decimal number, std::uint64_t factor);

/// Order of the exact values.
std::strong_ordering compare(const Decimal& a, const Decimal& b);

/// `text` for messages: a number bare, any other text in quotes, long ones shortened.
std::string shown(std::string_view text);

}  // namespace dcube
