#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "dcube/network/message.hpp"

namespace dcube {

/// Cuts messages into packets that travel on their own, and detects when all have arrived.
///
/// A packet is a message of the network's own. Packets of one message take precedence by number, so
/// their message numbers ascend too: in blocks that serve one message after the other.
class Packets {
 public:
  Packets(std::optional<std::uint64_t> bytes, Messages& messages)
      : bytes_{bytes.value_or(std::numeric_limits<std::uint64_t>::max())}, messages_{messages} {}

  /// Whether messages may be cut into packets.
  bool are_used() const { return bytes_ != std::numeric_limits<std::uint64_t>::max(); }
  /// Number of packets of a message of this size; 1: it travels whole. InputError above 2^20.
  std::uint32_t count_of(std::uint64_t bytes) const {
    return bytes <= bytes_ ? 1 : count_of_several(bytes);
  }
  /// Cuts a message into at least two packets and returns the first.
  std::uint32_t cut(std::uint32_t message, std::uint32_t count);
  /// Number of the packet in its message; 0 for a message that travels whole.
  static std::uint32_t number(const Message& message) {
    return message.is_packet() ? message.tag : 0;
  }
  /// A message or a packet has arrived. Returns the message that is complete now, if any.
  std::optional<std::uint32_t> arrive(std::uint32_t number);
  /// [node]: how many packets began or ended there, beyond one of each message. Those that a failed
  /// node lost, packets or messages, end there and begin again. May be too short.
  const std::vector<std::uint64_t>& further_ends() const { return further_ends_; }
  void add_ends(NodeId node, std::uint32_t count);

 private:
  std::uint32_t count_of_several(std::uint64_t bytes) const;

  std::uint64_t bytes_;
  Messages& messages_;
  /// [n]: first numbers of unused blocks of 2^n messages.
  std::array<std::vector<std::uint32_t>, 32> unused_;
  std::vector<std::uint64_t> further_ends_;
};

}  // namespace dcube
