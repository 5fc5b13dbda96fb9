#include "arbiter.hpp"

#include <algorithm>
#include <utility>

namespace dcube {

namespace {

/// In a server's word: it has a queue.
constexpr Instant queued_flag = Instant{1} << 63;
constexpr std::uint32_t none = Message::none;

}  // namespace

/// Whether `a` goes first at a server that both reach at one instant. Rare, so it reads messages.
bool Arbiter::comes_before(std::uint32_t a, std::uint32_t b) const {
  return std::pair{messages_[MessageId{a}].priority(), a} <
         std::pair{messages_[MessageId{b}].priority(), b};
}

/// Sorts the delayed messages by server, then by priority.
void Arbiter::sort_delayed() {
  if (delayed_.size() > 1) {
    std::ranges::sort(delayed_, [this](const HopEvent& a, const HopEvent& b) {
      return a.server != b.server ? a.server < b.server : comes_before(a.message, b.message);
    });
  }
}

/// begin() for a hop whose cost has no lane, or changes from link to link.
void Arbiter::begin_per_hop(HopEvent event) {
  const auto direction = static_cast<std::uint8_t>(event.direction & ~release_flag);
  const std::uint32_t row =
      costs_.size_count() == 1 ? 0 : messages_[MessageId{event.message}].cost_row;
  const Instant advance = costs_.advance(row, event.server, direction);
  const Instant finish = checked_add(calendar_.now, advance);
  free_at_[event.server] =
      costs_.occupy_as_they_advance() ? finish : free_after(event, row, direction);
  // Prefetches data for the next hop.
  const std::size_t next = event.server + servers_.stride(direction);
  __builtin_prefetch(free_at_.data() + next, 1);
  costs_.prefetch_cost(next);
  const std::uint8_t lane = costs_.lane_of(advance);
  if (lane != per_hop) {
    costs_.lanes()[lane].push(finish, event);
  } else if (calendar_.is_alone) {
    calendar_.heap.push({finish, event, Due::hop});
  } else {
    begun_per_hop_.push_back({finish, event, Due::hop});
  }
}

/// When the server of a hop that begins now becomes free, if that is not the end of the hop.
Instant Arbiter::free_after(const HopEvent& hop, std::uint32_t row, std::uint8_t direction) {
  const Instant end = checked_add(calendar_.now, costs_.occupancy(row, hop.server, direction));
  const Instant until = costs_.held_until(hop.server, direction, end, tail_of(hop.message));
  if (until > end) {
    held_by_tails_.resize(servers_.count());
    held_by_tails_[hop.server] += until - end;
  }
  return until;
}

void Arbiter::undo(const HopEvent& hop, Instant began) {
  if (const Instant arrival = teller_.arrival(hop.message); arrival < began) {
    forget_queueing(hop, began);
    teller_.take_back_delay(hop.message, began - arrival);
  }
  forget_tail(hop, began);
  free_at_[hop.server] = calendar_.now;
}

/// Undoes what free_after() noted for a hop, whoever has the server now.
void Arbiter::forget_tail(const HopEvent& hop, Instant began) {
  if (!held_by_tails_.empty()) {
    const auto direction = static_cast<std::uint8_t>(hop.direction & ~release_flag);
    const std::uint32_t row = messages_[MessageId{hop.message}].cost_row;
    const Instant end = checked_add(began, costs_.occupancy(row, hop.server, direction));
    held_by_tails_[hop.server] -=
        costs_.held_until(hop.server, direction, end, tail_of(hop.message)) - end;
  }
}

Instant Arbiter::time_left(std::uint32_t server) const {
  const Instant free_at = free_at_[server] & ~queued_flag;
  return std::max(free_at, calendar_.now) - calendar_.now;
}

void Arbiter::settle() {
  if (!delayed_.empty()) [[unlikely]] {
    const bool is_one_behind_others =
        delayed_.size() == 1 && (free_at_[delayed_[0].server] & queued_flag) != 0;
    if (!is_one_behind_others) {
      resolve_ties();
    }
    enqueue_delayed();
    if (takes_turns_ && !is_one_behind_others) {
      end_turns_of_holders();
    }
  }
  if (!released_.empty()) [[unlikely]] {
    for (const std::uint32_t server : released_) {
      serve_next(server);
    }
    released_.clear();
  }
  if (!begun_per_hop_.empty()) [[unlikely]] {
    for (const Timed& timed : begun_per_hop_) {
      calendar_.heap.push(timed);
    }
    begun_per_hop_.clear();
  }
}

/// Whether a hop may have begun at this instant.
bool Arbiter::has_begun_hops() const {
  return !begun_per_hop_.empty() || std::ranges::any_of(costs_.lanes(), [this](const Lane& lane) {
    return lane.latest() == calendar_.now + lane.advance();
  });
}

/// The first messages to wait for a server may have reached it at the same instant as its holder.
/// Then the server goes to the first of all by (source, send number). A server that had a queue was
/// not free at this instant, so it has no such holder.
void Arbiter::resolve_ties() {
  contested_.clear();
  if (delayed_.size() == 1 && !has_begun_hops()) {
    free_at_[delayed_[0].server] |= queued_flag;
    wake_at_release(delayed_[0].server);
    return;
  }
  sort_delayed();
  for (const HopEvent& delayed : delayed_) {
    Instant& free_at = free_at_[delayed.server];
    if ((free_at & queued_flag) == 0) {
      free_at |= queued_flag;
      contested_.push_back({delayed.server, HolderBegan::earlier});
    }
  }
  if (contested_.empty()) {
    return;
  }
  match_holders();
  const bool ends_release = costs_.occupy_as_they_advance();
  if (!winners_.empty()) {
    for (const HopEvent& winner : winners_) {
      begin(winner);
      free_at_[winner.server] |= queued_flag;
    }
    winners_.clear();
    sort_delayed();
  }
  for (const Contested& contested : contested_) {
    if (!ends_release || contested.holder_began == HolderBegan::earlier) {
      wake_at_release(contested.server);
    }
  }
}

/// Makes the server serve its queue when it becomes free.
void Arbiter::wake_at_release(std::uint32_t server) {
  const Instant free_at = free_at_[server] & ~queued_flag;
  calendar_.heap.push({free_at, HopEvent{server, none, 0, 0, 0}, Due::release});
}

/// Removes hops that began at this instant and lose their contested server.
void Arbiter::match_holders() {
  const auto keeps = [this](HopEvent& hop) {
    const bool has_waited = (hop.direction & release_flag) != 0;
    return has_waited || (free_at_[hop.server] & queued_flag) == 0 || decide_tie(hop);
  };
  for (Lane& lane : costs_.lanes()) {
    lane.filter_latest(calendar_.now + lane.advance(), keeps);
  }
  std::erase_if(begun_per_hop_, [&](Timed& timed) { return !keeps(timed.hop); });
}

/// Decides between the holder of a contested server and the first delayed message. False: they
/// change places, the holder is delayed, and the other is among the winners.
bool Arbiter::decide_tie(HopEvent& holder) {
  Contested& contested =
      *std::ranges::lower_bound(contested_, holder.server, {}, &Contested::server);
  contested.holder_began = HolderBegan::now;
  contested.holder = holder.message;
  const std::uint8_t release = costs_.occupy_as_they_advance() ? release_flag : std::uint8_t{0};
  holder.direction |= release;
  HopEvent& first = *std::ranges::lower_bound(delayed_, holder.server, {}, &HopEvent::server);
  if (comes_before(holder.message, first.message)) {
    return true;
  }
  forget_tail(holder, calendar_.now);
  contested.holder = first.message;
  winners_.push_back(first);
  winners_.back().direction |= release;
  first = holder;
  first.direction &= static_cast<std::uint8_t>(~release_flag);
  return false;
}

/// Appends the delayed messages to the queues of their servers, in order of priority.
void Arbiter::enqueue_delayed() {
  if (queues_.empty()) {
    queues_.resize(free_at_.size());
  }
  for (const HopEvent& hop : delayed_) {
    if (takes_turns_) [[unlikely]] {
      enqueue_in_turn(hop);
    } else {
      enqueue(hop);
    }
    if (teller_.attends_queues()) [[unlikely]] {
      teller_.reach(hop.message, calendar_.now);
    }
  }
  queued_hops_ += delayed_.size();
  waiting_count_ += delayed_.size();
  queued_ticks_ -= Int128{calendar_.now} * static_cast<Int128>(delayed_.size());
  delayed_.clear();
}

inline void Arbiter::enqueue(const HopEvent& hop) {
  Queue& queue = queues_[hop.server];
  if (!queue.is_empty() && waiting_[queue.last].is_followed_by(hop)) {
    ++waiting_[queue.last].count;
    return;
  }
  append(queue, add_run(hop));
}

/// A new run of one message.
inline std::uint32_t Arbiter::add_run(const HopEvent& hop) {
  std::uint32_t run = unused_;
  if (run == none) {
    run = static_cast<std::uint32_t>(waiting_.size());
    waiting_.emplace_back();
  } else {
    unused_ = waiting_[run].next;
  }
  waiting_[run] = {hop, 1, none};
  return run;
}

inline void Arbiter::append(Queue& queue, std::uint32_t run) {
  if (queue.is_empty()) {
    queue.first = run;
  } else {
    waiting_[queue.last].next = run;
  }
  queue.last = run;
}

/// Takes the first run off a queue that is not empty.
inline std::uint32_t Arbiter::take_front(Queue& queue) {
  return std::exchange(queue.first, std::exchange(waiting_[queue.first].next, none));
}

/// Takes the first message off a queue that is not empty.
HopEvent Arbiter::take_first(std::uint32_t server) {
  Queue& queue = queues_[server];
  const std::uint32_t place = queue.first;
  Waiting& first = waiting_[place];
  const HopEvent hop = first.hop;
  --waiting_count_;
  queued_ticks_ += calendar_.now;
  if (takes_turns_) [[unlikely]] {
    advance_turn(server);
  } else if (--first.count != 0) {
    ++first.hop.message;
  } else {
    queue.first = std::exchange(first.next, unused_);
    unused_ = place;
  }
  return hop;
}

// --- Messages that take turns ---

/// A packet joins those of its message that wait for the server. A message without any joins the
/// round at its end.
void Arbiter::enqueue_in_turn(const HopEvent& hop) {
  const std::uint32_t message = whole_of(hop.message);
  std::uint32_t unlisted = none;
  std::uint32_t& place = message == none ? unlisted : rounds_.find_or_add(hop.server, message);
  if (place != none && waiting_[turns_[place].last].is_followed_by(hop)) {
    ++waiting_[turns_[place].last].count;
    return;
  }
  const std::uint32_t run = add_run(hop);
  turns_.grow_to(waiting_.size());
  turns_[run] = {message, none, run};
  if (place == none) {
    place = run;
    append(queues_[hop.server], run);
  } else {
    turns_[std::exchange(turns_[place].last, run)].more = run;
  }
}

/// The first packet of the round is taken. Its message goes to the end with the rest, if any.
void Arbiter::advance_turn(std::uint32_t server) {
  Queue& queue = queues_[server];
  const std::uint32_t first = take_front(queue);
  if (--waiting_[first].count != 0) {
    ++waiting_[first].hop.message;
    append(queue, first);
    return;
  }
  const Turn& turn = turns_[first];
  if (const std::uint32_t more = turn.more; more != none) {
    turns_[more].last = turn.last;
    rounds_.find_or_add(server, turn.message) = more;
    append(queue, more);
  } else if (turn.message != none) {
    rounds_.erase(server, turn.message);
  }
  waiting_[first].next = std::exchange(unused_, first);
}

/// A message that took its server at this instant, and has packets that must wait for it, comes
/// first of the new round. It has had its turn.
void Arbiter::end_turns_of_holders() {
  for (const Contested& contested : contested_) {
    if (contested.holder_began == HolderBegan::now) {
      Queue& queue = queues_[contested.server];
      const std::uint32_t message = turns_[queue.first].message;
      if (message != none && message == whole_of(contested.holder)) {
        append(queue, take_front(queue));
      }
    }
  }
}

// --- Service ---

[[gnu::always_inline]] inline void Arbiter::begin_queued(HopEvent event) {
  begin(event);
  if (teller_.tells_queued()) [[unlikely]] {
    const auto direction = static_cast<std::uint8_t>(event.direction & ~release_flag);
    const std::uint32_t row = messages_[MessageId{event.message}].cost_row;
    teller_.begin(event.message, calendar_.now, free_at_[event.server]);
    teller_.tell(event, calendar_.now + costs_.advance(row, event.server, direction));
  }
}

/// Gives a free server to the first of its queue, which is empty only if the link has failed.
void Arbiter::serve_next(std::uint32_t server) {
  const Queue& queue = queues_[server];
  if (queue.is_empty()) [[unlikely]] {
    return;
  }
  HopEvent hop = take_first(server);
  if (teller_.attends_queues()) [[unlikely]] {
    teller_.leave_queue(hop.message, calendar_.now);
  }
  const bool is_last = queue.is_empty();
  const bool ends_release = costs_.occupy_as_they_advance();
  if (!is_last && ends_release) {
    hop.direction |= release_flag;
  }
  begin_queued(hop);
  if (is_last) {
    return;
  }
  if (!ends_release) {
    wake_at_release(server);
  }
  free_at_[server] |= queued_flag;
}

}  // namespace dcube
