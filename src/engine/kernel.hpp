#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <span>
#include <string_view>
#include <vector>

#include "cores.hpp"
#include "dcube/engine/process.hpp"
#include "dcube/engine/simulation.hpp"
#include "listening.hpp"
#include "matching.hpp"
#include "run_state.hpp"

namespace dcube::detail {

/// Runs the processes of a simulation. Knows the network, not SimGrid.
///
/// Processes run ahead of the network on clocks of their own. Computing and endpoint costs only
/// move the clock, and a send carries the time at which it is ready. That is right because every
/// process that can run does so before the network advances. Only missing messages block.
class Kernel {
 public:
  /// The input must outlive the kernel.
  explicit Kernel(const SimulationInput& input);
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  // Interface for executors. They start every process once, then resume those that advance() names
  // until all are done. Exceptions of the program or an observer become the run's failure().

  std::uint32_t process_count() const { return run_.process_count(); }
  /// Runs the process from its beginning until it blocks or ends.
  void start(ProcessId process);
  /// Runs a process named by advance() until it blocks or ends.
  void resume(ProcessId process);
  /// resume() for several processes, in this order.
  void resume(std::span<const ProcessId> processes);
  /// Prefetches the state of processes that will be resumed soon.
  void prefetch_processes(std::span<const ProcessId> processes) const;
  bool is_done(ProcessId process) const { return run_[process].state == State::done; }
  std::uint32_t live_processes() const { return live_; }
  /// Advances to the first instant up to `horizon` that wakes processes; names them, or none.
  std::span<const ProcessId> advance(Ticks horizon);
  Ticks network_time() const { return run_.network.now(); }
  /// Null on a machine whose network is dcube's own.
  FluidNetwork* fluid_network() { return run_.network.fluid(); }
  /// Call when nothing can wake the live processes any more. Notes who waits for whom, and returns
  /// these processes, which end when they are resumed.
  std::span<const ProcessId> give_up();
  /// Lets messages without a receive reach their destinations.
  void drain();
  /// The first exception of a program or an observer, or null.
  std::exception_ptr failure() const { return failure_; }

  RunReport report() const;

  // Actions of processes. Misuse is a ContractViolation that names process, stage and call.

