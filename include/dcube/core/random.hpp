#pragma once

#include <cstdint>

#include "dcube/core/int128.hpp"

namespace dcube {

/// The finaliser of SplitMix64 (Steele, Lea & Flood 2014): a bijection that spreads every bit.
constexpr std::uint64_t mix64(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

/// Increment of SplitMix64's state: 2^64 divided by the golden ratio, made odd.
inline constexpr std::uint64_t split_mix_step = 0x9e3779b97f4a7c15U;

/// The stream of SplitMix64: the same on every machine and compiler.
class SplitMix64 {
 public:
  constexpr explicit SplitMix64(std::uint64_t seed) : state_{seed} {}

  constexpr std::uint64_t next() { return mix64(state_ += split_mix_step); }

 private:
  std::uint64_t state_;
};

/// Hash of one or more words in their order. Random numbers made of it depend on what they are for,
/// not on when they are drawn.
constexpr std::uint64_t hash_of(std::uint64_t word) { return mix64(word + split_mix_step); }
template <class... Words>
constexpr std::uint64_t hash_of(std::uint64_t first, std::uint64_t second, Words... rest) {
  return hash_of(hash_of(first) ^ second, static_cast<std::uint64_t>(rest)...);
}

/// Scales a hash to 0 .. bound-1 by the high half of the product (Lemire 2019); the bias is below
/// bound / 2^64. Needs `bound` > 0.
constexpr std::uint64_t bounded(std::uint64_t hash, std::uint64_t bound) {
  return static_cast<std::uint64_t>((UInt128{hash} * bound) >> 64);
}

}  // namespace dcube
