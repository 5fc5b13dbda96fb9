#include "dcube/network/network.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "dcube/core/errors.hpp"
#include "dcube/topology/run_tally.hpp"
#include "fifo.hpp"
#include "radix_heap.hpp"

// How it works
//
// A hop event is twelve bytes: "message m leaves link l, r links of its straight stretch remain".
// Hops that begin at once on a free link and cost the same finish in the order they begin, so each
// of the first few distinct costs has a lane, a plain queue of events grouped by finish instant.
// Other costs, future departures and the first wake-up of a link that someone waits for go through
// a monotone radix heap.
//
// An instant goes through three steps:
//   1. All hops that finish are taken off the calendar. Each message goes on to its next link and
//   takes it at once when
//      it is free; otherwise it is set aside. Messages at their destination are handed out.
//   2. Processes that they wake may send messages that start at this very instant; these do the
//   same.
//   3. settle(): now every arrival of the instant is known. Messages set aside are compared with a
//   holder that took
//      the link at this same instant, so that the order of calls does not matter; then they queue
//      up, in order of (source, send number), behind those that came earlier. Each link that became
//      free serves the head of its queue.
//
// Invariants: a link's word is the instant at which it becomes free, with kQueued set while
// messages wait for it, so that "word <= now" alone says "take it". The holder of a queued link
// carries kRelease in its event, or a wake-up is due at its finish. A message waits in at most one
// queue, so queues are circular lists through the messages.

namespace dcube {

namespace {

using Instant = std::uint64_t;  ///< picoseconds, below 2^63

constexpr Instant kQueued = Instant{1} << 63;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint8_t kRelease =
    0x80;  ///< in HopEvent::direction: wake the link's queue at the finish

constexpr std::size_t kLanes = 4;
constexpr std::uint8_t kPerHop = 0xff;  ///< in HopEvent::lane: look the cost up at every hop

struct HopEvent {
  std::uint32_t link;
  std::uint32_t message;
  std::uint16_t remaining;  ///< links after this one on the straight stretch
  std::uint8_t direction;
  std::uint8_t lane;
};
static_assert(sizeof(HopEvent) == 12);

enum class Due : std::uint8_t { hop, departure, arrival, wake };

/// A calendar entry of the heap; `hop.link` alone counts for a wake, `hop.message` for a departure
/// or arrival.
struct Timed {
  Instant time;
  HopEvent hop;
  Due due;
};

struct Lane {
  struct Batch {
    Instant finish;
    std::uint32_t events;
  };
  Instant cost = 0;
  Fifo<HopEvent> events;
  Fifo<Batch> batches;

  Instant earliest() const {
    return batches.is_empty() ? RadixHeap<Timed>::kNever : batches.front().finish;
  }
  void push(Instant finish, const HopEvent& event) {
    events.push(event);
    if (!batches.is_empty() && batches.back().finish == finish) {
      ++batches.back().events;
    } else {
      batches.push({finish, 1});
    }
  }
  /// Removes event `i` of the last batch, whose order does not matter.
  void take_back(std::size_t i) {
    events[i] = events.back();
    events.pop_back();
    if (--batches.back().events == 0) {
      batches.pop_back();
    }
  }
};

struct Flight {
  NodeId to;
  NodeId run_end;
  ProcessId source;
  std::uint32_t send_number;
  std::uint32_t hops;
  std::uint32_t cost_row;  ///< of its size in the cost table
  Ticks start;
};

struct Delayed {
  HopEvent hop;
  std::uint64_t priority;  ///< (source, send number): the lower is served first
};

enum class HolderBegan : std::uint8_t { earlier, now };

struct Contested {
  std::uint32_t link;
  HolderBegan holder_began;
};

struct WaitingHop {
  HopEvent hop;
  std::uint32_t next;
};

/// time + count * cost.
inline Instant later(Instant time, Instant cost, std::uint32_t count = 1) {
  Instant total = 0;
  if (__builtin_mul_overflow(cost, Instant{count}, &total) ||
      __builtin_add_overflow(time, total, &total) || total >= kQueued) [[unlikely]] {
    throw InputError("", "simulated time exceeds 2^63-1 ps (106 days); use smaller costs");
  }
  return total;
}

/// Half-duplex directions share one server, the lower of their numbers.
LinkId server_of(const Topology& topology, LinkId link) {
  return std::min(link, topology.reverse(link));
}

}  // namespace

class Network::Impl {
 public:
  Impl(const Topology& topology, const LinkModel& links, std::function<void(const Hop&)> on_hop)
      : topology_{topology},
        links_{links},
        on_hop_{std::move(on_hop)},
        directions_{topology.link_directions()},
        crossings_{topology} {
    expects(links.per_dimension.size() == topology.dimension_count(),
            "a link model has one cost for each dimension");
    for (const LinkDirection& direction : directions_) {
      strides_.push_back(static_cast<std::uint32_t>(direction.stride));
    }
    if (links_.contention == Contention::on) {
      free_at_.assign(topology.link_slots(), 0);
    }
    if (!links_.overrides.empty()) {
      number_overrides();
    }
  }

