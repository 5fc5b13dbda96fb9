#include <fmt/format.h>

#include <algorithm>

#include "matching.hpp"

// Member functions of Matching for requests: posted receives and sends, and waits for them.

namespace dcube::detail {

Request Matching::post_send(ProcessId process, ProcessId to, Payload payload, Tag tag,
                            SendMode mode, SendEnd end) {
  const std::uint32_t id = send(process, to, std::move(payload), tag, mode);
  const Message& sent = message(id);
  RequestState request{process, to, tag, RequestState::Kind::send, sent.send_number};
  const bool ends_at_once = end == SendEnd::left ? !sent.is_announced() : sent.has_arrived();
  request.time = ends_at_once ? sent.start : Message::not_yet;
  if (end == SendEnd::arrived) {
    request.start = sent.start;
  }
  const Request handle = requests_.add(request);
  if (!ends_at_once) {
    (end == SendEnd::left ? leaving_sends_ : arriving_sends_)[id] = Requests::place(handle);
  }
  return handle;
}

/// The message has arrived; somebody may wait for that who sent it.
void Matching::end_send(std::uint32_t id) {
  const auto sent = arriving_sends_.find(id);
  if (sent == arriving_sends_.end()) {
    return;
  }
  RequestState& request = requests_[sent->second];
  request.start = message(id).start;
  request.time = message(id).arrival;
  arriving_sends_.erase(sent);
  look_at_waiter(request.owner);
}

Request Matching::post_receive(ProcessId process, ProcessId from, Tag tag) {
  if (from != anyone) {
    run_.expect_rank(process, "receives from", from);
  }
  ProcessState& state = run_[process];
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

void Matching::expect_own(ProcessId process, Request request) const {
  if (!requests_.was_ever(request)) {
    run_.refuse(process, "waits for a request that it has not posted");
  }
  if (!requests_.is_valid(request)) {
    run_.refuse(process, "waits for a request that it has waited for before (wait for each once)");
  }
  const ProcessId owner = requests_[Requests::place(request)].owner;
  if (owner != process) {
    run_.refuse(process, fmt::format("waits for a request of process {}", owner.index()));
  }
}

bool Matching::begin_wait(ProcessId process, Wait& wait) {
  ProcessState& state = run_[process];
  if (!run_.can_act(process)) {
    run_.refuse_now(process, "waits for requests");
  }
  for (const Request& request : wait.requests) {
    expect_own(process, request);
  }
  state.wait = &wait;
  if (wait.until == Wait::Until::all) {
    return go_on_waiting(state, process);
  }
  if (!wait.is_of_ports && run_.stops_at_time(process)) {
    return false;
  }
  const bool has_deadline = wait.deadline != Ticks::max();
  if (has_deadline) {
    wait.deadline = std::max(wait.deadline, state.clock);
  }
  if (wait.requests.empty()) {
    if (!has_deadline) {
      run_.refuse(process, "waits for one of no requests");
    }
    run_.ledger.spend(state, process, wait.meanwhile == Activity::compute, wait.deadline);
    return true;
  }
  if (has_deadline && wait.deadline > run_.network.now()) {
    wait.alarm = wait.deadline;
    run_.network.set_alarm(wait.alarm, process.index());
  }
  state.state = State::awaits_choice;
  choosers_.insert(process);
  return false;
}

/// When a request is complete; not_complete while that is unknown.
Ticks Matching::completion_of(const RequestState& request) const {
  if (request.kind == RequestState::Kind::send) {
    return request.time < Ticks{0} ? not_complete : request.time;
  }
  if (request.message == Message::none ||
      !run_.messages[MessageId{request.message}].has_arrived()) {
    return not_complete;
  }
  return std::max(run_.messages[MessageId{request.message}].arrival, request.time);
}

/// The process waits until the request, whose completion is known, is complete.
void Matching::complete(ProcessState& state, ProcessId process, std::uint32_t place) {
  const RequestState& request = requests_[place];
  if (request.kind == RequestState::Kind::receive) {
    run_.account_receive(state, process, message(request.message), request.time);
    return;
  }
  run_.ledger.wait(state, process, request.start.value_or(request.time),
                   Reason{request.peer, {}, Awaits::receiver, request.message});
  if (request.time > state.clock) {
    run_.ledger.communicate(state, process, request.time,
                            Reason{request.peer, MessageName{process, request.message}});
  }
}

/// The same for the request that a wait has chosen. The cost of receiving belongs to the stage that
/// the wait names.
void Matching::complete_choice(ProcessState& state, ProcessId process, const Wait& wait) {
  const std::uint32_t place = Requests::place(wait.requests[wait.position]);
  const RequestState& request = requests_[place];
  if (wait.stages == nullptr || request.kind == RequestState::Kind::send) {
    complete(state, process, place);
    return;
  }
  const Message& received = message(request.message);
  run_.account_waiting(state, process, received, request.time);
  const Ticks begin = state.clock;
  const std::uint32_t own = run_.ledger.work_for(process, wait.stages[wait.position]);
  run_.pay_receive(state, process, received);
  run_.ledger.end_work(state, process, own, begin);
}

/// Completes the requests of a wait for all in order. Returns whether the wait is over.
bool Matching::go_on_waiting(ProcessState& state, ProcessId process) {
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
void Matching::look_at_waiter(ProcessId process) {
  ProcessState& state = run_[process];
  if (state.state == State::awaits_requests) {
    if (go_on_waiting(state, process)) {
      run_.wake(state, process);
    }
  } else if (state.state == State::awaits_choice) {
    choosers_.insert(process);
  }
}

Received Matching::take_message(ProcessId process, Request request) {
  expect_own(process, request);
  const RequestState& state = requests_[Requests::place(request)];
  Received received{process, state.tag, {}, {}, 0};
  if (state.kind == RequestState::Kind::receive) {
    Message& taken = message(state.message);
    received = {taken.source, taken.tag, std::move(taken.payload), taken.arrival,
                taken.send_number};
    run_.messages.release(MessageId{state.message});
  } else {
    received.send_number = state.message;
  }
  requests_.remove(request);
  return received;
}

/// Answers a wait for one of several requests, of which one was complete at `last`, or a test.
void Matching::choose_request(ProcessId process, Ticks last) {
  ProcessState& state = run_[process];
  if (state.state != State::awaits_choice) {
    return;
  }
  Wait& wait = *state.wait;
  const Ticks now = run_.network.now();
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
      run_.ledger.spend(state, process, wait.meanwhile == Activity::compute, wait.deadline);
    } else {
      if (wait.meanwhile != Activity::waiting) {
        run_.ledger.spend(state, process, wait.meanwhile == Activity::compute, first);
      }
      complete_choice(state, process, wait);
    }
    run_.wake(state, process);
  } else if (decision > now && decision != Ticks::max() && decision != wait.alarm) {
    wait.alarm = decision;
    run_.network.set_alarm(decision, process.index());
  }
}

/// The request that a blocked process waits for; null: one of several, or something else.
const RequestState* Matching::awaited_request(const ProcessState& state) const {
  if (state.state != State::awaits_requests && state.state != State::awaits_choice) {
    return nullptr;
  }
  const Wait& wait = *state.wait;
  const bool are_all = wait.until == Wait::Until::all;
  return !are_all && wait.requests.size() > 1
             ? nullptr
             : &requests_[Requests::place(wait.requests[are_all ? wait.position : 0])];
}

std::vector<const Message*> Matching::awaited_under_way() const {
  std::vector<const Message*> awaited(run_.process_count(), nullptr);
  const auto note = [&](ProcessId process, const Message& sent) {
    if (sent.arrival == Message::not_yet) {
      awaited[process.index()] = &sent;
    }
  };
  for (std::uint32_t id = 0; id < run_.messages.count(); ++id) {
    const Message& sent = run_.messages[MessageId{id}];
    if (sent.partner == awaited_alone) {
      note(sent.destination, sent);
    }
  }
  for (std::uint32_t rank = 0; rank < awaited.size(); ++rank) {
    const RequestState* const request = awaited_request(run_.processes[rank]);
    if (request != nullptr && request->kind == RequestState::Kind::receive &&
        request->message != Message::none) {
      note(ProcessId{rank}, run_.messages[MessageId{request->message}]);
    }
  }
  return awaited;
}

Awaited Matching::awaited_by(const ProcessState& state) const {
  switch (state.state) {
    case State::awaits_requests:
    case State::awaits_choice: {
      const RequestState* const request = awaited_request(state);
      if (request == nullptr) {
        return {anyone, Awaits::nothing};
      }
      const bool is_send = request->kind == RequestState::Kind::send;
      return {request->peer, is_send ? Awaits::receiver : Awaits::message};
    }
    case State::awaits_hearing:
      return {anyone, Awaits::message};
    case State::awaits_partner:
      return {state.peer, Awaits::partner};
    default:
      return {state.peer, Awaits::message};
  }
}

}  // namespace dcube::detail
