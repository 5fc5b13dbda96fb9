#pragma once

#include <cstddef>
#include <cstdint>

namespace dcube {

// Large machines do not fit in a cache, but the processes that an instant wakes are known
// beforehand. A loop prefetches the memory that it needs `lookahead` items later, and the pointers
// to that memory another `lookahead` items earlier.
//
// GCC holds a function that only prefetches to have no effect, and drops calls of it. So such
// functions are always_inline.

inline constexpr std::size_t lookahead = 8;

/// Prefetches the cache lines of `size` bytes, to be written. The address may be that of an empty
/// table, so it is counted on in whole numbers.
[[gnu::always_inline]] inline void prefetch(const void* address, std::size_t size) {
  constexpr std::size_t line = 64;
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  for (std::size_t offset = 0; offset < size; offset += line) {
    __builtin_prefetch(reinterpret_cast<const void*>(first + offset), 1);
  }
}

}  // namespace dcube
