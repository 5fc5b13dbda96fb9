#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "kernel.hpp"

// Requests: posted receives and sends, and what waits for them.

namespace dcube::detail {

Request Kernel::post_send(ProcessId process, ProcessId to, Payload payload, Tag tag,
                          SendMode mode) {
  const std::uint32_t id = send_message(process, to, std::move(payload), tag, mode);
  RequestState request{process, to, tag, RequestState::Kind::send, message(id).send_number};
  request.time = message(id).is_announced() ? Message::not_yet : message(id).start;
  const Request handle = requests_.add(request);
  if (message(id).is_announced()) {
    posted_sends_[id] = Requests::place(handle);
  }
  return handle;
}

Request Kernel::post_receive(ProcessId process, ProcessId from, Tag tag) {
  if (from != anyone) {
    expect_rank(process, "receives from", from);
  }
  ProcessState& state = processes_[process.index()];
  RequestState request{process, from, tag, RequestState::Kind::receive};
  request.time = state.clock;
  request.order = posted_++;
  const Request handle = requests_.add(request);
  const std::uint32_t post = Requests::place(handle);
  if (from == anyone) {
    begin_receiving_from_anyone(state, process);
    anyone_of(process).posts.push_back(post);
    choosers_.insert(process);
  } else if (const std::uint32_t id = take_for(state, process, from, tag); id != nothing) {
    meet(id, post);
  } else {
    posts_.push(state.posts, post);
  }
  return handle;
}

void Kernel::expect_own(ProcessId process, Request request) const {
  if (!requests_.was_ever(request)) {
    refuse(process, "waits for a request that it has not posted");
  }
  if (!requests_.is_valid(request)) {
    refuse(process, "waits for a request that it has waited for before (wait for each once)");
  }
  const ProcessId owner = requests_[Requests::place(request)].owner;
  if (owner != process) {
    refuse(process, fmt::format("waits for a request of process {}", owner.index()));
  }
}

bool Kernel::begin_wait(ProcessId process, Wait& wait) {
  ProcessState& state = processes_[process.index()];
  if (!can_act(process)) {
    refuse_now(process, "waits for requests");
  }
  for (const Request& request : wait.requests) {
    expect_own(process, request);
  }
  state.wait = &wait;
  if (wait.until == Wait::Until::all) {
    return go_on_waiting(state, process);
  }
  if (!wait.is_of_ports && stops_at_time(process)) {
    return false;
  }
  const bool has_deadline = wait.deadline != Ticks::max();
  if (has_deadline) {
    wait.deadline = std::max(wait.deadline, state.clock);
  }
  if (wait.requests.empty()) {
    if (!has_deadline) {
      refuse(process, "waits for one of no requests");
    }
    ledger_.spend(state, process, wait.meanwhile == Activity::compute, wait.deadline);
    return true;
  }
  if (has_deadline && wait.deadline > network_.now()) {
    wait.alarm = wait.deadline;
    network_.set_alarm(wait.alarm, process.index());
  }
  state.state = State::awaits_choice;
  choosers_.insert(process);
  return false;
}

/// When a request is or will be complete; not_complete: that is not known yet.
Ticks Kernel::completion_of(const RequestState& request) const {
  if (request.kind == RequestState::Kind::send) {
    return request.time < Ticks{0} ? not_complete : request.time;
  }
  if (request.message == Message::none || !messages_[MessageId{request.message}].has_arrived()) {
    return not_complete;
  }
  return std::max(messages_[MessageId{request.message}].arrival, request.time);
}

/// The process waits until the request is complete, which is known to happen.
void Kernel::complete(ProcessState& state, ProcessId process, std::uint32_t place) {
  const RequestState& request = requests_[place];
  if (request.kind == RequestState::Kind::receive) {
    account_receive(state, process, message(request.message), request.time);
  } else {
    ledger_.wait(state, process, request.time,
                 Reason{request.peer, {}, Awaits::receiver, request.message});
  }
}

/// Goes through the requests of a wait for all. Returns whether the wait is over.
bool Kernel::go_on_waiting(ProcessState& state, ProcessId process) {
  Wait& wait = *state.wait;
  for (; wait.position < wait.requests.size(); ++wait.position) {
    const std::uint32_t place = Requests::place(wait.requests[wait.position]);
    if (completion_of(requests_[place]) == not_complete) {
      state.state = State::awaits_requests;
      return false;
    }
    complete(state, process, place);
  }
  return true;
}

/// A request of the process has made progress.
void Kernel::look_at_waiter(ProcessId process) {
  ProcessState& state = processes_[process.index()];
  if (state.state == State::awaits_requests) {
    if (go_on_waiting(state, process)) {
      wake(state, process);
    }
  } else if (state.state == State::awaits_choice) {
    choosers_.insert(process);
  }
}

Received Kernel::take_message(ProcessId process, Request request) {
  expect_own(process, request);
  const RequestState& state = requests_[Requests::place(request)];
  Received received{process, state.tag, {}, {}};
  if (state.kind == RequestState::Kind::receive) {
    Message& taken = message(state.message);
    received = {taken.source, taken.tag, std::move(taken.payload), taken.arrival};
    messages_.release(MessageId{state.message});
  }
  requests_.remove(request);
  return received;
}

// --- Receives from anyone ---

/// Keeps what can be taken of the inbox in order from now on.
void Kernel::begin_receiving_from_anyone(ProcessState& state, ProcessId process) {
  if (state.receives_from_anyone) {
    return;
  }
  heed_time(process);
  state.receives_from_anyone = true;
  if (anyone_.empty()) {
    anyone_.resize(process_count());
  }
  anyone_[process.index()].reset(
      new Anyone{std::pmr::set<Anyone::Candidate>{&candidate_memory_}, {}});
  std::set<std::pair<ProcessId, Tag>> kinds;
  inboxes_.for_each(state.inbox,
                    [&](std::uint32_t id) { kinds.emplace(message(id).source, message(id).tag); });
  for (const auto& [source, tag] : kinds) {
    note_candidate(process, source, tag);
  }
}

/// When a receive from anyone can take the message at the earliest, if that is known.
std::optional<Ticks> Kernel::available_at(const Message& message) {
  return message.has_arrived()    ? std::optional{message.arrival}
         : message.is_announced() ? std::optional{message.start}
                                  : std::nullopt;
}

/// The first message of this source and tag in the inbox, or when it can be taken, may have
/// changed.
void Kernel::note_candidate(ProcessId process, ProcessId source, Tag tag) {
  ProcessState& state = processes_[process.index()];
  const std::uint32_t first = inboxes_.find(state.inbox, source, tag);
  if (first == nothing) {
    return;
  }
  if (const std::optional<Ticks> time = available_at(message(first))) {
    Anyone& anyone = anyone_of(process);
    anyone.candidates.insert({*time, source, message(first).send_number, first});
    if (!anyone.posts.empty()) {
      choosers_.insert(process);
    }
  }
}

/// The message is no longer in the inbox.
void Kernel::forget_candidate(ProcessId process, const Message& taken, std::uint32_t id) {
  if (const std::optional<Ticks> time = available_at(taken)) {
    anyone_of(process).candidates.erase({*time, taken.source, taken.send_number, id});
  }
  note_candidate(process, taken.source, taken.tag);
}

/// Every process that can run at this instant has run until it waits. First come messages that
/// could be taken, and requests that were complete, before this instant: nothing that still happens
/// at it can be earlier, and whoever gets them runs on before the others choose. Then messages go
/// to receives from anyone until there is nothing left to give, and only then are those answered
/// who wait for one of several requests. What one process is given depends on no other, so their
/// order does not matter.
void Kernel::choose() {
  choosing_ = choosers_.members();
  const Ticks before = network_.now() - Ticks{1};
  for (const ProcessId process : choosing_) {
    if (processes_[process.index()].receives_from_anyone) {
      give_messages(process, before);
    }
    choose_request(process, before);
  }
  if (!ready_.empty()) {
    return;
  }
  choosing_ = choosers_.members();
  choosers_.clear();
  for (const ProcessId process : choosing_) {
    if (processes_[process.index()].receives_from_anyone) {
      give_messages(process, network_.now());
    }
  }
  if (!ready_.empty()) {
    choosers_.insert(choosing_);
    return;
  }
  choosers_.insert(choosing_);
  choosing_ = choosers_.members();
  choosers_.clear();
  for (const ProcessId process : choosing_) {
    choose_request(process, network_.now());
  }
}

/// What became available at this instant may be given to a receive from anyone, and then others
/// too that it held up.
void Kernel::note_given(const Message& given) {
  const bool arrives = given.has_arrived() && given.source != given.destination;
  last_given_.process = arrives ? given.destination : given.source;
  last_given_.arrival.reset();
  if (arrives) {
    last_given_.arrival = {given.source, given.send_number};
  }
}

/// Gives messages that could be taken at `last` to the receives that they suit, in the order of
/// both.
void Kernel::give_messages(ProcessId process, Ticks last) {
  ProcessState& state = processes_[process.index()];
  Anyone& anyone = anyone_of(process);
  const Ticks now = network_.now();
  auto candidate = anyone.candidates.begin();
  while (!anyone.posts.empty() && candidate != anyone.candidates.end() && candidate->time <= last) {
    if (input_.observer != nullptr && candidate->time == now) {
      note_given(message(candidate->message));
    }
    const bool is_given = give_to_first(state, process, anyone, candidate->message);
    candidate = is_given ? anyone.candidates.begin() : std::next(candidate);
  }
  if (!anyone.posts.empty() && candidate != anyone.candidates.end() && candidate->time > now &&
      candidate->time != anyone.alarm) {
    anyone.alarm = candidate->time;
    network_.set_alarm(anyone.alarm, process.index());
  }
}

/// Whether others may still become available at the instant `available`, which is the present one,
/// to a process that asks for them later: messages above the eager limit that are sent now.
bool Kernel::may_be_joined(Ticks asked, Ticks available) const {
  return has_rendezvous_ && available == network_.now() && asked > available;
}

/// Gives the message, which can be taken, to the first receive that it suits. False: there is none,
/// or one that is posted later, when more may be known.
bool Kernel::give_to_first(ProcessState& state, ProcessId process, Anyone& anyone,
                           std::uint32_t id) {
  if (give_from_one(state, process, id)) {
    return true;
  }
  const Tag tag = message(id).tag;
  // A receive from its source that was posted earlier may yet want it.
  const std::uint32_t kept = posts_.find(state.posts, message(id).source, tag);
  const auto post = std::ranges::find_if(anyone.posts, [&](std::uint32_t p) {
    return suits(requests_[p].tag, tag) &&
           (kept == nothing || requests_[p].order < requests_[kept].order);
  });
  if (post == anyone.posts.end()) {
    return false;
  }
  const std::uint32_t given = *post;
  if (may_be_joined(requests_[given].time, available_at(message(id)).value())) [[unlikely]] {
    network_.set_alarm(requests_[given].time, process.index());
    return false;
  }
  anyone.posts.erase(post);
  take_from_inbox(state, process, message(id).source, tag);
  meet(id, given);
  give_what_was_kept(state, process);
  return true;
}

/// A receive from anyone has its message. Those that it kept from later receives from one process
/// need wait no longer.
void Kernel::give_what_was_kept(ProcessState& state, ProcessId process) {
  if (state.posts.is_empty() && state.state != State::awaits_send) {
    return;
  }
  std::vector<std::uint32_t> waiting;
  inboxes_.for_each(state.inbox, [&](std::uint32_t id) { waiting.push_back(id); });
  for (const std::uint32_t id : waiting) {
    give_from_one(state, process, id);
  }
}

/// Answers a process that waits for one of several requests, of which one was complete at `last`,
/// or that tests one.
void Kernel::choose_request(ProcessId process, Ticks last) {
  ProcessState& state = processes_[process.index()];
  if (state.state != State::awaits_choice) {
    return;
  }
  Wait& wait = *state.wait;
  const Ticks now = network_.now();
  Ticks first = not_complete;
  for (std::size_t i = 0; i < wait.requests.size(); ++i) {
    const Ticks time = completion_of(requests_[Requests::place(wait.requests[i])]);
    if (time < first) {
      first = time;
      wait.position = i;
    }
  }
  const bool is_test = wait.until == Wait::Until::tested;
  const bool is_late = !is_test && first > wait.deadline;
  const Ticks decision = is_late                                        ? wait.deadline
                         : is_test || may_be_joined(state.clock, first) ? state.clock
                                                                        : first;
  if (is_test || is_late ? decision <= now && last == now : decision <= last) {
    if (is_test) {
      wait.is_complete = first <= state.clock;
    } else if (is_late) {
      wait.position = wait.requests.size();
      ledger_.spend(state, process, wait.meanwhile == Activity::compute, wait.deadline);
    } else {
      if (wait.meanwhile != Activity::waiting) {
        ledger_.spend(state, process, wait.meanwhile == Activity::compute, first);
      }
      complete(state, process, Requests::place(wait.requests[wait.position]));
    }
    wake(state, process);
  } else if (decision > now && decision != Ticks::max() && decision != wait.alarm) {
    wait.alarm = decision;
    network_.set_alarm(decision, process.index());
  }
}

}  // namespace dcube::detail
