#include "kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "dcube/core/errors.hpp"
#include "prefetch.hpp"

namespace dcube::detail {

namespace {

/// Where a coroutine's frame keeps what it needs first.
constexpr std::size_t frame_head_bytes = 128;

/// Each process has a node of the machine to itself.
void expect_placed(std::span<const NodeId> map, std::uint32_t nodes) {
  constexpr std::uint32_t nobody = ~std::uint32_t{0};
  std::vector<std::uint32_t> guests(nodes, nobody);
  for (std::uint32_t rank = 0; rank < map.size(); ++rank) {
    const std::uint32_t node = map[rank].index();
    if (node >= nodes) {
      throw ContractViolation(fmt::format(
          "process {} is placed on node {}, but the machine has {} nodes", rank, node, nodes));
    }
    if (const std::uint32_t other = std::exchange(guests[node], rank); other != nobody) {
      throw ContractViolation(fmt::format(
          "processes {} and {} are both placed on node {}, but a node hosts one process", other,
          rank, node));
    }
  }
}

}  // namespace

Kernel::Kernel(const SimulationInput& input)
    : input_{input},
      machine_{input.machine},
      network_{*input.machine.topology, input.machine.links,
               input.observer == nullptr
                   ? std::function<void(const Hop&)>{}
                   : [observer = input.observer](const Hop& hop) { observer->on_hop(hop); },
               input.observer == nullptr ? HopReports::all : input.observer->hop_reports()},
      observer_{input.observer},
      send_cost_{machine_.endpoint.send, 0, machine_.endpoint.send.of(0)},
      receive_cost_{machine_.endpoint.receive, 0, machine_.endpoint.receive.of(0)},
      stages_(input.stage_count) {
  const auto count = static_cast<std::uint32_t>(input.map.size());
  expect_placed(input.map, machine_.topology->node_count());
  processes_.resize(count);
  tasks_.resize(count);
  handles_.reserve(count);
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    handles_.emplace_back(*this, ProcessId{rank});
  }
  live_ = count;
}

// --- Running ---

/// Runs code of a program or of an observer. What it throws ends the run.
template <class Code>
void Kernel::guard(Code&& code) {
  try {
    code();
  } catch (...) {
    if (!failure_) {
      failure_ = std::current_exception();
    }
  }
}

void Kernel::start(ProcessId process) {
  Task<>& task = tasks_[process.index()];
  guard([&] { task = input_.body(handles_[process.index()]); });
  run_on(process, task.handle());
}

void Kernel::resume(ProcessId process) {
  if (is_giving_up_) {
    finish(process);
    return;
  }
  run_on(process, std::exchange(processes_[process.index()].waiting_code, {}));
}

void Kernel::prefetch_processes(std::span<const ProcessId> processes) const {
  for (const ProcessId process : processes) {
    prefetch(&processes_[process.index()], sizeof(ProcessState));
    prefetch(&tasks_[process.index()], 1);
  }
  for (const ProcessId process : processes) {
    prefetch(processes_[process.index()].waiting_code.address(), frame_head_bytes);
  }
}

void Kernel::resume(std::span<const ProcessId> processes) {
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (i + 2 * lookahead < processes.size()) {
      const std::uint32_t next = processes[i + 2 * lookahead].index();
      prefetch(&processes_[next], sizeof(ProcessState));
      prefetch(&tasks_[next], 1);
    }
    if (i + lookahead < processes.size()) {
      const ProcessState& soon = processes_[processes[i + lookahead].index()];
      prefetch(soon.waiting_code.address(), frame_head_bytes);
    }
    resume(processes[i]);
  }
}

void Kernel::run_on(ProcessId process, std::coroutine_handle<> code) {
  current_ = process;
  if (code) [[likely]] {
    code.resume();
  }
  Task<>& task = tasks_[process.index()];
  if (!task.is_done()) {
    return;
  }
  guard([&] {
    if (task.handle() && task.handle().promise().failure) {
      std::rethrow_exception(task.handle().promise().failure);
    }
    if (const ProcessState& state = processes_[process.index()]; state.state != State::running) {
      throw ContractViolation(fmt::format(
          "process {} ended while code of its own still waited for a message of process {}",
          process.index(), state.peer.index()));
    }
  });
  finish(process);
}

void Kernel::finish(ProcessId process) {
  ProcessState& state = processes_[process.index()];
  guard([&] { leave_stage(state, process); });
  tasks_[process.index()] = {};
  state.state = State::done;
  fingerprint_.add_end(process, state.clock);
  --live_;
}

