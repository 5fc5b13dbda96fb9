#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace dcube {

/// A queue of trivial values in one power-of-two ring: pushes and pops stream through memory in
/// order.
template <class T>
class Fifo {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  bool is_empty() const { return head_ == tail_; }
  std::size_t size() const { return tail_ - head_; }

  T& front() { return items_[head_ & mask_]; }
  const T& front() const { return items_[head_ & mask_]; }
  const T& back() const { return items_[(tail_ - 1) & mask_]; }
  T& back() { return items_[(tail_ - 1) & mask_]; }
  /// The i-th value from the front.
  T& operator[](std::size_t i) { return items_[(head_ + i) & mask_]; }

  void push(const T& item) {
    if (size() == capacity_) [[unlikely]] {
      grow();
    }
    items_[tail_++ & mask_] = item;
  }
  void pop_back() { --tail_; }
  T pop() { return items_[head_++ & mask_]; }

 private:
  void grow() {
    const std::size_t capacity = capacity_ == 0 ? 64 : 2 * capacity_;
    auto items = std::make_unique_for_overwrite<T[]>(capacity);
    for (std::size_t i = 0; i < size(); ++i) {
      items[(head_ + i) & (capacity - 1)] = (*this)[i];
    }
    items_ = std::move(items);
    capacity_ = capacity;
    mask_ = capacity - 1;
  }

  std::unique_ptr<T[]> items_;
  std::size_t capacity_ = 0;
  std::size_t mask_ = 0;
  std::size_t head_ = 0;  ///< grows for ever; masked on use
  std::size_t tail_ = 0;
};

}  // namespace dcube
