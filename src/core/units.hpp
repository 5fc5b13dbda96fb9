#pragma once

#include <array>
#include <cstdint>
#include <optional>
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
/// Sizes of messages as benchmarks and GNU's tools write them: powers of 1024.
inline constexpr std::array<Unit, 4> bare_byte_units{{{"K", std::int64_t{1} << 10},
                                                      {"M", std::int64_t{1} << 20},
                                                      {"G", std::int64_t{1} << 30},
                                                      {"T", std::int64_t{1} << 40}}};
/// Units of rates of bits, without their "ps" or "/s".
inline constexpr std::array<Unit, 10> bit_units{{{"b", 1},
                                                 {"bit", 1},
                                                 {"kb", 1'000},
                                                 {"kbit", 1'000},
                                                 {"Mb", 1'000'000},
                                                 {"Mbit", 1'000'000},
                                                 {"Gb", 1'000'000'000},
                                                 {"Gbit", 1'000'000'000},
                                                 {"Tb", 1'000'000'000'000},
                                                 {"Tbit", 1'000'000'000'000}}};

/// Bits per second of a unit of rates: "GBps", "Gbit/s", "" for bytes per second.
std::optional<std::int64_t> bits_of_rate_unit(std::string_view unit);

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
