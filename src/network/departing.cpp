#include "network_impl.hpp"

// Departures of messages from their sources.

namespace dcube {

void Network::depart(MessageId message) { impl_->depart(message.index()); }

void Network::Impl::depart_apart(std::uint32_t number) {
  Message& message = messages_[MessageId{number}];
  const auto start = static_cast<Instant>(message.start.count());
  expects(start > now() || (start == now() && calendar_.is_open),
          "a message starts no earlier than the open instant");
  expects(message.at != message.to,
          "a message between processes of one node never enters the network");
  message.hops = 0;
  ++under_way_;
  if (departs_with_care_) [[unlikely]] {
    depart_with_care(number, start);
    return;
  }
  message.cost_row = costs_.row(message.payload.size_bytes());
  set_out(number, start);
}

/// Slow path of depart(): messages may travel in packets, draw or lose their way, or never queue.
void Network::Impl::depart_with_care(std::uint32_t number, Instant start) {
  const std::uint32_t packets =
      packets_.count_of(messages_[MessageId{number}].payload.size_bytes());
  if (!is_contended_) {
    const Instant arrival = fly(number, packets);
    calendar_.heap.push({arrival, event_of(number), Due::arrival});
    return;
  }
  if (packets == 1) {
    prepare(number);
  }
  set_out(number, start);
}

/// Fills in the row of costs and the way of a message or packet before it leaves.
inline void Network::Impl::prepare(std::uint32_t number) {
  Message& message = messages_[MessageId{number}];
  message.cost_row = costs_.row(message.payload.size_bytes());
  ways_.set_out(number, message);
}

/// Lets a message travel without queues, and returns its arrival.
Instant Network::Impl::fly(std::uint32_t number, std::uint32_t packets) {
  const std::uint32_t first = packets == 1 ? number : packets_.cut(number, packets);
  for (std::uint32_t i = 0; i < packets; ++i) {
    prepare(first + i);
  }
  const Instant arrival = flight_.arrival(first, packets);
  for (std::uint32_t i = 0; i < packets; ++i) {
    packets_.arrive(first + i);
  }
  return arrival;
}

inline void Network::Impl::set_out(std::uint32_t message, Instant start) {
  if (start == now()) {
    leave(message);
  } else if (calendar_.departures.suit(start)) {
    calendar_.departures.push(start, message);
  } else {
    calendar_.heap.push({start, event_of(message), Due::departure});
  }
}

/// Packets are made when they leave: nobody needs them before.
void Network::Impl::leave_in_packets(std::uint32_t message, std::uint32_t packets) {
  calendar_.is_alone = false;
  const std::uint32_t first = packets_.cut(message, packets);
  for (std::uint32_t packet = first; packet < first + packets; ++packet) {
    prepare(packet);
    leave(packet);
  }
}

void Network::Impl::leave(std::uint32_t message) {
  Message& leaving = messages_[MessageId{message}];
  const std::uint32_t packets = packets_.count_of(leaving.payload.size_bytes());
  if (packets != 1) [[unlikely]] {
    leave_in_packets(message, packets);
    return;
  }
  if (costs_.may_stretch_bodies()) [[unlikely]] {
    arbiter_.tail(message) = now();
  }
  if (servers_.have_injection(Passage::out)) {
    arbiter_.arrive(ways_.injection(message, leaving, Passage::out, tag_of(messages_, leaving)));
  } else {
    go_on(message, leaving);
  }
}

/// leave() on the network's own way, if servers are not shared and no hop is reported.
[[gnu::always_inline]] inline void Network::Impl::leave_plainly(const Topology& topology,
                                                                std::uint32_t number) {
  Message& message = messages_[MessageId{number}];
  const Run run = topology.next_run(message.at, message.to);
  const std::uint8_t direction = servers_.known_direction(run);
  const std::uint32_t row = message.cost_row;
  const std::uint32_t first = run.first.index();
  if (direction == Servers::unknown || !usage_.counts_plainly(run.hops, row)) [[unlikely]] {
    leave(number);
    return;
  }
  const std::uint8_t lane_number = costs_.own_lane(row, servers_.dimension(direction));
  Instant& free_at = arbiter_.free_at()[first];
  if (lane_number == per_hop || free_at > now()) [[unlikely]] {
    leave(number);
    return;
  }
  message.at = run.end;
  message.hops = run.hops;
  usage_.add_plainly(run.block, run.first, run.hops);
  Lane& lane = costs_.lanes()[lane_number];
  const Instant finish = checked_add(now(), lane.advance());
  free_at = finish + lane.lag();
  lane.push(finish,
            {first, number, static_cast<std::uint16_t>(run.hops - 1), direction, lane_number});
}

/// Messages that leave at this instant and were sent in order of their start.
void Network::Impl::leave_together() {
  const auto soon = [this](std::uint32_t message) { prefetch_message(message); };
  if (leaves_plainly_) [[likely]] {
    const Topology& topology = servers_.topology();
    calendar_.departures.take_earliest(
        [&](std::uint32_t message) { leave_plainly(topology, message); }, soon);
  } else {
    calendar_.departures.take_earliest([this](std::uint32_t message) { leave(message); }, soon);
  }
}

}  // namespace dcube
