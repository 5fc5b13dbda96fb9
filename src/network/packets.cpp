#include "packets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "dcube/core/errors.hpp"

namespace dcube {

namespace {

constexpr std::uint64_t most_packets = std::uint64_t{1} << 20;

/// Index in `unused_` of the blocks for so many packets.
unsigned block_of(std::uint32_t count) { return static_cast<unsigned>(std::bit_width(count - 1)); }

}  // namespace

std::uint32_t Packets::count_of_several(std::uint64_t bytes) const {
  const std::uint64_t count = (bytes - 1) / bytes_ + 1;
  if (count > most_packets) {
    throw InputError("", fmt::format("a message of {} bytes would travel in {} packets, which are "
                                     "more than {} (use larger packets)",
                                     bytes, count, most_packets));
  }
  return static_cast<std::uint32_t>(count);
}

std::uint32_t Packets::cut(std::uint32_t message, std::uint32_t count) {
  std::vector<std::uint32_t>& unused = unused_[block_of(count)];
  if (unused.empty()) {
    unused.push_back(messages_.add_block(std::uint32_t{1} << block_of(count)).index());
  }
  const std::uint32_t first = unused.back();
  unused.pop_back();
  Message& whole = messages_[MessageId{message}];
  whole.cost_row = count;
  const std::uint64_t bytes = whole.payload.size_bytes();
  for (std::uint32_t i = 0; i < count; ++i) {
    Message& packet = messages_[MessageId{first + i}];
    packet.source = whole.source;
    packet.send_number = whole.send_number;
    packet.at = whole.at;
    packet.to = whole.to;
    packet.start = whole.start;
    packet.arrival = Message::packet;
    packet.hops = 0;
    packet.destination = whole.destination;
    packet.tag = i;
    packet.partner = message;
    packet.stage = whole.stage;
    packet.payload = Payload::of_size(i + 1 < count ? bytes_ : bytes - i * bytes_);
  }
  add_ends(whole.at, count - 1);
  return first;
}

std::optional<std::uint32_t> Packets::arrive(std::uint32_t number) {
  Message& arrived = messages_[MessageId{number}];
  if (!arrived.is_packet()) {
    return number;
  }
  const std::uint32_t message = arrived.partner;
  Message& whole = messages_[MessageId{message}];
  whole.hops = std::max(whole.hops, arrived.hops);
  if (--whole.cost_row != 0) {
    add_ends(whole.to, 1);
    return std::nullopt;
  }
  const std::uint32_t count = count_of(whole.payload.size_bytes());
  const std::uint32_t first = number - arrived.tag;
  unused_[block_of(count)].push_back(first);
  return message;
}

void Packets::add_ends(NodeId node, std::uint32_t count) {
  further_ends_.resize(std::max(further_ends_.size(), std::size_t{node.index()} + 1));
  further_ends_[node.index()] += count;
}

}  // namespace dcube
