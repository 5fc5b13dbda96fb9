#include "listening.hpp"

#include <algorithm>
#include <tuple>

#include "core/prefetch.hpp"

namespace dcube::detail {

namespace {

/// What was taken has no key: all are the listener's own messages.
ProcessId source_of(const Heard& heard) {
  return heard.what == Heard::What::arrival ? heard.peer : ProcessId{};
}
bool comes_after(const Heard& a, const Heard& b) {
  return std::tuple{a.time, a.what, source_of(a), a.send_number} >
         std::tuple{b.time, b.what, source_of(b), b.send_number};
}

}  // namespace

void Listening::begin(ProcessId process, std::span<const std::byte> needed) {
  listeners_.resize(run_.process_count());
  listeners_[process.index()].needed = needed;
}

void Listening::look_at(ProcessId process) {
  const std::span<const std::byte> needed = listeners_[process.index()].needed;
  prefetch(needed.data(), needed.size());
  prefetch(run_[process].code.address(), frame_head_bytes);
  to_see_.push_back(process);
}

void Listening::hear_arrival(std::uint32_t id) {
  const Message& arrived = run_.message(id);
  hear(arrived.destination, {arrived.arrival, arrived.start, arrived.source, arrived.send_number,
                             arrived.tag, Heard::What::arrival});
  run_.messages.release(MessageId{id});
}

void Listening::hear_taken(ProcessId receiver, const MessageName& message, Tag tag, Ticks time) {
  if (!run_[message.source].listens) {
    run_.refuse(receiver, "tells a process that does not listen");
  }
  run_.has_rendezvous = true;
  hear(message.source, {time, time, receiver, message.send_number, tag, Heard::What::taken});
}

void Listening::hear(ProcessId process, const Heard& heard) {
  std::vector<Heard>& coming = listeners_[process.index()].coming;
  coming.push_back(heard);
  if (coming.size() > 1) {
    std::ranges::push_heap(coming, comes_after);
  }
  const ProcessState& state = run_[process];
  if (state.state != State::awaits_hearing) {
    return;
  }
  see_at(std::max(state.clock, heard.time), state, process);
}

void Listening::see_at(Ticks time, const ProcessState& state, ProcessId process) {
  Ticks& alarm = state.wait->alarm;
  if (time <= run_.network.now()) {
    look_at(process);
  } else if (time != Ticks::max() && (alarm < Ticks{0} || time < alarm)) {
    alarm = time;
    run_.network.set_alarm(time, process.index());
  }
}

void Listening::begin_hearing(ProcessId process, Wait& wait) {
  ProcessState& state = run_[process];
  if (!run_.can_act(process) || !state.listens) {
    run_.refuse_now(process, "hears");
  }
  wait.deadline = std::max(wait.deadline, state.clock);
  state.wait = &wait;
  state.state = State::awaits_hearing;
  see_at(next_of(process).due, state, process);
}

/// When the process is to be answered as far as is known, and its first event.
Listening::Next Listening::next_of(ProcessId process) const {
  const ProcessState& state = run_[process];
  const std::vector<Heard>& coming = listeners_[process.index()].coming;
  if (coming.empty() || coming.front().time > state.wait->deadline) {
    return {state.wait->deadline, nullptr};
  }
  return {std::max(state.clock, coming.front().time), &coming.front()};
}

bool Listening::answer() {
  if (to_see_.empty()) {
    return false;
  }
  seen_.clear();
  seen_.swap(to_see_);
  for (const ProcessId process : seen_) {
    answer(process);
  }
  return true;
}

void Listening::answer(ProcessId process) {
  ProcessState& state = run_[process];
  if (state.state != State::awaits_hearing) {
    return;
  }
  const auto [due, first] = next_of(process);
  if (due > run_.network.now()) {
    see_at(due, state, process);
    return;
  }
  const bool computes = state.wait->meanwhile == Activity::compute;
  if (first == nullptr) {
    run_.ledger.spend(state, process, computes, due);
  } else if (due > state.clock) {
    if (state.wait->meanwhile != Activity::waiting) {
      run_.ledger.spend(state, process, computes, due);
    } else if (first->what == Heard::What::taken) {
      run_.ledger.wait(state, process, due,
                       Reason{first->peer, {}, Awaits::receiver, first->send_number});
    } else {
      const Reason reason{first->peer, MessageName{first->peer, first->send_number},
                          Awaits::message};
      ++run_.wakeups;
      run_.ledger.wait(state, process, first->start, reason);
      run_.ledger.communicate(state, process, due, reason);
    }
  }
  give(listeners_[process.index()], due);
  run_.wake(state, process);
}

/// Gives the events up to `now`; actions at this very instant do not change them. With rendezvous,
/// one at a time: a process that has heard all may take messages, of which others hear now.
void Listening::give(Ear& listener, Ticks now) {
  listener.first_given = static_cast<std::uint32_t>(given_.size());
  listener.given = 0;
  while (!listener.coming.empty() && listener.coming.front().time <= now &&
         (listener.given == 0 || !run_.has_rendezvous)) {
    std::ranges::pop_heap(listener.coming, comes_after);
    given_.push_back(listener.coming.back());
    listener.coming.pop_back();
    ++listener.given;
  }
}

std::span<const Heard> Listening::given_to(ProcessId process) const {
  const Ear& listener = listeners_[process.index()];
  return std::span{given_}.subspan(listener.first_given, listener.given);
}

}  // namespace dcube::detail
