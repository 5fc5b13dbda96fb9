#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/observer.hpp"

namespace dcube {

/// A message that its receiver waited for.
struct AwaitedMessage {
  MessageName name;
  std::uint64_t bytes = 0;
  Ticks start{0};
};

/// A hop that began later than its message reached the link; half duplex: the lower of the link's
/// two numbers.
struct QueuedHop {
  MessageName message;
  LinkId link;
  Ticks arrival{0};
  Ticks start{0};
};

/// What is kept of a run so that its causes can be told afterwards: what every process did and
/// when, the messages that were waited for, and the hops that queued. All other hops follow from
/// the routes.
///
/// It takes 24 bytes an interval, 24 more for communication, and 32 a queued hop. The observer
/// throws MemoryError when memory runs short during the run. Questions may be asked after the run
/// has ended. They are const but not thread-safe, because the first one sorts.
class CausalRecord final : public Observer {
 public:
  explicit CausalRecord(std::uint32_t process_count);

  /// About how much memory the record of a run and its explanation take on top of the run itself.
  /// It assumes that every process computes, sends and waits once a stage, or once where there are
  /// none.
  static std::uint64_t estimated_bytes(std::uint32_t process_count, std::uint32_t stage_count);

  HopReports hop_reports() const override { return HopReports::queued; }
  void on_interval(const Interval& interval) override;
  void on_hop(const Hop& hop) override;
  void on_delivery(const Delivery& delivery) override;

  /// An interval without its message.
  struct Step {
    Activity activity{};
    std::uint32_t stage = no_stage;
    Ticks begin{0};
    Ticks end{0};
    ProcessId peer;
  };

  std::uint32_t process_count() const { return static_cast<std::uint32_t>(first_step_.size() - 1); }
  /// Intervals of the process, which follow each other from 0 on.
  std::uint32_t step_count(ProcessId process) const {
    return static_cast<std::uint32_t>(steps_of(process).size());
  }
  Step step(ProcessId process, std::uint32_t index) const;
  /// The message of a step that is communication.
  const AwaitedMessage& message(ProcessId process, std::uint32_t index) const;
  /// The interval of the process that ends at `time`, if there is one.
  std::optional<std::uint32_t> step_ending_at(ProcessId process, Ticks time) const;

  /// Those of one message, in order of time.
  std::span<const QueuedHop> queued_hops(const MessageName& message) const;

 private:
  /// 16 bytes. For communication, `peer` is the place of the message in the list.
  struct PackedStep {
    Ticks end;
    std::uint32_t peer;
    std::uint32_t activity : 3;
    std::uint32_t stage : 29;
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

  std::span<const PackedStep> steps_of(ProcessId process) const;
  void go_to(Ticks instant);
  void fill_messages() const;
  void sort_steps() const;
  void sort_hops() const;
  void note_growth(std::uint64_t bytes);

  mutable std::vector<Chunk> log_;                 ///< emptied by sort_steps()
  mutable std::vector<std::uint64_t> first_step_;  ///< [process]; before sorting: its count
  mutable std::vector<PackedStep> steps_;          ///< process by process
  mutable std::deque<AwaitedMessage> messages_;
  mutable std::vector<QueuedHop> queued_hops_;
  mutable std::vector<std::size_t> first_hop_of_;  ///< [source]; empty: not sorted

  Ticks instant_{-1};
  /// Those of this instant. Communication ends at the instant at which its message
  /// is delivered. It is often told right after the delivery. A process that waits for several
  /// messages may have it told before, or after other deliveries: then the message is filled in at
  /// the end of the instant.
  std::vector<Delivery> deliveries_;
  mutable std::vector<Unfilled> unfilled_;
  std::uint64_t bytes_until_check_;
};

}  // namespace dcube