  MessageId send(const Departure& departure);
  std::span<const MessageId> advance(Ticks horizon);
  void release(std::uint32_t message) { unused_.push_back(message); }

  Instant now() const { return now_; }
  std::uint32_t under_way() const { return under_way_; }
  const Flight& flight(std::uint32_t message) const { return flights_[message]; }
  std::uint64_t hop_count() const { return hop_count_; }
  std::uint64_t queued_hops() const { return queued_hops_; }
  double queued_seconds() const { return static_cast<double>(queued_ticks_) * 1e-12; }
  LinkCounters counters() const;

 private:
  __extension__ using Wide = __int128;

  // Costs.
  void number_overrides();
  std::uint32_t cost_row(std::uint64_t bytes);
  void add_size(std::uint64_t bytes);
  void split_off_busy();
  std::uint8_t lane_for(Instant cost);
  std::size_t column(std::uint32_t link, std::uint8_t direction) const {
    if (!link_column_.empty()) [[unlikely]] {
      const std::uint32_t number = link_column_[directed(link, direction).index()];
      if (number != 0) {
        return links_.per_dimension.size() + number - 1;
      }
    }
    return directions_[direction].dimension;
  }
  /// The link that a message moving in `direction` uses on server `link`.
  LinkId directed(std::uint32_t link, std::uint8_t direction) const {
    const LinkDirection& block = directions_[direction];
    const bool is_own = link - block.first.index() < block.count;
    return is_own ? LinkId{link} : topology_.reverse(LinkId{link});
  }
  Instant cost(std::uint32_t message, std::uint32_t link, std::uint8_t direction) const {
    return costs_[flights_[message].cost_row + column(link, direction)];
  }

  // Routes.
  std::uint32_t new_flight(const Departure& departure);
  std::uint8_t direction_of(std::uint32_t link) const;
  bool next_run(HopEvent& event);
  Run trimmed(Run run, std::uint8_t direction) const;
  void tally(std::uint8_t direction, const Run& run, std::uint32_t message);
  void tally_busy(std::uint8_t direction, const Run& run, std::size_t block, LinkId lowest,
                  std::uint32_t message);
  void fly_without_contention(std::uint32_t message);

  // The calendar.
  Instant next_instant() const;
  void collect();
  void take_lane_batch(Lane& lane);
  void take_timed(const Timed& timed);
  void depart(std::uint32_t message);
  void finish_hop(HopEvent event);
  void arrive(const HopEvent& event);
  void begin(const HopEvent& event);
  void begin_per_hop(const HopEvent& event);
  void deliver(std::uint32_t message);

  // The end of an instant.
  void settle();
  void resolve_ties();
  void match_holders();
  bool keeps_link(HopEvent& holder);
  void enqueue_delayed();
  void serve_next(std::uint32_t link);
  void report_hop(const HopEvent& event, Instant finish) const;
  std::uint64_t priority(std::uint32_t message) const {
    return std::uint64_t{flights_[message].source.index()} << 32 | flights_[message].send_number;
  }

  const Topology& topology_;
  LinkModel links_;
  std::function<void(const Hop&)> on_hop_;
  std::span<const LinkDirection> directions_;
  std::vector<std::uint32_t> strides_;

