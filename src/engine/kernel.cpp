#include "kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/prefetch.hpp"
#include "dcube/core/errors.hpp"

namespace dcube::detail {

namespace {

/// Every process has a slot of a node.
void expect_placed(std::span<const NodeId> map, const Machine& machine) {
  const std::uint32_t nodes = machine.topology->node_count();
  std::vector<std::uint32_t> guests(nodes, 0);
  for (std::uint32_t rank = 0; rank < map.size(); ++rank) {
    const std::uint32_t node = map[rank].index();
    if (node >= nodes) {
      throw ContractViolation(fmt::format(
          "process {} is placed on node {}, but the machine has {} nodes", rank, node, nodes));
    }
    if (++guests[node] > machine.node.slots) {
      throw ContractViolation(fmt::format(
          "process {} is placed on node {}, whose {} taken", rank, node,
          machine.node.slots == 1 ? "slot is" : fmt::format("{} slots are", machine.node.slots)));
    }
  }
}

}  // namespace

Kernel::Kernel(const SimulationInput& input)
    : input_{input},
      machine_{input.machine},
      network_{input.machine, input.observer, input.carriage},
      messages_{network_.messages()},
      ledger_{input},
      cores_{input.carriage == Carriage::machine ? input.machine.node : NodeModel{}, input.map},
      computes_plainly_{!cores_.are_scarce() && input.jitter.part == 0},
      eager_limit_{input.program_pays_endpoints ? std::numeric_limits<std::uint64_t>::max()
                                                : input.machine.endpoint.eager_limit_bytes.value_or(
                                                      std::numeric_limits<std::uint64_t>::max())},
      has_rendezvous_{eager_limit_ != std::numeric_limits<std::uint64_t>::max()},
      map_{input.map.data()},
      tells_sends_{input.on_send != nullptr || input.counts_stages},
      departs_plainly_{!input.machine.fluid && input.machine.node.slots == 1 &&
                       input.carriage == Carriage::machine},
      process_count_{static_cast<std::uint32_t>(input.map.size())},
      ends_{note_ends()},
      inboxes_{MessageItems{&messages_}},
      posts_{RequestItems{&requests_}} {
  expect_placed(input.map, machine_);
  processes_.resize(process_count_);
  tasks_.resize(process_count_);
  if (input.jitter.part > 0) {
    computations_.resize(process_count_);
  }
  handles_.reserve(process_count_);
  for (std::uint32_t rank = 0; rank < process_count_; ++rank) {
    handles_.emplace_back(*this, ProcessId{rank});
  }
  live_ = process_count_;
  if (StageTally* const tally = ledger_.tally()) {
    network_.on_delay(
        [tally](std::uint32_t stage, Ticks delay) { tally->count_delay(stage, delay); });
  }
}

/// Runs code of a program or of an observer. What it throws ends the run.
template <class Code>
void Kernel::guard(Code&& code) {
  try {
    code();
  } catch (const Stopped&) {
  } catch (...) {
    if (!failure_) {
      failure_ = std::current_exception();
    }
  }
}

void Kernel::start(ProcessId process) {
  current_ = process;
  Task<>& task = tasks_[process.index()];
  guard([&] { task = input_.body(handles_[process.index()]); });
  if (task.handle()) {
    task.handle().promise().set_awaiter(ends_.handle());
    run_on(process, task.handle());
  } else {
    end(process);
  }
}

/// Every program continues here when it has ended, so its end need not be looked for after each
/// step.
Task<> Kernel::note_ends() {
  for (;;) {
    has_ended_ = true;
    co_await std::suspend_always{};
  }
}

void Kernel::resume(ProcessId process) {
  if (is_giving_up_) {
    finish(process);
    return;
  }
  run_on(process, processes_[process.index()].code);
}

void Kernel::prefetch_processes(std::span<const ProcessId> processes) const {
  for (const ProcessId process : processes) {
    prefetch(&processes_[process.index()], sizeof(ProcessState));
  }
  for (const ProcessId process : processes) {
    prefetch(processes_[process.index()].code.address(), frame_head_bytes);
  }
}

void Kernel::resume(std::span<const ProcessId> processes) {
  if (is_giving_up_) {
    std::ranges::for_each(processes, [this](ProcessId process) { finish(process); });
    return;
  }
  for (const ProcessId process : processes) {
    run_on(process, processes_[process.index()].code);
  }
}

/// The program of a process has ended, well or not.
void Kernel::end(ProcessId process) {
  const Task<>& task = tasks_[process.index()];
  guard([&] {
    if (processes_[process.index()].state == State::stopped) {
      return;
    }
    if (task.handle() && task.handle().promise().failure()) {
      rethrow(process, task.handle().promise().failure());
    }
    if (const ProcessState& state = processes_[process.index()]; state.is_blocked()) {
      refuse(process, state.state <= State::awaits_partner
                          ? fmt::format("ended while code of its own still waited for a message of "
                                        "process {}",
                                        state.peer.index())
                          : "ended while code of its own still waited");
    }
  });
  finish(process);
}

/// Adds the process to a ContractViolation that does not name one.
void Kernel::rethrow(ProcessId process, const std::exception_ptr& failure) const {
  try {
    std::rethrow_exception(failure);
  } catch (const ContractViolation& violation) {
    if (std::string_view{violation.what()}.starts_with("process ")) {
      throw;
    }
    throw ContractViolation(fmt::format("{}: {}", name_of(process), violation.what()));
  }
}

void Kernel::finish(ProcessId process) {
  ProcessState& state = processes_[process.index()];
  guard([&] { ledger_.finish(state, process); });
  tasks_[process.index()] = {};
  state.state = State::done;
  if (--live_ == 0) {
    ends_ = {};
  }
}

std::span<const ProcessId> Kernel::advance(Ticks horizon) {
  woken_.clear();
  given_.clear();
  if (!failure_) {
    guard([&] { advance_network(horizon); });
  }
  if (failure_) {
    return give_up();
  }
  woken_.swap(ready_);
  return woken_;
}

/// Goes on until a process can run.
void Kernel::advance_network(Ticks horizon) {
  while (ready_.empty()) {
    if (!arrived_.empty()) {
      deliver_some();
      continue;
    }
    if (!choosers_.is_empty()) [[unlikely]] {
      choose();
      continue;
    }
    if (!listeners_to_see_.empty()) {
      listeners_seen_.clear();
      listeners_seen_.swap(listeners_to_see_);
      for (const ProcessId process : listeners_seen_) {
        look_at_listener(process);
      }
      continue;
    }
    if (!cores_.is_idle()) [[unlikely]] {
      serve_cores();
      continue;
    }
    arrived_ = network_.advance(horizon);
    if (arrived_.empty() && network_.alarms().empty()) {
      break;
    }
    for (const std::uint32_t alarm : network_.alarms()) {
      if (alarm < process_count()) {
        if (processes_[alarm].listens) {
          listeners_to_see_.emplace_back(alarm);
        } else {
          choosers_.insert(ProcessId{alarm});
        }
      } else {
        cores_.look_at(NodeId{alarm - process_count()});
      }
    }
    report_progress(arrived_.size());
  }
}

void Kernel::drain() {
  if (!failure_) {
    guard([this] { advance_network(Ticks::max()); });
  }
}

void Kernel::report_progress(std::size_t deliveries) {
  constexpr std::size_t deliveries_per_report = 1 << 14;
  deliveries_unreported_ += deliveries;
  if (input_.progress && deliveries_unreported_ >= deliveries_per_report) {
    deliveries_unreported_ = 0;
    input_.progress(process_count() - live_, network_.now());
  }
}

/// For runs in which times vary or cores are scarce, and for computations of no time.
bool Kernel::compute_with_care(ProcessId process, Ticks duration) {
  ProcessState& state = processes_[process.index()];
  if (!can_act(process)) [[unlikely]] {
    refuse_now(process, "computes");
  }
  if (duration <= Ticks{0}) {
    if (duration < Ticks{0}) {
      refuse(process, "computes for less than no time");
    }
    return true;
  }
  if (!computations_.empty()) {
    duration = varied(process, duration, computations_[process.index()]++);
  }
  if (!cores_.are_scarce() || !cores_.are_scarce(input_.map[process.index()])) [[likely]] {
    ledger_.compute(state, process, duration);
    return true;
  }
  const NodeId node = input_.map[process.index()];
  cores_.ask(node, process, state.clock, duration);
  if (state.clock > network_.now()) {
    network_.set_alarm(state.clock, process_count() + node.index());
  } else {
    cores_.look_at(node);
  }
  state.state = State::awaits_core;
  return false;
}

/// All processes that are ready at this instant are known.
void Kernel::serve_cores() {
  cores_.serve(
      network_.now(),
      [this](ProcessId process, Ticks duration, ProcessId before) {
        ProcessState& state = processes_[process.index()];
        ledger_.wait(state, process, network_.now(), Reason{before, {}, Awaits::core});
        ledger_.compute(state, process, duration);
        wake(state, process);
      },
      [this](NodeId node, Ticks time) {
        network_.set_alarm(time, process_count() + node.index());
      });
}

Ticks Kernel::duration_of(std::string_view operation, std::uint64_t count) const {
  const auto entry = machine_.compute.find(std::string{operation});
  if (entry == machine_.compute.end()) {
    throw InputError(
        "",
        fmt::format("machine {} does not say how long `{}` takes (its `compute` table has no such "
                    "entry); add it to the machine",
                    machine_.name, operation));
  }
  return round_cost(ExactTime{}, entry->second, count);
}

std::span<const ProcessId> Kernel::give_up() {
  is_giving_up_ = true;
  woken_.clear();
  Ticks end = network_.now();
  for (const ProcessState& process : processes_) {
    end = std::max(end, process.clock);
  }
  for (std::uint32_t rank = 0; rank < processes_.size(); ++rank) {
    const ProcessId process{rank};
    ProcessState& state = processes_[rank];
    if (state.state == State::done) {
      continue;
    }
    ProcessId awaited = state.peer;
    if (state.state == State::awaits_hearing) {
      awaited = anyone;
    } else if (state.state == State::awaits_requests || state.state == State::awaits_choice) {
      const Wait& wait = *state.wait;
      awaited = wait.until == Wait::Until::all
                    ? requests_[Requests::place(wait.requests[wait.position])].peer
                    : anyone;
    }
    blocked_.push_back({process, awaited, state.clock, state.state == State::awaits_partner});
    if (input_.carriage == Carriage::machine) {
      ledger_.wait(state, process, end, Reason{awaited == anyone ? process : awaited});
    }
    woken_.push_back(process);
  }
  return woken_;
}

/// Throws what the program has done wrong.
void Kernel::refuse(ProcessId process, std::string_view problem) const {
  throw ContractViolation(fmt::format("{} {}", name_of(process), problem));
}

/// Throws what is wrong with a call.
void Kernel::refuse_call(ProcessId process, const char* does, ProcessId peer) const {
  const std::string call = fmt::format("{} process {}", does, peer.index());
  if (peer.index() >= process_count()) {
    refuse(process, fmt::format("{}, but the ranks are 0 to {}", call, process_count() - 1));
  }
  refuse_now(process, call);
}

/// Throws why a process cannot do this now.
void Kernel::refuse_now(ProcessId process, std::string_view call) const {
  if (process != current_) {
    refuse(process, fmt::format("{} in code that process {} runs", call, current_.index()));
  }
  const ProcessState& state = processes_[process.index()];
  refuse(process,
         state.state <= State::awaits_partner
             ? fmt::format("{} while it still waits for process {} (a process awaits one "
                           "message at a time)",
                           call, state.peer.index())
             : fmt::format("{} while it still waits (a process awaits one thing at a time)", call));
}

/// "process 3 in stage 2".
std::string Kernel::name_of(ProcessId process) const {
  const std::uint32_t stage = ledger_.stage(process);
  return stage == no_stage ? fmt::format("process {}", process.index())
                           : fmt::format("process {} in stage {}", process.index(), stage);
}

}  // namespace dcube::detail
