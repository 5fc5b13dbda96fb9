#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace dcube {

/// How a process spends its time. The five add up to the makespan for every process.
enum class Activity : std::uint8_t { compute, communication, waiting, endpoint, idle };

/// Words of results, traces and pages, in the order of Activity. tests/scripts/activities_test.py
/// compares them with the lists of the page and of the plotting scripts.
inline constexpr std::array activity_names{"compute", "communication", "waiting", "endpoint",
                                           "idle"};
inline constexpr std::size_t activity_count = activity_names.size();

constexpr const char* to_string(Activity activity) {
  return activity_names.at(static_cast<std::size_t>(activity));
}

}  // namespace dcube
