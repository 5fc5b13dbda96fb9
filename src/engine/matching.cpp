#include "matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/prefetch.hpp"
#include "dcube/core/errors.hpp"

namespace dcube::detail {

constexpr Tag exchange_tag = 0;

Matching::Matching(RunState& run, Listening& listening)
    : run_{run},
      listening_{listening},
      map_{run.input.map.data()},
      tells_sends_{run.input.on_send != nullptr || run.input.counts_stages},
      departs_plainly_{!run.machine.fluid && run.machine.node.slots == 1 &&
                       run.input.transport == Transport::machine},
      inboxes_{MessageItems{&run.messages}},
      posts_{RequestItems{&requests_}} {}

/// The state of a process whose action, named by `does`, concerns `peer`.
inline ProcessState& Matching::asking(ProcessId process, const char* does, ProcessId peer) {
  ProcessState& state = run_[process];
  if (peer.index() >= run_.process_count() || !run_.can_act(process)) [[unlikely]] {
    run_.refuse_call(process, does, peer);
  }
  return state;
}

// --- Sending ---

/// Makes a message that leaves, or is announced, at the sender's own time.
[[gnu::always_inline]] inline MessageId Matching::make_message(ProcessState& sender, ProcessId from,
                                                               ProcessId to, Payload&& payload,
                                                               Tag tag, std::uint32_t partner) {
  const std::uint32_t send_number = run_.ledger.count_message(sender, payload.size_bytes());
  const MessageId id = run_.messages.add();
  Message& message = run_.messages[id];
  message.source = from;
  message.send_number = send_number;
  message.at = map_[from.index()];
  message.to = map_[to.index()];
  message.start = sender.clock;
  message.arrival = Message::not_yet;
  message.hops = 0;
  message.destination = to;
  message.tag = tag;
  message.partner = partner;
  message.payload = std::move(payload);
  if (tells_sends_) [[unlikely]] {
    tell_send(message);
  }
  return id;
}

/// Tells the stage tally and the send listener.
void Matching::tell_send(Message& message) {
  const std::uint32_t stage = run_.ledger.stage(message.source);
  if (StageTally* const tally = run_.ledger.tally()) {
    message.stage = stage;
    tally->count_message(stage, message.payload.size_bytes());
  }
  if (run_.input.on_send) {
    run_.input.on_send(message.source, message.destination, stage);
  }
}

/// Slow path of dispatch(): messages may cross no link, or SimGrid's links.
void Matching::dispatch_with_care(std::uint32_t id) {
  if (run_.input.transport == Transport::contention_free) {
    carry_without_contention(id);
    return;
  }
  const Message& leaving = message(id);
  if (leaving.at != leaving.to) [[likely]] {
    run_.network.depart(MessageId{id});
    return;
  }
  run_.network.arrive(
      MessageId{id},
      checked_add(leaving.start, hop_time(run_.machine.node.local, leaving.payload.size_bytes())));
}

/// Carries a message for its least time: no message holds up another, nodes do not matter.
void Matching::carry_without_contention(std::uint32_t id) {
  const Message& leaving = message(id);
  const std::uint64_t bytes = leaving.payload.size_bytes();
  const auto [known, is_new] = contention_free_times_.try_emplace(bytes);
  if (is_new) {
    known->second = LeastTransfer{run_.machine, bytes}.time();
  }
  run_.network.arrive(MessageId{id}, checked_add(leaving.start, known->second));
}

inline bool Matching::leaves_with_receiver(std::uint64_t bytes, SendMode mode) {
  if (mode == SendMode::by_size) [[likely]] {
    return bytes > run_.eager_limit;
  }
  run_.has_rendezvous |= mode == SendMode::rendezvous;
  return mode == SendMode::rendezvous;
}

std::uint32_t Matching::send(ProcessId process, ProcessId to, Payload payload, Tag tag,
                             SendMode mode) {
  run_.expect_rank(process, "sends to", to);
  if (tag >= most_tags) [[unlikely]] {
    run_.refuse(process, fmt::format("sends to process {} with the tag {}, which is for receives "
                                     "of any tag (a program's own tags are 0 to {})",
                                     to.index(), tag, first_reserved_tag - 1));
  }
  ProcessState& state = run_[process];
  const std::uint64_t bytes = payload.size_bytes();
  if (to != process) [[likely]] {
    run_.ledger.pay_send(state, process, bytes, to);
  }
  const std::uint32_t id =
      make_message(state, process, to, std::move(payload), tag, Message::none).index();
  if (to == process) [[unlikely]] {
    // A message to itself crosses no link, pays nothing and arrives at once.
    message(id).arrival = state.clock;
    count_local(message(id), 1);
    run_.ledger.note_delivery(message(id));
  } else if (leaves_with_receiver(bytes, mode)) [[unlikely]] {
    message(id).arrival = Message::announced;
  } else {
    dispatch(id);
  }
  offer(id);
  return id;
}

/// Gives a new message to a receive, or to the inbox. Earlier posts come before the current wait.
void Matching::offer(std::uint32_t id) {
  const Message& offered = message(id);
  const ProcessId process = offered.destination;
  ProcessState& receiver = run_[process];
  if (receiver.state == State::awaits_send && receiver.peer == offered.source &&
      suits(receiver.tag, offered.tag) && receiver.posts.is_empty() &&
      !receiver.receives_from_anyone) [[likely]] {
    await_message(receiver, process, id);
    return;
  }
  if (receiver.listens) {
    offer_to_listener(id, receiver);
  } else if (receiver.receives_from_anyone) [[unlikely]] {
    inboxes_.push(receiver.inbox, id);
    if (!give_from_one(receiver, process, id)) {
      note_candidate(process, offered.source, offered.tag);
    }
  } else if (const std::uint32_t post = posts_.take(receiver.posts, offered.source, offered.tag);
             post != nothing) {
    meet(id, post);
  } else if (receiver.state == State::awaits_send && receiver.peer == offered.source &&
             suits(receiver.tag, offered.tag)) {
    await_message(receiver, process, id);
  } else {
    inboxes_.push(receiver.inbox, id);
  }
}

/// Gives a message to a posted receive.
void Matching::meet(std::uint32_t id, std::uint32_t post) {
  RequestState& request = requests_[post];
  const Ticks asked = request.time;
  request.message = id;
  request.time = std::max(asked, run_.network.now());
  message(id).partner = post;
  if (message(id).is_announced()) [[unlikely]] {
    leave_with_receiver(id, request.time, asked);
  } else if (message(id).has_arrived()) {
    tell_release(message(id), request.time, asked);
  }
  look_at_waiter(request.owner);
}

/// The receiver of an announced message is ready.
void Matching::leave_with_receiver(std::uint32_t id, Ticks receiver_ready, Ticks asked) {
  Message& leaving = message(id);
  tell_release(leaving, receiver_ready, asked);
  leaving.start = std::max(leaving.start, receiver_ready);
  leaving.arrival = Message::not_yet;
  dispatch(id);
  if (const auto posted = leaving_sends_.find(id); posted != leaving_sends_.end()) {
    RequestState& request = requests_[posted->second];
    request.time = message(id).start;
    leaving_sends_.erase(posted);
    look_at_waiter(request.owner);
  }
}

/// Tells observers of a message that was `asked` for and given to its receive at `time`, if this
/// held it up: because its receiver asked late, or a receive from anyone got its message first.
void Matching::tell_release(const Message& released, Ticks time, Ticks asked) const {
  const bool had_arrived = released.has_arrived();
  if (run_.input.observer == nullptr ||
      time <= (had_arrived ? std::max(asked, released.arrival) : released.start)) [[likely]] {
    return;
  }
  Release told{{}, time, had_arrived, released.destination, std::nullopt};
  if (asked < time) {
    told.process = last_given_.process;
    told.arrival = last_given_.arrival;
  }
  told.message = {released.source, released.send_number};
  run_.input.observer->on_release(told);
}

// --- Receiving ---

bool Matching::receive(ProcessId process, ProcessId from, Tag tag) {
  ProcessState& state = asking(process, "receives from", from);
  return receive_next(state, process, from, tag);
}

/// Awaits the earliest message of `from` that nothing else has taken.
bool Matching::receive_next(ProcessState& state, ProcessId process, ProcessId from, Tag tag) {
  state.peer = from;
  state.tag = tag;
  const std::uint32_t id = take_for(state, process, from, tag);
  if (id == nothing) {
    state.state = State::awaits_send;
    return false;
  }
  return await_message(state, process, id);
}

/// The message of the inbox that a receive from one process, posted now, gets at once.
std::uint32_t Matching::take_for(ProcessState& state, ProcessId process, ProcessId from, Tag tag) {
  if (waits_for_anyone(state, process)) [[unlikely]] {
    const std::uint32_t first = inboxes_.find(state.inbox, from, tag);
    if (first != nothing && (may_go_to_anyone(process, message(first).tag, posted_) ||
                             posts_.find(state.posts, from, message(first).tag) != nothing)) {
      return nothing;  // an earlier receive may yet want it
    }
  }
  return take_from_inbox(state, process, from, tag);
}

/// Whether a receive from anyone that was posted before `order` suits the tag.
bool Matching::may_go_to_anyone(ProcessId process, Tag tag, std::uint64_t order) const {
  return std::ranges::any_of(anyone_of(process).posts, [&](std::uint32_t post) {
    return requests_[post].order < order && suits(requests_[post].tag, tag);
  });
}

/// Gives a message of the inbox to the first receive from its source that it suits, posted or
/// awaited. False when there is none, or a receive from anyone or another message comes first.
bool Matching::give_from_one(ProcessState& state, ProcessId process, std::uint32_t id) {
  const ProcessId source = message(id).source;
  const Tag tag = message(id).tag;
  const std::uint32_t post = posts_.find(state.posts, source, tag);
  const bool is_awaited = post == nothing && state.state == State::awaits_send &&
                          state.peer == source && suits(state.tag, tag);
  if (post == nothing && !is_awaited) {
    return false;
  }
  if (waits_for_anyone(state, process) &&
      may_go_to_anyone(process, tag, is_awaited ? posted_ : requests_[post].order)) {
    return false;
  }
  const Tag asked = is_awaited ? state.tag : requests_[post].tag;
  if (inboxes_.find(state.inbox, source, asked) != id) {
    return false;
  }
  take_from_inbox(state, process, source, asked);
  if (is_awaited) {
    if (message(id).has_arrived()) {
      tell_release(message(id), run_.network.now(), state.clock);
    }
    if (await_message(state, process, id)) {
      run_.ready.push_back(process);
    }
  } else {
    posts_.take(state.posts, source, tag);
    meet(id, post);
  }
  return true;
}

std::uint32_t Matching::take_from_inbox(ProcessState& state, ProcessId process, ProcessId source,
                                        Tag tag) {
  const std::uint32_t id = inboxes_.take(state.inbox, source, tag);
  if (state.receives_from_anyone && id != nothing) [[unlikely]] {
    forget_candidate(process, message(id), id);
  }
  return id;
}

/// Suspends the process until the message has arrived; true when it has.
bool Matching::await_message(ProcessState& state, ProcessId process, std::uint32_t id) {
  Message& awaited_message = message(id);
  if (awaited_message.has_arrived()) {
    run_.complete_receive(state, process, id, run_.network.now());
    return true;
  }
  awaited_message.partner = awaited_alone;
  state.state = State::awaits_message;
  if (awaited_message.is_announced()) [[unlikely]] {
    leave_with_receiver(id, std::max(state.clock, run_.network.now()), state.clock);
  }
  return false;
}

// --- Exchanges ---

bool Matching::exchange_eagerly(ProcessId process, ProcessId partner, Payload& payload) {
  ProcessState& state = asking(process, "exchanges with", partner);
  if (partner == process) {
    return true;
  }
  note_exchange(process, partner, payload.size_bytes());
  send(process, partner, std::move(payload), exchange_tag, SendMode::by_size);
  return receive_next(state, process, partner, exchange_tag);
}

bool Matching::exchange(ProcessId process, ProcessId partner, Payload& payload,
                        std::coroutine_handle<> code) {
  ProcessState& state = asking(process, "exchanges with", partner);
  if (partner == process) [[unlikely]] {
    return false;
  }
  const ProcessState& other = run_[partner];
  state.peer = partner;
  state.tag = exchange_tag;
  if (other.state == State::awaits_partner && other.peer == process) {
    return start_exchange(partner, process, payload, code);
  }
  state.offered = &payload;
  state.code = code;
  state.state = State::awaits_partner;
  return true;
}

/// Starts an exchange; `first` has been waiting. Returns whether `second` is suspended.
[[gnu::noinline]] bool Matching::start_exchange(ProcessId first, ProcessId second,
                                                Payload& second_payload,
                                                std::coroutine_handle<> second_code) {
  ProcessState& a = run_[first];
  ProcessState& b = run_[second];
  const Ticks both_ready = std::max(a.clock, b.clock);
  run_.ledger.wait(a, first, both_ready, Unready{second});
  run_.ledger.wait(b, second, both_ready, Unready{first});
  note_exchange(first, second, a.offered->size_bytes());
  note_exchange(second, first, second_payload.size_bytes());
  run_.ledger.pay_send(a, first, a.offered->size_bytes(), second);
  run_.ledger.pay_send(b, second, second_payload.size_bytes(), first);
  const MessageId to_second =
      make_message(a, first, second, std::move(*a.offered), exchange_tag, awaited_alone);
  const MessageId to_first =
      make_message(b, second, first, std::move(second_payload), exchange_tag, awaited_alone);
  dispatch(to_second.index());
  dispatch(to_first.index());
  b.code = second_code;
  const auto receives_first = [](const ProcessState& state) {
    return state.inbox.is_empty() && state.posts.is_empty() && !state.receives_from_anyone;
  };
  if (receives_first(a) && receives_first(b)) [[likely]] {
    a.state = State::awaits_message;
    b.state = State::awaits_message;
    return true;
  }
  message(to_second.index()).partner = Message::none;
  message(to_first.index()).partner = Message::none;
  a.state = State::running;
  receive_in_turn(a, first, to_first.index());
  receive_in_turn(b, second, to_second.index());
  if (a.state == State::running) {
    run_.ready.push_back(first);
  }
  return b.state != State::running;
}

/// Receives this message of an exchange, or an older one of its source that nothing has taken.
void Matching::receive_in_turn(ProcessState& state, ProcessId process, std::uint32_t id) {
  const ProcessId source = message(id).source;
  offer(id);
  receive_next(state, process, source, exchange_tag);
}

// --- Listeners ---

void Matching::listen(ProcessId process, std::span<const std::byte> needed) {
  ProcessState& state = run_[process];
  if (!run_.can_act(process)) {
    run_.refuse_now(process, "listens");
  }
  if (state.listens) {
    return;
  }
  run_.heed_time(process);
  state.listens = true;
  listening_.begin(process, needed);
  // Others may have sent before this process has begun.
  std::vector<std::uint32_t> sent;
  inboxes_.for_each(state.inbox, [&](std::uint32_t id) { sent.push_back(id); });
  for (const std::uint32_t id : sent) {
    take_from_inbox(state, process, message(id).source, message(id).tag);
  }
  for (const std::uint32_t id : sent) {
    offer(id);
  }
}

/// Handles a message that is not reserved; its listener hears of it on arrival.
void Matching::offer_to_listener(std::uint32_t id, const ProcessState& receiver) {
  if (message(id).has_arrived()) {
    listening_.hear_arrival(id);
  } else if (message(id).is_announced()) {
    const Ticks now = std::max(receiver.clock, run_.network.now());
    leave_with_receiver(id, now, now);
  }
}

// --- Arrivals ---

Payload Matching::take_received(ProcessId process) {
  const std::uint32_t id = std::exchange(run_[process].message, Message::none);
  Payload payload = std::move(message(id).payload);
  run_.messages.release(MessageId{id});
  return payload;
}

inline void Matching::deliver(MessageId id, Ticks now) {
  Message& arrived = run_.messages[id];
  arrived.arrival = now;
  const ProcessId process = arrived.destination;
  ProcessState& receiver = run_[process];
  prefetch(receiver.code.address(), frame_head_bytes);
  run_.ledger.prefetch_times(process);
  if (++receiver.receive_count == 0) [[unlikely]] {
    throw InputError("", "a process receives more than 2^32-1 messages; use fewer or larger ones");
  }
  run_.ledger.note_delivery(arrived);
  if (!arriving_sends_.empty()) [[unlikely]] {
    end_send(id.index());
  }
  if (arrived.hops == 0) [[unlikely]] {
    count_local(arrived, 2);
  }
  if (arrived.partner == awaited_alone) [[likely]] {
    run_.complete_receive(receiver, process, id.index(), now);
    run_.ready.push_back(process);
  } else if (receiver.listens) {
    listening_.hear_arrival(id.index());
    return;
  } else if (receiver.state >= State::awaits_requests) {
    look_at_waiter(process);
  }
  if (receiver.receives_from_anyone) [[unlikely]] {
    note_candidate(process, arrived.source, arrived.tag);
  }
}

void Matching::deliver(std::span<const MessageId> arrived) {
  const Ticks now = run_.network.now();
  for (std::size_t i = 0; i < arrived.size(); ++i) {
    if (i + 2 * lookahead < arrived.size()) {
      prefetch(&run_.messages[arrived[i + 2 * lookahead]], sizeof(Message));
    }
    if (i + lookahead < arrived.size()) {
      const Message& soon = run_.messages[arrived[i + lookahead]];
      prefetch(&run_[soon.destination], sizeof(ProcessState));
    }
    deliver(arrived[i], now);
  }
}

/// Counts `ends` of the two ends of a message that crosses no link at its node.
void Matching::count_local(const Message& local, std::uint64_t ends) {
  if (local_ends_.empty()) {
    local_ends_.assign(run_.machine.topology->node_count(), 0);
  }
  local_ends_[local.to.index()] += ends;
}

std::vector<Exchanged> Matching::exchanges() const {
  std::vector<Exchanged> all;
  for (const auto& [exchange, messages] : exchanges_) {
    const auto& [process, partner, bytes] = exchange;
    all.push_back({process, partner, bytes, messages});
  }
  return all;
}

}  // namespace dcube::detail