  Matching& matching() { return matching_; }
  Listening& listening() { return listening_; }
  Ticks now(ProcessId process) const { return run_[process].clock; }
  bool stops_at_time(ProcessId process) { return run_.stops_at_time(process); }
  /// now() for a program, which may act by it.
  Ticks tell_time(ProcessId process) {
    run_.heed_time(process);
    return now(process);
  }
  bool has_port_clocks() const { return run_.input.transport == Transport::contention_free; }
  /// Whether nothing may interrupt a computation: ports have clocks of their own, or cores are
  /// scarce.
  bool computes_at_a_stretch(ProcessId process) const {
    return has_port_clocks() ||
           (cores_.are_scarce() && cores_.are_scarce(run_.input.map[process.index()]));
  }
  std::uint32_t stage(ProcessId process) const { return run_.ledger.stage(process); }
  /// What the process does now is work for that stage. Returns its own.
  std::uint32_t work_for(ProcessId process, std::uint32_t stage) {
    return run_.ledger.work_for(process, stage);
  }
  void end_work(ProcessId process, std::uint32_t own, Ticks begin) {
    run_.ledger.end_work(run_[process], process, own, begin);
  }
  bool tells_stages_of_costs() {
    return run_.ledger.receiving_costs() &&
           (run_.input.observer != nullptr || run_.ledger.tally() != nullptr);
  }
  Observer* observer() const { return run_.input.observer; }
  const EndpointModel& endpoint_costs() const { return run_.input.machine.endpoint; }
  std::uint32_t send_count(ProcessId process) const { return run_[process].send_count; }
  /// What the process has paid for receiving the message.
  Ticks cost_of_receiving(ProcessId process, const Received& message) const {
    return run_.input.program_pays_endpoints || message.source == process
               ? Ticks{0}
               : run_.input.machine.endpoint.receive_time(message.payload.size_bytes());
  }
  void let_ports_depend() { run_.ports_depend = true; }
  /// Gives each port a core: see Ledger. False: ports have clocks of their own anyway, or the node
  /// lacks cores even for its processes.
  bool begin_cores_of_ports(ProcessId process, std::size_t ports) {
    const bool has_cores = !computes_at_a_stretch(process);
    if (has_cores) {
      run_.ledger.begin_cores_of_ports(run_[process], process, ports);
    }
    return has_cores;
  }
  void end_cores_of_ports(ProcessId process) {
    run_.ledger.end_cores_of_ports(run_[process], process);
  }
  /// Sets the process's clock, forward or back, if ports have clocks of their own.
  void set_clock(ProcessId process, Ticks time) {
    if (has_port_clocks()) {
      run_[process].clock = time;
    } else if (run_.ledger.has_cores_of_ports(process)) {
      run_.ledger.go_to(run_[process], process, time);
    }
  }
  /// Returns whether the process need not be suspended.
  bool compute(ProcessId process, Ticks duration) {
    return duration > Ticks{0} && run_.can_act(process) && computes_plainly_ &&
                   run_.ledger.compute_unobserved(run_[process], duration)
               ? true
               : compute_with_care(process, duration);
  }
  /// The order of messages at several ports decides the numbers of computations. So in a
  /// contention-free run each computation takes its least time.
  Ticks varied(ProcessId process, Ticks duration, std::uint64_t computation) const {
    if (run_.input.jitter.part == 0) [[likely]] {
      return duration;
    }
    return run_.input.transport == Transport::contention_free
               ? run_.input.jitter.least(duration)
               : run_.input.jitter.varied(duration, process, computation);
  }
  /// Time of `count` operations of the machine's `compute` table.
  Ticks duration_of(std::string_view operation, std::uint64_t count) const;
  void enter_stage(ProcessId process, std::uint32_t stage) {
    run_.ledger.enter_stage(run_[process], process, stage);
  }
  void pass(ProcessId process, Ticks until, Activity meanwhile) {
    run_.ledger.spend(run_[process], process, meanwhile == Activity::compute, until);
  }
  void suspend(ProcessId process, std::coroutine_handle<> code) { run_[process].code = code; }
  [[noreturn, gnu::cold]] void refuse(ProcessId process, std::string_view problem) const {
    run_.refuse(process, problem);
  }

 private:
  template <class Code>
  void guard(Code&& code);
  void run_on(ProcessId process, std::coroutine_handle<> code) {
    run_.current = process;
    code.resume();
    if (has_ended_) [[unlikely]] {
      has_ended_ = false;
      end(process);
    }
  }
  Task<> note_ends();
  void end(ProcessId process);
  [[noreturn]] void rethrow(ProcessId process, const std::exception_ptr& failure) const;
  void finish(ProcessId process);
  bool compute_with_care(ProcessId process, Ticks duration);
  void deliver_some();
  void report_progress(std::size_t events);
  void advance_network(Ticks horizon);
  void serve_cores();
  void summarise_links(RunReport& report) const;

  RunState run_;
  Listening listening_;
  Matching matching_;
  Cores cores_;
  bool computes_plainly_;  ///< no core is scarce and no time varies
  /// Number of computations that each process has begun; empty unless times vary.
  std::vector<std::uint64_t> computations_;
  std::vector<Process> handles_;
  std::vector<Task<>> tasks_;
  Task<> ends_;                         ///< resumed whenever the program of a process has ended
  bool has_ended_ = false;              ///< `ends_` has run
  std::span<const MessageId> arrived_;  ///< at this instant, and not yet delivered
  std::vector<ProcessId> woken_;
  std::uint32_t live_ = 0;
  bool is_giving_up_ = false;
  std::exception_ptr failure_;
  std::vector<BlockedProcess> blocked_;
  std::size_t unreported_ = 0;  ///< events
};

}  // namespace dcube::detail
