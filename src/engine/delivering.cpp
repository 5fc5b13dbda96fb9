#include <algorithm>

#include "core/prefetch.hpp"
#include "dcube/core/errors.hpp"
#include "kernel.hpp"

// What happens when messages arrive.

namespace dcube::detail {

Payload Kernel::take_received(ProcessId process) {
  const std::uint32_t id = std::exchange(processes_[process.index()].message, Message::none);
  Payload payload = std::move(message(id).payload);
  messages_.release(MessageId{id});
  return payload;
}

inline void Kernel::deliver(MessageId id, Ticks now) {
  Message& arrived = messages_[id];
  arrived.arrival = now;
  const ProcessId process = arrived.destination;
  ProcessState& receiver = processes_[process.index()];
  prefetch(receiver.code.address(), frame_head_bytes);
  ledger_.prefetch_times(process);
  if (++receiver.receive_count == 0) [[unlikely]] {
    throw InputError("", "a process receives more than 2^32-1 messages; use fewer or larger ones");
  }
  ledger_.note_delivery(arrived);
  if (arrived.hops == 0) [[unlikely]] {
    count_local(arrived, 2);
  }
  if (arrived.partner == awaited_alone) [[likely]] {
    complete_receive(receiver, process, id.index(), now);
    ready_.push_back(process);
  } else if (receiver.listens && (arrived.tag < first_reserved_tag || arrived.partner == let_go)) {
    hear_arrival(id.index());
    return;
  } else if (receiver.state >= State::awaits_requests) {
    look_at_waiter(process);
  }
  if (receiver.receives_from_anyone) [[unlikely]] {
    note_candidate(process, arrived.source, arrived.tag);
  }
}

/// Delivers messages that have arrived: no more than stay in the cache, with what their receivers
/// need, until those run.
void Kernel::deliver_some() {
  constexpr std::size_t most = 512;
  const std::span<const MessageId> arrived = arrived_.first(std::min(most, arrived_.size()));
  arrived_ = arrived_.subspan(arrived.size());
  const Ticks now = network_.now();
  for (std::size_t i = 0; i < arrived.size(); ++i) {
    if (i + 2 * lookahead < arrived.size()) {
      prefetch(&messages_[arrived[i + 2 * lookahead]], sizeof(Message));
    }
    if (i + lookahead < arrived.size()) {
      const Message& soon = messages_[arrived[i + lookahead]];
      prefetch(&processes_[soon.destination.index()], sizeof(ProcessState));
    }
    deliver(arrived[i], now);
  }
}

/// A message that crosses no link has `ends` of its two ends at its node.
void Kernel::count_local(const Message& local, std::uint64_t ends) {
  if (local_ends_.empty()) {
    local_ends_.assign(machine_.topology->node_count(), 0);
  }
  local_ends_[local.to.index()] += ends;
}

}  // namespace dcube::detail
