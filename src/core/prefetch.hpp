#pragma once

#include <cstddef>

namespace dcube {

// Large machines do not fit in a cache, but the processes that an instant wakes are known
// beforehand. A loop prefetches the memory that it needs `lookahead` items later, and the pointers
// to that memory another `lookahead` items earlier.

inline constexpr std::size_t lookahead = 8;

/// Prefetches the cache lines of `size` bytes, to be written.
inline void prefetch(const void* address, std::size_t size) {
  constexpr std::size_t line = 64;
  for (std::size_t offset = 0; offset < size; offset += line) {
    __builtin_prefetch(static_cast<const std::byte*>(address) + offset, 1);
  }
}

}  // namespace dcube