std::span<const ProcessId> Kernel::advance(Ticks horizon) {
  woken_.clear();
  if (failure_) {
    return give_up();
  }
  woken_.swap(ready_);
  while (woken_.empty()) {
    const std::span<const MessageId> arrived = network_.advance(horizon);
    if (arrived.empty()) {
      break;
    }
    deliver_all(arrived);
    report_progress(arrived.size());
  }
  return woken_;
}

void Kernel::report_progress(std::size_t deliveries) {
  constexpr std::size_t deliveries_per_report = 1 << 14;
  deliveries_unreported_ += deliveries;
  if (input_.progress && deliveries_unreported_ >= deliveries_per_report) {
    deliveries_unreported_ = 0;
    input_.progress(process_count() - live_, network_.now());
  }
}

std::span<const ProcessId> Kernel::give_up() {
  is_giving_up_ = true;
  Ticks end = network_.now();
  for (const ProcessState& process : processes_) {
    end = std::max(end, process.clock);
  }
  for (std::uint32_t rank = 0; rank < processes_.size(); ++rank) {
    ProcessState& state = processes_[rank];
    if (state.state == State::done) {
      continue;
    }
    blocked_.push_back(
        {ProcessId{rank}, state.peer, state.clock, state.state == State::awaits_partner});
    account_waiting(state, ProcessId{rank}, end, {state.peer, std::nullopt});
    woken_.push_back(ProcessId{rank});
  }
  return woken_;
}

void Kernel::deliver_all(std::span<const MessageId> arrived) {
  for (std::size_t i = 0; i < arrived.size(); ++i) {
    if (i + 2 * lookahead < arrived.size()) {
      prefetch(&messages_[arrived[i + 2 * lookahead].index()], sizeof(MessageState));
    }
    if (i + lookahead < arrived.size()) {
      const MessageState& soon = messages_[arrived[i + lookahead].index()];
      prefetch(&processes_[soon.destination.index()], sizeof(ProcessState));
    }
    deliver(arrived[i]);
  }
}

void Kernel::deliver(MessageId id) {
  MessageState& message = messages_[id.index()];
  message.arrival = network_.now();
  message.has_arrived = true;
  const std::uint64_t bytes = message.payload.size_bytes();
  const std::uint32_t hops = network_.hops(id);
  fingerprint_.add_message(message.source, message.send_number, message.destination, bytes, hops,
                           network_.start(id), message.arrival);
  if (observer_ != nullptr) {
    observer_->on_delivery({message.source, message.send_number, message.destination, bytes, hops,
                            network_.start(id), message.arrival});
  }
  if (message.is_awaited) {
    const ProcessId receiver = message.destination;
    complete_receive(processes_[receiver.index()], receiver, id);
    woken_.push_back(receiver);
  }
}

// --- What processes do ---

void Kernel::compute(ProcessId process, Ticks duration) {
  expects(duration >= Ticks{0}, "a computation takes no negative time");
  if (duration == Ticks{0}) {
    return;
  }
  ProcessState& state = processes_[process.index()];
  const Ticks until = checked_add(state.clock, duration);
  report_interval(state, process, Activity::compute, until, {process, std::nullopt});
  state.compute += duration;
  state.clock = until;
}

void Kernel::compute(ProcessId process, std::string_view operation, std::uint64_t count) {
  const auto entry = machine_.compute.find(std::string{operation});
  if (entry == machine_.compute.end()) {
    throw InputError(
        "",
        fmt::format("machine {} does not say how long `{}` takes (its `compute` table has no such "
                    "entry); add it to the machine",
                    machine_.name, operation));
  }
  compute(process, round_cost(ExactTime{}, entry->second, count));
}

void Kernel::enter_stage(ProcessId process, std::uint32_t stage) {
  expects(stage < stages_.size(), "a stage is below the run's stage count");
  ProcessState& state = processes_[process.index()];
  leave_stage(state, process);
  state.stage = stage;
}

/// The state of a process that asks for a message of `peer`, which `does` names.
inline Kernel::ProcessState& Kernel::asking(ProcessId process, const char* does, ProcessId peer) {
  ProcessState& state = processes_[process.index()];
  if (peer.index() >= process_count() || process != current_ || state.state != State::running)
      [[unlikely]] {
    refuse(process, does, peer);
  }
  return state;
}

