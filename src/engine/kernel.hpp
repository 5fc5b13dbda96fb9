#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "cores.hpp"
#include "dcube/engine/process.hpp"
#include "dcube/engine/simulation.hpp"
#include "ledger.hpp"
#include "process_set.hpp"
#include "process_state.hpp"
#include "queues.hpp"
#include "requests.hpp"
#include "run_network.hpp"

namespace dcube::detail {

/// The processes of a run and their messages: which receive gets which message, and when. Knows the
/// network, not SimGrid.
///
/// Processes run ahead of the network on clocks of their own. Computing and endpoint costs only
/// move the clock, and a send carries the time at which it is ready. That is right because every
/// process that can run does so before the network moves on. Only what depends on messages that
/// have not arrived blocks.
///
/// A receive from one process takes the earliest message that this process has sent and nothing
/// else has taken, which is known at once. A receive from anyone takes what arrives first. So it,
/// and every receive posted after it, is given a message only when all that can arrive by then has
/// arrived: at the end of an instant, in choose().
class Kernel {
 public:
  /// The input must outlive the kernel.
  explicit Kernel(const SimulationInput& input);
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  // Running. An executor starts every process once, then resumes those that advance() names until
  // all are done.

  std::uint32_t process_count() const { return process_count_; }
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
  /// Null on a machine whose network is dcube's own.
  FluidNetwork* fluid_network() { return network_.fluid(); }
  /// To be called when nothing can wake the live processes any more. Notes who waits for whom.
  /// Returns these processes, which end when they are resumed.
  std::span<const ProcessId> give_up();
  /// Lets the messages that nobody received reach their destinations.
  void drain();
  /// The first exception that a program or an observer let out, if any.
  std::exception_ptr failure() const { return failure_; }

  RunReport report() const;

  // What processes do. Each throws a ContractViolation that names process, stage and call when the
  // program does what it must not. Those that return a bool tell whether the process need not be
  // suspended.

  Ticks now(ProcessId process) const { return processes_[process.index()].clock; }
  /// To be called before a process does what may depend on when messages arrive. A run with the
  /// least carriage cannot tell what it does then: the process is to be suspended for ever.
  bool stops_at_time(ProcessId process) {
    heeds_time_ = true;
    if (input_.carriage == Carriage::least) [[unlikely]] {
      processes_[process.index()].state = State::stopped;
      return true;
    }
    return false;
  }
  /// now() for a program, which may act by it.
  Ticks tell_time(ProcessId process) {
    heed_time(process);
    return now(process);
  }
  /// A run with the least carriage: the process's clock is `time` from now on, earlier or later.
  void set_clock(ProcessId process, Ticks time) {
    if (input_.carriage == Carriage::least) {
      processes_[process.index()].clock = time;
    }
  }
  bool compute(ProcessId process, Ticks duration) {
    return duration > Ticks{0} && can_act(process) && computes_plainly_ &&
                   ledger_.compute_unobserved(processes_[process.index()], duration)
               ? true
               : compute_with_care(process, duration);
  }
  /// Where messages of several ports come in another order, computations have other numbers. So
  /// with the least carriage each takes the least.
  Ticks varied(ProcessId process, Ticks duration, std::uint64_t computation) const {
    return input_.carriage == Carriage::least
               ? input_.jitter.least(duration)
               : input_.jitter.varied(duration, process, computation);
  }
  /// What `count` operations of the machine's `compute` table take.
  Ticks duration_of(std::string_view operation, std::uint64_t count) const;
  void enter_stage(ProcessId process, std::uint32_t stage) {
    ledger_.enter_stage(processes_[process.index()], process, stage);
  }
  void send(ProcessId process, ProcessId to, Payload payload, Tag tag, SendMode mode);
  Request post_send(ProcessId process, ProcessId to, Payload payload, Tag tag, SendMode mode);
  bool receive(ProcessId process, ProcessId from, Tag tag);
  bool exchange_eagerly(ProcessId process, ProcessId partner, Payload& payload);
  /// The rendezvous. Tells whether `code` is suspended.
  bool exchange(ProcessId process, ProcessId partner, Payload& payload,
                std::coroutine_handle<> code);
  /// The payload of the message that receive() or exchange() has led to.
  Payload take_received(ProcessId process);
  Request post_receive(ProcessId process, ProcessId from, Tag tag);
  bool begin_wait(ProcessId process, Wait& wait);
  Received take_message(ProcessId process, Request request);
  void listen(ProcessId process, std::span<const std::byte> needed);
  void begin_hearing(ProcessId process, Wait& wait);
  std::span<const Heard> take_heard(ProcessId process);
  void let_leave(ProcessId process, ProcessId source, Tag tag, Ticks time);
  void pass(ProcessId process, Ticks until, Activity meanwhile) {
    ledger_.spend(processes_[process.index()], process, meanwhile == Activity::compute, until);
  }
  void suspend(ProcessId process, std::coroutine_handle<> code) {
    processes_[process.index()].code = code;
  }
  [[noreturn, gnu::cold]] void refuse(ProcessId process, std::string_view problem) const;

