#include "free_flight.hpp"

#include <algorithm>

namespace dcube {

Instant FreeFlight::arrival(std::uint32_t first, std::uint32_t packets) {
  is_followed_ = packets > 1;
  free_at_.clear();
  Instant arrival = 0;
  for (std::uint32_t packet = first; packet < first + packets; ++packet) {
    fly(packet);
    arrival = std::max({arrival, head_, tail_});
  }
  return arrival;
}

void FreeFlight::fly(std::uint32_t packet) {
  Message& flying = messages_[MessageId{packet}];
  head_ = static_cast<Instant>(flying.start.count());
  tail_ = head_;
  hop_ = 0;
  if (servers_.have_injection(Passage::out)) {
    cross(ways_.injection(packet, flying, Passage::out, tag_of(messages_, flying)));
  }
  while (flying.at != flying.to || ways_.passes(packet, flying)) {
    cross(ways_.are_chosen() && ways_.chooses(packet, flying)
              ? ways_.choose(packet, flying, head_, tail_)
              : ways_.next(packet, flying));
  }
  if (servers_.have_injection(Passage::in)) {
    cross(ways_.injection(packet, flying, Passage::in, tag_of(messages_, flying)));
  }
}

/// Moves the packet to the end of a stretch.
void FreeFlight::cross(HopEvent event) {
  const std::uint32_t row = messages_[MessageId{event.message}].cost_row;
  const std::uint32_t hops = std::uint32_t{event.remaining} + 1;
  if (costs_.are_by_dimension() && !teller_.tells_all() && !is_followed_) {
    cross(event, row, hops);
    return;
  }
  for (std::uint32_t i = 0; i < hops; ++i, event.server += servers_.stride(event.direction)) {
    if (is_followed_) {
      free_at_.resize(std::max(free_at_.size(), hop_ + 1), 0);
      head_ = std::max(head_, free_at_[hop_]);
    }
    const Instant begin = head_;
    const Instant free_at = cross(event, row, 1);
    if (is_followed_) {
      free_at_[hop_++] = free_at;
    }
    if (teller_.tells_all()) {
      teller_.reach(event.message, begin);
      teller_.begin(event.message, begin, free_at);
      teller_.tell(event, head_);
    }
  }
}

/// Crosses links of equal cost. Returns when the first of them is free again.
Instant FreeFlight::cross(const HopEvent& event, std::uint32_t row, std::uint32_t hops) {
  const Instant advance = costs_.advance(row, event.server, event.direction);
  const Instant end = checked_add(head_, costs_.occupancy(row, event.server, event.direction));
  Instant free_at = end;
  if (costs_.have_bodies()) {
    const Instant body = costs_.body(row, event.server, event.direction);
    free_at = costs_.held_until(event.server, event.direction, end, tail_);
    if (free_at > end) {
      note_tail(event, hops, free_at - end);
    }
    tail_ = checked_add(std::max(checked_add(head_, body), tail_), advance, hops);
  }
  head_ = checked_add(head_, advance, hops);
  return free_at;
}

/// A tail that comes so much later than the first of these links explains does so at all of them.
void FreeFlight::note_tail(const HopEvent& event, std::uint32_t hops, Instant held) {
  held_by_tails_.resize(servers_.count());
  for (std::uint32_t i = 0; i < hops; ++i) {
    held_by_tails_[event.server + i * servers_.stride(event.direction)] += held;
  }
}

}  // namespace dcube
