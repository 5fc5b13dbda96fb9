#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/engine/process.hpp"
#include "graph_events.hpp"

namespace dcube {

/// A message of a graph, from its departure until a receive has taken it. Of one above the eager
/// limit: until its sender has heard of that.
struct SentMessage {
  std::uint64_t bytes = 0;
  // Of its place; when it is taken, of what took it. `root` is its send number in between.
  Ticks entered{0};
  GraphPlace::Gap since_cause = 0;
  GraphPlace::Gap since_origin = 0;
  std::uint32_t root = 0;
  ProcessId source;
  std::uint32_t operation = 0;  ///< of its sender
  Tag tag = 0;
  /// See MessageQueues; of an unused message: the next unused one; of a taken one: the taker's
  /// order.
  std::uint32_t next = 0;
  std::uint16_t interface = 0;
  std::uint8_t cpu = 0;

  GraphPlace place() const { return {entered, since_cause, since_origin, root, source.index()}; }
  /// The message has arrived and its place is asked for no more.
  void note_send_number(std::uint32_t number) { root = number; }
  std::uint32_t send_number() const { return root; }
  /// Replaces the message's place by that of the event that gave it to a receive, for the sender.
  void note_taker(const GraphEvent& by) {
    entered = by.place.entered;
    since_cause = by.place.since_cause;
    since_origin = by.place.since_origin;
    root = by.place.root;
    source = ProcessId{by.place.source};
    next = by.order;
  }
};
static_assert(sizeof(SentMessage) == 48);

/// All messages of a run that are in use. The last that was forgotten is used first, so few
/// messages stay in the cache, whoever sends them.
class SentMessages {
 public:
  /// The message's number, valid until it is forgotten.
  std::uint32_t keep(const SentMessage& message) {
    if (unused_ == none) {
      messages_.push_back(message);
      return static_cast<std::uint32_t>(messages_.size() - 1);
    }
    const std::uint32_t number = std::exchange(unused_, (*this)[unused_].next);
    (*this)[number] = message;
    return number;
  }
  void forget(std::uint32_t number) { (*this)[number].next = std::exchange(unused_, number); }
  SentMessage& operator[](std::uint32_t number) { return messages_.data()[number]; }
  const SentMessage& operator[](std::uint32_t number) const { return messages_.data()[number]; }
  [[gnu::always_inline]] void prefetch(std::uint32_t number) const {
    __builtin_prefetch(&messages_[number], 1);
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::vector<SentMessage> messages_;
  std::uint32_t unused_ = none;  ///< head of the list of unused messages
};

}  // namespace dcube
