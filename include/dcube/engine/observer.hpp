#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/activity.hpp"
#include "dcube/network/network.hpp"

namespace dcube {

/// The stage of an interval that belongs to no stage.
inline constexpr std::uint32_t no_stage = ~std::uint32_t{0};

/// Identifies a message. The send numbers of a process count its messages from 0.
struct MessageName {
  ProcessId source;
  std::uint32_t send_number = 0;

  friend auto operator<=>(const MessageName&, const MessageName&) = default;
};

/// What a process waits for. Partner: its readiness for an exchange. Receiver: its readiness for a
/// message above the eager limit, whose posted send is waited for. Core: a free core of the node.
enum class Awaits : std::uint8_t { nothing, message, partner, receiver, core };

/// A stretch of one process's time, begin < end. The intervals of a process come in order and leave
/// no gap; idle time is not told. The work of a collective in the background belongs to the stage
/// of its start.
///
/// Waiting for a message ends when it starts; other waiting ends when the peer is ready for the
/// exchange, or for a message of the process, or gives a core back. Communication ends when the
/// message arrives, or later when the receive gets it later (see Release); the message may be the
/// process's own, whose arrival it waits for. An endpoint cost is that
/// of sending a message of the process or of receiving one of the peer. Listening in vain until an
/// instant counts as endpoint, with the process itself as the peer and no message.
struct Interval {
  ProcessId process;
  Activity activity{};
  std::uint32_t stage = no_stage;
  Ticks begin{0};
  Ticks end{0};
  ProcessId peer;                      ///< the other side; computing, listening: the process itself
  std::optional<MessageName> message;  ///< awaited, on its way, sent or received
  Awaits awaits = Awaits::nothing;     ///< waiting only; nothing: for what never comes
  std::uint32_t send_number = 0;       ///< of the own message, when waiting for a receiver

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// A message that has reached its destination process.
struct Delivery {
  ProcessId source;
  std::uint32_t send_number = 0;
  ProcessId destination;
  std::uint64_t bytes = 0;
  std::uint32_t hops = 0;
  Ticks start{0};
  Ticks arrival{0};

  friend bool operator==(const Delivery&, const Delivery&) = default;
};

/// A message that its receive held up. Above the eager limit it leaves when a receive is ready for
/// it, later than its sender. An arrived message goes to a receive that had to let an earlier
/// receive from anyone go first.
///
/// The cause that came last is an action of `process` or an arrival, at `time`.
struct Release {
  MessageName message;
  Ticks time{0};
  bool had_arrived = false;  ///< otherwise it leaves at `time`
  /// Process of the cause, with an interval to `time` (unless that is 0); arrival: the receiver.
  ProcessId process;
  std::optional<MessageName> arrival;

  friend bool operator==(const Release&, const Release&) = default;
};

/// A collective that goes on while its process does other things: from its start to its last step.
struct BackgroundCollective {
  static constexpr Ticks not_yet = Ticks::max();

  ProcessId process;
  std::uint32_t number = 0;         ///< counts those of one Background
  std::uint32_t stage = no_stage;   ///< of its start
  std::string_view operation;       ///< "allreduce"; static
  bool is_awaited_at_once = false;  ///< its process does nothing else meanwhile
  Ticks begin{0};
  Ticks end = not_yet;
  Ticks awaited = not_yet;  ///< the process waits for it from here on, maybe after the end

  friend bool operator==(const BackgroundCollective&, const BackgroundCollective&) = default;
};

/// Steps of a collective in the background that its process takes in one go, at one port.
struct BackgroundSteps {
  ProcessId process;
  std::uint32_t collective = 0;  ///< its number
  std::uint32_t port = 0;
  Ticks begin{0};  ///< before the cost of receiving the message
  Ticks end{0};
  std::optional<MessageName> message;  ///< that the steps waited for; nothing: those of the start
  std::uint32_t first_send = 0;        ///< numbers of the messages that they send
  std::uint32_t sends_end = 0;

  friend bool operator==(const BackgroundSteps&, const BackgroundSteps&) = default;
};

/// Is told what happens in a run. Records of one instant come in no particular order, but the
/// communication that ends with a delivery comes after it, before any of a later instant. A release
/// comes before the intervals that it ends, and after the arrival that it names.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Asked once, before the run; more hops may be reported. `all` makes a run several times slower.
  virtual HopReports hop_reports() const { return HopReports::all; }
  virtual void on_interval(const Interval&) {}
  virtual void on_hop(const Hop&) {}
  virtual void on_delivery(const Delivery&) {}
  virtual void on_release(const Release&) {}
  /// `process` left `stage` at `time`.
  virtual void on_stage_end(ProcessId, std::uint32_t /*stage*/, Ticks /*time*/) {}
  /// Called at the start of a collective in the background, and when its process has waited for it.
  virtual void on_background(const BackgroundCollective&) {}
  /// Called at the end of the steps. Those of a process come in order and do not overlap.
  virtual void on_background_steps(const BackgroundSteps&) {}
};

/// Passes everything on to several observers, in the order they were added; they must outlive it.
class ObserverList final : public Observer {
 public:
  void add(Observer& observer) { observers_.push_back(&observer); }
  /// The observer for a run: null when the list is empty, its only observer, or the list itself.
  Observer* observer() {
    return observers_.empty() ? nullptr : observers_.size() == 1 ? observers_.front() : this;
  }

  HopReports hop_reports() const override {
    for (const Observer* observer : observers_) {
      if (observer->hop_reports() == HopReports::all) {
        return HopReports::all;
      }
    }
    return HopReports::queued;
  }
  void on_interval(const Interval& interval) override {
    for (Observer* observer : observers_) {
      observer->on_interval(interval);
    }
  }
  void on_hop(const Hop& hop) override {
    for (Observer* observer : observers_) {
      observer->on_hop(hop);
    }
  }
  void on_delivery(const Delivery& delivery) override {
    for (Observer* observer : observers_) {
      observer->on_delivery(delivery);
    }
  }
  void on_release(const Release& release) override {
    for (Observer* observer : observers_) {
      observer->on_release(release);
    }
  }
  void on_stage_end(ProcessId process, std::uint32_t stage, Ticks time) override {
    for (Observer* observer : observers_) {
      observer->on_stage_end(process, stage, time);
    }
  }
  void on_background(const BackgroundCollective& collective) override {
    for (Observer* observer : observers_) {
      observer->on_background(collective);
    }
  }
  void on_background_steps(const BackgroundSteps& steps) override {
    for (Observer* observer : observers_) {
      observer->on_background_steps(steps);
    }
  }

 private:
  std::vector<Observer*> observers_;
};

}  // namespace dcube
