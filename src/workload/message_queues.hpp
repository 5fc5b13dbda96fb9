#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/engine/process.hpp"

namespace dcube {

/// Numbers in queues, first in, first out, one queue for each source and tag: receives that wait
/// for a message, or messages that wait for a receive. Every call is O(1) on average.
///
/// The queues are in a table with open addressing. One that is empty keeps its place until the
/// table grows, so what it takes is bounded by the most queues that are in use at once.
class MessageQueues {
 public:
  void push(ProcessId source, Tag tag, std::uint32_t number) {
    if (2 * (used_ + 1) > queues_.size()) {
      grow();
    }
    Queue& queue = find(key_of(source, tag));
    if (queue.key == no_key) {
      queue.key = key_of(source, tag);
      ++used_;
    }
    append(queue, number);
  }
  /// Takes the first number of the queue out, if there is one.
  std::optional<std::uint32_t> pop(ProcessId source, Tag tag) {
    if (queues_.empty()) {
      return std::nullopt;
    }
    Queue& queue = find(key_of(source, tag));
    if (queue.last == none) {
      return std::nullopt;
    }
    const std::uint32_t first = items_[queue.last].next;
    if (first == queue.last) {
      queue.last = none;
    } else {
      items_[queue.last].next = items_[first].next;
    }
    items_[first].next = std::exchange(unused_, first);
    return items_[first].number;
  }
  /// The number that has been here longest. O(queues).
  std::optional<std::uint32_t> oldest() const {
    const Item* oldest = nullptr;
    for (const Queue& queue : queues_) {
      if (queue.last != none) {
        const Item& first = items_[items_[queue.last].next];
        oldest = oldest == nullptr || first.order < oldest->order ? &first : oldest;
      }
    }
    return oldest == nullptr ? std::nullopt : std::optional{oldest->number};
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint64_t no_key = ~std::uint64_t{0};  // of nobody's tag

  struct Queue {
    std::uint64_t key = no_key;
    std::uint32_t last = none;  ///< of a circle of items
  };
  struct Item {
    std::uint32_t number = 0;
    std::uint32_t order = 0;
    std::uint32_t next = none;
  };

  static std::uint64_t key_of(ProcessId source, Tag tag) {
    return std::uint64_t{source.index()} << 32U | tag;
  }
  /// The queue of the key, or where it would be.
  Queue& find(std::uint64_t key) {
    constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U;
    const std::size_t mask = queues_.size() - 1;
    std::size_t place = (key * golden >> 32U) & mask;
    while (queues_[place].key != key && queues_[place].key != no_key) {
      place = (place + 1) & mask;
    }
    return queues_[place];
  }
  void append(Queue& queue, std::uint32_t number) {
    std::uint32_t item = unused_;
    if (item == none) {
      item = static_cast<std::uint32_t>(items_.size());
      items_.emplace_back();
    } else {
      unused_ = items_[item].next;
    }
    items_[item].number = number;
    items_[item].order = pushed_++;
    items_[item].next = queue.last == none ? item : std::exchange(items_[queue.last].next, item);
    queue.last = item;
  }
  void grow() {
    std::vector<Queue> old;
    old.swap(queues_);
    used_ = 0;
    for (const Queue& queue : old) {
      used_ += queue.last == none ? 0U : 1U;
    }
    std::size_t size = 8;
    while (size < 4 * (used_ + 1)) {
      size *= 2;
    }
    queues_.resize(size);
    for (const Queue& queue : old) {
      if (queue.last != none) {
        find(queue.key) = queue;
      }
    }
  }

  std::vector<Queue> queues_;  ///< a power of two, or none
  std::size_t used_ = 0;       ///< places in `queues_`
  std::vector<Item> items_;
  std::uint32_t unused_ = none;  ///< the first of a list of items
  std::uint32_t pushed_ = 0;
};

}  // namespace dcube
