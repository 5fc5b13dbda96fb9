#include "inboxes.hpp"

#include <utility>

namespace dcube::detail {

void Inboxes::push(Inbox& inbox, MessageId message, ProcessId source) {
  if (message.index() >= entries_.size()) {
    entries_.resize(message.index() + 1);
  }
  entries_[message.index()].source = source;
  if (inbox.sorted_ == none) {
    append(inbox.last_, message.index());
  } else {
    append(sorted_[inbox.sorted_].try_emplace(source, none).first->second, message.index());
  }
}

std::optional<MessageId> Inboxes::take(Inbox& inbox, ProcessId source) {
  if (inbox.sorted_ != none) {
    return take_sorted(inbox, source);
  }
  if (inbox.last_ == none) {
    return std::nullopt;
  }
  std::uint32_t previous = inbox.last_;
  for (std::uint32_t passed = 0; passed < longest_search; ++passed) {
    const std::uint32_t current = entries_[previous].next;
    if (entries_[current].source == source) {
      return MessageId{take_after(inbox.last_, previous)};
    }
    if (current == inbox.last_) {
      return std::nullopt;
    }
    previous = current;
  }
  sort(inbox);
  return take_sorted(inbox, source);
}

/// Puts a message at the end of a circular list known by its last.
void Inboxes::append(std::uint32_t& last, std::uint32_t message) {
  Entry& entry = entries_[message];
  entry.next = last == none ? message : std::exchange(entries_[last].next, message);
  last = message;
}

/// Takes the successor of `previous` out of the list.
std::uint32_t Inboxes::take_after(std::uint32_t& last, std::uint32_t previous) {
  const std::uint32_t taken = entries_[previous].next;
  entries_[previous].next = entries_[taken].next;
  if (taken == last) {
    last = taken == previous ? none : previous;
  }
  return taken;
}

void Inboxes::sort(Inbox& inbox) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(sorted_.size()));
    sorted_.emplace_back();
  }
  inbox.sorted_ = unused_.back();
  unused_.pop_back();
  Sorted& sorted = sorted_[inbox.sorted_];
  while (inbox.last_ != none) {
    const std::uint32_t message = take_after(inbox.last_, inbox.last_);
    append(sorted.try_emplace(entries_[message].source, none).first->second, message);
  }
}

std::optional<MessageId> Inboxes::take_sorted(Inbox& inbox, ProcessId source) {
  Sorted& sorted = sorted_[inbox.sorted_];
  const auto found = sorted.find(source);
  if (found == sorted.end()) {
    return std::nullopt;
  }
  const MessageId message{take_after(found->second, found->second)};
  if (found->second == none) {
    sorted.erase(found);
  }
  if (sorted.empty()) {
    unused_.push_back(std::exchange(inbox.sorted_, none));
  }
  return message;
}

}  // namespace dcube::detail
