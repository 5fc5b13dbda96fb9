#include "unit_warnings.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string_view>

#include "core/text.hpp"
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

/// The number of a setting without a unit.
std::optional<double> bare(const Setting& setting) {
  const std::string* const text =
      setting.number() != nullptr ? &setting.number()->text : setting.text();
  return text != nullptr ? parsed<double>(trimmed(*text)) : std::nullopt;
}

}  // namespace

void warn_of_machine_units(const Params& machine) {
  constexpr double long_cost_s = 1e-3;
  constexpr double low_rate = 1000;  // bytes a second
  constexpr std::array<std::string_view, 4> costs{"latency", "send", "receive", "gap"};
  bool has_bandwidth = false;
  for_each_setting(machine, [&](const Params& group, const std::string& key) {
    if (key == "bandwidth") {
      has_bandwidth = true;
      if (bare(*group.find(key)).value_or(low_rate) < low_rate) {
        warn(group.place_of(key),
             "is below 1 kB/s (a number without a unit is bytes per second); write the unit, such "
             "as \"10GBps\"");
      }
    }
  });
  if (!has_bandwidth) {
    return;
  }
  for_each_setting(machine, [&](const Params& group, const std::string& key) {
    if (std::ranges::find(costs, key) != costs.end() &&
        bare(*group.find(key)).value_or(0) > long_cost_s) {
      warn(group.place_of(key),
           "is above 1 ms on a machine with a bandwidth (a number without a unit is seconds); "
           "write the unit, such as \"600ns\" or \"600s\"");
    }
  });
}

void warn_of_program_units(const Params& program) {
  constexpr double long_time_s = 10;
  for_each_setting(program, [](const Params& group, const std::string& key) {
    if (key == "compute" && bare(*group.find(key)).value_or(0) >= long_time_s) {
      warn(group.place_of(key),
           "is 10 s or more (a number without a unit is seconds); write the unit, such as "
           "\"150us\" or \"150s\"");
    }
  });
}

}  // namespace dcube
