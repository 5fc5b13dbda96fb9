#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/engine/process.hpp"

namespace dcube {

/// A receive that waits for a message, or a message that waits for a receive.
class Waiting {
 public:
  static Waiting receive(std::uint32_t number) { return Waiting{number << 1U}; }
  static Waiting message(std::uint32_t number) { return Waiting{number << 1U | 1U}; }
  explicit Waiting(std::uint32_t word) : word_{word} {}

  std::uint32_t word() const { return word_; }
  std::uint32_t number() const { return word_ >> 1U; }
  bool is_message() const { return (word_ & 1U) != 0; }

 private:
  std::uint32_t word_;
};

/// Receives and messages that wait for each other, first in, first out, in a queue for each source
/// and tag. Every call is O(1) on average.
///
/// A queue has either receives or messages. The queues are in a table with open addressing; their
/// items are linked where the caller keeps them. An empty queue keeps its place until the table
/// grows, so the table is bounded by the most queues in use at once.
class MessageQueues {
 public:
  /// Takes the first counterpart of `comes` and returns its number; without one, `comes` is
  /// appended to the queue. `next(waiting)` refers to the link of an item.
  template <class Next>
  std::optional<std::uint32_t> meet(ProcessId source, Tag tag, Waiting comes, Next&& next) {
    if (2 * (used_ + 1) > queues_.size()) [[unlikely]] {
      grow();
    }
    const std::uint64_t key = key_of(source, tag);
    Queue& queue = queues_.data()[place_of(key)];
    if (queue.first == none) {
      used_ += queue.key == no_key ? 1U : 0U;
      queue = {key, comes.word(), comes.word()};
      return std::nullopt;
    }
    const Waiting first{queue.first};
    if (first.is_message() == comes.is_message()) {
      next(Waiting{queue.last}) = comes.word();
      queue.last = comes.word();
      return std::nullopt;
    }
    queue.first = queue.first == queue.last ? none : next(first);
    return first.number();
  }
  /// Prefetches the queue of a message to come.
  [[gnu::always_inline]] void prefetch(ProcessId source, Tag tag) const {
    if (!queues_.empty()) {
      __builtin_prefetch(&queues_[key_of(source, tag) * golden >> 32U & (queues_.size() - 1)], 1);
    }
  }
  /// The first item of a queue, if there is one.
  std::optional<Waiting> first(ProcessId source, Tag tag) const {
    if (queues_.empty()) {
      return std::nullopt;
    }
    const std::uint32_t first = queues_.data()[place_of(key_of(source, tag))].first;
    return first == none ? std::nullopt : std::optional{Waiting{first}};
  }
  /// Calls `see` for the first item of each queue. O(queues).
  template <class See>
  void for_each_first(See&& see) const {
    for (const Queue& queue : queues_) {
      if (queue.first != none) {
        see(Waiting{queue.first});
      }
    }
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint64_t no_key = ~std::uint64_t{0};  // no message has this tag
  static constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U;

  struct Queue {
    std::uint64_t key = no_key;
    std::uint32_t first = none;
    std::uint32_t last = none;
  };

  static std::uint64_t key_of(ProcessId source, Tag tag) {
    return std::uint64_t{source.index()} << 32U | tag;
  }
  /// Place of the key's queue, or of its insertion.
  std::size_t place_of(std::uint64_t key) const {
    const std::size_t mask = queues_.size() - 1;
    std::size_t place = (key * golden >> 32U) & mask;
    const Queue* const queues = queues_.data();
    while (queues[place].key != key && queues[place].key != no_key) {
      place = (place + 1) & mask;
    }
    return place;
  }
  void grow() {
    const std::vector<Queue> old = std::exchange(queues_, {});
    used_ = 0;
    for (const Queue& queue : old) {
      used_ += queue.first == none ? 0U : 1U;
    }
    queues_.resize(std::max<std::size_t>(8, std::bit_ceil(4 * (used_ + 1))));
    for (const Queue& queue : old) {
      if (queue.first != none) {
        queues_[place_of(queue.key)] = queue;
      }
    }
  }

  std::vector<Queue> queues_;  ///< empty, or a power of two
  std::size_t used_ = 0;       ///< number of places in use in `queues_`
};

}  // namespace dcube
