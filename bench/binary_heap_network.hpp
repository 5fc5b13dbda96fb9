#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "dcube/core/time.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/network/network.hpp"

namespace dcube::bench {

/// The network as a textbook writes it: one binary heap with an entry for every hop under way, in
/// order of (finish, source, send number). Links and routes are those of Network, and so are the
/// results.
///
/// Full duplex, with contention, messages of one size. Events of an instant come in order of
/// priority, so each link sees its arrivals in the order in which it must serve them.
class BinaryHeapNetwork {
 public:
  BinaryHeapNetwork(const Topology& topology, const LinkModel& links, std::uint64_t bytes)
      : topology_{topology},
        cost_(topology.link_slots()),
        free_at_(topology.link_slots()),
        queue_tail_(topology.link_slots(), none) {
    for (const LinkDirection& direction : topology.link_directions()) {
      const Ticks cost = hop_time(links.per_dimension[direction.dimension], bytes);
      for (std::uint32_t i = 0; i < direction.count; ++i) {
        cost_[direction.first.index() + i] = cost.count();
      }
    }
    for (const auto& [link, cost] : links.overrides) {
      cost_[link.index()] = hop_time(cost, bytes).count();
    }
  }

  /// During run(): needs a start after now(), or at now() with a lower priority than the message
  /// just delivered.
  MessageId send(const Departure& departure) {
    const std::uint32_t message = new_flight(departure);
    events_.push({departure.start.count(),
                  std::uint64_t{departure.source.index()} << 32 | departure.send_number, message});
    return MessageId{message};
  }

  /// Runs until no message is under way; `on_delivery` is told each as it arrives, and may send.
  template <class OnDelivery>
  void run(OnDelivery&& on_delivery) {
    while (!events_.empty()) {
      Event event = events_.top();
      events_.pop();
      now_ = event.time;
      if (step(event)) {
        on_delivery(MessageId{event.message});
      }
    }
  }

  Ticks now() const { return Ticks{now_}; }
  std::uint64_t hop_count() const { return hop_count_; }
  void release(MessageId message) { unused_.push_back(message.index()); }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// A message finishes a hop, or departs.
  struct Event {
    std::int64_t time;
    std::uint64_t priority;
    std::uint32_t message;

    friend bool operator>(const Event& a, const Event& b) {
      return a.time != b.time ? a.time > b.time : a.priority > b.priority;
    }
  };

  struct Flight {
    NodeId to;
    NodeId stretch_end;
    std::uint32_t link = none;
    std::uint32_t stride = 0;
    std::uint32_t remaining = 0;  ///< hops of the stretch after this one
    std::uint32_t next = none;    ///< in the queue of its link
    std::uint64_t priority = 0;
  };

  std::uint32_t new_flight(const Departure& departure) {
    Flight flight;
    flight.to = departure.to;
    flight.stretch_end = departure.from;
    flight.priority = std::uint64_t{departure.source.index()} << 32 | departure.send_number;
    if (unused_.empty()) {
      flights_.push_back(flight);
      return static_cast<std::uint32_t>(flights_.size() - 1);
    }
    const std::uint32_t message = unused_.back();
    unused_.pop_back();
    flights_[message] = flight;
    return message;
  }

  /// Takes the message off its link and on to the next; true when it is at its destination.
  bool step(const Event& event) {
    Flight& flight = flights_[event.message];
    if (flight.link != none) {
      serve_next(flight.link);
    }
    if (!move_on(flight)) {
      return true;
    }
    if (free_at_[flight.link] <= now_ && queue_tail_[flight.link] == none) {
      begin(event.message);
    } else {
      enqueue(event.message);
    }
    return false;
  }

  bool move_on(Flight& flight) {
    if (flight.remaining != 0) {
      flight.link += flight.stride;
      --flight.remaining;
      return true;
    }
    if (flight.stretch_end == flight.to) {
      return false;
    }
    const Run run = topology_.next_run(flight.stretch_end, flight.to);
    flight.link = run.first.index();
    flight.stride = static_cast<std::uint32_t>(run.stride);
    flight.remaining = run.hops - 1;
    flight.stretch_end = run.end;
    return true;
  }

  void begin(std::uint32_t message) {
    const Flight& flight = flights_[message];
    free_at_[flight.link] = now_ + cost_[flight.link];
    events_.push({free_at_[flight.link], flight.priority, message});
    ++hop_count_;
  }

  /// Queues are circular lists: the tail's `next` is the head.
  void enqueue(std::uint32_t message) {
    std::uint32_t& tail = queue_tail_[flights_[message].link];
    flights_[message].next = tail == none ? message : flights_[tail].next;
    if (tail != none) {
      flights_[tail].next = message;
    }
    tail = message;
  }

  /// A link whose holder has finished goes to the first of its queue, unless one that came at this
  /// very instant has it already.
  void serve_next(std::uint32_t link) {
    std::uint32_t& tail = queue_tail_[link];
    if (tail == none || free_at_[link] > now_) {
      return;
    }
    const std::uint32_t first = flights_[tail].next;
    if (first == tail) {
      tail = none;
    } else {
      flights_[tail].next = flights_[first].next;
    }
    begin(first);
  }

  const Topology& topology_;
  std::vector<std::int64_t> cost_;         ///< [link]
  std::vector<std::int64_t> free_at_;      ///< [link]
  std::vector<std::uint32_t> queue_tail_;  ///< [link]
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> unused_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::int64_t now_ = 0;
  std::uint64_t hop_count_ = 0;
};

}  // namespace dcube::bench