/// Throws what is wrong with a call.
void Kernel::refuse(ProcessId process, const char* does, ProcessId peer) const {
  const std::string call =
      fmt::format("process {} {} process {}", process.index(), does, peer.index());
  if (peer.index() >= process_count()) {
    throw ContractViolation(
        fmt::format("{}, but the ranks are 0 to {}", call, process_count() - 1));
  }
  if (process != current_) {
    throw ContractViolation(fmt::format("{} in code that process {} runs", call, current_.index()));
  }
  throw ContractViolation(
      fmt::format("{} while it still waits for process {} (a process awaits one message at a time)",
                  call, processes_[process.index()].peer.index()));
}

void Kernel::send(ProcessId process, ProcessId to, Payload payload) {
  if (to.index() >= process_count()) [[unlikely]] {
    refuse(process, "sends to", to);
  }
  ProcessState& state = processes_[process.index()];
  if (to == process) {
    keep_for_self(process, std::move(payload));
    return;
  }
  account_endpoint(state, process, send_cost_, payload.size_bytes(),
                   {to, MessageName{process, state.send_count}});
  const MessageId id = dispatch(process, to, std::move(payload));
  ProcessState& receiver = processes_[to.index()];
  if (receiver.state == State::awaits_send && receiver.peer == process) {
    await_message(receiver, to, id);
  } else {
    inboxes_.push(receiver.inbox, id, process);
  }
}

void Kernel::receive(ProcessId process, ProcessId from) {
  ProcessState& state = asking(process, "receives from", from);
  state.peer = from;
  if (from == process) {
    const auto kept = to_self_.find(process);
    if (kept == to_self_.end() || kept->second.empty()) {
      state.state = State::awaits_send;  // nobody else can end this wait
      return;
    }
    state.payload = std::move(kept->second.front());
    kept->second.pop_front();
    return;
  }
  if (const std::optional<MessageId> id = inboxes_.take(state.inbox, from)) {
    await_message(state, process, *id);
  } else {
    state.state = State::awaits_send;
  }
}

void Kernel::exchange(ProcessId process, ProcessId partner, Payload&& payload, ExchangeMode mode) {
  ProcessState& state = asking(process, "exchanges with", partner);
  if (partner == process) {
    state.payload = std::move(payload);
    return;
  }
  if (mode == ExchangeMode::eager) {
    send(process, partner, std::move(payload));
    receive(process, partner);
    return;
  }
  const ProcessState& other = processes_[partner.index()];
  if (other.state == State::awaits_partner && other.peer == process) {
    start_exchange(partner, process, std::move(payload));
    return;
  }
  state.payload = std::move(payload);
  state.peer = partner;
  state.state = State::awaits_partner;
}

/// Both are ready: `first` has been waiting with its payload set aside.
void Kernel::start_exchange(ProcessId first, ProcessId second, Payload second_payload) {
  ProcessState& a = processes_[first.index()];
  ProcessState& b = processes_[second.index()];
  const Ticks both_ready = std::max(a.clock, b.clock);
  account_waiting(a, first, both_ready, {second, std::nullopt});
  account_waiting(b, second, both_ready, {first, std::nullopt});
  account_endpoint(a, first, send_cost_, a.payload.size_bytes(),
                   {second, MessageName{first, a.send_count}});
  account_endpoint(b, second, send_cost_, second_payload.size_bytes(),
                   {first, MessageName{second, b.send_count}});
  b.peer = first;
  const MessageId to_second = dispatch(first, second, std::move(a.payload));
  const MessageId to_first = dispatch(second, first, std::move(second_payload));
  receive_in_turn(a, first, to_first);
  receive_in_turn(b, second, to_second);
  if (a.state == State::running) {
    ready_.push_back(first);
  }
}

/// Receives the new message, or an older one from the same source that nobody has asked for.
void Kernel::receive_in_turn(ProcessState& state, ProcessId process, MessageId id) {
  if (!state.inbox.is_empty()) {
    const ProcessId source = messages_[id.index()].source;
    inboxes_.push(state.inbox, id, source);
    id = inboxes_.take(state.inbox, source).value();
  }
  await_message(state, process, id);
}

// --- Messages ---

/// Returns the message's send number.
std::uint32_t Kernel::count_message(ProcessState& sender, std::uint64_t bytes) {
  if (sender.send_count == std::numeric_limits<std::uint32_t>::max()) [[unlikely]] {
    throw InputError("", "a process sends more than 2^32-1 messages; use fewer or larger ones");
  }
  if (__builtin_add_overflow(bytes_sent_, bytes, &bytes_sent_)) [[unlikely]] {
    throw InputError("",
                     "the messages of the run carry more than 2^64-1 bytes; use smaller messages");
  }
  ++messages_sent_;
  return sender.send_count++;
}

