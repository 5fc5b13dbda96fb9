#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/engine/process.hpp"
#include "dcube/engine/simulation.hpp"
#include "ledger.hpp"
#include "process_state.hpp"
#include "run_network.hpp"

namespace dcube::detail {

/// Shared state of the parts of a run: processes, network, and the ledger of their time.
struct RunState {
  /// The input must outlive the state.
  explicit RunState(const SimulationInput& of)
      : input{of},
        machine{of.machine},
        network{of.machine, of.observer, of.transport},
        messages{network.messages()},
        ledger{of},
        processes(of.map.size()),
        eager_limit{of.program_pays_endpoints
                        ? no_limit
                        : of.machine.endpoint.eager_limit_bytes.value_or(no_limit)},
        has_rendezvous{eager_limit != no_limit} {}
  RunState(const RunState&) = delete;
  RunState& operator=(const RunState&) = delete;

  static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
  /// Thrown through a program to end it, whatever the program catches or makes of it.
  struct Stopped {};

  const SimulationInput& input;
  const Machine& machine;
  RunNetwork network;
  Messages& messages;
  Ledger ledger;
  std::vector<ProcessState> processes;
  std::vector<ProcessId> ready;  ///< can run, and have not been named
  ProcessId current;             ///< whose program runs, or ran last
  std::uint64_t eager_limit;     ///< larger messages wait for their receivers
  bool has_rendezvous;           ///< some messages may wait for their receivers
  std::uint64_t wakeups = 0;
  bool ports_depend = false;  ///< see RunReport
  bool heeds_time = false;    ///< some process may have acted by the time of messages

  std::uint32_t process_count() const { return static_cast<std::uint32_t>(processes.size()); }
  ProcessState& operator[](ProcessId process) { return processes[process.index()]; }
  const ProcessState& operator[](ProcessId process) const { return processes[process.index()]; }
  Message& message(std::uint32_t id) { return messages[MessageId{id}]; }

  void wake(ProcessState& state, ProcessId process) {
    state.state = State::running;
    ready.push_back(process);
  }

  /// The process has the message that it awaited, given to it at `given`.
  void complete_receive(ProcessState& state, ProcessId process, std::uint32_t id, Ticks given) {
    account_receive(state, process, message(id), given);
    state.message = id;
    state.state = State::running;
  }
  /// The process has waited until the message had arrived and was `given` to it; it pays for it.
  void account_receive(ProcessState& state, ProcessId process, const Message& received,
                       Ticks given) {
    account_waiting(state, process, received, given);
    pay_receive(state, process, received);
  }
  void account_waiting(ProcessState& state, ProcessId process, const Message& received,
                       Ticks given) {
    const Ticks until = std::max(received.arrival, given);
    if (until > state.clock) {
      ++wakeups;
      ledger.wait(state, process, received.start, received);
      ledger.communicate(state, process, until, received);
    }
  }
  void pay_receive(ProcessState& state, ProcessId process, const Message& received) {
    if (ledger.receiving_costs() && received.source != process) {
      ledger.pay_receive(state, process, received);
    }
  }

  /// Call before an action that may depend on when messages arrive. True: the process is to be
  /// suspended for ever, because a contention-free run cannot tell such actions.
  bool stops_at_time(ProcessId process) {
    heeds_time = true;
    if (input.transport == Transport::contention_free) [[unlikely]] {
      (*this)[process].state = State::stopped;
      return true;
    }
    return false;
  }
  /// stops_at_time() for calls that cannot suspend the process.
  void heed_time(ProcessId process) {
    if (stops_at_time(process)) [[unlikely]] {
      throw Stopped{};
    }
  }

  // ContractViolations of the program, which name process, stage and call.

  bool can_act(ProcessId process) const {
    return process == current && (*this)[process].state == State::running;
  }
  void expect_rank(ProcessId process, const char* does, ProcessId peer) const {
    if (peer.index() >= process_count()) [[unlikely]] {
      refuse_call(process, does, peer);
    }
  }
  /// "process 3 in stage 2".
  std::string name_of(ProcessId process) const;
  [[noreturn, gnu::cold]] void refuse(ProcessId process, std::string_view problem) const;
  /// Throws for a call, named by `does`, that concerns `peer`.
  [[noreturn, gnu::cold]] void refuse_call(ProcessId process, const char* does,
                                           ProcessId peer) const;
  /// Throws the reason why the process cannot make this call now.
  [[noreturn, gnu::cold]] void refuse_now(ProcessId process, std::string_view call) const;
};

}  // namespace dcube::detail
