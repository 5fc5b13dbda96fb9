#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcube/core/time.hpp"
#include "dcube/engine/simulation.hpp"

namespace dcube {

/// Result of one run of some cases.
struct RunRecord {
  std::size_t run = 0;
  std::string key{};  ///< see Cases::key()
  Outcome outcome = Outcome::completed;
  std::string problem{};  ///< why it did not complete; empty when it did
  /// Seconds of the computer's time that it had when it timed out; 0 otherwise.
  double tried_s = 0;
  bool lacked_memory = false;  ///< refused because it did not fit in memory
  Ticks makespan{0};
  std::uint64_t fingerprint = 0;
  /// Values by measure_catalog(); empty unless the run ended by itself.
  std::vector<std::optional<double>> values{};
  /// Files that the run read or wrote and that its key does not cover, with a hash of their
  /// contents: where one has changed, the record counts no longer.
  std::vector<std::pair<std::string, std::string>> more_files{};
  /// Further results for the question, as the text of a JSON object; empty: none.
  std::string details{};

  bool has_completed() const { return outcome == Outcome::completed; }
  /// Whether the run ended by itself, so that it has figures.
  bool has_values() const { return !values.empty(); }
  /// The measure of that name; nothing where the run has none. Throws InputError without a place
  /// for a name that no measure has.
  std::optional<double> value(std::string_view measure) const;
};

/// Whether times differ by a billionth at most: hops take whole picoseconds, at least one, so
/// such a difference ranks nothing.
bool are_as_long(double one, double other);
/// Whether times differ by 1 % at most. Models are less exact, so such rows are shown as equal.
bool are_nearly_as_long(double one, double other);
inline constexpr const char* nearly_as_long = "equal within 1 %";

/// The mean and the spread of numbers that are thought of as drawn from one distribution.
struct Spread {
  std::size_t count = 0;
  double mean = 0;
  double deviation = 0;  ///< standard deviation, with count - 1; 0 for one number
  double least = 0;
  double greatest = 0;
  /// Half of the mean's 95 % interval, by Student's distribution; 0 for one number.
  double half_interval = 0;
};
Spread spread_of(const std::vector<double>& numbers);

}  // namespace dcube
