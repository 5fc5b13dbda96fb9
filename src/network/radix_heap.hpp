#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "dcube/core/errors.hpp"

namespace dcube {

/// A monotone priority queue over 64-bit times (Ahuja, Mehlhorn, Orlin, Tarjan 1990): nothing is
/// pushed before the last time popped. Times are numbers of eleven digits of six bits. The level
/// of an item is the place, from the right, of the first digit that differs from `last_`; its
/// bucket is that of the digit's value on this level. So an item moves to lower levels only, at
/// most once per digit, and each move streams through memory. A bucket of few items is searched
/// instead. Each bucket knows its least time, so looking at the earliest item moves nothing, and
/// later pushes may still come before it.
///
/// `Item` has a member `std::uint64_t time`, below 2^63.
template <class Item>
class RadixHeap {
 public:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  /// Time of the earliest item; `never` if there is none.
  std::uint64_t earliest() const { return earliest_; }

  void push(const Item& item) {
    const std::uint64_t difference = item.time ^ last_;
    const auto level = static_cast<unsigned>(std::bit_width(difference | 1U) - 1) / digit_bits;
    const auto digit = static_cast<unsigned>(item.time >> (level * digit_bits)) % digits;
    Bucket& bucket = buckets_[level * digits + digit];
    if (bucket.items.is_full()) [[unlikely]] {
      push_to_full(bucket, item);
      return;
    }
    bucket.items.push_to_room(item);
    bucket.least = std::min(bucket.least, item.time);
    earliest_ = std::min(earliest_, item.time);
    occupied_[level] |= std::uint64_t{1} << digit;
    levels_ |= 1U << level;
  }

  /// Removes the items for which `keep(item)` is false.
  template <class Keep>
  void filter(Keep&& keep) {
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      Bucket& bucket = buckets_[b];
      if (bucket.items.is_empty()) {
        continue;
      }
      bucket.least = bucket.items.filter(keep);
      if (bucket.items.is_empty()) {
        const std::size_t level = b / digits;
        occupied_[level] &= ~(std::uint64_t{1} << (b % digits));
        if (occupied_[level] == 0) {
          levels_ &= ~(1U << level);
        }
      }
    }
    find_earliest();
  }

  /// Passes every item of the earliest time to `take`, in any order, and whether it is certain to
  /// be the only one. `take` may push later ones.
  template <class Take>
  void pop_earliest(Take&& take) {
    expects(levels_ != 0, "a heap that is popped holds something");
    Bucket& bucket = earliest_bucket();
    if (bucket.items.size() == 1) {  // the usual case with little traffic
      const Item item = *bucket.items.begin();
      bucket.items.clear();
      forget_earliest();
      take(item, true);
      return;
    }
    const std::uint64_t time = earliest_;
    Items batch = std::move(spare_);
    bool is_only = false;
    if (bucket.items.size() <= few) {
      take_due(bucket, batch);
      is_only = batch.size() == 1;
    } else {
      std::swap(batch, bucket.items);
      forget_earliest();
    }
    for (const Item& item : batch) {
      if (item.time == time) {
        take(item, is_only);
      } else {
        push(item);
      }
    }
    batch.clear();
    spare_ = std::move(batch);
  }

 private:
  static constexpr unsigned digit_bits = 6;
  static constexpr unsigned digits = 1U << digit_bits;
  static constexpr std::size_t few = 4;
  static constexpr unsigned level_count = (64 + digit_bits - 1) / digit_bits;

  /// A list of items. Smaller and quicker to append to than a std::vector.
  class Items {
   public:
    Items() = default;
    Items(Items&& other) noexcept { *this = std::move(other); }
    Items& operator=(Items&& other) noexcept {
      items_ = std::move(other.items_);
      size_ = std::exchange(other.size_, 0);
      capacity_ = std::exchange(other.capacity_, 0);
      return *this;
    }

    bool is_empty() const { return size_ == 0; }
    bool is_full() const { return size_ == capacity_; }
    std::size_t size() const { return size_; }
    const Item* begin() const { return items_.get(); }
    const Item* end() const { return items_.get() + size_; }
    /// Needs room.
    void push_to_room(const Item& item) { items_[size_++] = item; }
    void push(const Item& item) {
      if (is_full()) [[unlikely]] {
        grow();
      }
      push_to_room(item);
    }
    void clear() { size_ = 0; }
    /// Removes the items for which `keep(item)` is false; least time of the others, or `never`.
    template <class Keep>
    std::uint64_t filter(Keep&& keep) {
      std::uint64_t least = never;
      std::uint32_t kept = 0;
      for (const Item& item : *this) {
        if (keep(item)) {
          least = std::min(least, item.time);
          items_[kept++] = item;
        }
      }
      size_ = kept;
      return least;
    }

    void grow() {
      const std::uint32_t capacity = std::max(2 * capacity_, 2U);
      auto items = std::make_unique_for_overwrite<Item[]>(capacity);
      std::copy(begin(), end(), items.get());
      items_ = std::move(items);
      capacity_ = capacity;
    }

   private:
    std::unique_ptr<Item[]> items_;
    std::uint32_t size_ = 0;
    std::uint32_t capacity_ = 0;
  };
  struct Bucket {
    Items items;
    std::uint64_t least = never;
  };

  /// Apart from push(), which therefore need not save registers.
  [[gnu::noinline, gnu::cold]] void push_to_full(Bucket& bucket, const Item& item) {
    bucket.items.grow();
    push(item);
  }

  /// Needs an item.
  Bucket& earliest_bucket() {
    const auto level = static_cast<unsigned>(std::countr_zero(levels_));
    return buckets_[level * digits + static_cast<unsigned>(std::countr_zero(occupied_[level]))];
  }
  void find_earliest() { earliest_ = levels_ == 0 ? never : earliest_bucket().least; }

  /// The earliest bucket has lost its items, which came before all others.
  void forget_earliest() {
    last_ = std::exchange(earliest_bucket().least, never);
    const auto level = static_cast<unsigned>(std::countr_zero(levels_));
    occupied_[level] &= occupied_[level] - 1;
    if (occupied_[level] == 0) {
      levels_ &= levels_ - 1;
    }
    find_earliest();
  }
  /// Moves the items of the least time of the earliest bucket to `due`.
  void take_due(Bucket& bucket, Items& due) {
    const std::uint64_t least = bucket.items.filter([&](const Item& item) {
      if (item.time == earliest_) {
        due.push(item);
        return false;
      }
      return true;
    });
    if (bucket.items.is_empty()) {
      forget_earliest();
    } else {
      bucket.least = earliest_ = least;
    }
  }

  std::array<Bucket, std::size_t{level_count} * digits> buckets_;
  std::array<std::uint64_t, level_count>
      occupied_{};            ///< bit d: the bucket of digit d is not empty
  std::uint32_t levels_ = 0;  ///< bit l: some bucket of level l is not empty
  Items spare_;               ///< keeps its memory between batches
  std::uint64_t earliest_ = never;
  std::uint64_t last_ = 0;
};

}  // namespace dcube
