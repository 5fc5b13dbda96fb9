#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "graph_operations.hpp"
#include "message_queues.hpp"
#include "sent_messages.hpp"

namespace dcube {

/// Matches a process's arrived messages and its receives: the first that suits goes to the first.
class GraphMessages {
 public:
  /// Receives are those of `operations`, messages those of `sent`; both must outlive this.
  GraphMessages(GraphOperations& operations, SentMessages& sent)
      : operations_{operations}, sent_{sent} {
    for (std::uint32_t i = 0; i < operations.size() && !has_wildcards_; ++i) {
      has_wildcards_ = is_wildcard(operations[i]);
    }
  }

  /// The receive that gets a message; without one, the message waits.
  std::optional<std::uint32_t> receive_for(std::uint32_t message) {
    const SentMessage& arrived = sent_[message];
    if (!has_wildcards_) {
      return meet(arrived.source, arrived.tag, Waiting::message(message));
    }
    return take_first(posted_, waiting_, message,
                      [&](std::uint32_t receive) { return suits(operations_[receive], arrived); });
  }
  /// The message that a receive gets; without one, the receive waits.
  std::optional<std::uint32_t> message_for(std::uint32_t receive) {
    GraphNode& operation = operations_[receive];
    operation.posted.order = receives_++;
    if (!has_wildcards_) {
      return meet(operation.peer, operation.tag, Waiting::receive(receive));
    }
    return take_first(waiting_, posted_, receive,
                      [&](std::uint32_t message) { return suits(operation, sent_[message]); });
  }

  std::optional<std::uint32_t> oldest_receive() const {
    if (!posted_.empty()) {
      return posted_.front();
    }
    std::optional<std::uint32_t> oldest;
    queues_.for_each_first([&](Waiting first) {
      if (!first.is_message() && (!oldest || operations_[first.number()].posted.order <
                                                 operations_[*oldest].posted.order)) {
        oldest = first.number();
      }
    });
    return oldest;
  }

  /// Prefetches the queue of a message to come.
  [[gnu::always_inline]] void prefetch_queue(ProcessId source, Tag tag) const {
    queues_.prefetch(source, tag);
  }
  /// Prefetches what the next events of a line need. What this reads itself has been prefetched
  /// when the line was longer.
  void prefetch_next(const EventQueue& line) const {
    constexpr auto arrival = GraphEvent::What::arrival;
    if (const GraphEvent* const event = line.after_front(2); event && event->what == arrival) {
      sent_.prefetch(event->index);
    }
    if (const GraphEvent* const event = line.after_front(1)) {
      if (event->what == arrival) {
        prefetch_queue(sent_[event->index].source, sent_[event->index].tag);
      } else {
        operations_.prefetch(event->index);
      }
    }
    if (const GraphEvent* const event = line.after_front(0)) {
      if (event->what == arrival) {
        prefetch_receive(sent_[event->index]);
      } else {
        operations_.prefetch_nodes(operations_.followers(operations_[event->index]));
      }
    }
  }

 private:
  static bool is_wildcard(const GraphNode& operation) {
    return operation.kind == Operation::Kind::receive &&
           (operation.peer == anyone || operation.tag == any_tag);
  }
  static bool suits(const GraphNode& receive, const SentMessage& message) {
    return (receive.peer == anyone || receive.peer == message.source) &&
           (receive.tag == any_tag || receive.tag == message.tag);
  }
  [[gnu::always_inline]] void prefetch_receive(const SentMessage& arrived) const {
    if (const std::optional<Waiting> first = queues_.first(arrived.source, arrived.tag);
        first && !first->is_message()) {
      operations_.prefetch(first->number());
    }
  }
  /// Takes the first of a list that suits; without one, appends `comes` to the other list.
  template <class Suits>
  static std::optional<std::uint32_t> take_first(std::vector<std::uint32_t>& of,
                                                 std::vector<std::uint32_t>& others,
                                                 std::uint32_t comes, Suits&& suits) {
    const auto first = std::ranges::find_if(of, suits);
    if (first == of.end()) {
      others.push_back(comes);
      return std::nullopt;
    }
    const std::uint32_t taken = *first;
    of.erase(first);
    return taken;
  }
  std::optional<std::uint32_t> meet(ProcessId source, Tag tag, Waiting comes) {
    return queues_.meet(source, tag, comes, [this](Waiting of) -> std::uint32_t& {
      return of.is_message() ? sent_[of.number()].next : operations_[of.number()].posted.next;
    });
  }

  GraphOperations& operations_;
  SentMessages& sent_;
  MessageQueues queues_;        ///< if every receive names its source and tag
  std::uint32_t receives_ = 0;  ///< number so far
  bool has_wildcards_ = false;
  // With wildcards, in order:
  std::vector<std::uint32_t> posted_;   ///< receives
  std::vector<std::uint32_t> waiting_;  ///< messages
};

}  // namespace dcube
