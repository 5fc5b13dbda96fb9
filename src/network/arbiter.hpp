#pragma once

#include <cstdint>
#include <vector>

#include "calendar.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/network/message.hpp"
#include "hop_costs.hpp"
#include "hop_teller.hpp"
#include "servers.hpp"
#include "turn_table.hpp"

namespace dcube {

/// Decides which message has each server, and queues the others.
///
/// A message that reaches a free server takes it at once; others are delayed until every arrival of
/// the instant is known. Then settle() compares them with a holder that took the server at this
/// same instant, so the order of calls does not matter, and queues them in order of (source, send
/// number) behind earlier ones. Each server that became free serves the head of its queue.
///
/// Invariants: a server's word is the instant at which it becomes free, with queued_flag set while
/// messages wait for it, so that "word <= now" alone says "take it". If messages occupy links for
/// as long as they advance, the holder of a server with a queue carries release_flag in its event.
/// Otherwise, and if it began before anybody waited, a wake-up is due when the server becomes free.
/// The packets of a message have consecutive numbers and follow each other. So a queue is a list of
/// runs of messages, several times shorter with packets than the number of waiting messages.
///
/// In turn (Service::round_robin), the queue of a server has one entry for each message: the first
/// run of its waiting packets. Its other runs follow from there. settle() serves, because the
/// arrivals of the instant join the round before a message with more packets does so again.
class Arbiter {
 public:
  /// Without contention no message waits.
  Arbiter(const LinkModel& links, const Servers& servers, HopCosts& costs, const Messages& messages,
          Calendar& calendar, HopTeller& teller)
      : takes_turns_{links.service == Service::round_robin},
        serves_at_release_{costs.occupy_as_they_advance() && !takes_turns_},
        servers_{servers},
        costs_{costs},
        messages_{messages},
        calendar_{calendar},
        teller_{teller},
        free_at_(links.contention == Contention::on ? servers.count() : 0, 0) {}

  /// [server]: when it becomes free; for the loop that moves most hops.
  Instant* free_at() { return free_at_.data(); }

  /// A message has reached the server of its next hop.
  [[gnu::always_inline]] void arrive(HopEvent event) {
    if (teller_.notes_arrivals()) [[unlikely]] {
      teller_.reach(event.message, calendar_.now);
    }
    if (free_at_[event.server] <= calendar_.now) [[likely]] {
      begin(event);
    } else {
      delayed_.push_back(event);
    }
  }
  /// The holder of a server with a queue has finished. The first of several waiting messages begins
  /// at once, because they came before any that reaches the server at this instant. Otherwise
  /// settle() decides, and the server has a queue until then.
  void release(std::uint32_t server) {
    if (serves_at_release_ && has_several(server)) [[likely]] {
      serve_next(server);
    } else {
      released_.push_back(server);
    }
  }
  /// Whether settle() has nothing to do.
  bool is_settled() const {
    return delayed_.empty() && released_.empty() && begun_per_hop_.empty();
  }
  /// Ends the instant: no more arrivals.
  void settle();

  /// Empties the queue of a server into `take(hop)`. These hops never begin, so none has queued.
  /// Needs HopTeller::notes_arrivals().
  template <class Take>
  void clear_queue(std::uint32_t server, Take&& take) {
    while (!queues_.empty() && !queues_[server].is_empty()) {
      const HopEvent hop = take_first(server);
      forget_queueing(hop, calendar_.now);
      take(hop);
    }
  }
  /// Undoes a hop that is not over: it has not queued, and its server is free. Needs
  /// HopTeller::notes_arrivals().
  void undo(const HopEvent& hop, Instant began);
  /// For how long from now the server's message still occupies it.
  Instant time_left(std::uint32_t server) const;

  /// If slow links stretch bodies: when the tail of a message is where its present hop began.
  Instant& tail(std::uint32_t message) {
    tails_.grow_to(messages_.count());
    return tails_[message];
  }
  /// tail(), or 0 where bodies keep their length.
  Instant tail_of(std::uint32_t message) { return costs_.may_stretch_bodies() ? tail(message) : 0; }
  /// For how long the server's messages have occupied it, or will, while their tails were still to
  /// come and all that had come was through.
  Instant held_by_tails(std::uint32_t server) const {
    return held_by_tails_.empty() ? 0 : held_by_tails_[server];
  }

  std::uint64_t queued_hops() const { return queued_hops_; }
  double queued_seconds() const {
    return to_seconds(queued_ticks_ + Int128{calendar_.now} * static_cast<Int128>(waiting_count_));
  }

