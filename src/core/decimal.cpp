#include "decimal.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace dcube {
namespace {

constexpr std::int64_t exponent_limit = 1'000'000'000'000'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t count_digits(std::string_view text, std::size_t from) {
  std::size_t end = from;
  while (end < text.size() && is_digit(text[end])) {
    ++end;
  }
  return end - from;
}

/// Length of "e-12" at `from`; 0 when there is no complete exponent.
std::size_t exponent_length(std::string_view text, std::size_t from) {
  if (from >= text.size() || (text[from] != 'e' && text[from] != 'E')) {
    return 0;
  }
  std::size_t sign = 0;
  if (from + 1 < text.size() && (text[from + 1] == '+' || text[from + 1] == '-')) {
    sign = 1;
  }
  const std::size_t digits = count_digits(text, from + 1 + sign);
  return digits == 0 ? 0 : 1 + sign + digits;
}

/// `text` is "e-12" or empty.
std::int64_t read_exponent(std::string_view text) {
  if (text.empty()) {
    return 0;
  }
  text.remove_prefix(text[1] == '+' ? 2 : 1);
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

std::size_t decimal_length(std::string_view text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  const std::size_t whole = count_digits(text, sign);
  std::size_t end = sign + whole;
  std::size_t fraction = 0;
  if (end < text.size() && text[end] == '.') {
    fraction = count_digits(text, end + 1);
    end += fraction > 0 ? 1 + fraction : 0;
  }
  if (whole + fraction == 0) {
    return 0;
  }
  return end + exponent_length(text, end);
}

std::optional<Decimal> read_decimal(std::string_view text) {
  if (text.empty() || decimal_length(text) != text.size()) {
    return std::nullopt;
  }
  Decimal number;
  number.is_negative = text.front() == '-';
  text.remove_prefix(number.is_negative ? 1 : 0);
  const std::size_t mantissa_end = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, mantissa_end);
  number.exponent = read_exponent(text.substr(mantissa_end));
  const std::size_t point = mantissa.find('.');
  number.digits = mantissa.substr(0, point);
  if (point != std::string_view::npos) {
    number.digits += mantissa.substr(point + 1);
    number.exponent -= static_cast<std::int64_t>(mantissa.size() - point - 1);
  }
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
  const std::string text = number.digits + std::string(std::size_t(number.exponent), '0');
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::optional{value} : std::nullopt;
}

std::string shown(std::string_view text) {
  const bool is_number = !text.empty() && decimal_length(text) == text.size();
  return is_number ? shortened(text) : '"' + shortened(text) + '"';
}

}  // namespace dcube