  std::vector<std::uint32_t>
      link_column_;  ///< 0, or 1 + number of the link's override; empty without any
  std::vector<TransferCost> override_costs_;
  std::map<std::uint64_t, std::uint32_t> rows_;  ///< bytes -> row of the cost table
  std::uint64_t last_bytes_ = 0;
  std::uint32_t last_row_ = kNone;
  std::vector<Instant> costs_;      ///< [row + column]
  std::vector<std::uint8_t> lane_;  ///< [row + column]: a lane or kPerHop

  std::vector<Flight> flights_;
  std::vector<std::uint32_t> unused_;
  std::uint32_t under_way_ = 0;
  std::vector<MessageId> delivered_;

  Instant now_ = 0;
  bool is_open_ = true;
  std::array<Lane, kLanes> lanes_;
  std::size_t lanes_used_ = 0;
  RadixHeap<Timed> heap_;
  struct Start {
    Instant time;
    std::uint32_t message;
  };
  Fifo<Start> departures_;  ///< those sent in order of their start; others are in the heap

  std::vector<Instant> free_at_;  ///< [link]
  std::vector<std::uint32_t> released_;
  std::vector<Delayed> delayed_;
  std::vector<Timed> begun_per_hop_;  ///< hops without a lane that began at this instant
  std::vector<Contested> contested_;  ///< links that delayed messages are the first to wait for
  std::vector<HopEvent>
      winners_;  ///< delayed messages that take the link from a holder of this instant
  std::vector<std::uint32_t>
      queue_tail_;  ///< [link]: the last message waiting, whose `next` is the first
  std::vector<WaitingHop> waiting_;  ///< [message]

  RunTally<std::uint32_t> crossings_;
  std::optional<RunTally<std::int64_t>> busy_;  ///< only when crossings alone do not tell
  std::uint64_t hop_count_ = 0;
  std::uint64_t queued_hops_ = 0;
  Wide queued_ticks_ = 0;

