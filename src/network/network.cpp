#include "dcube/network/network.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "calendar.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/int128.hpp"
#include "fifo.hpp"
#include "hop_costs.hpp"
#include "link_usage.hpp"
#include "radix_heap.hpp"
#include "servers.hpp"

// How it works
//
// A server carries the messages of a link: of one direction of it, or in half duplex of both (see
// Servers). A hop event is twelve bytes: "message m leaves server s, r servers of its straight
// stretch remain". Hops that begin at once on a free server and cost the same finish in the order
// they begin, so each of the first few distinct costs has a lane, a plain queue of events grouped
// by finish instant. Other costs, future departures and the first wake-up of a server that a
// message waits for go through a monotone radix heap.
//
// An instant goes through three steps:
//   1. All hops that finish are taken off the calendar. Each message goes on to its next server
//      and takes it at once when it is free; otherwise it is set aside. Messages at their
//      destination are handed out.
//   2. Processes that these messages wake may send messages that start at this very instant. The
//      new messages take their first servers in the same way.
//   3. settle(): now every arrival of the instant is known. Messages set aside are compared with a
//      holder that took the server at this same instant, so that the order of calls does not
//      matter. Then they queue up, in order of (source, send number), behind those that came
//      earlier. Each server that became free serves the head of its queue.
//
// Invariants: a server's word is the instant at which it becomes free, with queued_flag set while
// messages wait for it, so that "word <= now" alone says "take it". The holder of a server with a
// queue carries release_flag in its event, or a wake-up is due at its finish. A message waits in at
// most one queue, so queues are circular lists through the messages.

namespace dcube {

namespace {

/// In a server's word: messages wait for it.
constexpr Instant queued_flag = Instant{1} << 63;
constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

struct Flight {
  NodeId to;
  NodeId stretch_end;
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
  std::uint32_t server;
  HolderBegan holder_began;
};

struct WaitingHop {
  HopEvent hop;
  std::uint32_t next;
};

}  // namespace

class Network::Impl {
 public:
  Impl(const Topology& topology, const LinkModel& links, std::function<void(const Hop&)> on_hop,
       HopReports reports)
      : is_contended_{links.contention == Contention::on},
        on_hop_{std::move(on_hop)},
        reports_all_{on_hop_ && reports == HopReports::all},
        reports_queued_{on_hop_ && reports == HopReports::queued},
        servers_{topology, links.duplex},
        costs_{links, servers_},
        usage_{servers_, costs_} {
    if (is_contended_) {
      free_at_.assign(servers_.count(), 0);
    }
  }

  MessageId send(const Departure& departure);
  std::span<const MessageId> advance(Ticks horizon);
  void release(std::uint32_t message) { unused_.push_back(message); }

  Instant now() const { return now_; }
  std::uint32_t under_way() const { return under_way_; }
  const Flight& flight(std::uint32_t message) const { return flights_[message]; }
  std::uint64_t hop_count() const { return usage_.hop_count(); }
  std::uint64_t queued_hops() const { return queued_hops_; }
  double queued_seconds() const {
    return to_seconds(queued_ticks_ + Int128{now_} * static_cast<Int128>(waiting_count_));
  }
  LinkCounters counters() const { return usage_.counters(); }

 private:
  // Routes.
  std::uint32_t new_flight(const Departure& departure);
  bool next_stretch(HopEvent& event);
  void fly_without_contention(std::uint32_t message);

  // The calendar.
  Instant next_instant() const;
  void collect();
  void finish_lane(std::uint8_t number);
  void take_timed(const Timed& timed);
  void depart(std::uint32_t message);
  void finish_hop(HopEvent event);
  void arrive(const HopEvent& event);
  void begin(const HopEvent& event);
  void begin_per_hop(const HopEvent& event);
  void deliver(std::uint32_t message);

  // The end of an instant.
  bool is_settled() const {
    return delayed_.empty() && released_.empty() && begun_per_hop_.empty();
  }
  void settle();
  void resolve_ties();
  void match_holders();
  bool decide_tie(HopEvent& holder);
  void enqueue_delayed();
  void serve_next(std::uint32_t server);
  void begin_queued(const HopEvent& event);
  void report_hop(const HopEvent& event, Instant finish) const;
  std::uint64_t priority(std::uint32_t message) const {
    return std::uint64_t{flights_[message].source.index()} << 32 | flights_[message].send_number;
  }

  bool is_contended_;
  std::function<void(const Hop&)> on_hop_;
  bool reports_all_;
  bool reports_queued_;
  Servers servers_;
  HopCosts costs_;
  LinkUsage usage_;

  std::vector<Flight> flights_;
  std::vector<std::uint32_t> unused_;
  std::vector<MessageId> delivered_;

