#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "dcube/core/random.hpp"

namespace dcube::testing {

/// Random numbers of a seed.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : stream_{hash_of(seed)} {}

  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(bounded(stream_.next(), bound));
  }
  bool one_in(std::uint32_t number) { return below(number) == 0; }
  template <class T, std::size_t N>
  T one_of(const std::array<T, N>& choices) {
    return choices[below(N)];
  }

 private:
  SplitMix64 stream_;
};

}  // namespace dcube::testing
