#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "dcube/network/message.hpp"

namespace dcube {

/// Cuts messages into packets that travel on their own, and tells when the last has come.
///
/// A packet is a message of the network's own. Of the packets of one message, those with lower
/// numbers come first wherever they meet, so their message numbers ascend, too: one after the
/// other, in blocks that serve one message after the other.
class Packets {
 public:
  Packets(std::optional<std::uint64_t> bytes, Messages& messages)
      : bytes_{bytes.value_or(std::numeric_limits<std::uint64_t>::max())}, messages_{messages} {}

  /// Whether any message can be in packets.
  bool are_used() const { return bytes_ != std::numeric_limits<std::uint64_t>::max(); }
  /// How many a message of this size travels in; 1: it travels whole. Throws InputError when there
  /// would be more than 2^20.
  std::uint32_t count_of(std::uint64_t bytes) const {
    return bytes <= bytes_ ? 1 : count_of_several(bytes);
  }
  /// Cuts a message into so many packets, at least two, and returns the first.
  std::uint32_t cut(std::uint32_t message, std::uint32_t count);
  /// Which packet of its message this is; 0 for a message that travels whole.
  static std::uint32_t number(const Message& message) {
    return message.is_packet() ? message.tag : 0;
  }
  /// A message or a packet has arrived. Returns the message that has all of its packets now, if
  /// any.
  std::optional<std::uint32_t> arrive(std::uint32_t number);

 private:
  std::uint32_t count_of_several(std::uint64_t bytes) const;

  std::uint64_t bytes_;
  Messages& messages_;
  /// [n]: the first numbers of blocks of 2^n that no message uses.
  std::array<std::vector<std::uint32_t>, 32> unused_;
};

}  // namespace dcube
