#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "dcube/core/errors.hpp"

namespace dcube {

/// A monotone priority queue over 64-bit times (Ahuja, Mehlhorn, Orlin, Tarjan 1990): nothing is
/// pushed before the last time popped. Bucket b holds the items whose highest bit that differs from
/// `last_` is bit b-1, so an item only ever moves to lower buckets: amortised O(64) moves, and
/// streaming ones. Each bucket knows its least time, so looking at the earliest item moves nothing
/// and later pushes may still come before it.
///
/// `Item` has a member `std::uint64_t time`, below 2^63.
template <class Item>
class RadixHeap {
 public:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  RadixHeap() { least_.fill(never); }

  /// Time of the earliest item; never when there is none.
  std::uint64_t earliest() const {
    return occupied_ == 0 ? never : least_[static_cast<std::size_t>(std::countr_zero(occupied_))];
  }

  void push(const Item& item) {
    const auto bucket = static_cast<std::size_t>(std::bit_width(item.time ^ last_));
    buckets_[bucket].push_back(item);
    least_[bucket] = std::min(least_[bucket], item.time);
    occupied_ |= std::uint64_t{1} << bucket;
  }

  /// Hands every item of the earliest time to `take`, which may push later ones.
  template <class Take>
  void pop_earliest(Take&& take) {
    expects(occupied_ != 0, "a heap that is popped holds something");
    const auto bucket = static_cast<std::size_t>(std::countr_zero(occupied_));
    last_ = least_[bucket];
    std::vector<Item> batch = std::move(spare_);
    batch.swap(buckets_[bucket]);
    least_[bucket] = never;
    occupied_ &= occupied_ - 1;
    for (const Item& item : batch) {
      if (item.time == last_) {
        take(item);
      } else {
        push(item);
      }
    }
    batch.clear();
    spare_ = std::move(batch);
  }

 private:
  static constexpr std::size_t bucket_count = 64;  ///< times are below 2^63

  std::array<std::vector<Item>, bucket_count> buckets_;
  std::array<std::uint64_t, bucket_count> least_;
  std::uint64_t occupied_ = 0;  ///< bit b: bucket b holds something
  std::vector<Item> spare_;     ///< keeps its memory between batches
  std::uint64_t last_ = 0;
};

}  // namespace dcube
