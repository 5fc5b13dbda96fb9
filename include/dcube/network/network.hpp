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

/// One message, or one packet of it, over one link. It reached the link at `arrival`, began at
/// `start`, and was, or its head was, at the other end at `finish`. The link could take the next at
/// `release`; in store and forward that is `finish`. On machines with injection also what it does
/// at those servers, see injection_server().
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
  ProcessId destination;     ///< where processes send; messages of Network::send() name none
  std::uint32_t packet = 0;  ///< its number in the message
  bool is_reverse = false;   ///< half duplex: from the node that `link` leads to

  friend bool operator==(const Hop&, const Hop&) = default;
};

/// Which hops are reported. `all`: every hop, at its finish. `queued`: the hops that queued, each
/// as it begins, before it may fail; other hops cost nothing extra.
enum class HopReports { all, queued };

/// A message that failures have cut off from its destination.
struct CutOff {
  Ticks time{0};
  ProcessId source;
  std::uint32_t send_number = 0;
  ProcessId destination;
  NodeId at;  ///< where it can go no further
  NodeId to;

  friend bool operator==(const CutOff&, const CutOff&) = default;
};

/// What the links carried. Half-duplex links are counted under the lower of their two numbers.
struct LinkCounters {
  std::vector<std::uint64_t> crossings;  ///< messages over each link number
  /// Picoseconds each link number was in use, rounded past 2^53. Without contention messages that
  /// share a link count one by one, so the sum can exceed the makespan, and 63 bits.
  std::vector<double> busy;
};

/// Link servers and the calendar of hops. A message crosses its links one after the other; see
/// Switching.
///
/// With contention a link (half duplex: both directions together) carries one message at a time. It
/// serves first the message that reached it first, and messages that reached it at the same instant
/// by (source process, send number). The order of calls does not matter. The network has a clock of
/// its own and does not know SimGrid.
///
/// An instant is open until the next advance(): messages may still start at now(). This is how
/// processes that the instant wakes take part in it.
class Network {
 public:
  /// The topology must outlive the network. `on_hop`, when given, is called once for each of the
  /// hops that `reports` names.
  Network(const Topology& topology, const LinkModel& links,
          std::function<void(const Hop&)> on_hop = {}, HopReports reports = HopReports::all);
  ~Network();
  Network(Network&&) noexcept;
  Network& operator=(Network&&) noexcept;

  /// Is told of every message, or packet, that had to wait for a server: its `stage`, and how long.
  using Delays = std::function<void(std::uint32_t stage, Ticks delay)>;
  /// To be called before any message is sent.
  void on_delay(Delays delays);

  /// Every message that has been sent and not been released.
  Messages& messages();

  /// Adds a message and lets it depart.
  MessageId send(const Departure& departure);
  /// Lets a message leave at its `start` >= now() from node `at` to another node `to`. O(1) apart
  /// from the calendar.
  void depart(MessageId message);
  /// Lets a message that crosses no link arrive at a time > now().
  void arrive(MessageId message, Ticks time);
  /// Makes advance() stop at a time > now().
  void set_alarm(Ticks time, std::uint32_t alarm);

  /// Closes the open instant and goes on to the first later one, not after `horizon`, at which
  /// messages arrive or alarms are due. Returns those messages, in no particular order; their
  /// `arrival` is for the caller to set. When there is no such instant, it returns none, and now()
  /// is the last instant at which anything happened. The span is valid until the next call. Throws
  /// InputError past 63 bits.
  std::span<const MessageId> advance(Ticks horizon);
  /// The alarms that are due at now(), in no particular order; valid until the next advance().
  std::span<const std::uint32_t> alarms() const;
  /// The first message by (source, send number) that could not go on at the first instant at which
  /// there was one. Nothing happens after that.
  const std::optional<CutOff>& cut_off() const;

  Ticks now() const;
  /// Messages sent and not yet delivered.
  std::uint32_t messages_under_way() const;

  std::uint64_t hop_count() const;  ///< over all messages sent; injection is no hop
  /// How many hops, and passages through injection servers, begin later than the message reached
  /// the link or server. Those still to begin count.
  std::uint64_t queued_hops() const;
  /// The sum of those delays, for hops still to begin up to now().
  double queued_seconds() const;
  /// What the links carried so far. A message under way counts on every link of its current
  /// straight stretch. O(links).
  LinkCounters link_counters() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dcube
