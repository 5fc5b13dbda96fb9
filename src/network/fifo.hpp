#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "core/prefetch.hpp"

namespace dcube {

/// Destination of an item taken off a queue.
enum class Fate : std::uint8_t { goes_back, is_gone, goes_elsewhere };

/// A queue of trivial values in a ring of 2^n; pushes and pops stream through memory in order.
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
  T& operator[](std::size_t i) { return items_[(head_ + i) & mask_]; }
  const T& operator[](std::size_t i) const { return items_[(head_ + i) & mask_]; }

  [[gnu::always_inline]] void push(T item) {
    if (size() == capacity_) [[unlikely]] {
      grow();
    }
    items_[tail_++ & mask_] = item;
  }
  bool has_room() const { return size() != capacity_; }
  /// Needs has_room().
  void push_to_room(T item) { items_[tail_++ & mask_] = item; }
  void pop_back() { --tail_; }
  /// Takes the first `count` items off and calls `step` with each, which decides: the item goes to
  /// the end of the queue as `step` left it, or is gone, or is passed to `other` as it was. Only
  /// `other` may use the queue. `soon` gets items some calls before their turn. Returns how many
  /// items went to the end. The loop keeps both ends of the ring in registers.
  template <class Step, class Other, class Soon>
  std::size_t cycle(std::size_t count, Step&& step, Other&& other, Soon&& soon) {
    std::size_t returned = 0;
    while (count > 0) {
      T* const items = items_.get();
      const std::size_t mask = mask_;
      std::size_t head = head_;
      std::size_t tail = tail_;
      Fate fate = Fate::goes_back;
      while (fate != Fate::goes_elsewhere && count > 0) {
        T item = items[head++ & mask];
        --count;
        fate = step(item);
        if (fate == Fate::goes_back) {
          items[tail++ & mask] = item;
        } else if (count >= lookahead) {
          soon(items[(head + lookahead - 1) & mask]);
        }
      }
      returned += tail - tail_;
      head_ = head;
      tail_ = tail;
      if (fate == Fate::goes_elsewhere) {
        other(items[(head - 1) & mask]);
      }
    }
    return returned;
  }

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
