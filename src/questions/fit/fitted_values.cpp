#include "fitted_values.hpp"

#include <fmt/format.h>

#include <algorithm>

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

/// Keys whose values are neither times nor bandwidths.
bool is_of_other_kind(std::string_view key) {
  for (const std::string_view other :
       {"eager_limit", "packet", "bytes", "message", "segment", "seed", "slots", "cores", "ports",
        "shape", "kind", "dimensions", "nodes"}) {
    if (key == other) {
      return true;
    }
  }
  return false;
}

double cost_at_bound(const VariedValue& varied, std::string_view text) {
  return at_place(vary_field, [&] {
    return varied.value.is_bandwidth ? parse_time_per_byte(text).seconds()
                                     : parse_duration(text).seconds();
  });
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
  refuse_if(is_of_other_kind(key), vary_field, "{} is neither a time nor a bandwidth",
            varied.value.pointer);
  varied.value.is_bandwidth = key == "bandwidth";
  varied.is_of_byte = varied.value.is_bandwidth || key.ends_with("per_byte") ||
                      varied.pointer == "/program/compute";
  varied.range.least = varied.value.is_bandwidth ? least_byte_cost : 0;
  if (end != std::string_view::npos) {
    const std::vector<std::string_view> bounds = split_at(text.substr(end + 1), ':');
    refuse_if(bounds.size() != 2, vary_field, "{} has no bounds LEAST:MOST (such as {}=10ns:2us)",
              shown(text), varied.value.pointer);
    const double one = cost_at_bound(varied, bounds[0]);
    const double other = cost_at_bound(varied, bounds[1]);
    const bool is_bandwidth = varied.value.is_bandwidth;
    varied.range.least = is_bandwidth ? other : one;
    varied.range.most = is_bandwidth ? one : other;
    refuse_if(varied.range.least >= varied.range.most, vary_field, "{} has no room (LEAST:MOST)",
              shown(text));
    varied.value.least = is_bandwidth ? 1 / one : one;
    varied.value.most = is_bandwidth ? 1 / other : other;
  }
  if (const Setting* const found =
          at_place(vary_field, [&] { return find_at(scenario, varied.pointer); })) {
    varied.value.before = plain_text(*found);
    varied.before = at_place(vary_field, [&] {
      try {
        return varied.cost_of(varied.value.before);
      } catch (const InputError& error) {
        throw InputError(vary_field, fmt::format("{}: {}", varied.value.pointer, error.problem()));
      }
    });
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