/// Hands a message to the network at the sender's own time.
MessageId Kernel::dispatch(ProcessId from, ProcessId to, Payload payload) {
  ProcessState& sender = processes_[from.index()];
  const std::uint64_t bytes = payload.size_bytes();
  const std::uint32_t send_number = count_message(sender, bytes);
  const MessageId id = network_.send({.source = from,
                                      .send_number = send_number,
                                      .from = input_.map[from.index()],
                                      .to = input_.map[to.index()],
                                      .bytes = bytes,
                                      .start = sender.clock});
  if (id.index() >= messages_.size()) {
    messages_.resize(id.index() + 1);
  }
  MessageState& message = messages_[id.index()];
  message.payload = std::move(payload);
  message.send_number = send_number;
  message.source = from;
  message.destination = to;
  message.has_arrived = false;
  message.is_awaited = false;
  ++sender.ends;
  ++processes_[to.index()].ends;
  return id;
}

/// A message to oneself crosses no link, pays nothing and is there at once.
void Kernel::keep_for_self(ProcessId process, Payload payload) {
  ProcessState& state = processes_[process.index()];
  const std::uint64_t bytes = payload.size_bytes();
  const std::uint32_t send_number = count_message(state, bytes);
  fingerprint_.add_message(process, send_number, process, bytes, 0, state.clock, state.clock);
  if (observer_ != nullptr) {
    observer_->on_delivery({process, send_number, process, bytes, 0, state.clock, state.clock});
  }
  to_self_[process].push_back(std::move(payload));
}

/// The process goes on when this message has arrived, which may be now.
void Kernel::await_message(ProcessState& state, ProcessId process, MessageId id) {
  MessageState& message = messages_[id.index()];
  if (message.has_arrived) {
    complete_receive(state, process, id);
    return;
  }
  message.is_awaited = true;
  state.state = State::awaits_message;
}

void Kernel::complete_receive(ProcessState& state, ProcessId process, MessageId id) {
  MessageState& message = messages_[id.index()];
  const Reason reason{message.source, MessageName{message.source, message.send_number}};
  if (message.arrival > state.clock) {
    ++wakeups_;
    account_waiting(state, process, network_.start(id), reason);
    account_communication(state, process, message.arrival, reason);
  }
  state.payload = std::move(message.payload);
  account_endpoint(state, process, receive_cost_, state.payload.size_bytes(), reason);
  state.state = State::running;
  network_.release(id);
}

// --- Accounting ---

void Kernel::account_waiting(ProcessState& state, ProcessId process, Ticks until,
                             const Reason& reason) {
  if (until <= state.clock) {
    return;
  }
  report_interval(state, process, Activity::waiting, until, reason);
  const Ticks duration = until - state.clock;
  state.waiting += duration;
  longest_wait_ = std::max(longest_wait_, duration);
  ++waits_;
  if (state.stage != no_stage) {
    stages_[state.stage].waiting += duration.count();
  }
  state.clock = until;
}

/// Communication is what is left of a process's time, so nothing is summed here.
void Kernel::account_communication(ProcessState& state, ProcessId process, Ticks until,
                                   const Reason& reason) {
  report_interval(state, process, Activity::communication, until, reason);
  state.clock = until;
}

void Kernel::account_endpoint(ProcessState& state, ProcessId process, SizedCost& cost,
                              std::uint64_t bytes, const Reason& reason) {
  if (cost.bytes != bytes) {
    cost.duration = cost.cost.of(bytes);
    cost.bytes = bytes;
  }
  if (cost.duration == Ticks{0}) {
    return;
  }
  const Ticks until = checked_add(state.clock, cost.duration);
  report_interval(state, process, Activity::endpoint, until, reason);
  state.endpoint += cost.duration;
  state.clock = until;
}

void Kernel::report_interval(const ProcessState& state, ProcessId process, Activity activity,
                             Ticks until, const Reason& reason) {
  if (observer_ != nullptr && until > state.clock) [[unlikely]] {
    observer_->on_interval(
        {process, activity, state.stage, state.clock, until, reason.peer, reason.message});
  }
}

void Kernel::leave_stage(const ProcessState& state, ProcessId process) {
  if (state.stage == no_stage) {
    return;
  }
  stages_[state.stage].finish_max = std::max(stages_[state.stage].finish_max, state.clock);
  if (observer_ != nullptr) {
    observer_->on_stage_end(process, state.stage, state.clock);
  }
}

}  // namespace dcube::detail
