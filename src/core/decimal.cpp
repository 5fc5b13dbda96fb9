#include "decimal.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "text.hpp"

namespace dcube {
namespace {

constexpr std::int64_t exponent_limit = 1'000'000'000'000'000'000;

std::string_view leading_digits(std::string_view text) {
  return text.substr(0, text.find_first_not_of("0123456789"));
}

/// Parts of the number that a text begins with.
struct Parts {
  bool is_negative = false;
  std::string_view whole;
  std::string_view fraction;
  std::string_view exponent;  ///< with its sign, without the "e"
  std::size_t length = 0;     ///< 0: there is no number
};

Parts parts_of(std::string_view text) {
  Parts parts;
  parts.is_negative = text.starts_with('-');
  std::string_view rest = text.substr(parts.is_negative ? 1 : 0);
  parts.whole = leading_digits(rest);
  rest.remove_prefix(parts.whole.size());
  if (rest.starts_with('.')) {
    parts.fraction = leading_digits(rest.substr(1));
    rest.remove_prefix(parts.fraction.empty() ? 0 : 1 + parts.fraction.size());
  }
  if (parts.whole.empty() && parts.fraction.empty()) {
    return {};
  }
  if (rest.starts_with('e') || rest.starts_with('E')) {
    const std::string_view exponent = rest.substr(1);
    const std::size_t sign = exponent.starts_with('+') || exponent.starts_with('-') ? 1 : 0;
    if (const std::size_t digits = leading_digits(exponent.substr(sign)).size(); digits > 0) {
      parts.exponent = exponent.substr(0, sign + digits);
      rest.remove_prefix(1 + sign + digits);
    }
  }
  parts.length = text.size() - rest.size();
  return parts;
}

/// `text`: "-12", "+3" or empty.
std::int64_t read_exponent(std::string_view text) {
  text.remove_prefix(text.starts_with('+') ? 1 : 0);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    return text.front() == '-' ? -exponent_limit : exponent_limit;
  }
  return std::clamp(value, -exponent_limit, exponent_limit);
}

/// Drops zeros at both ends, those at the right into the exponent.
void normalise(Decimal& number) {
  const std::size_t last = number.digits.find_last_not_of('0');
  if (last == std::string::npos) {
    number.digits.clear();
    number.exponent = 0;
    return;
  }
  number.exponent += static_cast<std::int64_t>(number.digits.size() - last - 1);
  number.digits.erase(last + 1);
  number.digits.erase(0, number.digits.find_first_not_of('0'));
}

}  // namespace

std::size_t decimal_length(std::string_view text) { return parts_of(text).length; }

std::optional<Decimal> read_decimal(std::string_view text) {
  const Parts parts = parts_of(text);
  if (text.empty() || parts.length != text.size()) {
    return std::nullopt;
  }
  Decimal number{parts.is_negative, std::string{parts.whole}, read_exponent(parts.exponent)};
  number.digits += parts.fraction;
  number.exponent -= static_cast<std::int64_t>(parts.fraction.size());
  normalise(number);
  return number;
}

std::optional<std::uint64_t> whole_value(const Decimal& number) {
  if (number.is_zero()) {
    return 0;
  }
  constexpr int most_digits = std::numeric_limits<std::uint64_t>::digits10 + 1;
  if (number.is_negative || number.exponent < 0 || number.exponent > most_digits) {
    return std::nullopt;
  }
  return parsed<std::uint64_t>(number.digits + std::string(std::size_t(number.exponent), '0'));
}

Decimal times(Decimal number, std::uint64_t factor) {
  std::uint64_t carry = 0;
  for (std::size_t i = number.digits.size(); i-- > 0;) {
    carry += static_cast<std::uint64_t>(number.digits[i] - '0') * factor;
    number.digits[i] = static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  if (carry > 0) {
    number.digits.insert(0, std::to_string(carry));
  }
  normalise(number);
  return number;
}

std::strong_ordering compare(const Decimal& a, const Decimal& b) {
  const auto sign = [](const Decimal& number) {
    return number.is_zero() ? 0 : number.is_negative ? -1 : 1;
  };
  if (sign(a) != sign(b) || a.is_zero()) {
    return sign(a) <=> sign(b);
  }
  const auto digits_before_point = [](const Decimal& number) {
    return number.exponent + static_cast<std::int64_t>(number.digits.size());
  };
  const auto order = digits_before_point(a) <=> digits_before_point(b);
  const auto magnitude = order != 0 ? order : a.digits <=> b.digits;
  return a.is_negative ? 0 <=> magnitude : magnitude;
}

std::string shown(std::string_view text) {
  const bool is_number = !text.empty() && decimal_length(text) == text.size();
  return is_number ? shortened(text) : '"' + shortened(text) + '"';
}

}  // namespace dcube
