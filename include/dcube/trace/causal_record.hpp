#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/observer.hpp"
#include "dcube/network/machine.hpp"

namespace dcube {

/// A message that its receiver, or its sender, waited for.
struct AwaitedMessage {
  MessageName name;
  std::uint64_t bytes = 0;
  Ticks start{0};
};

/// Why something did not happen before some instant: a process was busy until then, or a message
/// arrived only then.
struct Origin {
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  ProcessId process;             ///< the busy process, or the sender of the message
  std::uint32_t arrival = none;  ///< number of the arrival
  std::uint32_t steps = none;    ///< the process was busy with these steps in the background

  friend bool operator==(const Origin&, const Origin&) = default;
};

/// A message whose arrival decided when others could go on, whether or not its receiver waited.
struct DecisiveArrival {
  std::uint32_t message = 0;  ///< number
  ProcessId destination;
  Ticks time{0};
};

/// A recorded hop. `link` is the lower of a half-duplex link's two numbers.
struct NotedHop {
  MessageName message;
  std::uint32_t packet = 0;
  LinkId link;
  Ticks arrival{0};
  Ticks start{0};
  Ticks finish{0};  ///< of the head under cut-through
};

/// Background steps of a process, once the run has ended.
struct NotedSteps {
  BackgroundSteps steps;  ///< `collective` is its place in CausalRecord::collectives()
  std::uint32_t before = Origin::none;    ///< the preceding steps at the port
  std::uint32_t delivery = Origin::none;  ///< of their message
  std::uint32_t arrival = Origin::none;   ///< of their message, if nothing else held them up
};

/// Record of a run, from which its causes are explained afterwards: the steps of every process, the
/// messages that were waited for, the hops that queued, and the origins of releases where a
/// receiver held a message up. All other hops follow from the routes, unless messages travel in
/// packets or draw or choose their ways: then all hops are kept.
///
/// Of collectives in the background it keeps all steps, and all deliveries from the first on.
///
/// Memory: 24 bytes an interval, 24 more for communication, 40 a recorded hop, and some 130 for
/// each message of a collective in the background. The observer
/// throws MemoryError when memory runs short during the run. Queries need a run that has ended.
/// They are const but not thread-safe, because the first one sorts.
class CausalRecord final : public Observer {
 public:
  CausalRecord(std::uint32_t process_count, const LinkModel& links);

  /// Estimated memory of the record and its explanation, on top of the run itself. Assumes that
  /// every process computes, sends and waits once a stage, or once where there are none.
  static std::uint64_t estimated_bytes(std::uint32_t process_count, std::uint32_t stage_count);

  HopReports hop_reports() const override {
    return keeps_all_hops_ ? HopReports::all : HopReports::queued;
  }
  void on_interval(const Interval& interval) override;
  void on_hop(const Hop& hop) override;
  void on_delivery(const Delivery& delivery) override;
  void on_release(const Release& release) override;
  void on_background(const BackgroundCollective& collective) override;
  void on_background_steps(const BackgroundSteps& steps) override;

  /// An interval without its message.
  struct Step {
    Activity activity{};
    std::uint32_t stage = no_stage;
    Ticks begin{0};
    Ticks end{0};
    ProcessId peer;
    Awaits awaits = Awaits::nothing;
    bool is_held = false;  ///< communication that ended later than its message arrived
  };

  std::uint32_t process_count() const { return static_cast<std::uint32_t>(first_step_.size() - 1); }
  /// Number of intervals of the process, which follow each other from 0 on.
  std::uint32_t step_count(ProcessId process) const {
    return static_cast<std::uint32_t>(steps_of(process).size());
  }
  Step step(ProcessId process, std::uint32_t index) const;
  /// The number of the message of a step that is communication and not held.
  std::uint32_t message_number(ProcessId process, std::uint32_t index) const;
  const AwaitedMessage& message(std::uint32_t number) const { return messages_[number]; }
  /// Receiver of the message with that number, which the process waited for.
  ProcessId destination(ProcessId process, std::uint32_t message) const {
    const auto sent = sent_to_.find(message);
    return sent == sent_to_.end() ? process : sent->second;
  }
  const AwaitedMessage& message(ProcessId process, std::uint32_t index) const {
    return messages_[message_number(process, index)];
  }
  // Collectives in the background.

  bool has_collectives() const { return !collectives_.empty(); }
  /// Those that a process has started, in order.
  std::span<const BackgroundCollective> collectives(ProcessId process) const {
    return collectives_.empty()
               ? std::span<const BackgroundCollective>{}
               : std::span<const BackgroundCollective>{collectives_[process.index()]};
  }
  /// Steps of a process, in order.
  std::span<const NotedSteps> background(ProcessId process) const;
  /// The steps in which a process did what it did just before `time`.
  std::optional<std::uint32_t> background_at(ProcessId process, Ticks time) const;
  /// The steps that sent a message.
  std::optional<std::uint32_t> background_sending(const MessageName& message) const;
  /// The steps that waited for a message; first the receiver.
  std::optional<std::pair<ProcessId, std::uint32_t>> background_receiving(
      const MessageName& message) const;
  /// All messages delivered after the first collective began, in order of their names.
  std::span<const Delivery> deliveries() const;
  std::span<const NotedHop> hops() const { return hops_; }

