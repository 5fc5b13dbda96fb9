#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/prefetch.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/engine/observer.hpp"
#include "dcube/engine/simulation.hpp"
#include "fingerprint.hpp"
#include "process_state.hpp"
#include "stage_tally.hpp"

namespace dcube::detail {

/// Cause of an interval: the peer, and the message, whose name is made only for observers.
struct Reason {
  ProcessId peer;
  std::optional<MessageName> message = {};
  Awaits awaits = Awaits::nothing;
  std::uint32_t send_number = 0;  ///< see Interval
};

/// Reason for waiting: the partner of an exchange is not ready.
struct Unready {
  ProcessId partner;
};

inline const Reason& reason_of(const Reason& reason) { return reason; }
inline Reason reason_of(Unready unready) { return {unready.partner, {}, Awaits::partner}; }
inline Reason reason_of(const Message& message) {
  return {message.source, MessageName{message.source, message.send_number}, Awaits::message};
}

/// Accounts for the time of processes: moves their clocks on, and tells the observer.
class Ledger {
 public:
  explicit Ledger(const SimulationInput& input);

  void compute(ProcessState& state, ProcessId process, Ticks duration) {
    const Ticks until = checked_add(state.clock, duration);
    tell(state, process, Activity::compute, until, Reason{process});
    add_up(process, Activity::compute, duration);
    state.compute += duration;
    state.clock = until;
  }
  /// compute() when nobody observes; false: somebody does, or the time overflows.
  bool compute_unobserved(ProcessState& state, Ticks duration) const {
    Ticks::rep until = 0;
    if (is_attended_ || __builtin_add_overflow(state.clock.count(), duration.count(), &until))
        [[unlikely]] {
      return false;
    }
    state.compute += duration;
    state.clock = Ticks{until};
    return true;
  }
  /// Computes, or is busy at the endpoint, until an instant; no effect if that has passed.
  void spend(ProcessState& state, ProcessId process, bool computes, Ticks until) {
    if (until > state.clock) {
      tell(state, process, computes ? Activity::compute : Activity::endpoint, until,
           Reason{process});
      add_up(process, computes ? Activity::compute : Activity::endpoint, until - state.clock);
      Ticks& time = computes ? state.compute : endpoint_of(process);
      time += until - state.clock;
      state.clock = until;
    }
  }
  /// Waits until an instant; no effect if that has passed.
  template <class Why>
  void wait(ProcessState& state, ProcessId process, Ticks until, const Why& why) {
    if (until > state.clock) {
      tell(state, process, Activity::waiting, until, why);
      count_wait(process, until - state.clock);
      state.clock = until;
    }
  }
  /// Sums nothing: communication is the rest of a process's time.
  template <class Why>
  void communicate(ProcessState& state, ProcessId process, Ticks until, const Why& why) {
    tell(state, process, Activity::communication, until, why);
    state.clock = until;
  }
  void pay_send(ProcessState& state, ProcessId process, std::uint64_t bytes, ProcessId to) {
    if (!send_cost_.is_free) {
      pay(state, process, send_cost_, bytes, Reason{to, MessageName{process, state.send_count}});
    }
  }
  bool receiving_costs() const { return !receive_cost_.is_free; }
  void pay_receive(ProcessState& state, ProcessId process, const Message& received) {
    pay(state, process, receive_cost_, received.payload.size_bytes(), received);
  }

  bool has_cores_of_ports(ProcessId process) const {
    return !cores_of_ports_.empty() && cores_of_ports_[process.index()];
  }
  /// The process works on a core for each port, whose times it takes. Nobody hears of that, and
  /// waiting is not counted.
  void begin_cores_of_ports(ProcessState& state, ProcessId process, std::size_t ports);
  /// It has, until the latest of these times. What a port computes in the mean is counted, and the
  /// rest of the time as the endpoint's. No effect without cores of ports.
  void end_cores_of_ports(ProcessState& state, ProcessId process);
  /// Turns to another port, which has that time. Needs cores of ports.
  void go_to(ProcessState& state, ProcessId process, Ticks time) {
    Ticks& latest = cores_of_ports_[process.index()]->latest;
    latest = std::max(latest, state.clock);
    state.clock = time;
  }

  /// Prefetches the times of a process that will run soon.
  [[gnu::always_inline]] void prefetch_times(ProcessId process) const {
    prefetch(&stage_of_[process.index()], 1);
    prefetch(&waiting_[process.index()], 1);
  }
  void enter_stage(const ProcessState& state, ProcessId process, std::uint32_t stage) {
    expects(stage < stage_count_, "a stage is below the run's stage count");
    const std::uint32_t left = std::exchange(stage_of_[process.index()], stage);
    if (tally_) [[unlikely]] {
      tally_->leave(process, left, state.clock);
    }
    if (left != no_stage) {
      leave_stage(state, process, left);
    }
  }
  /// What the process does now belongs to another stage, which it does not enter. Returns its own.
  std::uint32_t work_for(ProcessId process, std::uint32_t stage) {
    return std::exchange(stage_of_[process.index()], stage);
  }
  /// The process is back in its own stage, after work from `begin` on.
  void end_work(const ProcessState& state, ProcessId process, std::uint32_t own, Ticks begin) {
    const std::uint32_t other = std::exchange(stage_of_[process.index()], own);
    if (tally_ && state.clock != begin) [[unlikely]] {
      tally_->pass(process, own, begin);
      tally_->pass(process, other, state.clock);
    }
  }
  /// The stage of a process, or no_stage.
  std::uint32_t stage(ProcessId process) const { return stage_of_[process.index()]; }

