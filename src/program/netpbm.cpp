#include "netpbm.hpp"

#include <algorithm>

#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

bool is_between(char letter) { return is_netpbm_space(letter) || letter == '#'; }

}  // namespace

bool NetpbmScanner::is_at_end() {
  while (!rest_.empty() && is_between(rest_.front())) {
    rest_.remove_prefix(rest_.front() == '#' ? std::min(rest_.find('\n'), rest_.size()) : 1);
  }
  return rest_.empty();
}

std::optional<std::uint64_t> NetpbmScanner::next_number() {
  if (is_at_end()) {
    return std::nullopt;
  }
  constexpr std::size_t most_digits = 10;
  std::uint64_t value = 0;
  std::size_t digits = 0;
  while (digits < rest_.size() && digits < most_digits && is_digit(rest_[digits])) {
    value = value * 10 + static_cast<std::uint64_t>(rest_[digits] - '0');
    ++digits;
  }
  if (digits == 0 || (digits < rest_.size() && !is_between(rest_[digits]))) {
    return std::nullopt;
  }
  rest_.remove_prefix(digits);
  return value;
}

char NetpbmScanner::next_letter() {
  const bool is_over = is_at_end();
  expects(!is_over, "a letter comes before the end");
  const char letter = rest_.front();
  rest_.remove_prefix(1);
  return letter;
}

bool is_netpbm_space(char letter) {
  return std::string_view{" \t\n\v\f\r"}.find(letter) != std::string_view::npos;
}

}  // namespace dcube
