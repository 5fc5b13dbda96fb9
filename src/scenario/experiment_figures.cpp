#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "core/decimal.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/scenario/documents.hpp"
#include "dcube/scenario/overrides.hpp"

namespace dcube {
namespace {

/// Errors are relative to a number, so a figure that is one cannot be 0.
constexpr std::string_view figure_form =
    "a figure (a number other than 0, or a range [least, greatest])";

double any_number(const Params& settings, std::string_view key, std::string_view what) {
  constexpr double most = std::numeric_limits<double>::max();
  return settings.real(key, -most, most, what);
}

/// 2 for "1.50", 4 for "1.5e-3".
int decimals_of(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of("eE"), text.size());
  const std::size_t point = std::min(text.find('.'), end);
  const auto behind_point = static_cast<std::int64_t>(point < end ? end - point - 1 : 0);
  const std::optional<Decimal> unit = read_decimal(fmt::format("1{}", text.substr(end)));
  constexpr std::int64_t most = 400;  // beyond double precision
  return static_cast<int>(std::clamp<std::int64_t>(behind_point - unit->exponent, 0, most));
}

Reference read_range(const Setting& figure, const std::string& place) {
  constexpr std::string_view what = "the limit of a range (a number)";
  refuse_if(figure.list()->size() != 2, place, "{} is not a range [least, greatest]",
            figure.describe());
  const Params limits = Params::of_entries(*figure.list(), place);
  Reference range;
  range.low = any_number(limits, "0", what);
  range.high = any_number(limits, "1", what);
  const std::string& low = limits.find("0")->number()->text;
  const std::string& high = limits.find("1")->number()->text;
  range.text = fmt::format("{} .. {}", low, high);
  range.decimals = std::max(decimals_of(low), decimals_of(high));
  range.is_range = true;
  refuse_if(range.low > range.high, place,
            "{} is not a range [least, greatest] (the least comes first)", figure.describe());
  return range;
}

}  // namespace

Reference read_reference(const Params& point) {
  refuse_if(point.has("printed") == point.has("expected"), point.place(),
            "needs either `printed` (by the source) or `expected`");
  const bool is_printed = point.has("printed");
  const char* key = is_printed ? "printed" : "expected";
  const Setting& figure = *point.find(key);
  Reference reference;
  if (figure.list() != nullptr) {
    reference = read_range(figure, point.place_of(key));
  } else {
    reference.low = reference.high = any_number(point, key, figure_form);
    reference.text = figure.number()->text;
    reference.decimals = decimals_of(reference.text);
    if (reference.low == 0) {
      point.reject_value(key, figure_form);
    }
    constexpr double least = 1e-100;  // errors relative to figures between are finite
    constexpr double most = 1e100;
    if (std::abs(reference.low) < least || std::abs(reference.low) > most) {
      point.reject_value(key, "a figure (from 1e-100 to 1e100)");
    }
  }
  reference.is_printed = is_printed;
  return reference;
}

std::string read_json_pointer(const Params& settings, std::string_view key) {
  std::string pointer = settings.text(key);
  try {
    pointer_tokens(pointer);
  } catch (const InputError&) {
    settings.reject_value(key, "a JSON pointer to a number (such as \"/messages/hops\")");
  }
  return pointer;
}

}  // namespace dcube
