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
#include "dcube/topology/topology.hpp"

namespace dcube {

/// A message under way. Numbers are reused after Network::release().
using MessageId = Id<struct MessageTag>;

/// A message that leaves its source node at `start`.
struct Departure {
  ProcessId source;
  std::uint32_t send_number = 0;  ///< unique among the messages of `source`
  NodeId from;
  NodeId to;
  std::uint64_t bytes = 0;
  Ticks start{0};
};

/// One message over one link: it reached the link at `arrival`, was on it from `start` to `finish`.
struct Hop {
  ProcessId source;
  std::uint32_t send_number = 0;
  LinkId link;
  Ticks arrival{0};
  Ticks start{0};
  Ticks finish{0};
  NodeId to;  ///< the message's destination
  std::uint64_t bytes = 0;

  friend bool operator==(const Hop&, const Hop&) = default;
};

/// Which hops are reported: each at its finish; or only those that queued, each as it begins, so
/// that the others cost nothing.
enum class HopReports { all, queued };

/// What the links carried. Half-duplex links are counted under the lower of their two numbers.
struct LinkCounters {
  std::vector<std::uint32_t> crossings;  ///< messages over each link number
  std::vector<std::int64_t> busy;        ///< picoseconds each link number was in use
};

/// Link servers and the calendar of hops: store and forward, a message crosses its links one after
/// the other.
///
/// With contention a link (half duplex: both directions together) carries one message at a time and
/// serves those that reached it first; messages of the same instant by (source process, send
/// number). That is the definition, whatever the order of calls. Pure: no clock but its own, no
/// SimGrid.
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

  /// Needs `start` >= now() and two different nodes. O(1) apart from the calendar.
  MessageId send(const Departure& departure);

  /// Closes the open instant and goes on to the first later one, not after `horizon`, at which
  /// messages reach their destinations; returns those messages, in no particular order. Empty: no
  /// such instant; now() is then the last instant at which anything happened. The span is valid
  /// until the next call. Throws InputError past 63 bits.
  std::span<const MessageId> advance(Ticks horizon);

  Ticks now() const;
  /// Messages sent and not yet delivered.
  std::uint32_t messages_under_way() const;

  /// Links on the way of the message.
  std::uint32_t hops(MessageId message) const;
  Ticks start(MessageId message) const;
  /// Forgets a delivered message.
  void release(MessageId message);

  std::uint64_t hop_count() const;    ///< over all messages sent
  std::uint64_t queued_hops() const;  ///< hops that began later than the message reached the link
  double queued_seconds() const;      ///< the sum of those delays
  /// What the links carried so far, every message under way counted on its current straight
  /// stretch. O(links).
  LinkCounters link_counters() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dcube
