#pragma once

#include <cstdint>

#include "dcube/core/random.hpp"

namespace dcube {

/// Evenly below `bound`, which is positive and no more than 2^32.
inline std::uint32_t draw_below(SplitMix64& random, std::uint64_t bound) {
  return static_cast<std::uint32_t>(bounded(random.next(), bound));
}

/// Evenly in 0 .. 1, 1 excluded.
inline double draw_unit(SplitMix64& random) {
  constexpr double scale = 1.0 / (std::uint64_t{1} << 53U);
  return static_cast<double>(random.next() >> 11U) * scale;
}

}  // namespace dcube
