#pragma once

#include <cstdint>
#include <limits>
#include <utility>

#include "dcube/core/errors.hpp"
#include "fifo.hpp"
#include "radix_heap.hpp"
#include "servers.hpp"

namespace dcube {

using Instant = std::uint64_t;  ///< picoseconds, below 2^63

inline constexpr auto last_instant = static_cast<Instant>(std::numeric_limits<std::int64_t>::max());

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_instant() {
  throw InputError("", "simulated time exceeds 2^63-1 ps (106 days); use smaller costs");
}

/// time + count * cost. Throws InputError past 63 bits.
[[gnu::always_inline]] inline Instant checked_add(Instant time, Instant cost,
                                                  std::uint32_t count = 1) {
  Instant total = 0;
  if (__builtin_mul_overflow(cost, Instant{count}, &total) ||
      __builtin_add_overflow(time, total, &total) || total > last_instant) [[unlikely]] {
    refuse_instant();
  }
  return total;
}

/// "Message m is on server s; r more servers of its straight stretch remain."
struct HopEvent {
  std::uint32_t server;
  std::uint32_t message;
  std::uint16_t remaining;
  std::uint8_t direction;  ///< of Servers, perhaps with release_flag
  std::uint8_t lane;       ///< or per_hop
};
static_assert(sizeof(HopEvent) == 12);

/// In HopEvent::direction: at its finish, the server goes to the first of its queue.
inline constexpr std::uint8_t release_flag = 0x80;
static_assert(Servers::most_directions <= release_flag);
/// In HopEvent::lane: the cost is looked up at every hop.
inline constexpr std::uint8_t per_hop = 0xff;

/// `release`: a server with a queue has finished with a message. `alarm`: see set_alarm().
enum class Due : std::uint8_t { hop, departure, arrival, release, alarm };

/// An entry of the heap. Releases use `hop.server` only, departures, arrivals and alarms
/// `hop.message`.
struct Timed {
  Instant time;
  HopEvent hop;
  Due due;
};

/// Hops of the same time, on links that they occupy for the same time. They finish in the order
/// they begin, so a queue replaces a heap. Hops that finish together form a batch. The latest batch
/// is kept apart, because most pushes go there.
class Lane {
 public:
  Lane(Instant advance, Instant occupancy) : advance_{advance}, lag_{occupancy - advance} {}

  Instant advance() const { return advance_; }
  Instant occupancy() const { return advance_ + lag_; }
  /// Difference, modulo 2^64, between a hop's finish and the instant at which its link is free.
  Instant lag() const { return lag_; }
  Instant earliest() const {
    return earlier_.is_empty() ? latest_.finish : earlier_.front().finish;
  }
  /// When the hops that began last finish.
  Instant latest() const { return latest_.finish; }
  /// Number of hops that finish at earliest().
  std::size_t earliest_count() const {
    return earlier_.is_empty() ? latest_.events : earlier_.front().events;
  }

  [[gnu::always_inline]] void push(Instant finish, HopEvent event) {
    events_.push(event);
    count_latest(finish, 1);
  }

  /// Takes the earliest hops off. `step` moves a hop further if it can; such hops finish next at
  /// `finish`. The others go to `other`, which may push. `soon` gets hops before their turn.
  template <class Step, class Other, class Soon>
  void step_earliest(Instant finish, Step&& step, Other&& other, Soon&& soon) {
    const Batch batch = earlier_.is_empty() ? std::exchange(latest_, no_batch) : earlier_.pop();
    const std::size_t stepped = events_.cycle(batch.events, step, other, soon);
    if (stepped != 0) {
      count_latest(finish, static_cast<std::uint32_t>(stepped));
    }
  }

  /// Removes the hops for which `keep(hop, finish)` is false.
  template <class Keep>
  void filter(Keep&& keep) {
    Fifo<Batch> batches;
    std::swap(batches, earlier_);
    batches.push(std::exchange(latest_, no_batch));
    while (!batches.is_empty()) {
      const Batch batch = batches.pop();
      for (std::uint32_t i = 0; i < batch.events; ++i) {
        const HopEvent event = events_.pop();
        if (keep(event, batch.finish)) {
          push(batch.finish, event);
        }
      }
    }
  }

  /// Removes hops of the latest batch, if it ends at `finish`, unless `keep`; in any order.
  template <class Keep>
  void filter_latest(Instant finish, Keep&& keep) {
    if (latest_.finish != finish) {
      return;
    }
    for (std::size_t i = events_.size() - latest_.events; i < events_.size();) {
      if (keep(events_[i])) {
        ++i;
      } else {
        events_[i] = events_.back();
        events_.pop_back();
        --latest_.events;
      }
    }
    if (latest_.events == 0) {
      latest_ = no_batch;
    }
  }

 private:
  struct Batch {
    Instant finish;
    std::uint32_t events;
  };
  static constexpr Batch no_batch{RadixHeap<Timed>::never, 0};

  [[gnu::always_inline]] void count_latest(Instant finish, std::uint32_t events) {
    if (finish != latest_.finish) [[unlikely]] {
      if (latest_.events != 0) {
        earlier_.push(latest_);
      }
      latest_ = {finish, 0};
    }
    latest_.events += events;
  }

  Instant advance_;
  Instant lag_;
  Batch latest_ = no_batch;
  Fifo<HopEvent> events_;
  Fifo<Batch> earlier_;
};

/// Messages that leave their sources later than they are sent, in the order of their starts. Those
/// that leave together form a batch; the latest batch is kept apart.
class Departures {
 public:
  Instant earliest() const { return earlier_.is_empty() ? latest_.start : earlier_.front().start; }
  /// Whether a message with this start keeps the order.
  bool suit(Instant start) const { return latest_.messages == 0 || latest_.start <= start; }
  void push(Instant start, std::uint32_t message) {
    if (start != latest_.start) {
      if (latest_.messages != 0) {
        earlier_.push(latest_);
      }
      latest_ = {start, 0};
    }
    messages_.push(message);
    ++latest_.messages;
  }
  /// Whether push_to_latest() can take a message with this start.
  bool can_join_latest(Instant start) const {
    return start == latest_.start && messages_.has_room();
  }
  void push_to_latest(std::uint32_t message) {
    messages_.push_to_room(message);
    ++latest_.messages;
  }
  /// Takes the messages off that leave first. `soon` gets messages before their turn.
  template <class Take, class Soon>
  void take_earliest(Take&& take, Soon&& soon) {
    const Batch batch = earlier_.is_empty() ? std::exchange(latest_, no_batch) : earlier_.pop();
    for (std::uint32_t left = batch.messages; left > 0; --left) {
      if (left > lookahead) {
        soon(messages_[lookahead]);
      }
      take(messages_.pop());
    }
  }

 private:
  struct Batch {
    Instant start;
    std::uint32_t messages;
  };
  static constexpr Batch no_batch{RadixHeap<Timed>::never, 0};

  Batch latest_ = no_batch;
  Fifo<std::uint32_t> messages_;
  Fifo<Batch> earlier_;
};

/// Future events, except the hops in lanes.
struct Calendar {
  Instant now = 0;
  bool is_open = true;    ///< messages may still start at `now`
  bool is_alone = false;  ///< this instant consists of one event, which ties with none
  RadixHeap<Timed> heap;
  Departures departures;  ///< those sent in order of their starts; the others are in the heap
};

}  // namespace dcube