  Instant now_ = 0;
  std::uint32_t under_way_ = 0;
  bool is_open_ = true;
  bool is_alone_ = false;  ///< one event makes up this instant: nothing can tie with it
  RadixHeap<Timed> heap_;
  struct Start {
    Instant time;
    std::uint32_t message;
  };
  Fifo<Start> departures_;  ///< those sent in order of their start; others are in the heap

  std::vector<Instant> free_at_;  ///< [server]
  std::vector<std::uint32_t> released_;
  std::vector<Delayed> delayed_;
  std::vector<Timed> begun_per_hop_;  ///< hops without a lane that began at this instant
  /// Servers that delayed messages are the first to wait for; a holder may have come at this
  /// instant.
  std::vector<Contested> contested_;
  std::vector<HopEvent> winners_;  ///< delayed messages that take a server from such a holder
  /// [server]: the last message waiting for it, whose `next` is the first.
  std::vector<std::uint32_t> queue_tail_;
  std::vector<WaitingHop> waiting_;  ///< [message]

  std::uint64_t queued_hops_ = 0;
  std::uint64_t waiting_count_ = 0;
  /// The instants at which delayed messages were served, minus those at which they reached their
  /// servers. Messages that still wait are in the second sum alone.
  Int128 queued_ticks_ = 0;

