#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dcube/core/growing_array.hpp"
#include "dcube/network/message.hpp"

namespace dcube {

/// Cuts messages into packets that travel on their own, and tells when the last has come.
///
/// A packet is a message of the network's own. Of the packets of one message, those with lower
/// numbers come first wherever they meet, so their message numbers ascend, too.
class Packets {
 public:
  Packets(std::optional<std::uint64_t> bytes, Messages& messages)
      : bytes_{bytes}, messages_{messages} {}

  /// Whether any message can be in packets.
  bool are_used() const { return bytes_.has_value(); }
  /// The packets of a message that is larger than one; the message itself otherwise. Valid until
  /// the next call. Throws InputError when there would be more than 2^20.
  std::span<const std::uint32_t> cut(std::uint32_t message);
  /// Which packet of its message this is; 0 for a message that travels whole.
  std::uint32_t number(std::uint32_t packet) const {
    return packet < parts_.size() && parts_[packet].whole != Message::none
               ? messages_[MessageId{packet}].tag
               : 0;
  }
  /// Something has arrived. Returns the message that has all of its packets now, if any.
  std::optional<std::uint32_t> arrive(std::uint32_t packet);

 private:
  struct Part {
    std::uint32_t whole = Message::none;
    std::uint32_t left = 0;  ///< of a whole message: packets still to come
  };

  std::optional<std::uint64_t> bytes_;
  Messages& messages_;
  GrowingArray<Part> parts_;  ///< [message]
  std::vector<std::uint32_t> cut_;
};

}  // namespace dcube