 private:
  /// What is kept of a process that receives from anyone.
  struct Anyone {
    struct Candidate {
      Ticks time;  ///< at which it can be taken: it has arrived, or its sender is ready
      ProcessId source;
      std::uint32_t send_number = 0;
      std::uint32_t message = 0;
      friend auto operator<=>(const Candidate&, const Candidate&) = default;
    };
    std::pmr::set<Candidate> candidates;  ///< the first of each source and tag in the inbox
    std::vector<std::uint32_t> posts;     ///< receives from anyone without a message, in order
    Ticks alarm{-1};                      ///< the last that was set
  };

  /// What is kept of a process that listens.
  struct Listener {
    std::vector<Heard> coming;  ///< a heap of what has not been given, the first of all in front
    std::uint32_t first_given = 0;  ///< in `given_`
    std::uint32_t given = 0;        ///< so many
    std::span<const std::byte> needed;
  };

  // How queues see messages and requests.
  struct MessageItems {
    Messages* messages;
    std::uint32_t& next(std::uint32_t i) const { return (*messages)[MessageId{i}].partner; }
    ProcessId source(std::uint32_t i) const { return (*messages)[MessageId{i}].source; }
    Tag tag(std::uint32_t i) const { return (*messages)[MessageId{i}].tag; }
  };
  struct RequestItems {
    Requests* requests;
    std::uint32_t& next(std::uint32_t i) const { return (*requests)[i].next; }
    ProcessId source(std::uint32_t i) const { return (*requests)[i].peer; }
    Tag tag(std::uint32_t i) const { return (*requests)[i].tag; }
  };

  /// Thrown through a program to end it. What it catches or becomes there does not matter.
  struct Stopped {};

  /// `partner` of a message that the process awaits without a request.
  static constexpr std::uint32_t awaited_alone = nothing - 1;
  /// `partner` of a message that is forgotten when it arrives.
  static constexpr std::uint32_t let_go = nothing - 2;
  /// Where a coroutine's frame keeps what it needs first.
  static constexpr std::size_t frame_head_bytes = 128;

  // Running.
  template <class Code>
  void guard(Code&& code);
  void run_on(ProcessId process, std::coroutine_handle<> code) {
    current_ = process;
    code.resume();
    if (has_ended_) [[unlikely]] {
      has_ended_ = false;
      end(process);
    }
  }
  Task<> note_ends();
  void end(ProcessId process);
  /// The same as stops_at_time(), for calls that cannot suspend the process.
  void heed_time(ProcessId process) {
    if (stops_at_time(process)) [[unlikely]] {
      throw Stopped{};
    }
  }
  [[noreturn]] void rethrow(ProcessId process, const std::exception_ptr& failure) const;
  std::string name_of(ProcessId process) const;
  void finish(ProcessId process);
  bool compute_with_care(ProcessId process, Ticks duration);
  void deliver_some();
  void deliver(MessageId id, Ticks now);
  void report_progress(std::size_t deliveries);
  void advance_network(Ticks horizon);
  void serve_cores();
  void wake(ProcessState& state, ProcessId process) {
    state.state = State::running;
    ready_.push_back(process);
  }
  Message& message(std::uint32_t id) { return messages_[MessageId{id}]; }

