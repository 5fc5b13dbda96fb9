#pragma once

#include <cstdint>
#include <limits>
#include <utility>

#include "dcube/core/growing_array.hpp"
#include "dcube/core/ids.hpp"
#include "dcube/core/payload.hpp"
#include "dcube/core/time.hpp"

namespace dcube {

/// A message from its sending to its receipt. Numbers are reused after Messages::release().
using MessageId = Id<struct MessageTag>;

/// State of a message, in one cache line: the network's share and, for matching with receives, its
/// destination process, tag and partner.
struct alignas(64) Message {
  /// `arrival` of a message that has not arrived.
  static constexpr Ticks not_yet{-1};
  /// `arrival` of a message that waits for its receiver before it leaves.
  static constexpr Ticks announced{-2};
  /// `arrival` of a packet, which is a message of the network's own. Its `partner` is the whole
  /// message, its `tag` the packet's number.
  static constexpr Ticks packet{-3};
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  ProcessId source;
  std::uint32_t send_number = 0;  ///< unique among the messages of `source`
  NodeId at;                      ///< end of its present straight stretch
  NodeId to;
  Ticks start{0};
  Ticks arrival = not_yet;
  std::uint32_t hops = 0;  ///< links so far; the largest of its packets' if it travels in packets
  /// Row of its size in the network's table of costs. Message in packets: packets still to come.
  std::uint32_t cost_row = 0;
  ProcessId destination;
  std::uint32_t tag = 0;
  /// The receive that gets it; for an unused message or one in an inbox, the next message.
  std::uint32_t partner = none;
  std::uint32_t stage = none;  ///< of its sender, if somebody asks; see Network::Delays
  Payload payload;

  bool has_arrived() const { return arrival >= Ticks{0}; }
  bool is_announced() const { return arrival == announced; }
  bool is_packet() const { return arrival == packet; }
  /// Order of service of messages that reach a link at one instant, lowest first.
  struct Priority {
    ProcessId source;
    std::uint32_t send_number = 0;

    friend auto operator<=>(const Priority&, const Priority&) = default;
  };
  Priority priority() const { return {source, send_number}; }
};
static_assert(sizeof(Message) == 64);

/// All messages of a run.
class Messages {
 public:
  MessageId add() {
    if (unused_ == Message::none) {
      messages_.emplace_back();
      return MessageId{static_cast<std::uint32_t>(messages_.size() - 1)};
    }
    const std::uint32_t id = unused_;
    unused_ = messages_[id].partner;
    return MessageId{id};
  }
  /// Adds messages with consecutive numbers and returns the first.
  MessageId add_block(std::uint32_t count) {
    const auto first = static_cast<std::uint32_t>(messages_.size());
    messages_.grow_to(std::size_t{first} + count);
    return MessageId{first};
  }
  void release(MessageId id) { (*this)[id].partner = std::exchange(unused_, id.index()); }

  Message& operator[](MessageId id) { return messages_[id.index()]; }
  const Message& operator[](MessageId id) const { return messages_[id.index()]; }
  /// Whether all messages have been released. O(messages).
  bool are_all_unused() const {
    std::size_t unused = 0;
    for (std::uint32_t id = unused_; id != Message::none; id = messages_[id].partner) {
      ++unused;
    }
    return unused == count();
  }
  /// Upper bound of all numbers.
  std::size_t count() const { return messages_.size(); }

 private:
  GrowingArray<Message> messages_;
  std::uint32_t unused_ = Message::none;  ///< head of a list through `partner`
};

/// Tag of a message, or of that which a packet belongs to.
inline std::uint32_t tag_of(const Messages& messages, const Message& message) {
  return message.is_packet() ? messages[MessageId{message.partner}].tag : message.tag;
}

}  // namespace dcube