  /// Costs by stage; null unless the run counts stages.
  StageTally* tally() { return tally_ ? &*tally_ : nullptr; }

  /// Counts a message and returns its send number.
  std::uint32_t count_message(ProcessState& sender, std::uint64_t bytes) {
    if (sender.send_count == most_sends || __builtin_add_overflow(bytes_sent_, bytes, &bytes_sent_))
        [[unlikely]] {
      refuse_count(sender);
    }
    return sender.send_count++;
  }
  void note_delivery(const Message& message) {
    const std::uint64_t bytes = message.payload.size_bytes();
    fingerprint_.add_message(message.source, message.send_number, message.destination, bytes,
                             message.hops, message.start, message.arrival);
    if (observer_ != nullptr) [[unlikely]] {
      observer_->on_delivery({message.source, message.send_number, message.destination, bytes,
                              message.hops, message.start, message.arrival});
    }
  }
  /// A process has ended or was given up.
  void finish(const ProcessState& state, ProcessId process);

  void report(RunReport& report, std::span<const ProcessState> processes) const;

 private:
  struct StageState {
    Ticks finish_max{0};
    Int128 waiting = 0;  ///< summed over processes
  };
  /// An endpoint cost, cached for the last size: programs repeat themselves.
  struct SizedCost {
    using TimeOf = Ticks (EndpointModel::*)(std::uint64_t bytes) const;
    SizedCost(const EndpointModel& of, TimeOf time, bool costs_nothing)
        : endpoint{&of}, time_of{time}, is_free{costs_nothing}, duration{(of.*time)(0)} {}
    const EndpointModel* endpoint;
    TimeOf time_of;
    bool is_free;
    std::uint64_t bytes = 0;
    Ticks duration;
  };

  struct CoresOfPorts {
    Ticks::rep ports;
    Ticks begin;
    Ticks latest;  ///< of the times of ports that the process has left
    // What the process had computed, and spent at its endpoint, before.
    Ticks compute;
    Ticks endpoint;
    std::vector<Ticks> acts{};  ///< ends of what observers do not hear of: messages begin then
  };

  static constexpr std::uint32_t most_sends = ~std::uint32_t{0};

  [[noreturn, gnu::cold]] static void refuse_count(const ProcessState& sender);
  void count_wait(ProcessId process, Ticks duration);
  void add_up(ProcessId process, Activity activity, Ticks time) {
    if (tally_ && !has_cores_of_ports(process)) [[unlikely]] {
      tally_->add(stage(process), activity, time);
    }
  }
  template <class Why>
  void pay(ProcessState& state, ProcessId process, SizedCost& cost, std::uint64_t bytes,
           const Why& why) {
    if (cost.bytes != bytes) {
      cost.duration = (cost.endpoint->*cost.time_of)(bytes);
      cost.bytes = bytes;
    }
    const Ticks until = checked_add(state.clock, cost.duration);
    tell(state, process, Activity::endpoint, until, why);
    add_up(process, Activity::endpoint, cost.duration);
    endpoint_[process.index()] += cost.duration;
    state.clock = until;
  }
  template <class Why>
  void tell(const ProcessState& state, ProcessId process, Activity activity, Ticks until,
            const Why& why) {
    if (observer_ != nullptr && until > state.clock) [[unlikely]] {
      if (has_cores_of_ports(process)) {
        cores_of_ports_[process.index()]->acts.push_back(until);
        return;
      }
      const Reason reason = reason_of(why);
      const bool waits = activity == Activity::waiting;
      observer_->on_interval({process, activity, stage(process), state.clock, until, reason.peer,
                              reason.message, waits ? reason.awaits : Awaits::nothing,
                              reason.send_number});
    }
  }
  void leave_stage(const ProcessState& state, ProcessId process, std::uint32_t left) {
    if (stages_[left].finish_max < state.clock) {
      stages_[left].finish_max = state.clock;
    }
    if (observer_ != nullptr) [[unlikely]] {
      observer_->on_stage_end(process, left, state.clock);
    }
  }

  /// Allocates on demand: programs may spend endpoint time even where endpoints are free.
  Ticks& endpoint_of(ProcessId process) {
    if (endpoint_.empty()) {
      endpoint_.resize(stage_of_.size());
    }
    return endpoint_[process.index()];
  }

  Observer* observer_;
  bool is_attended_;  ///< somebody asks for the actions of processes
  SizedCost send_cost_;
  SizedCost receive_cost_;
  std::vector<std::uint32_t> stage_of_;  ///< [process]
  std::vector<Ticks> waiting_;           ///< [process]
  std::vector<Ticks> endpoint_;          ///< [process], or empty: endpoints are free
  std::vector<std::optional<CoresOfPorts>> cores_of_ports_;  ///< [process], or empty: none has
  std::uint32_t stage_count_;
  std::vector<StageState> stages_;
  std::optional<StageTally> tally_;
  Fingerprint fingerprint_;
  std::uint64_t bytes_sent_ = 0;
  std::uint64_t waits_ = 0;
  Ticks longest_wait_{0};
};

}  // namespace dcube::detail
