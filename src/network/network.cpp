#include "dcube/network/network.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "network_impl.hpp"

// How the network works
//
// A server carries the messages of a link: of one direction of it, or in half duplex of both (see
// Servers). A hop event is twelve bytes: "message m leaves server s, r servers of its straight
// stretch remain". Hops that begin at once on a free server and cost the same finish in the order
// they begin, so each of the first few distinct costs has a lane, a plain queue of events grouped
// by finish instant. Other costs, future departures and the first release of a server with a queue
// go through a monotone radix heap.
//
// An instant goes through three steps:
//   1. All hops that finish are taken off the calendar. Each message goes on to its next server
//      and takes it at once when it is free; otherwise it is set aside. Messages at their
//      destination are handed out.
//   2. Processes that these messages wake may send messages that start at this very instant. The
//      new messages take their first servers in the same way.
//   3. Now every arrival of the instant is known: messages that choose their links do so, and the
//      arbiter settles who has which server.
//
// If links fail later, messages go hop by hop, so that none is on the way to a failed link. A fault
// comes first at its instant.

namespace dcube {

// --- The calendar ---

std::span<const MessageId> Network::Impl::advance(Ticks horizon) {
  delivered_.clear();
  alarms_.clear();
  if (calendar_.is_open) {
    if (goes_with_care_) [[unlikely]] {
      choose_links();
    }
    arbiter_.settle();
    calendar_.is_open = false;
  }
  const auto last = static_cast<Instant>(horizon.count());
  while (delivered_.empty()) {
    Instant in_lanes = earliest_in_lanes();
    Instant next = std::min({in_lanes, calendar_.heap.earliest(), calendar_.departures.earliest()});
    if (goes_with_care_) [[unlikely]] {
      if (cut_off_) {
        stop();
        break;
      }
      if (!go_with_care(next, last)) {
        break;
      }
      in_lanes = earliest_in_lanes();  // links may have failed
    } else if (next > last) {
      break;
    }
    calendar_.now = next;
    collect(in_lanes == next);
    if (!delivered_.empty() || !alarms_.empty()) [[likely]] {
      calendar_.is_open = true;
      break;
    }
    if (goes_with_care_) [[unlikely]] {
      choose_links();
    }
    if (!arbiter_.is_settled()) {
      arbiter_.settle();
    }
  }
  under_way_ -= static_cast<std::uint32_t>(delivered_.size());
  return delivered_.all();
}

LinkCounters Network::Impl::link_counters() const {
  LinkCounters counters = usage_.counters();
  counters.further_ends = packets_.further_ends();
  const bool differ = cut_off_ || costs_.may_stretch_bodies();
  for (std::uint32_t link = 0; differ && link < servers_.topology().link_slots(); ++link) {
    counters.busy[link] +=
        static_cast<double>(Int128{arbiter_.held_by_tails(link)} + flight_.held_by_tails(link));
    if (cut_off_) {
      counters.busy[link] -= static_cast<double>(arbiter_.time_left(link));
    }
  }
  return counters;
}

inline Instant Network::Impl::earliest_in_lanes() const {
  Instant earliest = RadixHeap<Timed>::never;
  for (const Lane& lane : costs_.lanes()) {
    earliest = std::min(earliest, lane.earliest());
  }
  return earliest;
}

/// Takes all events of this instant off the calendar.
inline void Network::Impl::collect(bool is_lane_due) {
  if (is_lane_due) {
    for (std::size_t lane = 0; lane < costs_.lanes().size(); ++lane) {
      if (costs_.lanes()[lane].earliest() == now()) {
        delivered_.make_room(costs_.lanes()[lane].earliest_count());
        finish_lane(static_cast<std::uint8_t>(lane));
      }
    }
  }
  const Departures& departures = calendar_.departures;
  RadixHeap<Timed>& heap = calendar_.heap;
  if (heap.earliest() == now()) {
    const bool is_heap_alone = !is_lane_due && departures.earliest() != now();
    heap.pop_earliest([&](const Timed& timed, bool is_only) {
      calendar_.is_alone = is_heap_alone && is_only;
      take_timed(timed);
    });
    calendar_.is_alone = false;
  }
  if (departures.earliest() == now()) {
    leave_together();
  }
}

/// Finishes the due hops of a lane. Most continue on a free server at the same cost, in one tight
/// loop; the others go through finish_hop().
void Network::Impl::finish_lane(std::uint8_t number) {
  Lane& lane = costs_.lanes()[number];
  const Instant finish = now() + lane.advance();
  const Instant release = finish + lane.lag();
  const bool is_plain = !attends_hops_ && finish <= last_instant;
  const auto step = [this, is_plain, ends = ends_with_last_hop_, release, number, now = now(),
                     free_at = arbiter_.free_at(), strides = servers_.strides()](HopEvent& hop) {
    if (!is_plain || (hop.direction & release_flag) != 0) {
      return Fate::goes_elsewhere;
    }
    if (hop.remaining == 0) {
      const Message& message = messages_[MessageId{hop.message}];
      if (!ends || message.at != message.to) {
        return Fate::goes_elsewhere;
      }
      delivered_.push(hop.message);
      return Fate::is_gone;
    }
    const std::uint32_t next = hop.server + strides[hop.direction];
    if (hop.lane != number || free_at[next] > now) {
      return Fate::goes_elsewhere;
    }
    free_at[next] = release;
    hop.server = next;
    --hop.remaining;
    return Fate::goes_back;
  };
  const auto soon = [this](const HopEvent& hop) {
    if (hop.remaining == 0) {
      prefetch_message(hop.message);
    }
  };
  lane.step_earliest(
      finish, step, [this](const HopEvent& hop) { finish_hop(hop); }, soon);
}

inline void Network::Impl::take_timed(const Timed& timed) {
  switch (timed.due) {
    case Due::hop:
      return finish_hop(timed.hop);
    case Due::departure:
      return leave(timed.hop.message);
    case Due::arrival:
      return arrive_at_node(timed.hop.message);
    case Due::release:
      return arbiter_.release(timed.hop.server);
    case Due::alarm:
      alarms_.push_back(timed.hop.message);
  }
}

/// Slow path of go_on(): links may fail, or messages choose them.
void Network::Impl::go_on_with_care(std::uint32_t number, Message& message) {
  if (ways_.may_fail()) {
    const NodeId reached = message.at;
    if (ways_.sends_again(number, message)) {
      packets_.add_ends(reached, 1);
      packets_.add_ends(message.at, 1);
      leave(number);
      return;
    }
    if (ways_.is_cut_off(message)) {
      note_cut_off(message);
      return;
    }
  }
  if (ways_.are_chosen() && ways_.chooses(number, message)) {
    choosing_.push_back(number);
  } else {
    arbiter_.arrive(ways_.next(number, message));
  }
}

/// Lets messages choose links when all that do so at this instant are known.
void Network::Impl::choose_links() {
  std::ranges::sort(choosing_, {}, [this](std::uint32_t number) {
    return std::pair{messages_[MessageId{number}].priority(), number};
  });
  for (const std::uint32_t number : choosing_) {
    Message& message = messages_[MessageId{number}];
    arbiter_.arrive(ways_.choose(number, message, now(), arbiter_.tail_of(number)));
  }
  choosing_.clear();
}

inline void Network::Impl::finish_hop(HopEvent event) {
  if ((event.direction & release_flag) != 0) [[unlikely]] {
    event.direction &= static_cast<std::uint8_t>(~release_flag);
    arbiter_.release(event.server);
  }
  if (attends_hops_) [[unlikely]] {
    attend(event);
  }
  if (event.remaining != 0) [[likely]] {
    event.server += servers_.stride(event.direction);
    --event.remaining;
    arbiter_.arrive(event);
    return;
  }
  Message& message = messages_[MessageId{event.message}];
  if (message.at == message.to) {
    if (ends_with_last_hop_) [[likely]] {
      deliver(event.message);
    } else {
      end_way(event);
    }
  } else {
    go_on(event.message, message);
  }
}

void Network::Impl::attend(const HopEvent& event) {
  if (teller_.tells_all()) {
    teller_.tell(event, now());
  }
  const std::uint32_t row = messages_[MessageId{event.message}].cost_row;
  const Instant advance = costs_.advance(row, event.server, event.direction);
  if (ways_.counts_messages() && event.server < servers_.topology().link_slots()) {
    const Instant end = now() - advance + costs_.occupancy(row, event.server, event.direction);
    ways_.leave(event.server, costs_.held_until(event.server, event.direction, end,
                                                arbiter_.tail_of(event.message)));
  }
  if (!costs_.may_stretch_bodies()) {
    return;
  }
  // The tail leaves a link no earlier than it came, and when all bytes are through.
  Instant& tail = arbiter_.tail(event.message);
  tail = std::max(checked_add(now(), costs_.body(row, event.server, event.direction)),
                  checked_add(tail, advance));
}

/// The message, or its head, is at its destination node.
void Network::Impl::end_way(const HopEvent& event) {
  Message& message = messages_[MessageId{event.message}];
  if (ways_.passes(event.message, message)) {
    go_on_with_care(event.message, message);
  } else if (servers_.have_injection(Passage::in) && !servers_.is_entering(event.direction)) {
    arbiter_.arrive(
        ways_.injection(event.message, message, Passage::in, tag_of(messages_, message)));
  } else if (!costs_.have_bodies()) {
    arrive_at_node(event.message);
  } else if (costs_.may_stretch_bodies()) {
    arrive_with_tail(event.message, arbiter_.tail(event.message));
  } else {
    arrive_with_tail(event.message, checked_add(now(), costs_.body(message.cost_row, event.server,
                                                                   event.direction)));
  }
}

void Network::Impl::arrive_with_tail(std::uint32_t message, Instant tail) {
  if (tail <= now()) {
    arrive_at_node(message);
  } else {
    calendar_.heap.push({tail, event_of(message), Due::arrival});
  }
}

/// A whole message or a whole packet has arrived.
void Network::Impl::arrive_at_node(std::uint32_t message) {
  if (!packets_.are_used()) {
    deliver(message);
  } else if (const std::optional<std::uint32_t> whole = packets_.arrive(message)) {
    deliver(*whole);
  }
}

inline void Network::Impl::deliver(std::uint32_t message) {
  delivered_.make_room(1);
  delivered_.push(message);
}

// --- Network ---

Network::Network(const Topology& topology, const LinkModel& links,
                 std::function<void(const Hop&)> on_hop, HopReports reports)
    : impl_{std::make_unique<Impl>(topology, links, std::move(on_hop), reports)} {}
Network::~Network() = default;
Network::Network(Network&&) noexcept = default;
Network& Network::operator=(Network&&) noexcept = default;

Messages& Network::messages() { return impl_->messages(); }

MessageId Network::send(const Departure& departure) {
  const MessageId id = messages().add();
  Message& message = messages()[id];
  message.source = departure.source;
  message.send_number = departure.send_number;
  message.at = departure.from;
  message.to = departure.to;
  message.destination = {};
  message.tag = 0;
  message.start = departure.start;
  message.arrival = Message::not_yet;
  message.payload = Payload::of_size(departure.bytes);
  depart(id);
  return id;
}

void Network::on_delay(Delays delays) { impl_->on_delay(std::move(delays)); }
void Network::arrive(MessageId message, Ticks time) {
  impl_->arrive(message.index(), static_cast<Instant>(time.count()));
}
void Network::set_alarm(Ticks time, std::uint32_t alarm) {
  impl_->set_alarm(alarm, static_cast<Instant>(time.count()));
}
std::span<const MessageId> Network::advance(Ticks horizon) { return impl_->advance(horizon); }
std::span<const std::uint32_t> Network::alarms() const { return impl_->alarms(); }
const std::optional<CutOff>& Network::cut_off() const { return impl_->cut_off(); }
Ticks Network::now() const { return ticks(impl_->now()); }
std::uint32_t Network::messages_under_way() const { return impl_->under_way(); }
std::uint64_t Network::hop_count() const { return impl_->usage().hop_count(); }
std::uint64_t Network::queued_hops() const { return impl_->arbiter().queued_hops(); }
double Network::queued_seconds() const { return impl_->arbiter().queued_seconds(); }
LinkCounters Network::link_counters() const { return impl_->link_counters(); }

}  // namespace dcube