 private:
  enum class HolderBegan : std::uint8_t { earlier, now };
  struct Contested {
    std::uint32_t server;
    HolderBegan holder_began;
    std::uint32_t holder = Message::none;  ///< message or packet that began now
  };
  /// Waiting messages with consecutive numbers, beginning with `hop`, and as many hops left.
  struct Waiting {
    HopEvent hop;
    std::uint32_t count;
    std::uint32_t next;  ///< in the queue, or in the list of unused ones

    bool is_followed_by(const HopEvent& later) const {
      return hop.message + count == later.message && hop.remaining == later.remaining &&
             hop.direction == later.direction && hop.lane == later.lane;
    }
  };
  struct Queue {
    std::uint32_t first = Message::none;
    std::uint32_t last = Message::none;
    bool is_empty() const { return first == Message::none; }
  };

  [[gnu::always_inline]] void begin(HopEvent event) {
    if (event.lane == per_hop) [[unlikely]] {
      begin_per_hop(event);
    } else {
      Lane& lane = costs_.lanes()[event.lane];
      const Instant finish = checked_add(calendar_.now, lane.advance());
      free_at_[event.server] = finish + lane.lag();
      lane.push(finish, event);
    }
    if (teller_.tells_all()) [[unlikely]] {
      teller_.begin(event.message, calendar_.now, free_at_[event.server]);
    }
  }
  /// A round has an entry for the first run of each message, and keeps the others here.
  struct Turn {
    std::uint32_t message = Message::none;  ///< none: it has no packets
    std::uint32_t more = Message::none;     ///< next run of the message
    std::uint32_t last = Message::none;     ///< its last run; of a first run
  };

  void forget_queueing(const HopEvent& hop, Instant until) {
    --queued_hops_;
    queued_ticks_ -= Int128{until} - Int128{teller_.arrival(hop.message)};
  }
  bool has_several(std::uint32_t server) const {
    const Queue& queue = queues_[server];
    return !queue.is_empty() && (queue.first != queue.last || waiting_[queue.first].count > 1);
  }
  bool comes_before(std::uint32_t a, std::uint32_t b) const;
  void sort_delayed();
  void begin_per_hop(HopEvent event);
  Instant free_after(const HopEvent& hop, std::uint32_t row, std::uint8_t direction);
  void forget_tail(const HopEvent& hop, Instant began);
  bool has_begun_hops() const;
  void resolve_ties();
  void wake_at_release(std::uint32_t server);
  void match_holders();
  bool decide_tie(HopEvent& holder);
  void enqueue_delayed();
  void enqueue(const HopEvent& hop);
  std::uint32_t add_run(const HopEvent& hop);
  void append(Queue& queue, std::uint32_t run);
  std::uint32_t take_front(Queue& queue);
  void serve_next(std::uint32_t server);
  HopEvent take_first(std::uint32_t server);
  /// The message that a packet is of; none: it is a message.
  std::uint32_t whole_of(std::uint32_t packet) const {
    const Message& message = messages_[MessageId{packet}];
    return message.is_packet() ? message.partner : Message::none;
  }
  void enqueue_in_turn(const HopEvent& hop);
  void advance_turn(std::uint32_t server);
  void end_turns_of_holders();
  void begin_queued(HopEvent event);

  bool takes_turns_;
  bool serves_at_release_;
  const Servers& servers_;
  HopCosts& costs_;
  const Messages& messages_;
  Calendar& calendar_;
  HopTeller& teller_;

  std::vector<Instant> free_at_;
  GrowingArray<std::uint32_t> released_;
  GrowingArray<HopEvent> delayed_;    ///< arrivals at taken servers, until settle()
  std::vector<Timed> begun_per_hop_;  ///< hops without a lane that began at this instant
  /// Servers without a queue that delayed messages wait for; the holder may have come just now.
  std::vector<Contested> contested_;
  std::vector<HopEvent> winners_;  ///< delayed messages that take a server from such a holder
  std::vector<Queue> queues_;      ///< [server], lists of `waiting_`; empty until a message waits
  GrowingArray<Waiting> waiting_;
  std::uint32_t unused_ = Message::none;  ///< head of the list of unused `waiting_`
  GrowingArray<Turn> turns_;              ///< [run], if messages take turns
  TurnTable rounds_;                      ///< first runs of messages in packets
  GrowingArray<Instant> tails_;           ///< [message], see tail()
  std::vector<Instant> held_by_tails_;    ///< [server]; empty: none was

  std::uint64_t queued_hops_ = 0;
  std::uint64_t waiting_count_ = 0;
  /// Sum of the instants at which delayed messages were served, minus those at which they reached
  /// their servers. Messages that still wait count in the second sum only.
  Int128 queued_ticks_ = 0;
};

}  // namespace dcube
