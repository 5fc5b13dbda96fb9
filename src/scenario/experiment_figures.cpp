#include "experiment_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>

#include "core/decimal.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

double real_number(const Setting& setting, std::string_view place, std::string_view what) {
  double value = 0;
  if (setting.number() != nullptr) {
    const std::string& text = setting.number()->text;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{}) {
      return value;
    }
  }
  throw InputError(place, fmt::format("{} is not {}", setting.describe(), what));
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

Reference read_range(const Setting::List& list, const std::string& place) {
  constexpr std::string_view what = "the limit of a range (a number)";
  if (list.size() != 2) {
    throw InputError(place, Setting{list}.describe() + " is not a range [least, greatest]");
  }
  Reference range;
  range.low = real_number(list[0], place + "/0", what);
  range.high = real_number(list[1], place + "/1", what);
  range.text = fmt::format("{} .. {}", list[0].number()->text, list[1].number()->text);
  range.decimals =
      std::max(decimals_of(list[0].number()->text), decimals_of(list[1].number()->text));
  range.is_range = true;
  if (range.low > range.high) {
    throw InputError(place, Setting{list}.describe() +
                                " is not a range [least, greatest] (the least comes first)");
  }
  return range;
}

/// Errors are relative to a number, so it cannot be 0.
Reference read_number(const Setting& setting, const std::string& place) {
  constexpr std::string_view what =
      "a figure (a number other than 0, or a range [least, greatest])";
  Reference figure;
  figure.low = figure.high = real_number(setting, place, what);
  figure.text = setting.number()->text;
  figure.decimals = decimals_of(figure.text);
  if (figure.low == 0) {
    throw InputError(place, fmt::format("{} is not {}", figure.text, what));
  }
  return figure;
}

}  // namespace

double real_number(const Params& group, std::string_view key, std::string_view what) {
  const Setting* setting = group.find(key);
  if (setting == nullptr) {
    throw InputError(group.place(), fmt::format("`{}` is missing", key));
  }
  return real_number(*setting, group.place_of(key), what);
}

Reference read_reference(const Params& point) {
  const Setting* printed = point.find("printed");
  const Setting* expected = point.find("expected");
  if ((printed != nullptr) == (expected != nullptr)) {
    throw InputError(point.place(), "needs either `printed` (by the source) or `expected`");
  }
  const Setting& figure = printed != nullptr ? *printed : *expected;
  const std::string place = point.place_of(printed != nullptr ? "printed" : "expected");
  Reference reference =
      figure.list() != nullptr ? read_range(*figure.list(), place) : read_number(figure, place);
  reference.is_printed = printed != nullptr;
  return reference;
}

}  // namespace dcube
