#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace dcube {

struct Unit {
  std::string_view name;
  std::int64_t size;  ///< in picoseconds or bytes
};

/// Units of time that users write and read, largest first.
inline constexpr std::array<Unit, 5> time_units{
    {{"s", 1'000'000'000'000}, {"ms", 1'000'000'000}, {"us", 1'000'000}, {"ns", 1'000}, {"ps", 1}}};

/// Units of bytes that users read and may write, largest first.
inline constexpr std::array<Unit, 5> byte_units{
    {{"TB", 1'000'000'000'000}, {"GB", 1'000'000'000}, {"MB", 1'000'000}, {"kB", 1'000}, {"B", 1}}};
/// More units of bytes that users may write.
inline constexpr std::array<Unit, 5> more_byte_units{{{"KB", 1'000},
                                                      {"KiB", std::int64_t{1} << 10},
                                                      {"MiB", std::int64_t{1} << 20},
                                                      {"GiB", std::int64_t{1} << 30},
                                                      {"TiB", std::int64_t{1} << 40}}};

/// The largest unit that `value` reaches, otherwise the smallest.
template <class Value>
const Unit& fitting_unit(const std::array<Unit, 5>& units, const Value& value) {
  for (const Unit& unit : units) {
    if (value >= static_cast<Value>(unit.size)) {
      return unit;
    }
  }
  return units.back();
}

}  // namespace dcube
