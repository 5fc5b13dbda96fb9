#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"

namespace dcube {

/// How much computing times vary: each by up to a part of itself, more or less. Half of what is
/// drawn is the same for all computations of a run, whose processors are a little faster or slower
/// than they should be; half is each computation's own. It depends on the seed, the process and the
/// number of the computation in it, never on the order of events. A result that changes much under
/// a small jitter rests on ties.
struct Jitter {
  /// 10^18 parts of a time are the whole.
  static constexpr std::uint64_t whole = 1'000'000'000'000'000'000;

  std::uint64_t part = 0;  ///< of `whole`, below it; 0: nothing varies
  std::uint64_t seed = 0;

  /// What takes `duration` >= 0 without jitter. The most that it varies by is rounded down to whole
  /// picoseconds. Throws InputError when the time exceeds 63 bits.
  Ticks varied(Ticks duration, ProcessId process, std::uint64_t computation) const;
  /// The least of these for any process and computation.
  Ticks least(Ticks duration) const;
};

/// The part that "1e-6" is, 0 <= part < 1; what is below 10^-18 is cut off. Throws InputError with
/// an empty place.
std::uint64_t parse_jitter_part(std::string_view text);
/// "1e-06": for reports.
std::string jitter_part_text(const Jitter& jitter);

}  // namespace dcube