  /// Why a message did not start earlier.
  Origin start_of(std::uint32_t message) const;
  /// The same for one of deliveries().
  Origin start_of(const MessageName& message) const;
  /// Why a step did not end earlier. The step is held communication, or waiting that ends.
  Origin end_of(ProcessId process, std::uint32_t index) const;
  const DecisiveArrival& arrival(std::uint32_t number) const { return arrivals_[number]; }
  /// The interval of the process that ends at `time`, if there is one.
  std::optional<std::uint32_t> step_ending_at(ProcessId process, Ticks time) const;

  bool keeps_all_hops() const { return keeps_all_hops_; }
  /// Hops of one message: packet by packet, each in order of time.
  std::span<const NotedHop> hops(const MessageName& message) const;

 private:
  /// 16 bytes. For communication that is not held, `peer` is the number of the message.
  struct PackedStep {
    Ticks end;
    std::uint32_t peer;
    std::uint32_t kind : 4;  ///< an Activity, or one of the further kinds in causal_record.cpp
    std::uint32_t stage : 28;
  };
  /// The intervals of all processes are kept in the order in which they are reported. So appending
  /// touches the end alone; a list for each process would cost a cache miss an interval.
  struct LoggedStep {
    PackedStep step;
    ProcessId process;
  };
  using Chunk = std::vector<LoggedStep>;
  /// A message of which only the name is known yet.
  struct Unfilled {
    MessageName name;
    std::size_t place;  ///< in messages_
  };

  /// Process, and index of its step.
  using StepName = std::pair<ProcessId, std::uint32_t>;

  std::span<const PackedStep> steps_of(ProcessId process) const;
  void note_wait(const Interval& interval, PackedStep& step);
  void note_communication(const Interval& interval, PackedStep& step);
  void fill(std::size_t place, const Delivery& delivery) const;
  Origin note_arrival(const MessageName& name);
  /// Index of the process's next step; only before sorting.
  std::uint32_t step_number(ProcessId process) const {
    return static_cast<std::uint32_t>(first_step_[process.index()]);
  }
  void go_to(Ticks instant);
  void link_background() const;
  Origin in_background(Origin origin, const MessageName& message) const;
  void fill_messages() const;
  void sort_steps() const;
  void sort_hops() const;
  void note_growth(std::uint64_t bytes);

  bool keeps_all_hops_;
  mutable std::vector<Chunk> log_;                 ///< emptied by sort_steps()
  mutable std::vector<std::uint64_t> first_step_;  ///< [process]; before sorting: its count
  mutable std::vector<PackedStep> steps_;          ///< process by process
  mutable std::deque<AwaitedMessage> messages_;
  mutable std::vector<NotedHop> hops_;
  mutable std::vector<std::size_t> first_hop_of_;  ///< [source]; empty: not sorted
  mutable std::vector<DecisiveArrival> arrivals_;
  /// Origins other than the default: of messages that their sender did not start, and of steps that
  /// ended neither by the peer's act nor by the arrival of their message.
  mutable std::map<std::uint32_t, Origin> starts_;
  std::map<StepName, Origin> ends_;
  /// [number of a message]: its receiver, if it is its sender who waited for its arrival.
  std::map<std::uint32_t, ProcessId> sent_to_;

  Ticks instant_{-1};
  /// Deliveries of this instant. Communication ends at the instant at which its message is
  /// delivered, and is often reported right after the delivery. When a process waits for several
  /// messages, it may come before, or after other deliveries: then the message is filled in at the
  /// end of the instant.
  std::vector<Delivery> deliveries_;
  mutable std::vector<Unfilled> unfilled_;
  /// Messages under way that their sender did not start.
  std::map<MessageName, Origin> released_;
  /// Messages that had arrived and are given to a receive at this instant.
  std::vector<std::pair<MessageName, Origin>> given_;
  std::uint64_t bytes_until_check_;

  // Empty as long as no collective has begun in the background.
  std::vector<std::vector<BackgroundCollective>> collectives_;  ///< [process]
  /// [process][number]: place of the last collective with that number.
  std::vector<std::vector<std::uint32_t>> latest_;
  mutable std::vector<std::vector<NotedSteps>> background_;  ///< [process]
  mutable std::vector<Delivery> kept_deliveries_;
  std::map<MessageName, Origin> kept_origins_;  ///< of those that their sender did not start
  /// Process and steps that waited for a message, in order of the names.
  mutable std::vector<std::pair<MessageName, StepName>> receiving_;
  mutable bool is_linked_ = true;
};

}  // namespace dcube
