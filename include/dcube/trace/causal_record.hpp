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

/// A message that its receiver waited for.
struct AwaitedMessage {
  MessageName name;
  std::uint64_t bytes = 0;
  Ticks start{0};
};

/// Why something did not happen before some instant: a process was busy until then, or a message
/// arrived only then.
struct Origin {
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  ProcessId process;             ///< of a message its sender
  std::uint32_t arrival = none;  ///< the number of a message's arrival

  friend bool operator==(const Origin&, const Origin&) = default;
};

/// A message whose arrival decided when others could go on, whether or not its receiver waited.
struct DecisiveArrival {
  std::uint32_t message = 0;  ///< number
  ProcessId destination;
  Ticks time{0};
};

/// A hop that is kept; half duplex: the lower of the link's two numbers.
struct NotedHop {
  MessageName message;
  std::uint32_t packet = 0;
  LinkId link;
  Ticks arrival{0};
  Ticks start{0};
  Ticks finish{0};  ///< cut-through: of the head
};

/// What is kept of a run so that its causes can be told afterwards: what every process did and
/// when, the messages that were waited for, the hops that queued, and what decided where a message
/// was held up by its receiver. All other hops follow from the routes, unless messages travel in
/// packets or draw or choose their ways: then all hops are kept.
///
/// It takes 24 bytes an interval, 24 more for communication, and 40 a hop that is kept. The
/// observer throws MemoryError when memory runs short during the run. Questions may be asked after
/// the run has ended. They are const but not thread-safe, because the first one sorts.
class CausalRecord final : public Observer {
 public:
  CausalRecord(std::uint32_t process_count, const LinkModel& links);

  /// About how much memory the record of a run and its explanation take on top of the run itself.
  /// It assumes that every process computes, sends and waits once a stage, or once where there are
  /// none.
  static std::uint64_t estimated_bytes(std::uint32_t process_count, std::uint32_t stage_count);

  HopReports hop_reports() const override {
    return keeps_all_hops_ ? HopReports::all : HopReports::queued;
  }
  void on_interval(const Interval& interval) override;
  void on_hop(const Hop& hop) override;
  void on_delivery(const Delivery& delivery) override;
  void on_release(const Release& release) override;

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
  /// Intervals of the process, which follow each other from 0 on.
  std::uint32_t step_count(ProcessId process) const {
    return static_cast<std::uint32_t>(steps_of(process).size());
  }
  Step step(ProcessId process, std::uint32_t index) const;
  /// The number of the message of a step that is communication and not held.
  std::uint32_t message_number(ProcessId process, std::uint32_t index) const;
  const AwaitedMessage& message(std::uint32_t number) const { return messages_[number]; }
  const AwaitedMessage& message(ProcessId process, std::uint32_t index) const {
    return messages_[message_number(process, index)];
  }
  /// Why a message did not start earlier.
  Origin start_of(std::uint32_t message) const;
  /// Why a step did not end earlier. The step is held communication, or waiting that ends.
  Origin end_of(ProcessId process, std::uint32_t index) const;
  const DecisiveArrival& arrival(std::uint32_t number) const { return arrivals_[number]; }
  /// The interval of the process that ends at `time`, if there is one.
  std::optional<std::uint32_t> step_ending_at(ProcessId process, Ticks time) const;

  bool keeps_all_hops() const { return keeps_all_hops_; }
  /// Those of one message: of its packets one after the other, each in order of time.
  std::span<const NotedHop> hops(const MessageName& message) const;

 private:
  /// 16 bytes. For communication that is not held, `peer` is the number of the message.
  struct PackedStep {
    Ticks end;
    std::uint32_t peer;
    std::uint32_t kind : 4;  ///< an Activity, or what follows them in causal_record.cpp
    std::uint32_t stage : 28;
  };
  /// The intervals of all processes are kept in the order in which they are reported. So appending
  /// touches the end alone; a list for each process would cost a cache miss an interval.
  struct LoggedStep {
    PackedStep step;
    ProcessId process;
  };
  using Chunk = std::vector<LoggedStep>;
  /// A message of which nothing but the name is known yet.
  struct Unfilled {
    MessageName name;
    std::size_t place;  ///< in messages_
  };

  /// Which step of which process.
  using StepName = std::pair<ProcessId, std::uint32_t>;

  std::span<const PackedStep> steps_of(ProcessId process) const;
  void note_wait(const Interval& interval, PackedStep& step);
  void note_communication(const Interval& interval, PackedStep& step);
  void fill(std::size_t place, const Delivery& delivery) const;
  Origin note_arrival(const MessageName& name);
  /// Of the step of the process that is told next; before sorting.
  std::uint32_t step_number(ProcessId process) const {
    return static_cast<std::uint32_t>(first_step_[process.index()]);
  }
  void go_to(Ticks instant);
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
  std::vector<DecisiveArrival> arrivals_;
  /// Of messages that were not started by their sender, and of steps that ended with neither what
  /// the peer did nor the arrival of their message.
  mutable std::map<std::uint32_t, Origin> starts_;
  std::map<StepName, Origin> ends_;

  Ticks instant_{-1};
  /// Those of this instant. Communication ends at the instant at which its message
  /// is delivered. It is often told right after the delivery. A process that waits for several
  /// messages may have it told before, or after other deliveries: then the message is filled in at
  /// the end of the instant.
  std::vector<Delivery> deliveries_;
  mutable std::vector<Unfilled> unfilled_;
  /// Messages under way that were not started by their sender.
  std::map<MessageName, Origin> released_;
  /// Messages that had arrived and are given to a receive at this instant.
  std::vector<std::pair<MessageName, Origin>> given_;
  std::uint64_t bytes_until_check_;
};

}  // namespace dcube
