#pragma once

#include <coroutine>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "dcube/core/int128.hpp"
#include "dcube/engine/process.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/network/network.hpp"
#include "fingerprint.hpp"
#include "inboxes.hpp"

namespace dcube::detail {

/// The processes of a run and their messages: clocks, matching, accounting. Knows the network, not
/// SimGrid.
///
/// Processes run ahead of the network on clocks of their own. Computing and endpoint costs only
/// move the clock, and a send carries the time at which it is ready. That is right because every
/// process that can run does so before the network moves on. Only a receive whose message has not
/// arrived blocks.
class Kernel {
 public:
  /// The input must outlive the kernel.
  explicit Kernel(const SimulationInput& input);
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  // Running. An executor starts every process once, then resumes those that advance() names until
  // all are done.

  std::uint32_t process_count() const { return static_cast<std::uint32_t>(processes_.size()); }
  // Whatever a program or an observer throws meanwhile becomes the run's failure().
  /// Runs the process from its beginning until it blocks or ends.
  void start(ProcessId process);
  /// Runs a process named by advance() on until it blocks or ends.
  void resume(ProcessId process);
  /// Runs several of them, in this order.
  void resume(std::span<const ProcessId> processes);
  /// Starts to load what processes that will be resumed soon need.
  void prefetch_processes(std::span<const ProcessId> processes) const;
  bool is_done(ProcessId process) const { return processes_[process.index()].state == State::done; }
  std::uint32_t live_processes() const { return live_; }
  /// Moves the network on to the first instant, not after `horizon`, that wakes processes, and
  /// names them. Empty: none does.
  std::span<const ProcessId> advance(Ticks horizon);
  Ticks network_time() const { return network_.now(); }
  /// For when nothing can wake the live processes any more. Notes who waits for whom and names
  /// them, so that they end when they are resumed.
  std::span<const ProcessId> give_up();
  /// Lets the messages that nobody received reach their destinations.
  void drain() { advance(Ticks::max()); }
  /// The first exception that a program or an observer let out, if any.
  std::exception_ptr failure() const { return failure_; }

  RunReport report() const;

  // What processes do. A rank outside the program is a ContractViolation, and so is a receive or an
  // exchange by a process that is blocked or is not the one that runs.

  Ticks now(ProcessId process) const { return processes_[process.index()].clock; }
  void compute(ProcessId process, Ticks duration);
  void compute(ProcessId process, std::string_view operation, std::uint64_t count);
  void enter_stage(ProcessId process, std::uint32_t stage);
  void send(ProcessId process, ProcessId to, Payload payload);
  void receive(ProcessId process, ProcessId from);
  void exchange(ProcessId process, ProcessId partner, Payload&& payload, ExchangeMode mode);
  bool is_blocked(ProcessId process) const {
    return processes_[process.index()].state > State::running;
  }
  void block(ProcessId process, std::coroutine_handle<> waiting) {
    processes_[process.index()].waiting_code = waiting;
  }
  Payload take_received(ProcessId process) {
    return std::move(processes_[process.index()].payload);
  }

 private:
  enum class State : std::uint8_t {
    done,     ///< its program has ended, or has been given up
    running,  ///< its program runs, or can run on
    // Blocked: its program waits in a receive or an exchange with `peer`.
    awaits_message,  ///< for a message that is under way
    awaits_send,     ///< for a message that has not been sent
    awaits_partner,  ///< in a rendezvous, for the partner to be ready
  };

  struct ProcessState {
    Ticks clock{0};
    Ticks compute{0};
    Ticks waiting{0};
    Ticks endpoint{0};
    std::coroutine_handle<> waiting_code;
    Payload payload;  ///< to be exchanged, or just received
    Inboxes::Inbox inbox;
    std::uint64_t ends = 0;  ///< messages to others that began or ended here
    std::uint32_t send_count = 0;
    std::uint32_t stage = no_stage;
    ProcessId peer;  ///< whom it waits for
    State state = State::running;
  };

  /// A message from its sending to its receipt, under the network's number.
  struct MessageState {
    Payload payload;
    Ticks arrival{0};
    std::uint32_t send_number = 0;
    ProcessId source;
    ProcessId destination;
    bool has_arrived = false;
    bool is_awaited = false;
  };

  struct StageState {
    Ticks finish_max{0};
    Int128 waiting = 0;  ///< summed over processes
  };

  /// An endpoint cost with the last size it was asked for: programs repeat themselves.
  struct SizedCost {
    TransferCost cost;
    std::uint64_t bytes = 0;
    Ticks duration{0};
  };

  template <class Code>
  void guard(Code&& code);
  void run_on(ProcessId process, std::coroutine_handle<> code);
  void finish(ProcessId process);
  void deliver_all(std::span<const MessageId> arrived);
  void deliver(MessageId id);
  void report_progress(std::size_t deliveries);
  void complete_receive(ProcessState& receiver, ProcessId process, MessageId id);
  ProcessState& asking(ProcessId process, const char* does, ProcessId peer);
  [[noreturn, gnu::cold]] void refuse(ProcessId process, const char* does, ProcessId peer) const;
  MessageId dispatch(ProcessId from, ProcessId to, Payload payload);
  std::uint32_t count_message(ProcessState& sender, std::uint64_t bytes);
  void start_exchange(ProcessId first, ProcessId second, Payload second_payload);
  void keep_for_self(ProcessId process, Payload payload);
  void receive_in_turn(ProcessState& state, ProcessId process, MessageId id);
  void await_message(ProcessState& state, ProcessId process, MessageId id);

  /// Whom and what time is spent on.
  struct Reason {
    ProcessId peer;
    std::optional<MessageName> message;
  };
  void account_waiting(ProcessState& state, ProcessId process, Ticks until, const Reason& reason);
  void account_communication(ProcessState& state, ProcessId process, Ticks until,
                             const Reason& reason);
  void account_endpoint(ProcessState& state, ProcessId process, SizedCost& cost,
                        std::uint64_t bytes, const Reason& reason);
  void report_interval(const ProcessState& state, ProcessId process, Activity activity, Ticks until,
                       const Reason& reason);
  void leave_stage(const ProcessState& state, ProcessId process);

  void summarise_times(RunReport& report) const;
  void summarise_links(RunReport& report) const;

  const SimulationInput& input_;
  const Machine& machine_;
  Network network_;
  Observer* observer_;

  std::vector<ProcessState> processes_;
  std::vector<Process> handles_;
  std::vector<Task<>> tasks_;
  std::vector<MessageState> messages_;  ///< [MessageId]
  Inboxes inboxes_;
  std::map<ProcessId, std::deque<Payload>> to_self_;
  std::vector<ProcessId> woken_;
  std::vector<ProcessId> ready_;  ///< unblocked by another process while the instant is open
  ProcessId current_;             ///< whose program runs, or ran last
  std::uint32_t live_ = 0;
  bool is_giving_up_ = false;
  std::exception_ptr failure_;

  SizedCost send_cost_;
  SizedCost receive_cost_;
  std::vector<StageState> stages_;
  std::vector<BlockedProcess> blocked_;
  std::uint64_t messages_sent_ = 0;
  std::uint64_t bytes_sent_ = 0;
  std::uint64_t wakeups_ = 0;
  std::uint64_t waits_ = 0;
  Ticks longest_wait_{0};
  std::size_t deliveries_unreported_ = 0;
  Fingerprint fingerprint_;
};

}  // namespace dcube::detail
