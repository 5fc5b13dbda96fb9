#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/network/network.hpp"

namespace dcube::detail {

/// The messages that their receivers have not asked for, for each receiver in the order they were
/// sent.
///
/// Most inboxes are empty or short. Such an inbox is a list in the order of sending, and taking
/// looks at one message after the other. A search that has to pass many messages sorts the inbox by
/// source. So a process that asks in an unlucky order takes O(log messages) for each message.
class Inboxes {
 public:
  /// One process's share.
  class Inbox {
   public:
    bool is_empty() const { return last_ == none && sorted_ == none; }

   private:
    friend class Inboxes;
    std::uint32_t last_ = none;    ///< message of the list, whose successor is the first
    std::uint32_t sorted_ = none;  ///< its place in Inboxes::sorted_, when it is there
  };

  void push(Inbox& inbox, MessageId message, ProcessId source);
  /// Takes out the earliest message of `source`; nothing when there is none.
  std::optional<MessageId> take(Inbox& inbox, ProcessId source);

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint32_t longest_search = 32;

  /// A message in a list.
  struct Entry {
    std::uint32_t next = none;
    ProcessId source;
  };
  /// By source, the last message of a list of its own.
  using Sorted = std::map<ProcessId, std::uint32_t>;

  void append(std::uint32_t& last, std::uint32_t message);
  std::uint32_t take_after(std::uint32_t& last, std::uint32_t previous);
  void sort(Inbox& inbox);
  std::optional<MessageId> take_sorted(Inbox& inbox, ProcessId source);

  std::vector<Entry> entries_;  ///< [MessageId]
  std::vector<Sorted> sorted_;
  std::vector<std::uint32_t> unused_;  ///< places in `sorted_`
};

}  // namespace dcube::detail
