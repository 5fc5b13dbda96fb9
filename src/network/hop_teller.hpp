#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "calendar.hpp"
#include "dcube/network/network.hpp"
#include "packets.hpp"
#include "servers.hpp"

namespace dcube {

inline Ticks ticks(Instant instant) { return Ticks{static_cast<std::int64_t>(instant)}; }

/// Reports the hops of messages and their delays. Without a listener it keeps nothing.
class HopTeller {
 public:
  HopTeller(const Messages& messages, const Servers& servers,
            std::function<void(const Hop&)> on_hop, HopReports reports, bool may_fail)
      : messages_{messages},
        servers_{servers},
        on_hop_{std::move(on_hop)},
        tells_all_{on_hop_ && reports == HopReports::all},
        tells_queued_{on_hop_ && reports == HopReports::queued},
        notes_arrivals_{tells_all_ || may_fail},
        attends_queues_{tells_queued_} {}

  bool tells_all() const { return tells_all_; }
  bool tells_queued() const { return tells_queued_; }
  /// Whether it must know when messages reach links.
  bool notes_arrivals() const { return notes_arrivals_; }
  /// Whether it must know when messages reach the links that they queue for.
  bool attends_queues() const { return attends_queues_; }

  void on_delay(Network::Delays on_delay) {
    on_delay_ = std::move(on_delay);
    attends_queues_ = true;
  }

  /// The message has reached the link of its next hop.
  void reach(std::uint32_t message, Instant now) {
    if (message >= times_.size()) {
      times_.resize(messages_.count());
    }
    times_[message].arrival = now;
  }
  /// When the message reached its link; needs notes_arrivals().
  Instant arrival(std::uint32_t message) const { return times_[message].arrival; }
  /// The message has waited for a link until now.
  void leave_queue(std::uint32_t message, Instant now) const {
    if (on_delay_) {
      on_delay_(messages_[MessageId{message}].stage, ticks(now - times_[message].arrival));
    }
  }
  /// The hop after the wait has been undone.
  void take_back_delay(std::uint32_t message, Instant delay) const {
    if (on_delay_) {
      on_delay_(messages_[MessageId{message}].stage, -ticks(delay));
    }
  }
  void begin(std::uint32_t message, Instant now, Instant free_at) {
    times_[message].start = now;
    times_[message].free_at = free_at;
  }
  /// The hop ends now, wherever the message is.
  void end(const HopEvent& event, Instant now) {
    Instant& free_at = times_[event.message].free_at;
    free_at = std::min(free_at, now);
    tell(event, now);
  }
  void tell(HopEvent event, Instant finish) const {
    const auto direction = static_cast<std::uint8_t>(event.direction & ~release_flag);
    const bool is_reverse = servers_.link(event.server, direction) != LinkId{event.server};
    const Message& message = messages_[MessageId{event.message}];
    const Times& times = times_[event.message];
    on_hop_({message.source, message.send_number, LinkId{event.server}, ticks(times.arrival),
             ticks(times.start), ticks(finish), ticks(times.free_at), message.to,
             message.payload.size_bytes(), message.destination, Packets::number(message),
             is_reverse});
  }

 private:
  struct Times {
    Instant arrival = 0;
    Instant start = 0;
    Instant free_at = 0;
  };

  const Messages& messages_;
  const Servers& servers_;
  std::function<void(const Hop&)> on_hop_;
  bool tells_all_;
  bool tells_queued_;
  bool notes_arrivals_;
  bool attends_queues_;
  Network::Delays on_delay_;
  std::vector<Times> times_;  ///< [message]: of its present hop
};

}  // namespace dcube
