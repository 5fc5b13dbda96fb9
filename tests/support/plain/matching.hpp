#pragma once

// Which receive gets which message. Receives and messages are compared one by one.

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "network.hpp"

namespace dcube::testing {

/// A receive or a send that has been posted.
struct PlainRequest {
  bool is_send = false;
  bool until_arrival = false;  ///< send
  ProcessId peer;
  Tag tag = 0;
  std::optional<std::size_t> message;
  Ticks given{0};   ///< its message
  Ticks posted{0};  ///< receive; may be yet to come, at a port with a core

  bool suits(const PlainMessage& m) const {
    constexpr Tag collectives = Tag{1} << 31;  // tags from here on
    return (peer == anyone || peer == m.source) &&
           (tag == m.tag || (tag == any_tag && m.tag < collectives));
  }
};

/// Requests of processes, and the network that brings their messages.
class PlainMatching {
 public:
  PlainMatching(const ScriptCase& scripted, History& history, std::multiset<Ticks>& instants)
      : case_{scripted},
        history_{history},
        instants_{instants},
        network_{scripted, history, instants},
        inboxes_(scripted.map.size()),
        sends_(scripted.map.size(), 0) {}

  void begin_instant(Ticks now) {
    now_ = now;
    network_.begin_instant(now);
  }
  void end_instant() { network_.end_instant(); }
  void stop() { network_.stop(); }

  const PlainRequest& request(std::size_t r) const { return requests_[r]; }
  const PlainMessage& message_of(const PlainRequest& request) const {
    return messages_[*request.message];
  }
  /// Name of the next message of the process.
  MessageName next_message(ProcessId p) const { return {p, sends_[p.index()]}; }

  /// `from` finishes its send cost at `start`; the message leaves then, or waits for its receiver.
  std::size_t send(ProcessId from, ProcessId to, Tag tag, std::uint64_t bytes, Ticks start,
                   SendMode mode) {
    PlainMessage message;
    message.source = from;
    message.destination = to;
    message.send_number = sends_[from.index()]++;
    message.tag = tag;
    message.bytes = bytes;
    message.start = start;
    const NodeId node = case_.map[from.index()];
    message.node = node;
    message.way = network_.way_of(message, node, case_.map[to.index()]);
    if (network_.may_fail()) {
      message.over = network_.drawn_over(message, node, case_.map[to.index()]);
      message.is_undecided = network_.is_ugal() && message.over;
    }
    const auto limit = case_.machine.endpoint.eager_limit_bytes;
    const bool is_large = limit && bytes > *limit;
    message.waits_for_receiver =
        from != to && (mode == SendMode::rendezvous || (mode == SendMode::by_size && is_large));
    messages_.push_back(std::move(message));
    const std::size_t m = messages_.size() - 1;
    inboxes_[to.index()].untaken.push_back(m);
    if (messages_[m].waits_for_receiver) {
      instants_.insert(start);
    } else {
      network_.leave(m);
    }
    match_at_once(to);
    return m;
  }

  /// Request that a message has left, or arrived.
  std::size_t post_send(std::size_t m, SendEnd end) {
    requests_.push_back(
        {true, end == SendEnd::arrived, messages_[m].destination, messages_[m].tag, m, {}, {}});
    return requests_.size() - 1;
  }

  std::size_t post_receive(ProcessId p, ProcessId from, Tag tag, Ticks posted) {
    requests_.push_back({false, false, from, tag, std::nullopt, {}, posted});
    inboxes_[p.index()].posts.push_back(requests_.size() - 1);
    match_at_once(p);
    return requests_.size() - 1;
  }

  std::optional<Ticks> completion(const PlainRequest& request) const {
    if (!request.message) {
      return std::nullopt;
    }
    const PlainMessage& message = message_of(request);
    if (request.is_send && !request.until_arrival) {
      const bool has_left = !message.waits_for_receiver && message.start <= now_;
      return has_left ? std::optional{message.start} : std::nullopt;
    }
    return message.arrival ? std::optional{std::max(*message.arrival, request.given)}
                           : std::nullopt;
  }

  /// Position of the one that was complete first, by `last`.
  std::optional<std::size_t> first_complete(const std::vector<std::size_t>& requests,
                                            Ticks last) const {
    std::optional<std::pair<Ticks, std::size_t>> first;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const auto time = completion(requests_[requests[i]]);
      if (time && *time <= last && (!first || *time < first->first)) {
        first = {*time, i};
      }
    }
    return first ? std::optional{first->second} : std::nullopt;
  }

  /// Gives one message that can be taken by `last`, to a process whose receives from anyone may
  /// come before others; false when there is none.
  bool match_from_anyone(Ticks last) {
    for (std::uint32_t p = 0; p < inboxes_.size(); ++p) {
      if (match_from_anyone(ProcessId{p}, last)) {
        return true;
      }
    }
    return false;
  }

