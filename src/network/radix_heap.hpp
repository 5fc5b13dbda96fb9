#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

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
  std::uint64_t earliest() const { return levels_ == 0 ? never : earliest_bucket().least; }

  void push(const Item& item) {
    const std::uint64_t difference = item.time ^ last_;
    const auto level = static_cast<unsigned>(std::bit_width(difference | 1U) - 1) / digit_bits;
    const auto digit = static_cast<unsigned>(item.time >> (level * digit_bits)) % digits;
    Bucket& bucket = buckets_[level * digits + digit];
    bucket.items.push_back(item);
    bucket.least = std::min(bucket.least, item.time);
    occupied_[level] |= std::uint64_t{1} << digit;
    levels_ |= 1U << level;
  }

  /// Removes the items for which `keep(item)` is false.
  template <class Keep>
  void filter(Keep&& keep) {
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      Bucket& bucket = buckets_[b];
      if (std::erase_if(bucket.items, [&](const Item& item) { return !keep(item); }) == 0) {
        continue;
      }
      bucket.least = never;
      for (const Item& item : bucket.items) {
        bucket.least = std::min(bucket.least, item.time);
      }
      if (bucket.items.empty()) {
        const std::size_t level = b / digits;
        occupied_[level] &= ~(std::uint64_t{1} << (b % digits));
        if (occupied_[level] == 0) {
          levels_ &= ~(1U << level);
        }
      }
    }
  }

  /// Passes every item of the earliest time to `take`, in any order, and whether it is certain to
  /// be the only one. `take` may push later ones.
  template <class Take>
  void pop_earliest(Take&& take) {
    expects(levels_ != 0, "a heap that is popped holds something");
    Bucket& bucket = earliest_bucket();
    if (bucket.items.size() == 1) {  // the usual case with little traffic
      const Item item = bucket.items.back();
      bucket.items.clear();
      forget_earliest();
      take(item, true);
      return;
    }
    const std::uint64_t time = bucket.least;
    std::vector<Item> batch = std::move(spare_);
    bool is_only = false;
    if (bucket.items.size() <= few) {
      take_due(bucket, batch);
      is_only = batch.size() == 1;
    } else {
      batch.swap(bucket.items);
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

  struct Bucket {
    std::vector<Item> items;
    std::uint64_t least = never;
  };

  const Bucket& earliest_bucket() const {
    const auto level = static_cast<unsigned>(std::countr_zero(levels_));
    return buckets_[level * digits + static_cast<unsigned>(std::countr_zero(occupied_[level]))];
  }
  Bucket& earliest_bucket() { return const_cast<Bucket&>(std::as_const(*this).earliest_bucket()); }

  /// The earliest bucket has lost its items, which came before all others.
  void forget_earliest() {
    last_ = std::exchange(earliest_bucket().least, never);
    const auto level = static_cast<unsigned>(std::countr_zero(levels_));
    occupied_[level] &= occupied_[level] - 1;
    if (occupied_[level] == 0) {
      levels_ &= levels_ - 1;
    }
  }
  /// Moves the items of the least time of the earliest bucket to `due`.
  void take_due(Bucket& bucket, std::vector<Item>& due) {
    std::uint64_t least = never;
    Item* kept = bucket.items.data();
    for (const Item& item : bucket.items) {
      if (item.time == bucket.least) {
        due.push_back(item);
      } else {
        least = std::min(least, item.time);
        *kept++ = item;
      }
    }
    bucket.items.resize(static_cast<std::size_t>(kept - bucket.items.data()));
    if (bucket.items.empty()) {
      forget_earliest();
    } else {
      bucket.least = least;
    }
  }

  std::array<Bucket, std::size_t{level_count} * digits> buckets_;
  std::array<std::uint64_t, level_count>
      occupied_{};            ///< bit d: the bucket of digit d is not empty
  std::uint32_t levels_ = 0;  ///< bit l: some bucket of level l is not empty
  std::vector<Item> spare_;   ///< keeps its memory between batches
  std::uint64_t last_ = 0;
};

}  // namespace dcube
