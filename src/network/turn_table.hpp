#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "dcube/network/message.hpp"

namespace dcube {

/// Places of messages in the queues of servers that serve messages in turn: a hash table from
/// (server, message), with linear probing. Half of its entries or more are free.
class TurnTable {
 public:
  static constexpr std::uint32_t none = Message::none;

  /// The place, to be set when the message is new: then it is `none`. Valid until the next call.
  std::uint32_t& find_or_add(std::uint32_t server, std::uint32_t message) {
    if (2 * (count_ + 1) > entries_.size()) [[unlikely]] {
      grow();
    }
    Entry& found = entries_[index_of(server, message)];
    if (found.place == none) {
      found = {server, message, none};
      ++count_;
    }
    return found.place;
  }
  /// Needs a message that is there.
  void erase(std::uint32_t server, std::uint32_t message) {
    std::size_t gap = index_of(server, message);
    // A later entry fills the gap unless its probing begins behind it.
    for (std::size_t i = after(gap); entries_[i].place != none; i = after(i)) {
      if (distance(home(entries_[i].server, entries_[i].message), i) >= distance(gap, i)) {
        entries_[gap] = entries_[i];
        gap = i;
      }
    }
    entries_[gap].place = none;
    --count_;
  }

 private:
  struct Entry {
    std::uint32_t server = 0;
    std::uint32_t message = 0;
    std::uint32_t place = none;  ///< none: the entry is free
  };

  std::size_t home(std::uint32_t server, std::uint32_t message) const {
    constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;
    return (((std::uint64_t{server} << 32) | message) * golden_ratio) >> shift_;
  }
  std::size_t after(std::size_t index) const { return (index + 1) & (entries_.size() - 1); }
  std::size_t distance(std::size_t from, std::size_t to) const {
    return (to - from) & (entries_.size() - 1);
  }
  /// Index of the message, or of the free entry for it.
  std::size_t index_of(std::uint32_t server, std::uint32_t message) const {
    std::size_t index = home(server, message);
    while (entries_[index].place != none &&
           (entries_[index].server != server || entries_[index].message != message)) {
      index = after(index);
    }
    return index;
  }
  void grow() {
    const std::vector<Entry> before = std::move(entries_);
    shift_ = before.empty() ? 60 : shift_ - 1;
    entries_.assign(std::size_t{1} << (64 - shift_), {});
    for (const Entry& entry : before) {
      if (entry.place != none) {
        entries_[index_of(entry.server, entry.message)] = entry;
      }
    }
  }

  std::vector<Entry> entries_;
  std::size_t count_ = 0;
  unsigned shift_ = 64;
};

}  // namespace dcube
