#pragma once

#include <cstdint>
#include <vector>

#include "calendar.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/network/message.hpp"
#include "hop_costs.hpp"
#include "hop_teller.hpp"
#include "servers.hpp"

namespace dcube {

/// Who has each server, and who waits for it.
///
/// A message that reaches a free server takes it at once. Others are set aside until every arrival
/// of the instant is known. Then settle() compares them with a holder that took the server at this
/// same instant, so that the order of calls does not matter, and queues them in order of (source,
/// send number) behind those that came earlier. Each server that became free serves the head of
/// its queue.
///
/// Invariants: a server's word is the instant at which it becomes free, with queued_flag set while
/// messages wait for it, so that "word <= now" alone says "take it". Where messages occupy links
/// for as long as they advance, the holder of a server with a queue carries release_flag in its
/// event. Otherwise, and where it began before anybody waited, a wake-up is due when the server
/// becomes free. A message waits in at most one queue, so queues are circular lists through the
/// messages.
class Arbiter {
 public:
  /// Without contention nobody ever waits.
  Arbiter(Contention contention, const Servers& servers, HopCosts& costs, const Messages& messages,
          Calendar& calendar, HopTeller& teller)
      : servers_{servers},
        costs_{costs},
        messages_{messages},
        calendar_{calendar},
        teller_{teller},
        free_at_(contention == Contention::on ? servers.count() : 0, 0) {}

  /// [server]: the instants at which they become free, for the loop that moves most hops.
  Instant* free_at() { return free_at_.data(); }

  /// A message has reached the server of its next hop.
  [[gnu::always_inline]] void arrive(HopEvent event) {
    if (teller_.tells_all()) [[unlikely]] {
      teller_.reach(event.message, calendar_.now);
    }
    if (free_at_[event.server] <= calendar_.now) [[likely]] {
      begin(event);
    } else {
      delay(event);
    }
  }
  /// The holder of a server that messages wait for has finished.
  void release(std::uint32_t server) { released_.push_back(server); }
  /// Whether settle() has nothing to do.
  bool is_settled() const {
    return delayed_.empty() && released_.empty() && begun_per_hop_.empty();
  }
  /// Ends the instant: nothing more arrives at it.
  void settle();

  /// Empties the queue of a server. `take(hop)` gets what waited in it.
  template <class Take>
  void clear_queue(std::uint32_t server, Take&& take) {
    while (!queue_tail_.empty() && queue_tail_[server] != Message::none) {
      take(take_first(server));
    }
  }

  /// Where slow links stretch bodies: when the tail of a message is at the node where its present
  /// hop began.
  Instant& tail(std::uint32_t message) {
    tails_.grow_to(messages_.count());
    return tails_[message];
  }

  std::uint64_t queued_hops() const { return queued_hops_; }
  double queued_seconds() const {
    return to_seconds(queued_ticks_ + Int128{calendar_.now} * static_cast<Int128>(waiting_count_));
  }

 private:
  struct Delayed {
    HopEvent hop;
    Message::Priority priority;
  };
  enum class HolderBegan : std::uint8_t { earlier, now };
  struct Contested {
    std::uint32_t server;
    HolderBegan holder_began;
  };
  struct WaitingHop {
    HopEvent hop;
    std::uint32_t next;
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
  void delay(HopEvent event);
  void begin_per_hop(HopEvent event);
  Instant free_after(const HopEvent& hop, std::uint32_t row, std::uint8_t direction);
  void resolve_ties();
  void wake_at_release(std::uint32_t server);
  void match_holders();
  bool decide_tie(HopEvent& holder);
  void enqueue_delayed();
  void serve_next(std::uint32_t server);
  HopEvent take_first(std::uint32_t server);
  void begin_queued(HopEvent event);

  const Servers& servers_;
  HopCosts& costs_;
  const Messages& messages_;
  Calendar& calendar_;
  HopTeller& teller_;

  std::vector<Instant> free_at_;
  std::vector<std::uint32_t> released_;
  GrowingArray<Delayed> delayed_;
  std::vector<Timed> begun_per_hop_;  ///< hops without a lane that began at this instant
  /// Servers that delayed messages are the first to wait for; a holder may have come at this
  /// instant.
  std::vector<Contested> contested_;
  std::vector<HopEvent> winners_;  ///< delayed messages that take a server from such a holder
  /// [server]: the last message waiting for it, whose `next` is the first.
  std::vector<std::uint32_t> queue_tail_;
  GrowingArray<WaitingHop> waiting_;  ///< [message]
  GrowingArray<Instant> tails_;       ///< [message], see tail()

  std::uint64_t queued_hops_ = 0;
  std::uint64_t waiting_count_ = 0;
  /// The instants at which delayed messages were served, minus those at which they reached their
  /// servers. Messages that still wait are in the second sum alone.
  Int128 queued_ticks_ = 0;
};

}  // namespace dcube