  // Messages.
  ProcessState& asking(ProcessId process, const char* does, ProcessId peer);
  [[noreturn, gnu::cold]] void refuse_call(ProcessId process, const char* does,
                                           ProcessId peer) const;
  [[noreturn, gnu::cold]] void refuse_now(ProcessId process, std::string_view call) const;
  bool can_act(ProcessId process) const {
    return process == current_ && processes_[process.index()].state == State::running;
  }
  void expect_rank(ProcessId process, const char* does, ProcessId peer) const {
    if (peer.index() >= process_count()) [[unlikely]] {
      refuse_call(process, does, peer);
    }
  }
  MessageId make_message(ProcessState& sender, ProcessId from, ProcessId to, Payload&& payload,
                         Tag tag, std::uint32_t partner);
  [[gnu::noinline]] void tell_send(Message& message);
  std::uint32_t send_message(ProcessId process, ProcessId to, Payload&& payload, Tag tag,
                             SendMode mode);
  bool leaves_with_receiver(std::uint64_t bytes, SendMode mode);
  void dispatch(std::uint32_t id) {
    if (departs_plainly_) [[likely]] {
      network_.depart_from_own(MessageId{id});
    } else {
      dispatch_with_care(id);
    }
  }
  void dispatch_with_care(std::uint32_t id);
  void carry_at_least(std::uint32_t id);
  void note_exchange(ProcessId process, ProcessId partner, std::uint64_t bytes) {
    if (input_.carriage == Carriage::least) [[unlikely]] {
      ++exchanges_[{process, partner, bytes}];
    }
  }
  void offer(std::uint32_t id);
  void meet(std::uint32_t id, std::uint32_t post);
  void leave_with_receiver(std::uint32_t id, Ticks receiver_ready, Ticks asked);
  void tell_release(const Message& released, Ticks time, Ticks asked) const;
  bool receive_next(ProcessState& state, ProcessId process, ProcessId from, Tag tag);
  bool await_message(ProcessState& state, ProcessId process, std::uint32_t id);
  void complete_receive(ProcessState& state, ProcessId process, std::uint32_t id, Ticks given);
  void account_receive(ProcessState& state, ProcessId process, const Message& received,
                       Ticks given);
  void count_local(const Message& message, std::uint64_t ends);
  bool start_exchange(ProcessId first, ProcessId second, Payload& second_payload,
                      std::coroutine_handle<> second_code);
  void receive_in_turn(ProcessState& state, ProcessId process, std::uint32_t id);

  // Requests.
  void expect_own(ProcessId process, Request request) const;
  static constexpr Ticks not_complete = Ticks::max();
  Ticks completion_of(const RequestState& request) const;
  bool go_on_waiting(ProcessState& state, ProcessId process);
  void look_at_waiter(ProcessId process);
  void complete(ProcessState& state, ProcessId process, std::uint32_t place);

  // Listening.
  struct NextHearing {
    Ticks due;
    const Heard* first;  ///< null: there is nothing to hear by then
  };
  NextHearing hearing_of(ProcessId process) const;
  void see_listener_at(Ticks time, const ProcessState& state, ProcessId process);
  void hear_of(ProcessId process, const Heard& heard);
  void offer_to_listener(std::uint32_t id);
  void hear_arrival(std::uint32_t id);
  void look_at_listener(ProcessId process);
  void give_heard(Listener& listener, Ticks now);

  // Receives from anyone.
  bool waits_for_anyone(const ProcessState& state, ProcessId process) const {
    return state.receives_from_anyone && !anyone_of(process).posts.empty();
  }
  Anyone& anyone_of(ProcessId process) const { return *anyone_[process.index()]; }
  static std::optional<Ticks> available_at(const Message& message);
  void note_candidate(ProcessId process, ProcessId source, Tag tag);
  void forget_candidate(ProcessId process, const Message& taken, std::uint32_t id);
  void begin_receiving_from_anyone(ProcessState& state, ProcessId process);
  std::uint32_t take_for(ProcessState& state, ProcessId process, ProcessId from, Tag tag);
  bool may_go_to_anyone(ProcessId process, Tag tag, std::uint64_t order) const;
  bool give_from_one(ProcessState& state, ProcessId process, std::uint32_t id);
  std::uint32_t take_from_inbox(ProcessState& state, ProcessId process, ProcessId source, Tag tag);
  void choose();
  void note_given(const Message& given);
  bool may_be_joined(Ticks asked, Ticks available) const;
  void give_messages(ProcessId process, Ticks last);
  bool give_to_first(ProcessState& state, ProcessId process, Anyone& anyone, std::uint32_t id);
  void give_what_was_kept(ProcessState& state, ProcessId process);
  void choose_request(ProcessId process, Ticks last);

