#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace dcube {

/// Array that grows at its end. realloc() grows a large one in place or moves its pages, so it is
/// not copied and never takes the memory of two.
///
/// Items are moved as bytes, so they must not hold their own addresses.
template <class T>
class GrowingArray {
 public:
  GrowingArray() = default;
  GrowingArray(GrowingArray&& other) noexcept
      : block_{std::exchange(other.block_, nullptr)},
        items_{std::exchange(other.items_, nullptr)},
        offset_{std::exchange(other.offset_, 0)},
        size_{std::exchange(other.size_, 0)},
        capacity_{std::exchange(other.capacity_, 0)} {}
  GrowingArray& operator=(GrowingArray&& other) noexcept {
    std::swap(block_, other.block_);
    std::swap(items_, other.items_);
    std::swap(offset_, other.offset_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~GrowingArray() {
    std::destroy_n(items_, size_);
    std::free(block_);
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return items_; }
  T* end() { return items_ + size_; }
  const T* begin() const { return items_; }
  const T* end() const { return items_ + size_; }
  T& operator[](std::size_t i) { return items_[i]; }
  const T& operator[](std::size_t i) const { return items_[i]; }

  T& emplace_back() {
    if (size_ == capacity_) [[unlikely]] {
      grow();
    }
    return *new (items_ + size_++) T{};
  }
  void push_back(T item) { emplace_back() = std::move(item); }
  /// Adds items until there are `size`.
  void grow_to(std::size_t size) {
    while (size_ < size) {
      emplace_back();
    }
  }
  void clear() {
    std::destroy_n(items_, size_);
    size_ = 0;
  }

 private:
  static constexpr std::size_t first_capacity = 64;

  [[gnu::noinline, gnu::cold]] void grow() {
    const std::size_t capacity = capacity_ == 0 ? first_capacity : 2 * capacity_;
    void* const grown = std::realloc(block_, capacity * sizeof(T) + alignof(T));
    if (grown == nullptr) {
      throw std::bad_alloc{};
    }
    block_ = static_cast<std::byte*>(grown);
    const std::size_t offset = (0 - reinterpret_cast<std::uintptr_t>(grown)) % alignof(T);
    if (offset != offset_) {
      std::memmove(block_ + offset, block_ + offset_, size_ * sizeof(T));
    }
    items_ = reinterpret_cast<T*>(block_ + offset);
    offset_ = offset;
    capacity_ = capacity;
  }

  std::byte* block_ = nullptr;
  T* items_ = nullptr;
  std::size_t offset_ = 0;  ///< of the items in the block, for their alignment
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace dcube
