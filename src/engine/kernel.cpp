#include "kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/going_on.hpp"
#include "core/prefetch.hpp"
#include "dcube/core/errors.hpp"

namespace dcube::detail {

namespace {

/// Throws unless every process has a slot of a node.
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
    : run_{input},
      listening_{run_},
      matching_{run_, listening_},
      cores_{input.transport == Transport::machine ? input.machine.node : NodeModel{}, input.map},
      computes_plainly_{!cores_.are_scarce() && input.jitter.part == 0},
      tasks_(process_count()),
      ends_{note_ends()},
      live_{process_count()} {
  ask_to_go_on(process_count());
  expect_placed(input.map, input.machine);
  if (input.jitter.part > 0) {
    computations_.resize(process_count());
  }
  handles_.reserve(process_count());
  for (std::uint32_t rank = 0; rank < process_count(); ++rank) {
    ask_to_go_on();
    handles_.emplace_back(*this, ProcessId{rank});
  }
  if (StageTally* const tally = run_.ledger.tally()) {
    run_.network.on_delay(
        [tally](std::uint32_t stage, Ticks delay) { tally->count_delay(stage, delay); });
  }
}

/// Runs code of a program or an observer; its exception ends the run.
template <class Code>
void Kernel::guard(Code&& code) {
  try {
    code();
  } catch (const RunState::Stopped&) {
  } catch (...) {
    if (!failure_) {
      failure_ = std::current_exception();
    }
  }
}

void Kernel::start(ProcessId process) {
  if (failure_) [[unlikely]] {
    finish(process);
    return;
  }
  run_.current = process;
  Task<>& task = tasks_[process.index()];
  guard([&] {
    report_progress(1);
    task = run_.input.body(handles_[process.index()]);
  });
  if (task.handle()) {
    task.handle().promise().set_awaiter(ends_.handle());
    run_on(process, task.handle());
  } else {
    end(process);
  }
}

/// Every program continues here when it has ended, which saves a check after each step.
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
  run_on(process, run_[process].code);
}

void Kernel::prefetch_processes(std::span<const ProcessId> processes) const {
  for (const ProcessId process : processes) {
    prefetch(&run_[process], sizeof(ProcessState));
  }
  for (const ProcessId process : processes) {
    prefetch(run_[process].code.address(), frame_head_bytes);
  }
}

void Kernel::resume(std::span<const ProcessId> processes) {
  if (is_giving_up_) {
    std::ranges::for_each(processes, [this](ProcessId process) { finish(process); });
    return;
  }
  for (const ProcessId process : processes) {
    run_on(process, run_[process].code);
  }
}

/// The program of a process has ended or failed.
void Kernel::end(ProcessId process) {
  const Task<>& task = tasks_[process.index()];
  guard([&] {
    if (run_[process].state == State::stopped) {
      return;
    }
    if (task.handle() && task.handle().promise().failure()) {
      rethrow(process, task.handle().promise().failure());
    }
    if (const ProcessState& state = run_[process]; state.is_blocked()) {
      refuse(process, state.state <= State::awaits_partner
                          ? fmt::format("ended while code of its own still waited for a message of "
                                        "process {}",
                                        state.peer.index())
                          : "ended while code of its own still waited");
    }
  });
  finish(process);
}

/// Adds the process to a ContractViolation that names none.
void Kernel::rethrow(ProcessId process, const std::exception_ptr& failure) const {
  try {
    std::rethrow_exception(failure);
  } catch (const ContractViolation& violation) {
    if (std::string_view{violation.what()}.starts_with("process ")) {
      throw;
    }
    throw ContractViolation(fmt::format("{}: {}", run_.name_of(process), violation.what()));
  }
}

void Kernel::finish(ProcessId process) {
  ProcessState& state = run_[process];
  if (!failure_) {
    guard([&] { run_.ledger.finish(state, process); });
  }
  tasks_[process.index()] = {};
  state.state = State::done;
  if (--live_ == 0) {
    ends_ = {};
  }
}

std::span<const ProcessId> Kernel::advance(Ticks horizon) {
  woken_.clear();
  listening_.forget_given();
  if (!failure_) {
    guard([&] { advance_network(horizon); });
  }
  if (failure_) {
    return give_up();
  }
  woken_.swap(run_.ready);
  return woken_;
}

void Kernel::advance_network(Ticks horizon) {
  while (run_.ready.empty()) {
    if (!arrived_.empty()) {
      deliver_some();
      continue;
    }
    if (matching_.has_choosers()) [[unlikely]] {
      matching_.choose();
      continue;
    }
    if (listening_.answer()) {
      continue;
    }
    if (!cores_.is_idle()) [[unlikely]] {
      serve_cores();
      continue;
    }
    arrived_ = run_.network.advance(horizon);
    if (arrived_.empty() && run_.network.alarms().empty()) {
      break;
    }
    for (const std::uint32_t alarm : run_.network.alarms()) {
      if (alarm < process_count()) {
        if (run_.processes[alarm].listens) {
          listening_.look_at(ProcessId{alarm});
        } else {
          matching_.note_chooser(ProcessId{alarm});
        }
      } else {
        cores_.look_at(NodeId{alarm - process_count()});
      }
    }
    report_progress(arrived_.size());
  }
}

void Kernel::deliver_some() {
  constexpr std::size_t most = 512;
  const std::span<const MessageId> arrived = arrived_.first(std::min(most, arrived_.size()));
  arrived_ = arrived_.subspan(arrived.size());
  matching_.deliver(arrived);
}

void Kernel::drain() {
  if (!failure_) {
    guard([this] { advance_network(Ticks::max()); });
  }
}

/// Counts deliveries, and starts of processes.
void Kernel::report_progress(std::size_t events) {
  constexpr std::size_t events_per_report = 1 << 14;
  unreported_ += events;
  if (run_.input.progress && unreported_ >= events_per_report) {
    unreported_ = 0;
    run_.input.progress(process_count() - live_, run_.network.now());
  }
}

/// Slow path of compute(): times vary, cores are scarce, or the duration is 0.
bool Kernel::compute_with_care(ProcessId process, Ticks duration) {
  ProcessState& state = run_[process];
  if (!run_.can_act(process)) [[unlikely]] {
    run_.refuse_now(process, "computes");
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
  if (!cores_.are_scarce() || !cores_.are_scarce(run_.input.map[process.index()])) [[likely]] {
    run_.ledger.compute(state, process, duration);
    return true;
  }
  const NodeId node = run_.input.map[process.index()];
  cores_.ask(node, process, state.clock, duration);
  if (state.clock > run_.network.now()) {
    run_.network.set_alarm(state.clock, process_count() + node.index());
  } else {
    cores_.look_at(node);
  }
  state.state = State::awaits_core;
  return false;
}

/// Call when all processes that are ready at this instant are known.
void Kernel::serve_cores() {
  cores_.serve(
      run_.network.now(),
      [this](ProcessId process, Ticks duration, ProcessId before) {
        ProcessState& state = run_[process];
        run_.ledger.wait(state, process, run_.network.now(), Reason{before, {}, Awaits::core});
        run_.ledger.compute(state, process, duration);
        run_.wake(state, process);
      },
      [this](NodeId node, Ticks time) {
        run_.network.set_alarm(time, process_count() + node.index());
      });
}

Ticks Kernel::duration_of(std::string_view operation, std::uint64_t count) const {
  const auto entry = run_.machine.compute.find(std::string{operation});
  if (entry == run_.machine.compute.end()) {
    throw InputError(
        "",
        fmt::format("machine {} does not say how long `{}` takes (its `compute` table has no such "
                    "entry); add it to the machine",
                    run_.machine.name, operation));
  }
  return round_cost(ExactTime{}, entry->second, count);
}

std::span<const ProcessId> Kernel::give_up() {
  is_giving_up_ = true;
  woken_.clear();
  Ticks end = run_.network.now();
  for (std::uint32_t rank = 0; rank < process_count(); ++rank) {
    if (!failure_) {
      guard([&] { end_cores_of_ports(ProcessId{rank}); });
    }
    end = std::max(end, run_.processes[rank].clock);
  }
  const std::vector<const Message*> under_way = matching_.awaited_under_way();
  for (std::uint32_t rank = 0; rank < process_count(); ++rank) {
    const ProcessId process{rank};
    ProcessState& state = run_.processes[rank];
    if (state.state == State::done) {
      continue;
    }
    const auto [awaited, what] = matching_.awaited_by(state);
    blocked_.push_back({process, awaited, state.clock, what});
    // A run that has failed gives no report, and the observer that failed might do so again.
    if (run_.input.transport == Transport::machine && !failure_) {
      guard([&, peer = awaited == anyone ? process : awaited] {
        if (const Message* const message = under_way[rank]) {
          run_.ledger.wait(state, process, std::min(message->start, end), *message);
          run_.ledger.communicate(state, process, end, *message);
        } else {
          run_.ledger.wait(state, process, end, Reason{peer});
        }
      });
    }
    woken_.push_back(process);
  }
  return woken_;
}

}  // namespace dcube::detail