  struct HopTimes {
    Instant arrival = 0;
    Instant start = 0;
  };
  std::vector<HopTimes> hop_times_;  ///< [message], only for on_hop_
};

// --- Costs ---

void Network::Impl::number_overrides() {
  link_column_.assign(topology_.link_slots(), 0);
  for (const auto& [link, cost] : links_.overrides) {
    override_costs_.push_back(cost);
    link_column_[link.index()] = static_cast<std::uint32_t>(override_costs_.size());
  }
  busy_.emplace(topology_);
}

std::uint32_t Network::Impl::cost_row(std::uint64_t bytes) {
  if (last_row_ != kNone && bytes == last_bytes_) {
    return last_row_;
  }
  const auto found = rows_.find(bytes);
  if (found == rows_.end()) {
    add_size(bytes);
  }
  last_bytes_ = bytes;
  last_row_ = rows_.at(bytes);
  return last_row_;
}

void Network::Impl::add_size(std::uint64_t bytes) {
  const auto row = static_cast<std::uint32_t>(costs_.size());
  const auto add = [&](const TransferCost& transfer) {
    costs_.push_back(static_cast<Instant>(hop_time(transfer, bytes).count()));
    lane_.push_back(lane_for(costs_.back()));
  };
  std::ranges::for_each(links_.per_dimension, add);
  std::ranges::for_each(override_costs_, add);
  if (rows_.size() == 1 && !busy_) {
    split_off_busy();
  }
  rows_.emplace(bytes, row);
}

/// From the second message size on, crossings no longer tell how long a link was busy.
void Network::Impl::split_off_busy() {
  const LinkCounters so_far = counters();
  busy_.emplace(topology_);
  for (std::size_t d = 0; d < directions_.size(); ++d) {
    for (std::uint32_t i = 0; i < directions_[d].count; ++i) {
      const LinkId link{directions_[d].first.index() + i};
      if (so_far.busy[link.index()] != 0) {
        busy_->add(d, link, 1, so_far.busy[link.index()]);
      }
    }
  }
}

std::uint8_t Network::Impl::lane_for(Instant cost) {
  for (std::size_t i = 0; i < lanes_used_; ++i) {
    if (lanes_[i].cost == cost) {
      return static_cast<std::uint8_t>(i);
    }
  }
  if (lanes_used_ == kLanes) {
    return kPerHop;
  }
  lanes_[lanes_used_].cost = cost;
  return static_cast<std::uint8_t>(lanes_used_++);
}

// --- Routes ---

std::uint32_t Network::Impl::new_flight(const Departure& departure) {
  const Flight flight{departure.to,
                      departure.from,
                      departure.source,
                      departure.send_number,
                      0,
                      cost_row(departure.bytes),
                      departure.start};
  ++under_way_;
  if (unused_.empty()) {
    flights_.push_back(flight);
    if (on_hop_) {
      hop_times_.emplace_back();
    }
    return static_cast<std::uint32_t>(flights_.size() - 1);
  }
  const std::uint32_t message = unused_.back();
  unused_.pop_back();
  flights_[message] = flight;
  return message;
}

std::uint8_t Network::Impl::direction_of(std::uint32_t link) const {
  const auto after = std::ranges::upper_bound(directions_, LinkId{link}, {}, &LinkDirection::first);
  return static_cast<std::uint8_t>(after - directions_.begin() - 1);
}

/// Cuts a run to what an event can carry: 2^16 hops, and in half duplex only links whose servers
/// are in line.
Run Network::Impl::trimmed(Run run, std::uint8_t direction) const {
  constexpr std::uint32_t kMostHops = std::uint32_t{1} << 16;
  const auto link_at = [&](std::uint32_t hop) {
    return LinkId{run.first.index() + hop * strides_[direction]};
  };
  std::uint32_t hops = std::min(run.hops, kMostHops);
  if (links_.duplex == Duplex::half && hops > 1) {
    const LinkId in_line{server_of(topology_, run.first).index() +
                         (hops - 1) * strides_[direction]};
    if (server_of(topology_, link_at(hops - 1)) != in_line) {
      --hops;
    }
  }
  if (hops != run.hops) {
    run.hops = hops;
    run.end = topology_.link(link_at(hops - 1))->to;
  }
  if (links_.duplex == Duplex::half) {
    run.first = server_of(topology_, run.first);
  }
  return run;
}

/// Puts the message on the next straight stretch of its route; false when it is there.
bool Network::Impl::next_run(HopEvent& event) {
  Flight& flight = flights_[event.message];
  if (flight.run_end == flight.to) {
    return false;
  }
  Run run = topology_.next_run(flight.run_end, flight.to);
  const std::uint8_t direction = direction_of(run.first.index());
  run = trimmed(run, direction);
  flight.run_end = run.end;
  flight.hops += run.hops;
  event.link = run.first.index();
  event.remaining = static_cast<std::uint16_t>(run.hops - 1);
  event.direction = direction;
  event.lane =
      link_column_.empty() ? lane_[flight.cost_row + directions_[direction].dimension] : kPerHop;
  tally(direction, run, event.message);
  return true;
}

void Network::Impl::tally(std::uint8_t direction, const Run& run, std::uint32_t message) {
  hop_count_ += run.hops;
  LinkId lowest = run.first;
  std::size_t block = direction;
  if (links_.duplex == Duplex::half) {
    // Servers are numbered by the upward links, whichever way the message goes.
    block = direction_of(lowest.index());
    if (block != direction) {
      lowest = LinkId{lowest.index() + (run.hops - 1) * strides_[direction]};
    }
  }
  crossings_.add(block, lowest, run.hops, 1);
  if (busy_) {
    tally_busy(direction, run, block, lowest, message);
  }
}

void Network::Impl::tally_busy(std::uint8_t direction, const Run& run, std::size_t block,
                               LinkId lowest, std::uint32_t message) {
  const auto busy = [&](LinkId link) {
    return static_cast<std::int64_t>(cost(message, link.index(), direction));
  };
  if (link_column_.empty()) {
    busy_->add(block, lowest, run.hops, busy(run.first));
    return;
  }
  for (std::uint32_t hop = 0; hop < run.hops; ++hop) {
    const LinkId link{run.first.index() + hop * strides_[direction]};
    busy_->add(block, link, 1, busy(link));
  }
}

/// Nobody queues, so the arrival is known at the start.
void Network::Impl::fly_without_contention(std::uint32_t message) {
  Instant time = static_cast<Instant>(flights_[message].start.count());
  HopEvent event{0, message, 0, 0, 0};
  const bool is_uniform = link_column_.empty() && !on_hop_;
  while (next_run(event)) {
    const std::uint32_t hops = std::uint32_t{event.remaining} + 1;
    if (is_uniform) {
      time = later(time, cost(message, event.link, event.direction), hops);
      continue;
    }
    for (std::uint32_t hop = 0; hop < hops; ++hop, event.link += strides_[event.direction]) {
      const Instant finish = later(time, cost(message, event.link, event.direction));
      if (on_hop_) {
        hop_times_[message] = {time, time};
        report_hop(event, finish);
      }
      time = finish;
    }
  }
  heap_.push({time, event, Due::arrival});
}

void Network::Impl::report_hop(const HopEvent& event, Instant finish) const {
  const auto ticks = [](Instant instant) { return Ticks{static_cast<std::int64_t>(instant)}; };
  const Flight& flight = flights_[event.message];
  const HopTimes& times = hop_times_[event.message];
  on_hop_({flight.source, flight.send_number, LinkId{event.link}, ticks(times.arrival),
           ticks(times.start), ticks(finish)});
}

// --- The calendar ---

MessageId Network::Impl::send(const Departure& departure) {
  const auto start = static_cast<Instant>(departure.start.count());
  expects(start > now_ || (start == now_ && is_open_),
          "a message starts no earlier than the open instant");
  expects(departure.from != departure.to,
          "a message between processes of one node never enters the network");
  const std::uint32_t message = new_flight(departure);
  if (links_.contention == Contention::off) {
    fly_without_contention(message);
  } else if (start == now_) {
    depart(message);
  } else if (departures_.is_empty() || departures_.back().time <= start) {
    departures_.push({start, message});
  } else {
    heap_.push({start, HopEvent{0, message, 0, 0, 0}, Due::departure});
  }
  return MessageId{message};
}

std::span<const MessageId> Network::Impl::advance(Ticks horizon) {
  delivered_.clear();
  if (is_open_) {
    settle();
    is_open_ = false;
  }
  const auto last = static_cast<Instant>(horizon.count());
  while (delivered_.empty()) {
    const Instant next = next_instant();
    if (next > last) {
      break;
    }
    now_ = next;
    collect();
    if (delivered_.empty()) {
      settle();
    } else {
      is_open_ = true;
    }
  }
  return delivered_;
}

Instant Network::Impl::next_instant() const {
  Instant next = heap_.earliest();
  for (std::size_t i = 0; i < lanes_used_; ++i) {
    next = std::min(next, lanes_[i].earliest());
  }
  return departures_.is_empty() ? next : std::min(next, departures_.front().time);
}

/// Takes everything that is due now off the calendar.
void Network::Impl::collect() {
  for (std::size_t i = 0; i < lanes_used_; ++i) {
    if (lanes_[i].earliest() == now_) {
      take_lane_batch(lanes_[i]);
    }
  }
  if (heap_.earliest() == now_) {
    heap_.pop_earliest([this](const Timed& timed) { take_timed(timed); });
  }
  while (!departures_.is_empty() && departures_.front().time == now_) {
    depart(departures_.pop().message);
  }
}

void Network::Impl::take_lane_batch(Lane& lane) {
  const std::uint32_t count = lane.batches.pop().events;
  for (std::uint32_t i = 0; i < count; ++i) {
    finish_hop(lane.events.pop());
  }
}

void Network::Impl::take_timed(const Timed& timed) {
  switch (timed.due) {
    case Due::hop:
      return finish_hop(timed.hop);
    case Due::departure:
      return depart(timed.hop.message);
    case Due::arrival:
      return deliver(timed.hop.message);
    case Due::wake:
      released_.push_back(timed.hop.link);
  }
}

void Network::Impl::depart(std::uint32_t message) {
  HopEvent event{0, message, 0, 0, 0};
  next_run(event);
  arrive(event);
}

inline void Network::Impl::finish_hop(HopEvent event) {
  if ((event.direction & kRelease) != 0) [[unlikely]] {
    event.direction &= static_cast<std::uint8_t>(~kRelease);
    released_.push_back(event.link);
  }
  if (on_hop_) [[unlikely]] {
    report_hop(event, now_);
  }
  if (event.remaining != 0) [[likely]] {
    event.link += strides_[event.direction];
    --event.remaining;
  } else if (!next_run(event)) {
    deliver(event.message);
    return;
  }
  arrive(event);
}

inline void Network::Impl::arrive(const HopEvent& event) {
  if (on_hop_) [[unlikely]] {
    hop_times_[event.message].arrival = now_;
  }
  if (free_at_[event.link] <= now_) [[likely]] {
    begin(event);
  } else {
    delayed_.push_back({event, priority(event.message)});
  }
}

inline void Network::Impl::begin(const HopEvent& event) {
  if (on_hop_) [[unlikely]] {
    hop_times_[event.message].start = now_;
  }
  if (event.lane == kPerHop) [[unlikely]] {
    begin_per_hop(event);
    return;
  }
  Lane& lane = lanes_[event.lane];
  const Instant finish = later(now_, lane.cost);
  free_at_[event.link] = finish;
  lane.push(finish, event);
}

/// A hop whose cost has no lane of its own, or changes from link to link.
void Network::Impl::begin_per_hop(const HopEvent& event) {
  const Flight& flight = flights_[event.message];
  const auto direction = static_cast<std::uint8_t>(event.direction & ~kRelease);
  const std::size_t entry = flight.cost_row + column(event.link, direction);
  const Instant finish = later(now_, costs_[entry]);
  free_at_[event.link] = finish;
  if (lane_[entry] != kPerHop) {
    lanes_[lane_[entry]].push(finish, event);
  } else {
    begun_per_hop_.push_back({finish, event, Due::hop});
  }
}

void Network::Impl::deliver(std::uint32_t message) {
  --under_way_;
  delivered_.push_back(MessageId{message});
}

// --- The end of an instant ---

void Network::Impl::settle() {
  if (!delayed_.empty()) [[unlikely]] {
    resolve_ties();
    enqueue_delayed();
  }
  if (!released_.empty()) [[unlikely]] {
    for (const std::uint32_t link : released_) {
      serve_next(link);
    }
    released_.clear();
  }
  if (!begun_per_hop_.empty()) [[unlikely]] {
    for (const Timed& timed : begun_per_hop_) {
      heap_.push(timed);
    }
    begun_per_hop_.clear();
  }
}

/// Messages that are the first to wait for a link may have reached it at the same instant as its
/// holder; whichever comes first by (source, send number) then has it. Links with a queue were not
/// free at this instant.
void Network::Impl::resolve_ties() {
  const auto by_link = [](const Delayed& a, const Delayed& b) {
    return std::pair{a.hop.link, a.priority} < std::pair{b.hop.link, b.priority};
  };
  std::ranges::sort(delayed_, by_link);
  contested_.clear();
  for (const Delayed& delayed : delayed_) {
    Instant& free_at = free_at_[delayed.hop.link];
    if ((free_at & kQueued) == 0) {
      free_at |= kQueued;
      contested_.push_back({delayed.hop.link, HolderBegan::earlier});
    }
  }
  if (contested_.empty()) {
    return;
  }
  match_holders();
  for (const Contested& contested : contested_) {
    if (contested.holder_began == HolderBegan::earlier) {
      const Instant free_at = free_at_[contested.link] & ~kQueued;
      heap_.push({free_at, HopEvent{contested.link, kNone, 0, 0, 0}, Due::wake});
    }
  }
  if (!winners_.empty()) {
    for (const HopEvent& winner : winners_) {
      begin(winner);
      free_at_[winner.link] |= kQueued;
    }
    winners_.clear();
    std::ranges::sort(delayed_, by_link);
  }
}

/// Looks through the hops that began at this instant for holders of contested links; those that
/// lose it are taken back.
void Network::Impl::match_holders() {
  const auto is_contested = [this](const HopEvent& hop) {
    return (free_at_[hop.link] & kQueued) != 0;
  };
  for (std::size_t l = 0; l < lanes_used_; ++l) {
    Lane& lane = lanes_[l];
    if (lane.batches.is_empty() || lane.batches.back().finish != now_ + lane.cost) {
      continue;
    }
    for (std::size_t i = lane.events.size() - lane.batches.back().events; i < lane.events.size();) {
      if (is_contested(lane.events[i]) && !keeps_link(lane.events[i])) {
        lane.take_back(i);
      } else {
        ++i;
      }
    }
  }
  std::erase_if(begun_per_hop_,
                [&](Timed& timed) { return is_contested(timed.hop) && !keeps_link(timed.hop); });
}

/// Whether the holder of a contested link keeps it; otherwise it changes places with the first of
/// the delayed.
bool Network::Impl::keeps_link(HopEvent& holder) {
  std::ranges::lower_bound(contested_, holder.link, {}, &Contested::link)->holder_began =
      HolderBegan::now;
  holder.direction |= kRelease;
  Delayed& first = *std::ranges::lower_bound(delayed_, holder.link, {},
                                             [](const Delayed& d) { return d.hop.link; });
  const std::uint64_t holder_priority = priority(holder.message);
  if (holder_priority < first.priority) {
    return true;
  }
  winners_.push_back(first.hop);
  winners_.back().direction |= kRelease;
  first = {holder, holder_priority};
  first.hop.direction &= static_cast<std::uint8_t>(~kRelease);
  return false;
}

/// Appends the delayed, which are in order of priority for each link, to the queues of their links.
void Network::Impl::enqueue_delayed() {
  if (queue_tail_.empty()) {
    queue_tail_.assign(free_at_.size(), kNone);
  }
  if (waiting_.size() < flights_.size()) {
    waiting_.resize(flights_.capacity());
  }
  for (const auto& [hop, priority] : delayed_) {
    std::uint32_t& tail = queue_tail_[hop.link];
    std::uint32_t first = hop.message;
    if (tail != kNone) {
      first = std::exchange(waiting_[tail].next, hop.message);
    }
    waiting_[hop.message] = {hop, first};
    tail = hop.message;
  }
  queued_hops_ += delayed_.size();
  queued_ticks_ -= Wide{now_} * static_cast<Wide>(delayed_.size());
  delayed_.clear();
}

/// Gives a link that has become free to the first of its queue.
void Network::Impl::serve_next(std::uint32_t link) {
  std::uint32_t& tail = queue_tail_[link];
  const std::uint32_t first = waiting_[tail].next;
  HopEvent hop = waiting_[first].hop;
  queued_ticks_ += now_;
  if (first == tail) {
    tail = kNone;
    begin(hop);
    return;
  }
  waiting_[tail].next = waiting_[first].next;
  hop.direction |= kRelease;
  begin(hop);
  free_at_[link] |= kQueued;
}

// --- Counters ---

LinkCounters Network::Impl::counters() const {
  LinkCounters counters;
  counters.crossings = crossings_.totals(topology_.link_slots());
  if (busy_) {
    counters.busy = busy_->totals(topology_.link_slots());
    return counters;
  }
  counters.busy.assign(topology_.link_slots(), 0);
  for (const LinkDirection& block : directions_) {
    const Instant cost = costs_.empty() ? 0 : costs_[block.dimension];  // the only size there is
    for (std::uint32_t link = block.first.index(); link - block.first.index() < block.count;
         ++link) {
      counters.busy[link] = counters.crossings[link] * static_cast<std::int64_t>(cost);
    }
  }
  return counters;
}

// --- Network ---

Network::Network(const Topology& topology, const LinkModel& links,
                 std::function<void(const Hop&)> on_hop)
    : impl_{std::make_unique<Impl>(topology, links, std::move(on_hop))} {}
Network::~Network() = default;
Network::Network(Network&&) noexcept = default;
Network& Network::operator=(Network&&) noexcept = default;

MessageId Network::send(const Departure& departure) { return impl_->send(departure); }
std::span<const MessageId> Network::advance(Ticks horizon) { return impl_->advance(horizon); }
Ticks Network::now() const { return Ticks{static_cast<std::int64_t>(impl_->now())}; }
std::uint32_t Network::messages_under_way() const { return impl_->under_way(); }
std::uint32_t Network::hops(MessageId message) const { return impl_->flight(message.index()).hops; }
Ticks Network::start(MessageId message) const { return impl_->flight(message.index()).start; }
void Network::release(MessageId message) { impl_->release(message.index()); }
std::uint64_t Network::hop_count() const { return impl_->hop_count(); }
std::uint64_t Network::queued_hops() const { return impl_->queued_hops(); }
double Network::queued_seconds() const { return impl_->queued_seconds(); }
LinkCounters Network::link_counters() const { return impl_->counters(); }

}  // namespace dcube
