#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "matching.hpp"

// Member functions of Matching for receives from anyone.

namespace dcube::detail {

/// Keeps the available messages of the inbox in order from now on.
void Matching::begin_receiving_from_anyone(ProcessState& state, ProcessId process) {
  if (state.receives_from_anyone) {
    return;
  }
  run_.heed_time(process);
  state.receives_from_anyone = true;
  if (anyone_.empty()) {
    anyone_.resize(run_.process_count());
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

/// When a receive from anyone can take the message at the earliest, if known.
std::optional<Ticks> Matching::available_at(const Message& message) {
  return message.has_arrived()    ? std::optional{message.arrival}
         : message.is_announced() ? std::optional{message.start}
                                  : std::nullopt;
}

/// The inbox's first message of this source and tag, or its availability, may have changed.
void Matching::note_candidate(ProcessId process, ProcessId source, Tag tag) {
  ProcessState& state = run_[process];
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

/// The message has left the inbox.
void Matching::forget_candidate(ProcessId process, const Message& taken, std::uint32_t id) {
  if (const std::optional<Ticks> time = available_at(taken)) {
    anyone_of(process).candidates.erase({*time, taken.source, taken.send_number, id});
  }
  note_candidate(process, taken.source, taken.tag);
}

/// Matches receives from anyone. Messages available, and requests complete, before this instant
/// come first: nothing that still happens now can be earlier, and their processes run before the
/// others choose. Then messages go to receives from anyone until none is left to give, and only
/// then are waits for one of several requests answered. The order of processes does not matter:
/// what one is given depends on no other.
void Matching::choose() {
  choosing_ = choosers_.members();
  const Ticks before = run_.network.now() - Ticks{1};
  for (const ProcessId process : choosing_) {
    if (run_[process].receives_from_anyone) {
      give_messages(process, before);
    }
    choose_request(process, before);
  }
  if (!run_.ready.empty()) {
    return;
  }
  choosing_ = choosers_.members();
  choosers_.clear();
  for (const ProcessId process : choosing_) {
    if (run_[process].receives_from_anyone) {
      give_messages(process, run_.network.now());
    }
  }
  if (!run_.ready.empty()) {
    choosers_.insert(choosing_);
    return;
  }
  choosers_.insert(choosing_);
  choosing_ = choosers_.members();
  choosers_.clear();
  for (const ProcessId process : choosing_) {
    choose_request(process, run_.network.now());
  }
}

/// Remembers, for observers, the last message given; it may release receives behind it.
void Matching::note_given(const Message& given) {
  const bool arrives = given.has_arrived() && given.source != given.destination;
  last_given_.process = arrives ? given.destination : given.source;
  last_given_.arrival.reset();
  if (arrives) {
    last_given_.arrival = {given.source, given.send_number};
  }
}

/// Gives messages available at `last` to the receives that they suit, in the order of both.
void Matching::give_messages(ProcessId process, Ticks last) {
  ProcessState& state = run_[process];
  Anyone& anyone = anyone_of(process);
  const Ticks now = run_.network.now();
  auto candidate = anyone.candidates.begin();
  while (!anyone.posts.empty() && candidate != anyone.candidates.end() && candidate->time <= last) {
    if (run_.input.observer != nullptr && candidate->time == now) {
      note_given(message(candidate->message));
    }
    const bool is_given = give_to_first(state, process, anyone, candidate->message);
    if (last < now && !run_.ready.empty() && run_.ready.back() == process) {
      return;  // it may ask for more of what came before
    }
    candidate = is_given ? anyone.candidates.begin() : std::next(candidate);
  }
  if (!anyone.posts.empty() && candidate != anyone.candidates.end() && candidate->time > now) {
    wake_at(process, anyone, candidate->time);
  }
}

void Matching::wake_at(ProcessId process, Anyone& anyone, Ticks time) {
  if (time != anyone.alarm) {
    anyone.alarm = time;
    run_.network.set_alarm(time, process.index());
  }
}

/// Whether more may become available at `available`, if that is now, to a process that asks later:
/// messages above the eager limit that are sent now.
bool Matching::may_be_joined(Ticks asked, Ticks available) const {
  return run_.has_rendezvous && available == run_.network.now() && asked > available;
}

/// Gives an available message to the first receive that it suits. False: there is none, or it is
/// posted later, when more may be known.
bool Matching::give_to_first(ProcessState& state, ProcessId process, Anyone& anyone,
                             std::uint32_t id) {
  if (give_from_one(state, process, id)) {
    return true;
  }
  const Tag tag = message(id).tag;
  // An earlier receive from its source may yet want the message.
  const std::uint32_t kept = posts_.find(state.posts, message(id).source, tag);
  const auto post = std::ranges::find_if(anyone.posts, [&](std::uint32_t p) {
    return suits(requests_[p].tag, tag) &&
           (kept == nothing || requests_[p].order < requests_[kept].order);
  });
  if (post == anyone.posts.end()) {
    return false;
  }
  const std::uint32_t given = *post;
  // What a receive takes until then may bring out a message behind it that was available before.
  const Ticks time = requests_[given].time;
  const bool may_be_too_early =
      time > run_.network.now() && requests_[anyone.posts.front()].time < time;
  if (may_be_too_early || may_be_joined(time, available_at(message(id)).value())) [[unlikely]] {
    wake_at(process, anyone, time);
    return false;
  }
  anyone.posts.erase(post);
  take_from_inbox(state, process, message(id).source, tag);
  meet(id, given);
  give_what_was_kept(state, process);
  return true;
}

/// Gives messages that a receive from anyone had kept from later receives; it has its own now.
void Matching::give_what_was_kept(ProcessState& state, ProcessId process) {
  if (state.posts.is_empty() && state.state != State::awaits_send) {
    return;
  }
  std::vector<std::uint32_t> waiting;
  inboxes_.for_each(state.inbox, [&](std::uint32_t id) { waiting.push_back(id); });
  for (const std::uint32_t id : waiting) {
    give_from_one(state, process, id);
  }
}

}  // namespace dcube::detail
