#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <new>

namespace dcube {

/// Allocator of large tables that are read here and there: in huge pages their addresses are
/// translated without misses.
template <class T>
struct HugePages {
  using value_type = T;

  HugePages() = default;
  template <class Other>
  explicit HugePages(const HugePages<Other>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* const memory = ::operator new(bytes, alignment(bytes));
    if (bytes >= page_bytes) {
      ::madvise(memory, bytes, MADV_HUGEPAGE);
    }
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    ::operator delete(memory, alignment(count * sizeof(T)));
  }
  friend bool operator==(const HugePages&, const HugePages&) = default;

 private:
  static constexpr std::size_t page_bytes = std::size_t{1} << 21;

  static std::align_val_t alignment(std::size_t bytes) {
    return std::align_val_t{
        bytes >= page_bytes ? page_bytes
                            : std::max<std::size_t>(alignof(T), __STDCPP_DEFAULT_NEW_ALIGNMENT__)};
  }
};

}  // namespace dcube
