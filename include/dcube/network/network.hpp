#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/network/message.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// A message that leaves its source node at `start`.
struct Departure {
  ProcessId source;
  std::uint32_t send_number = 0;  ///< unique among the messages of `source`
  NodeId from;
  NodeId to;
  std::uint64_t bytes = 0;
  Ticks start{0};
};

/// One message, or packet, over one link. It reached the link at `arrival`, began at `start`, and
/// it or its head was at the other end at `finish`. The link could take the next at `release`; in
/// store and forward that is `finish`. Passages through injection_server() are hops, too.
struct Hop {
  ProcessId source;
  std::uint32_t send_number = 0;
  LinkId link;
  Ticks arrival{0};
  Ticks start{0};
  Ticks finish{0};
  Ticks release{0};
  NodeId to;  ///< the message's destination
  std::uint64_t bytes = 0;
  ProcessId destination;     ///< set by processes, not by Network::send()
  std::uint32_t packet = 0;  ///< its number in the message
  bool is_reverse = false;   ///< half duplex: from the node that `link` leads to

  friend bool operator==(const Hop&, const Hop&) = default;
};

/// Which hops are reported. `all`: every hop, at its finish. `queued`: hops that queued, when they
/// begin, even if they fail later; other hops cost nothing extra.
enum class HopReports { all, queued };

/// A message that failures have cut off from its destination.
struct CutOff {
  Ticks time{0};
  ProcessId source;
  std::uint32_t send_number = 0;
  ProcessId destination;
  NodeId at;  ///< where it is stuck
  NodeId to;

  friend bool operator==(const CutOff&, const CutOff&) = default;
};

/// Load of the links. Half-duplex links are counted under the lower of their two numbers.
struct LinkCounters {
  std::vector<std::uint64_t> crossings;  ///< messages, or packets, over each link number
  /// Picoseconds in use for each link number, rounded past 2^53. Without contention, messages that
  /// share a link count one by one, so it can exceed the makespan, and 63 bits.
  std::vector<double> busy;
  /// [node]: how many packets began or ended there, beyond one of each message. Those that a failed
  /// node lost, packets or messages, end there and begin again. May be too short.
  std::vector<std::uint64_t> further_ends = {};
};

/// Link servers and the calendar of hops. Messages cross links one by one; see Switching.
///
/// With contention a link (half duplex: both directions together) carries one message at a time, in
/// order of arrival at the link; those of one instant by (source process, send number). Packets may
/// be served in turn instead, see Service. The order of calls does not matter. The network has a
/// clock of its own and does not know SimGrid.
///
/// An instant is open until the next advance(): processes that it wakes may still send at now().
class Network {
 public:
  /// The topology must outlive the network. `on_hop` is called for each hop that `reports` names.
  Network(const Topology& topology, const LinkModel& links,
          std::function<void(const Hop&)> on_hop = {}, HopReports reports = HopReports::all);
  ~Network();
  Network(Network&&) noexcept;
  Network& operator=(Network&&) noexcept;

  /// Is told the `stage` of every message or packet that waited for a server, and how long; and a
  /// negative delay when a failure has undone the hop for which it waited.
  using Delays = std::function<void(std::uint32_t stage, Ticks delay)>;
  /// Must be called before any message is sent.
  void on_delay(Delays delays);

  /// All messages that have been sent and not released.
  Messages& messages();

  /// Adds a message and lets it depart.
  MessageId send(const Departure& departure);
  /// Lets a message leave at `start` >= now() for another node. O(1) apart from the calendar.
  void depart(MessageId message);
  /// Lets a message that crosses no link arrive at a time > now().
  void arrive(MessageId message, Ticks time);
  /// Makes advance() stop at a time > now().
  void set_alarm(Ticks time, std::uint32_t alarm);

  /// Closes the open instant and moves on to the next, not after `horizon`, with arrivals or
  /// alarms. Returns the arrived messages, in no particular order, valid until the next call; the
  /// caller sets their `arrival`. Without such an instant it returns none, and now() is the instant
  /// of the last event. Throws InputError past 63 bits.
  std::span<const MessageId> advance(Ticks horizon);
  /// Alarms due at now(), in no particular order; valid until the next advance().
  std::span<const std::uint32_t> alarms() const;
  /// The first message cut off, by (instant, source, send number). Nothing happens after it.
  const std::optional<CutOff>& cut_off() const;

  Ticks now() const;
  std::uint32_t messages_under_way() const;

  std::uint64_t hop_count() const;  ///< of all messages sent; passing an injection server is no hop
  /// Hops, and passages through injection servers, that begin later than the message reached the
  /// link or server. Those still to begin count.
  std::uint64_t queued_hops() const;
  /// Sum of those delays, for hops still to begin up to now().
  double queued_seconds() const;
  /// Load of the links; messages under way count on their whole straight stretch. O(links).
  LinkCounters link_counters() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dcube
