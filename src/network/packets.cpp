#include "packets.hpp"

#include <fmt/format.h>

#include "dcube/core/errors.hpp"

namespace dcube {

namespace {

constexpr std::uint64_t most_packets = std::uint64_t{1} << 20;

}  // namespace

std::span<const std::uint32_t> Packets::cut(std::uint32_t message) {
  const std::uint64_t bytes = messages_[MessageId{message}].payload.size_bytes();
  const std::uint64_t count = bytes <= *bytes_ ? 1 : (bytes - 1) / *bytes_ + 1;
  if (count > most_packets) {
    throw InputError("", fmt::format("a message of {} bytes would travel in {} packets, which are "
                                     "more than {} (use larger packets)",
                                     bytes, count, most_packets));
  }
  cut_.clear();
  if (count == 1) {
    cut_.push_back(message);
    return cut_;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    cut_.push_back(messages_.add().index());
  }
  std::ranges::sort(cut_);
  parts_.grow_to(messages_.count());
  parts_[message] = {Message::none, static_cast<std::uint32_t>(count)};
  for (std::uint32_t i = 0; i < count; ++i) {
    const Message& whole = messages_[MessageId{message}];
    Message& packet = messages_[MessageId{cut_[i]}];
    packet.source = whole.source;
    packet.send_number = whole.send_number;
    packet.at = whole.at;
    packet.to = whole.to;
    packet.start = whole.start;
    packet.hops = 0;
    packet.destination = whole.destination;
    packet.tag = i;
    packet.payload = Payload::of_size(i + 1 < count ? *bytes_ : bytes - i * *bytes_);
    parts_[cut_[i]] = {message, 0};
  }
  return cut_;
}

std::optional<std::uint32_t> Packets::arrive(std::uint32_t packet) {
  parts_.grow_to(messages_.count());
  const std::uint32_t whole = std::exchange(parts_[packet].whole, Message::none);
  if (whole == Message::none) {
    return packet;
  }
  std::uint32_t& hops = messages_[MessageId{whole}].hops;
  hops = std::max(hops, messages_[MessageId{packet}].hops);
  messages_[MessageId{packet}].payload = {};
  messages_.release(MessageId{packet});
  return --parts_[whole].left == 0 ? std::optional{whole} : std::nullopt;
}

}  // namespace dcube