  void summarise_links(RunReport& report) const;

  const SimulationInput& input_;
  const Machine& machine_;
  RunNetwork network_;
  Messages& messages_;
  Ledger ledger_;
  Cores cores_;
  bool computes_plainly_;  ///< no core is scarce and no time varies
  /// How many computations each process has begun; empty unless their times vary.
  std::vector<std::uint64_t> computations_;
  std::uint64_t eager_limit_;
  bool has_rendezvous_;       ///< some messages may wait for their receivers
  std::uint64_t posted_ = 0;  ///< receives so far

  const NodeId* map_;     ///< [process]: its node
  bool tells_sends_;      ///< somebody asks for what is sent
  bool departs_plainly_;  ///< every message to another process enters dcube's own network
  std::uint32_t process_count_;
  std::vector<ProcessState> processes_;
  std::vector<Process> handles_;
  std::vector<Task<>> tasks_;
  Task<> ends_;             ///< runs whenever the program of a process has ended
  bool has_ended_ = false;  ///< it has run
  Requests requests_;
  Queues<MessageItems> inboxes_;
  Queues<RequestItems> posts_;
  std::pmr::unsynchronized_pool_resource candidate_memory_;
  /// [process], or empty while none receives from anyone. Their candidates lie in the memory above.
  std::vector<std::unique_ptr<Anyone>> anyone_;
  std::map<std::uint32_t, std::uint32_t> posted_sends_;  ///< by message that has not left
  std::vector<Listener> listeners_;                      ///< [process], or empty: none listens
  std::vector<Heard> given_;                             ///< to listeners that run next
  std::vector<ProcessId> listeners_to_see_;              ///< at this instant
  std::vector<ProcessId> listeners_seen_;                ///< for look_at_listener()
  ProcessSet choosers_;  ///< have something to choose at this instant
  std::vector<ProcessId> choosing_;
  /// For observers: what became available last of what was given to receives from anyone.
  Release last_given_;
  /// [node], or empty: beginnings and ends there of messages that crossed no link.
  std::vector<std::uint64_t> local_ends_;
  std::span<const MessageId> arrived_;  ///< at this instant, and not yet delivered
  std::vector<ProcessId> woken_;
  std::vector<ProcessId> ready_;  ///< can run on, and have not been named
  ProcessId current_;             ///< whose program runs, or ran last
  std::uint32_t live_ = 0;
  bool is_giving_up_ = false;
  bool heeds_time_ = false;
  // Of runs with the least carriage:
  std::map<std::uint64_t, Ticks> least_times_;  ///< by bytes
  std::map<std::tuple<ProcessId, ProcessId, std::uint64_t>, std::uint64_t> exchanges_;
  std::exception_ptr failure_;
  std::vector<BlockedProcess> blocked_;
  std::uint64_t wakeups_ = 0;
  std::size_t deliveries_unreported_ = 0;
};

inline void Kernel::complete_receive(ProcessState& state, ProcessId process, std::uint32_t id,
                                     Ticks given) {
  account_receive(state, process, message(id), given);
  state.message = id;
  state.state = State::running;
}

/// The process has the message: it waited for it until it had arrived and was `given` to it, and
/// pays for it.
inline void Kernel::account_receive(ProcessState& state, ProcessId process, const Message& received,
                                    Ticks given) {
  const Ticks until = std::max(received.arrival, given);
  if (until > state.clock) {
    ++wakeups_;
    ledger_.wait(state, process, received.start, received);
    ledger_.communicate(state, process, until, received);
  }
  if (ledger_.receiving_costs() && received.source != process) {
    ledger_.pay_receive(state, process, received);
  }
}

}  // namespace dcube::detail
