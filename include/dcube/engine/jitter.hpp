#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"

namespace dcube {

/// Random variation of computing times, each by up to `part` of itself up or down. Half of it is
/// drawn once for the whole run (processors a little faster or slower than assumed), half for each
/// computation. It depends on the seed, the process and the number of the computation in it, never
/// on the order of events. A result that changes much under a small jitter rests on ties.
struct Jitter {
  /// The unit: `part` counts parts of 10^-18.
  static constexpr std::uint64_t whole = 1'000'000'000'000'000'000;

  std::uint64_t part = 0;  ///< in units of 1 / `whole`, below it; 0: no variation
  std::uint64_t seed = 0;

  /// `duration` >= 0 with jitter. The largest change is rounded down to whole picoseconds. Throws
  /// InputError when the time exceeds 63 bits.
  Ticks varied(Ticks duration, ProcessId process, std::uint64_t computation) const;
  /// The least of varied() for any process and computation.
  Ticks least(Ticks duration) const;
};

/// Parses "1e-6", cut off below 10^-18. InputError without a place unless 0 <= part < 1.
std::uint64_t parse_jitter_part(std::string_view text);
/// Text for reports: "1e-06".
std::string jitter_part_text(const Jitter& jitter);

}  // namespace dcube
