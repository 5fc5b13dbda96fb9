#include "axis_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "core/going_on.hpp"
#include "core/json_writing.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/time.hpp"
#include "dcube/show/readable.hpp"

namespace dcube {
namespace {

constexpr std::size_t most_values = 1'000'000;
constexpr double ticks_per_second = Ticks::period::den;

struct RangeEnd {
  std::string text;
  WrittenQuantity quantity;
  bool is_whole = false;  ///< without a point or an exponent
};

RangeEnd read_end(std::string_view text, std::string_view range) {
  const auto quantity = written_quantity(text);
  refuse_if(!quantity, "", "{} has the end {}, which is no number (write lin:FROM:TO:N)",
            shown(range), shown(text));
  refuse_if(quantity->unit == QuantityUnit::rate, "",
            "{} is a range of rates; write a list of them", shown(range));
  const std::string_view digits = text.substr(0, decimal_length(text));
  return {std::string{text}, *quantity, digits.find_first_of(".eE") == std::string_view::npos};
}

/// Six digits, without an exponent where that stays short.
std::string number_text(double value) { return fmt::format("{:.6g}", value); }

/// `base` counts picoseconds or bytes.
std::string with_time_unit(double picoseconds) {
  const Unit& unit = fitting_unit(time_units, picoseconds);
  return fmt::format("{:.6g}{}", picoseconds / static_cast<double>(unit.size), unit.name);
}

/// The suffix of a size: "KiB".
std::string_view unit_of(std::string_view text) {
  return trimmed(text.substr(decimal_length(text)));
}

std::string text_between(double value, QuantityUnit unit, bool is_whole) {
  switch (unit) {
    case QuantityUnit::time:
      return with_time_unit(std::round(value * ticks_per_second));
    case QuantityUnit::bytes:
      return fmt::format("{:.0f}B", std::round(value));
    default:
      return is_whole ? fmt::format("{:.0f}", std::round(value)) : number_text(value);
  }
}

/// FROM and TO as they are written, and the values between them.
std::vector<std::string> range_values(std::string_view range) {
  const std::vector<std::string_view> parts = split_at(range, ':');
  const bool is_log = parts.front() == "log";
  refuse_if(parts.size() != 4, "", "{} is not a range (write {}:FROM:TO:N)", shown(range),
            parts.front());
  const RangeEnd from = read_end(parts[1], range);
  const RangeEnd to = read_end(parts[2], range);
  const auto count = parsed<std::size_t>(parts[3]);
  refuse_if(!count || *count < 2 || *count > most_values, "",
            "{} has {} values (a number from 2 to {})", shown(range), shown(parts[3]), most_values);
  refuse_if(from.quantity.unit != to.quantity.unit, "",
            "{} goes from one kind of quantity to another (give both ends units of one kind)",
            shown(range));
  refuse_if(is_log && !(from.quantity.value > 0 && to.quantity.value > 0), "",
            "{} begins or ends at no positive number (a range of equal ratios has neither 0 nor "
            "less; lin:FROM:TO:N has equal distances)",
            shown(range));
  refuse_if(compare(from.quantity.exact, to.quantity.exact) == 0, "", "{} ends where it begins",
            shown(range));
  const auto values = [&](bool is_whole) {
    std::vector<std::string> texts{from.text};
    const double steps = static_cast<double>(*count - 1);
    for (std::size_t k = 1; k + 1 < *count; ++k) {
      ask_to_go_on();
      const double a = from.quantity.value;
      const double b = to.quantity.value;
      const double way = static_cast<double>(k);
      const double value =
          is_log ? a * std::pow(b / a, way / steps) : (a * (steps - way) + b * way) / steps;
      texts.push_back(text_between(value, from.quantity.unit, is_whole));
    }
    texts.push_back(to.text);
    return texts;
  };
  const auto has_twins = [](const std::vector<std::string>& texts) {
    std::set<std::string_view> known;
    return std::ranges::any_of(texts, [&](const std::string& text) {
      ask_to_go_on();
      return !known.insert(text).second;
    });
  };
  const double difference = std::abs(to.quantity.value - from.quantity.value);
  const bool lands_on_whole = is_log || std::fmod(difference, static_cast<double>(*count - 1)) == 0;
  const bool is_whole = from.is_whole && to.is_whole && lands_on_whole;
  std::vector<std::string> texts = values(is_whole);
  const bool may_have_fractions = is_whole && from.quantity.unit == QuantityUnit::none;
  refuse_if(has_twins(texts), "", "{} has equal values once they are rounded (ask for fewer{})",
            shown(range), may_have_fractions ? "; an end such as 1.0 makes fractions" : "");
  return texts;
}

/// The text inside of quotes, unless it would mean something else without them: "\"4\"" is no
/// number.
std::optional<std::string> quoted_text(std::string_view entry) {
  const auto json = entry.starts_with('"') ? json_value(entry) : nlohmann::ordered_json{};
  if (!json.is_string()) {
    return std::nullopt;
  }
  std::string text = json.get<std::string>();
  const bool means_more = text.find_first_of("[{\"") == 0 || trimmed(text) != text ||
                          text.empty() || !json_value(text).is_discarded();
  return means_more ? std::string{entry} : std::move(text);
}

}  // namespace

std::optional<WrittenQuantity> written_quantity(std::string_view text) {
  const std::size_t length = decimal_length(text);
  if (length == 0) {
    return std::nullopt;
  }
  const std::string_view unit = unit_of(text);
  const std::string_view digits = text.substr(0, length);
  const double number = parsed<double>(digits).value_or(0);
  const Decimal written = read_decimal(digits).value();
  if (unit.empty()) {
    return length == text.size()
               ? std::optional{WrittenQuantity{number, QuantityUnit::none, written}}
               : std::nullopt;
  }
  const auto exact = [&](std::int64_t size, std::int64_t power_of_ten) {
    Decimal product = times(written, static_cast<std::uint64_t>(size));
    product.exponent += power_of_ten;
    return product;
  };
  const auto found = [&](const auto& units) {
    const auto* const known = std::ranges::find(units, unit, &Unit::name);
    return known == units.end() ? nullptr : known;
  };
  if (const Unit* const time = found(time_units)) {
    return WrittenQuantity{number * static_cast<double>(time->size) / ticks_per_second,
                           QuantityUnit::time, exact(time->size, -12)};
  }
  for (const auto* const units : {&byte_units, &more_byte_units}) {
    if (const Unit* const bytes = found(*units)) {
      return WrittenQuantity{number * static_cast<double>(bytes->size), QuantityUnit::bytes,
                             exact(bytes->size, 0)};
    }
  }
  try {
    const double rate = bytes_per_second(parse_time_per_byte(text));
    constexpr std::int64_t thousandths_of_byte = 125;  // of a bit
    return WrittenQuantity{rate, QuantityUnit::rate,
                           exact(bits_of_rate_unit(unit).value() * thousandths_of_byte, -3)};
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::vector<std::string> values_of_entry(std::string_view entry) {
  if (entry.starts_with("lin:") || entry.starts_with("log:")) {
    return range_values(entry);
  }
  return {std::string{entry}};
}

std::vector<std::string> listed_values(std::string_view list) {
  std::vector<std::string> values;
  std::string entry;
  int depth = 0;
  bool is_quoted = false;
  const auto end_entry = [&] {
    const std::string_view text = trimmed(entry);
    refuse_if(text.empty(), "", "{} has an empty value", shown(list));
    if (std::optional<std::string> quoted = quoted_text(text)) {
      values.push_back(*std::move(quoted));
    } else {
      std::ranges::move(values_of_entry(text), std::back_inserter(values));
    }
    refuse_if(values.size() > most_study_runs, "", "{} names more than {} values", shown(list),
              most_study_runs);
    entry.clear();
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    if (is_quoted && c == '\\' && i + 1 < list.size()) {
      entry += c;
      entry += list[++i];
      continue;
    }
    is_quoted = is_quoted != (c == '"');
    depth += !is_quoted && (c == '[' || c == '{') ? 1 : 0;
    depth -= !is_quoted && (c == ']' || c == '}') ? 1 : 0;
    if (c == ',' && depth == 0 && !is_quoted) {
      end_entry();
    } else {
      entry += c;
    }
  }
  end_entry();
  return values;
}

}  // namespace dcube
