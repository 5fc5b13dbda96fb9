#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "dcube/core/random.hpp"

namespace dcube {

/// Draws evenly from 0 .. bound - 1. Needs a `bound` of 1 to 2^32.
inline std::uint32_t draw_below(SplitMix64& random, std::uint64_t bound) {
  return static_cast<std::uint32_t>(bounded(random.next(), bound));
}

/// Puts the values into an order that is drawn evenly from all.
inline void shuffle(std::vector<std::uint32_t>& values, SplitMix64& random) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[draw_below(random, i)]);
  }
}

/// Draws evenly from 0 up to but not including 1.
inline double draw_unit(SplitMix64& random) {
  constexpr double scale = 1.0 / (std::uint64_t{1} << 53U);
  return static_cast<double>(random.next() >> 11U) * scale;
}

}  // namespace dcube
