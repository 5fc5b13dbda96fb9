#include <algorithm>
#include <tuple>
#include <vector>

#include "core/prefetch.hpp"
#include "kernel.hpp"

// Processes that hear of their messages instead of asking for them. What they hear waits in the
// order of coming, and the message itself is forgotten. They are answered when everything has
// arrived that arrives at an instant.

namespace dcube::detail {

namespace {

/// All messages that leave are the listener's own.
ProcessId source_of(const Heard& heard) {
  return heard.what == Heard::What::arrival ? heard.peer : ProcessId{};
}
bool comes_after(const Heard& a, const Heard& b) {
  return std::tuple{a.time, a.what, source_of(a), a.send_number} >
         std::tuple{b.time, b.what, source_of(b), b.send_number};
}

}  // namespace

void Kernel::listen(ProcessId process, std::span<const std::byte> needed) {
  ProcessState& state = processes_[process.index()];
  if (!can_act(process)) {
    refuse_now(process, "listens");
  }
  if (state.listens) {
    return;
  }
  heed_time(process);
  state.listens = true;
  listeners_.resize(process_count());
  listeners_[process.index()].needed = needed;
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

/// A message that is not reserved: it is heard of when it arrives.
void Kernel::offer_to_listener(std::uint32_t id) {
  if (message(id).has_arrived()) {
    hear_arrival(id);
  } else if (message(id).is_announced()) {
    const Ticks now = std::max(processes_[message(id).destination.index()].clock, network_.now());
    leave_with_receiver(id, now, now);
  }
}

void Kernel::hear_arrival(std::uint32_t id) {
  const Message& arrived = message(id);
  if (arrived.tag < first_reserved_tag) {
    hear_of(arrived.destination,
            {arrived.arrival, arrived.start, arrived.payload.size_bytes(), arrived.source,
             arrived.send_number, arrived.tag, Heard::What::arrival});
  }
  messages_.release(MessageId{id});
}

void Kernel::hear_of(ProcessId process, const Heard& heard) {
  std::vector<Heard>& coming = listeners_[process.index()].coming;
  prefetch(listeners_[process.index()].needed.data(), listeners_[process.index()].needed.size());
  coming.push_back(heard);
  std::ranges::push_heap(coming, comes_after);
  const ProcessState& state = processes_[process.index()];
  if (state.state != State::awaits_hearing) {
    return;
  }
  see_listener_at(std::max(state.clock, heard.time), state, process);
}

void Kernel::see_listener_at(Ticks time, const ProcessState& state, ProcessId process) {
  Ticks& alarm = state.wait->alarm;
  if (time <= network_.now()) {
    listeners_to_see_.push_back(process);
  } else if (time != Ticks::max() && (alarm < Ticks{0} || time < alarm)) {
    alarm = time;
    network_.set_alarm(time, process.index());
  }
}

void Kernel::begin_hearing(ProcessId process, Wait& wait) {
  ProcessState& state = processes_[process.index()];
  if (!can_act(process) || !state.listens) {
    refuse_now(process, "hears");
  }
  wait.deadline = std::max(wait.deadline, state.clock);
  state.wait = &wait;
  state.state = State::awaits_hearing;
  see_listener_at(hearing_of(process).due, state, process);
}

/// When the process is to be answered as far as is known, and with what first.
Kernel::NextHearing Kernel::hearing_of(ProcessId process) const {
  const ProcessState& state = processes_[process.index()];
  const std::vector<Heard>& coming = listeners_[process.index()].coming;
  if (coming.empty() || coming.front().time > state.wait->deadline) {
    return {state.wait->deadline, nullptr};
  }
  return {std::max(state.clock, coming.front().time), &coming.front()};
}

void Kernel::look_at_listener(ProcessId process) {
  ProcessState& state = processes_[process.index()];
  if (state.state != State::awaits_hearing) {
    return;
  }
  const auto [due, first] = hearing_of(process);
  if (due > network_.now()) {
    see_listener_at(due, state, process);
    return;
  }
  const bool computes = state.wait->meanwhile == Activity::compute;
  if (first == nullptr) {
    ledger_.spend(state, process, computes, due);
  } else if (due > state.clock) {
    if (state.wait->meanwhile != Activity::waiting) {
      ledger_.spend(state, process, computes, due);
    } else if (first->what == Heard::What::departure) {
      ledger_.wait(state, process, due,
                   Reason{first->peer, {}, Awaits::receiver, first->send_number});
    } else {
      const Reason reason{first->peer, MessageName{first->peer, first->send_number},
                          Awaits::message};
      ++wakeups_;
      ledger_.wait(state, process, first->start, reason);
      ledger_.communicate(state, process, due, reason);
    }
  }
  give_heard(listeners_[process.index()], due);
  wake(state, process);
}

/// What others do at this very instant does not change what is given. Where messages wait for their
/// receivers, one thing is given after the other: a process that has heard everything may let
/// messages leave, of which others hear at this instant.
void Kernel::give_heard(Listener& listener, Ticks now) {
  listener.first_given = static_cast<std::uint32_t>(given_.size());
  listener.given = 0;
  while (!listener.coming.empty() && listener.coming.front().time <= now &&
         (listener.given == 0 || !has_rendezvous_)) {
    std::ranges::pop_heap(listener.coming, comes_after);
    given_.push_back(listener.coming.back());
    listener.coming.pop_back();
    ++listener.given;
  }
}

std::span<const Heard> Kernel::take_heard(ProcessId process) {
  const Listener& listener = listeners_[process.index()];
  return std::span{given_}.subspan(listener.first_given, listener.given);
}

/// The message stays in the inbox until somebody who has heard of another wants it.
void Kernel::let_leave(ProcessId process, ProcessId source, Tag tag, Ticks time) {
  ProcessState& state = processes_[process.index()];
  const std::uint32_t id = inboxes_.take(state.inbox, source, tag);
  if (id == nothing || !message(id).is_announced()) {
    refuse(process, "lets a message leave that does not wait for it");
  }
  message(id).partner = let_go;
  leave_with_receiver(id, std::max(time, network_.now()), time);
}

}  // namespace dcube::detail
