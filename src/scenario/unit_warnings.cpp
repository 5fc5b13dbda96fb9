#include "unit_warnings.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

#include "core/forgotten_units.hpp"
#include "core/warnings.hpp"

namespace dcube {
namespace {

using Visit = std::function<void(const Params& group, const std::string& key)>;

/// Calls `visit` for every setting of the group and of those inside.
void for_each_setting(const Params& group, const Visit& visit) {
  for (const std::string& key : group.keys()) {
    const Setting& setting = *group.find(key);
    visit(group, key);
    if (setting.group() != nullptr) {
      for_each_setting(*setting.group(), visit);
    } else if (setting.list() != nullptr) {
      for (const Setting& entry : *setting.list()) {
        if (entry.group() != nullptr) {
          for_each_setting(*entry.group(), visit);
        }
      }
    }
  }
}

/// The text of a setting that is a number or a text.
std::string_view text_of(const Setting& setting) {
  const std::string* const text =
      setting.number() != nullptr ? &setting.number()->text : setting.text();
  return text != nullptr ? std::string_view{*text} : std::string_view{};
}

}  // namespace

void warn_of_machine_units(const Params& machine) {
  constexpr std::array<std::string_view, 4> costs{"latency", "send", "receive", "gap"};
  constexpr double long_per_byte_s = 1e-3;
  bool has_bandwidth = false;
  for_each_setting(machine, [&](const Params& group, const std::string& key) {
    if (key == "bandwidth") {
      has_bandwidth = true;
      if (is_low_rate(text_of(*group.find(key)))) {
        warn(group.place_of(key), low_rate_words);
      }
    } else if (key == "per_byte" &&
               bare_number(text_of(*group.find(key))).value_or(0) > long_per_byte_s) {
      warn(group.place_of(key),
           "is above 1 ms a byte (a number without a unit is seconds); write the unit, such as "
           "\"2.4us\"");
    }
  });
  if (!has_bandwidth) {
    return;
  }
  for_each_setting(machine, [&](const Params& group, const std::string& key) {
    if (std::ranges::find(costs, key) != costs.end() && is_long_cost(text_of(*group.find(key)))) {
      warn(group.place_of(key), long_cost_words);
    }
  });
}

void warn_of_program_units(const Params& program) {
  constexpr double long_time_s = 10;
  for_each_setting(program, [](const Params& group, const std::string& key) {
    if (key == "compute" && bare_number(text_of(*group.find(key))).value_or(0) >= long_time_s) {
      warn(group.place_of(key),
           "is 10 s or more (a number without a unit is seconds); write the unit, such as "
           "\"150us\" or \"150s\"");
    }
  });
}

}  // namespace dcube
