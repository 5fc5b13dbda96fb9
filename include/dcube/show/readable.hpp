#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dcube/core/time.hpp"

namespace dcube {

/// Three or four digits and a decimal unit: "12.3 MB".
std::string readable_bytes(std::uint64_t bytes);
/// Size with at most four digits and a binary unit, exact where that is enough: "1 KiB", "24.3
/// KiB".
std::string size_text(std::uint64_t bytes);
/// Three or four digits and a unit: "1.23 ms". For measured times; simulated ones are exact, see
/// format_time().
std::string readable_seconds(double seconds);
/// Of a link or node that takes `per_byte`; infinite where that is 0.
double bytes_per_second(const ExactTime& per_byte);
/// "50 GB/s", "813 kB/s".
std::string readable_rate(double bytes_per_second);
/// Bandwidth of a link that takes `per_byte`, which is not 0: "50 GB/s", "813 kB/s".
std::string readable_rate(const ExactTime& per_byte);
/// "43.8 %".
std::string percent(double share);

/// One unit and one number of decimals for times that are read side by side: as few as show them
/// all exactly, or four digits of the longest.
class TimeScale {
 public:
  explicit TimeScale(std::span<const double> seconds);

  /// "4.50 s".
  std::string text(double seconds) const;

 private:
  double unit_s_ = 1;
  std::string_view unit_ = "s";
  int decimals_ = 0;
};

}  // namespace dcube