 private:
  struct Inbox {
    std::vector<std::size_t> untaken;  ///< messages without a receive
    std::vector<std::size_t> posts;    ///< receives without a message, in order
    /// The last message that was given to a receive from anyone as soon as it could be, and when.
    std::optional<std::pair<Ticks, std::size_t>> given_at_once;
  };

  std::vector<std::size_t> waiting_messages(ProcessId p) const {
    std::vector<std::size_t> waiting = inboxes_[p.index()].untaken;
    std::ranges::sort(waiting, {}, [this](std::size_t m) {
      return std::pair{messages_[m].source, messages_[m].send_number};
    });
    return waiting;
  }

  /// The first receive that the message suits.
  std::optional<std::size_t> first_receive(ProcessId p, std::size_t m) const {
    for (const std::size_t r : inboxes_[p.index()].posts) {
      if (requests_[r].suits(messages_[m])) {
        return r;
      }
    }
    return std::nullopt;
  }

  /// A receive from one process gets this message only when that has sent none before that suits.
  bool is_next_for(ProcessId p, std::size_t r, std::size_t m) const {
    return std::ranges::none_of(inboxes_[p.index()].untaken, [&](std::size_t other) {
      return messages_[other].source == messages_[m].source &&
             messages_[other].send_number < messages_[m].send_number &&
             requests_[r].suits(messages_[other]);
    });
  }

  void match(ProcessId p, std::size_t r, std::size_t m) {
    std::erase(inboxes_[p.index()].posts, r);
    std::erase(inboxes_[p.index()].untaken, m);
    requests_[r].message = m;
    requests_[r].given = std::max(now_, requests_[r].posted);
    note_release(p, requests_[r], m);
    if (messages_[m].waits_for_receiver) {
      messages_[m].waits_for_receiver = false;
      messages_[m].start = std::max(messages_[m].start, requests_[r].given);
      network_.leave(m);
    }
  }

  /// A message that has had to wait for its receive: for its posting, or for what an earlier
  /// receive from anyone got.
  void note_release(ProcessId p, const PlainRequest& request, std::size_t m) {
    const PlainMessage& message = messages_[m];
    const bool is_new = request.posted == request.given;
    if (message.available() >= std::optional{request.given} || !message.available() ||
        (is_new && !message.waits_for_receiver)) {
      return;
    }
    Release release{{message.source, message.send_number},
                    request.given,
                    !message.waits_for_receiver,
                    p,
                    std::nullopt};
    if (!is_new) {
      const auto [time, first] = inboxes_[p.index()].given_at_once.value();
      if (time != now_) {
        throw std::logic_error("a message is given late for no reason");
      }
      const PlainMessage& given = messages_[first];
      if (given.arrival == std::optional{now_} && given.source != p) {
        release.arrival = MessageName{given.source, given.send_number};
      } else {
        release.process = given.source;
      }
    }
    history_.releases.push_back(release);
  }

  /// A receive from one process gets a message as soon as both are there, unless a receive from
  /// anyone comes before it.
  void match_at_once(ProcessId p) {
    for (const std::size_t m : waiting_messages(p)) {
      const auto r = first_receive(p, m);
      if (r && requests_[*r].peer != anyone && is_next_for(p, *r, m)) {
        match(p, *r, m);
        match_at_once(p);
        return;
      }
    }
  }

  /// The first of each source and tag that can be taken by `last`, in order.
  bool match_from_anyone(ProcessId p, Ticks last) {
    if (inboxes_[p.index()].posts.empty() || inboxes_[p.index()].untaken.empty()) {
      return false;
    }
    std::vector<std::size_t> first;
    std::set<std::pair<ProcessId, Tag>> seen;
    for (const std::size_t m : waiting_messages(p)) {
      if (seen.emplace(messages_[m].source, messages_[m].tag).second &&
          messages_[m].available() <= std::optional{last} && messages_[m].available()) {
        first.push_back(m);
      }
    }
    std::ranges::sort(first, {}, [this](std::size_t m) {
      return std::tuple{*messages_[m].available(), messages_[m].source, messages_[m].send_number};
    });
    for (const std::size_t m : first) {
      const auto r = first_receive(p, m);
      if (r && (requests_[*r].peer == anyone || is_next_for(p, *r, m))) {
        if (messages_[m].available() == std::optional{now_}) {
          inboxes_[p.index()].given_at_once = {now_, m};
        }
        match(p, *r, m);
        match_at_once(p);
        return true;
      }
    }
    return false;
  }

  const ScriptCase& case_;
  History& history_;
  std::multiset<Ticks>& instants_;
  PlainNetwork network_;
  std::vector<PlainMessage>& messages_ = network_.messages();
  Ticks now_{0};
  std::vector<PlainRequest> requests_;
  std::vector<Inbox> inboxes_;        ///< [process]
  std::vector<std::uint32_t> sends_;  ///< [process] so far
};

}  // namespace dcube::testing