  struct HopTimes {
    Instant arrival = 0;
    Instant start = 0;
    std::uint64_t bytes = 0;
  };
  std::vector<HopTimes> hop_times_;  ///< [message], only for on_hop_
};

// --- Routes ---

std::uint32_t Network::Impl::new_flight(const Departure& departure) {
  const Flight flight{departure.to,
                      departure.from,
                      departure.source,
                      departure.send_number,
                      0,
                      costs_.row(departure.bytes),
                      departure.start};
  ++under_way_;
  if (unused_.empty()) {
    flights_.push_back(flight);
    if (on_hop_) {
      hop_times_.push_back({0, 0, departure.bytes});
    }
    return static_cast<std::uint32_t>(flights_.size() - 1);
  }
  const std::uint32_t message = unused_.back();
  unused_.pop_back();
  flights_[message] = flight;
  if (on_hop_) {
    hop_times_[message].bytes = departure.bytes;
  }
  return message;
}

/// Puts the message on the next straight stretch of its route. False: it is at its destination.
bool Network::Impl::next_stretch(HopEvent& event) {
  Flight& flight = flights_[event.message];
  if (flight.stretch_end == flight.to) {
    return false;
  }
  const Stretch stretch = servers_.next_stretch(flight.stretch_end, flight.to);
  flight.stretch_end = stretch.end;
  flight.hops += stretch.hops;
  event.server = stretch.first;
  event.remaining = static_cast<std::uint16_t>(stretch.hops - 1);
  event.direction = stretch.direction;
  event.lane = costs_.are_by_dimension()
                   ? costs_.lane_of(costs_.cost(flight.cost_row, stretch.first, stretch.direction))
                   : per_hop;
  usage_.add(stretch, flight.cost_row);
  return true;
}

/// Nobody queues, so the arrival is known at the start.
void Network::Impl::fly_without_contention(std::uint32_t message) {
  const std::uint32_t row = flights_[message].cost_row;
  const bool is_uniform = costs_.are_by_dimension() && !reports_all_;
  auto time = static_cast<Instant>(flights_[message].start.count());
  HopEvent event{0, message, 0, 0, 0};
  while (next_stretch(event)) {
    const std::uint32_t hops = std::uint32_t{event.remaining} + 1;
    if (is_uniform) {
      time = checked_add(time, costs_.cost(row, event.server, event.direction), hops);
      continue;
    }
    for (std::uint32_t hop = 0; hop < hops;
         ++hop, event.server += servers_.stride(event.direction)) {
      const Instant finish = checked_add(time, costs_.cost(row, event.server, event.direction));
      if (reports_all_) {
        hop_times_[message].arrival = time;
        hop_times_[message].start = time;
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
  on_hop_({flight.source, flight.send_number, LinkId{event.server}, ticks(times.arrival),
           ticks(times.start), ticks(finish), flight.to, times.bytes});
}

// --- The calendar ---

MessageId Network::Impl::send(const Departure& departure) {
  const auto start = static_cast<Instant>(departure.start.count());
  expects(start > now_ || (start == now_ && is_open_),
          "a message starts no earlier than the open instant");
  expects(departure.from != departure.to,
          "a message between processes of one node never enters the network");
  const std::uint32_t message = new_flight(departure);
  if (!is_contended_) {
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
    if (!delivered_.empty()) {
      is_open_ = true;
    } else if (!is_settled()) {
      settle();
    }
  }
  return delivered_;
}

inline Instant Network::Impl::next_instant() const {
  Instant next = heap_.earliest();
  for (const Lane& lane : costs_.lanes()) {
    next = std::min(next, lane.earliest());
  }
  return departures_.is_empty() ? next : std::min(next, departures_.front().time);
}

/// Takes everything that is due now off the calendar.
inline void Network::Impl::collect() {
  bool is_lane_due = false;
  for (std::size_t lane = 0; lane < costs_.lanes().size(); ++lane) {
    if (costs_.lanes()[lane].earliest() == now_) {
      is_lane_due = true;
      finish_lane(static_cast<std::uint8_t>(lane));
    }
  }
  if (heap_.earliest() == now_) {
    is_alone_ = !is_lane_due && heap_.is_earliest_alone() &&
                (departures_.is_empty() || departures_.front().time != now_);
    heap_.pop_earliest([this](const Timed& timed) { take_timed(timed); });
    is_alone_ = false;
  }
  while (!departures_.is_empty() && departures_.front().time == now_) {
    depart(departures_.pop().message);
  }
}

/// Finishes the hops of a lane that are due. Most go straight on to a free server at the same cost.
/// One tight loop moves these; the others go through finish_hop().
void Network::Impl::finish_lane(std::uint8_t number) {
  Lane& lane = costs_.lanes()[number];
  const Instant finish = now_ + lane.cost();
  const bool is_plain = !reports_all_ && finish <= last_instant;
  const auto step = [is_plain, finish, number, now = now_, free_at = free_at_.data(),
                     strides = servers_.strides()](HopEvent& hop) {
    const bool goes_straight = hop.remaining != 0 && (hop.direction & release_flag) == 0;
    if (!is_plain || !goes_straight || hop.lane != number) {
      return false;
    }
    const std::uint32_t next = hop.server + strides[hop.direction];
    if (free_at[next] > now) {
      return false;
    }
    free_at[next] = finish;
    hop.server = next;
    --hop.remaining;
    return true;
  };
  lane.step_earliest(finish, step, [this](const HopEvent& hop) { finish_hop(hop); });
}

inline void Network::Impl::take_timed(const Timed& timed) {
  switch (timed.due) {
    case Due::hop:
      return finish_hop(timed.hop);
    case Due::departure:
      return depart(timed.hop.message);
    case Due::arrival:
      return deliver(timed.hop.message);
    case Due::wake:
      released_.push_back(timed.hop.server);
  }
}

void Network::Impl::depart(std::uint32_t message) {
  HopEvent event{0, message, 0, 0, 0};
  next_stretch(event);
  arrive(event);
}

inline void Network::Impl::finish_hop(HopEvent event) {
  if ((event.direction & release_flag) != 0) [[unlikely]] {
    event.direction &= static_cast<std::uint8_t>(~release_flag);
    released_.push_back(event.server);
  }
  if (reports_all_) [[unlikely]] {
    report_hop(event, now_);
  }
  if (event.remaining != 0) [[likely]] {
    event.server += servers_.stride(event.direction);
    --event.remaining;
  } else if (!next_stretch(event)) {
    deliver(event.message);
    return;
  }
  arrive(event);
}

inline void Network::Impl::arrive(const HopEvent& event) {
  if (reports_all_) [[unlikely]] {
    hop_times_[event.message].arrival = now_;
  }
  if (free_at_[event.server] <= now_) [[likely]] {
    begin(event);
  } else {
    delayed_.push_back({event, priority(event.message)});
  }
}

inline void Network::Impl::begin(const HopEvent& event) {
  if (reports_all_) [[unlikely]] {
    hop_times_[event.message].start = now_;
  }
  if (event.lane == per_hop) [[unlikely]] {
    begin_per_hop(event);
    return;
  }
  Lane& lane = costs_.lanes()[event.lane];
  const Instant finish = checked_add(now_, lane.cost());
  free_at_[event.server] = finish;
  lane.push(finish, event);
}

/// For a hop whose cost has no lane, or changes from link to link.
inline void Network::Impl::begin_per_hop(const HopEvent& event) {
  const auto direction = static_cast<std::uint8_t>(event.direction & ~release_flag);
  const std::uint32_t row = costs_.size_count() == 1 ? 0 : flights_[event.message].cost_row;
  const Instant cost = costs_.cost(row, event.server, direction);
  const Instant finish = checked_add(now_, cost);
  free_at_[event.server] = finish;
  // Until then, what the next hop needs can be on its way from memory.
  const std::size_t next = event.server + servers_.stride(direction);
  __builtin_prefetch(free_at_.data() + next, 1);
  costs_.prefetch_cost(next);
  const std::uint8_t lane = costs_.lane_of(cost);
  if (lane != per_hop) {
    costs_.lanes()[lane].push(finish, event);
  } else if (is_alone_) {
    heap_.push({finish, event, Due::hop});
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
    for (const std::uint32_t server : released_) {
      serve_next(server);
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

/// Messages that are the first to wait for a server may have reached it at the same instant as its
/// holder. Then whichever comes first by (source, send number) has it. A server with a queue was
/// not free at this instant, so it has no such holder.
void Network::Impl::resolve_ties() {
  const auto by_server = [](const Delayed& a, const Delayed& b) {
    return std::pair{a.hop.server, a.priority} < std::pair{b.hop.server, b.priority};
  };
  std::ranges::sort(delayed_, by_server);
  contested_.clear();
  for (const Delayed& delayed : delayed_) {
    Instant& free_at = free_at_[delayed.hop.server];
    if ((free_at & queued_flag) == 0) {
      free_at |= queued_flag;
      contested_.push_back({delayed.hop.server, HolderBegan::earlier});
    }
  }
  if (contested_.empty()) {
    return;
  }
  match_holders();
  for (const Contested& contested : contested_) {
    if (contested.holder_began == HolderBegan::earlier) {
      const Instant free_at = free_at_[contested.server] & ~queued_flag;
      heap_.push({free_at, HopEvent{contested.server, none, 0, 0, 0}, Due::wake});
    }
  }
  if (!winners_.empty()) {
    for (const HopEvent& winner : winners_) {
      begin(winner);
      free_at_[winner.server] |= queued_flag;
    }
    winners_.clear();
    std::ranges::sort(delayed_, by_server);
  }
}

/// Looks through the hops that began at this instant for holders of contested servers, and takes
/// back those that lose their server.
void Network::Impl::match_holders() {
  const auto keeps = [this](HopEvent& hop) {
    return (free_at_[hop.server] & queued_flag) == 0 || decide_tie(hop);
  };
  for (Lane& lane : costs_.lanes()) {
    lane.filter_latest(now_ + lane.cost(), keeps);
  }
  std::erase_if(begun_per_hop_, [&](Timed& timed) { return !keeps(timed.hop); });
}

/// Decides between the holder of a contested server and the first of the delayed. Returns whether
/// the holder keeps the server. When it does not, the two have changed places: the holder is
/// delayed, and the other is among the winners.
bool Network::Impl::decide_tie(HopEvent& holder) {
  std::ranges::lower_bound(contested_, holder.server, {}, &Contested::server)->holder_began =
      HolderBegan::now;
  holder.direction |= release_flag;
  Delayed& first = *std::ranges::lower_bound(delayed_, holder.server, {},
                                             [](const Delayed& d) { return d.hop.server; });
  const std::uint64_t holder_priority = priority(holder.message);
  if (holder_priority < first.priority) {
    return true;
  }
  winners_.push_back(first.hop);
  winners_.back().direction |= release_flag;
  first = {holder, holder_priority};
  first.hop.direction &= static_cast<std::uint8_t>(~release_flag);
  return false;
}

/// Appends the delayed to the queues of their servers. They are in order of priority for each.
void Network::Impl::enqueue_delayed() {
  if (queue_tail_.empty()) {
    queue_tail_.assign(free_at_.size(), none);
  }
  if (waiting_.size() < flights_.size()) {
    waiting_.resize(flights_.capacity());
  }
  for (const auto& [hop, priority] : delayed_) {
    std::uint32_t& tail = queue_tail_[hop.server];
    std::uint32_t first = hop.message;
    if (tail != none) {
      first = std::exchange(waiting_[tail].next, hop.message);
    }
    waiting_[hop.message] = {hop, first};
    tail = hop.message;
    if (reports_queued_) [[unlikely]] {
      hop_times_[hop.message].arrival = now_;
    }
  }
  queued_hops_ += delayed_.size();
  waiting_count_ += delayed_.size();
  queued_ticks_ -= Int128{now_} * static_cast<Int128>(delayed_.size());
  delayed_.clear();
}

/// Gives a server that has become free to the first of its queue.
void Network::Impl::serve_next(std::uint32_t server) {
  std::uint32_t& tail = queue_tail_[server];
  const std::uint32_t first = waiting_[tail].next;
  HopEvent hop = waiting_[first].hop;
  --waiting_count_;
  queued_ticks_ += now_;
  if (first == tail) {
    tail = none;
    begin_queued(hop);
    return;
  }
  waiting_[tail].next = waiting_[first].next;
  hop.direction |= release_flag;
  begin_queued(hop);
  free_at_[server] |= queued_flag;
}

void Network::Impl::begin_queued(const HopEvent& event) {
  begin(event);
  if (reports_queued_) [[unlikely]] {
    hop_times_[event.message].start = now_;
    report_hop(event, free_at_[event.server]);
  }
}

// --- Network ---

Network::Network(const Topology& topology, const LinkModel& links,
                 std::function<void(const Hop&)> on_hop, HopReports reports)
    : impl_{std::make_unique<Impl>(topology, links, std::move(on_hop), reports)} {}
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
