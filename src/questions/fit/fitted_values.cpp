#include "fitted_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/decimal.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/time.hpp"
#include "dcube/runs/setting_places.hpp"
#include "measured.hpp"

namespace dcube {
namespace {

constexpr const char* vary_field = ".vary";
constexpr double picoseconds_in_second = 1e12;
/// Cost of a byte where a link is as fast as no link is.
constexpr double least_byte_cost = 1e-18;

/// Keys of times, besides those whose value is written with a unit of time.
constexpr std::array<std::string_view, 17> time_keys{
    "latency",          "per_byte",      "send", "send_per_byte", "receive",
    "receive_per_byte", "gap",           "call", "call_per_port", "combine",
    "combine_per_byte", "copy_per_byte", "plan", "piece",         "gap_per_byte",
    "compute",          "flop"};

/// "5us", unlike "5", which may be a number of anything.
bool is_written_time(std::string_view text) {
  const std::string_view unit = trimmed(text.substr(decimal_length(text)));
  return decimal_length(text) > 0 &&
         std::ranges::find(time_units, unit, &Unit::name) != time_units.end();
}

VariedValue read_one(std::string_view text, const Params& scenario) {
  const std::size_t end = text.find('=');
  VariedValue varied;
  varied.value.pointer = text.substr(0, end);
  refuse_if(!varied.value.pointer.starts_with('/'), vary_field,
            "{} is not a JSON pointer (it begins with /, such as /link/latency)",
            shown(varied.value.pointer));
  varied.pointer = scenario_pointer(varied.value.pointer);
  const std::string key = varied.pointer.substr(varied.pointer.rfind('/') + 1);
  varied.value.is_bandwidth = key == "bandwidth";
  if (const Setting* const found =
          at_place(vary_field, [&] { return find_at(scenario, varied.pointer); })) {
    varied.value.before = plain_text(*found);
  }
  const bool is_time = std::ranges::find(time_keys, key) != time_keys.end() ||
                       varied.pointer.starts_with("/machine/compute/") ||
                       is_written_time(varied.value.before);
  refuse_if(!is_time && !varied.value.is_bandwidth, vary_field,
            "{} is neither a time nor a bandwidth", varied.value.pointer);
  varied.is_of_byte = varied.value.is_bandwidth || key.ends_with("per_byte") ||
                      varied.pointer == "/program/compute";
  varied.range.least = varied.value.is_bandwidth ? least_byte_cost : 0;
  if (end != std::string_view::npos) {
    const std::vector<std::string_view> bounds = split_at(text.substr(end + 1), ':');
    refuse_if(bounds.size() != 2, vary_field, "{} has no bounds LEAST:MOST (such as {}=10ns:2us)",
              shown(text), varied.value.pointer);
    const auto cost = [&](std::string_view bound) {
      return at_place(vary_field, [&] { return varied.cost_of(std::string{bound}); });
    };
    const double one = cost(bounds[0]);
    const double other = cost(bounds[1]);
    const bool is_bandwidth = varied.value.is_bandwidth;
    varied.range.least = is_bandwidth ? other : one;
    varied.range.most = is_bandwidth ? one : other;
    refuse_if(varied.range.least >= varied.range.most, vary_field, "{} has no room (LEAST:MOST)",
              shown(text));
    varied.value.least = is_bandwidth ? 1 / one : one;
    varied.value.most = is_bandwidth ? 1 / other : other;
  }
  if (!varied.value.before.empty()) {
    varied.before = at_place(vary_field, [&] { return varied.cost_of(varied.value.before); });
  }
  return varied;
}

}  // namespace

std::string VariedValue::text(double cost, int digits) const {
  if (cost == 0) {
    return "0s";
  }
  const double picoseconds = cost * picoseconds_in_second;
  if (value.is_bandwidth) {
    const double rate = 1 / cost;
    const Unit& unit = fitting_unit(byte_units, rate);
    return fmt::format("{:.{}g}{}ps", rate / static_cast<double>(unit.size), digits, unit.name);
  }
  const Unit& unit = fitting_unit(time_units, picoseconds);
  return fmt::format("{:.{}g}{}", picoseconds / static_cast<double>(unit.size), digits, unit.name);
}

double VariedValue::cost_of(const std::string& text) const {
  return value.is_bandwidth ? parse_time_per_byte(text).seconds() : parse_duration(text).seconds();
}

std::vector<VariedValue> read_varied(const std::vector<std::string>& vary, const Params& scenario) {
  std::vector<VariedValue> all;
  for (const std::string& text : vary) {
    all.push_back(read_one(text, scenario));
    refuse_if(std::ranges::count(all, all.back().pointer, &VariedValue::pointer) > 1, vary_field,
              "{} is given twice", all.back().value.pointer);
  }
  return all;
}

}  // namespace dcube
