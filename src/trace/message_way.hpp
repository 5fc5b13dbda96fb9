#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "dcube/network/lone_flight.hpp"
#include "dcube/trace/causal_record.hpp"
#include "dcube/trace/critical_path.hpp"

namespace dcube {

/// Time of a message at one link or injection server: it queues until `start`, and is served then.
/// Before `arrival` it made a hop, or queued for one, that a failure undid; usually no time is
/// lost.
struct WayPart {
  LinkId link;  ///< or injection server; see injection_server_of()
  bool is_injection = false;
  Ticks arrival{0};
  Ticks start{0};
  Ticks finish{0};
  /// Part of the time from start to finish for bytes that follow a head or an earlier packet; a
  /// longer way would not make it longer.
  Ticks bytes{0};
  Ticks lost{0};

  /// Number under which messages of the link are counted: the lower of a half-duplex link's two.
  LinkId shared_link(const Machine& machine) const {
    return machine.links.duplex == Duplex::half && !is_injection
               ? std::min(link, machine.topology->reverse(link))
               : link;
  }
};

/// Costs of the hops of a message of one size, on a machine that may differ from the run's.
class WayCosts {
 public:
  /// The machine must outlive it.
  explicit WayCosts(const Machine& machine) : machine_{machine} {}

  void set_bytes(std::uint64_t bytes);
  /// Hop time of the last packet, and of each packet before it.
  HopTime last(const WayPart& part) const { return time(part, last_, packets_.bytes_last); }
  HopTime before(const WayPart& part) const {
    return packets_.before_last == 0 ? HopTime{} : time(part, before_, packets_.bytes_before);
  }
  bool has_packets() const { return packets_.before_last > 0; }
  enum class Injection { passed, left_out };
  /// The flight along a way on which the message is alone.
  LoneFlight alone(std::span<const WayPart> way, Injection injection) const;

 private:
  /// Costs of whole dimensions, and of injection.
  struct Known {
    std::vector<HopTime> per_dimension;
    HopTime out;
    HopTime in;
  };

  Known known(std::uint64_t bytes) const;
  HopTime time(const WayPart& part, const Known& known, std::uint64_t bytes) const;

  const Machine& machine_;
  bool is_set_ = false;
  std::uint64_t bytes_ = 0;
  PacketCount packets_;
  Known before_;
  Known last_;
};

/// The ways of messages that were waited for, once a run has ended.
///
/// Where messages go whole, by the network's own routes, on links that never fail, the record need
/// not have kept their ways: the cost of a hop is known, and its begin follows from the hop before
/// it and from the hops that queued. Elsewhere the record has kept all hops; of a message in
/// packets, those of the packet that came last count.
///
/// A message that cuts through or is in packets is at several servers at once. Then its time is
/// split like this: every server takes the time that it takes the head, or the last packet. What
/// the message takes longer than that when it is alone is the time of its bytes at the slowest
/// server: of the slowest link as much as they would take without injection, and of injection the
/// rest. All else is queueing, before the servers at which it queued first.
class MessageWays {
 public:
  explicit MessageWays(const ExplainedRun& run);

  /// The way of a message between processes of different nodes, which arrived at `end`. Every part
  /// begins when the one before it ends. Valid until the next call.
  const std::vector<WayPart>& of(const AwaitedMessage& message, ProcessId destination, Ticks end);
  /// Whether the recorded hops are exactly those that queue, and for as long. Elsewhere they are
  /// those of heads, whose bytes may be further back, or there are others.
  bool are_queues_recorded() const { return are_queues_recorded_; }

 private:
  void follow(const AwaitedMessage& message, NodeId from, NodeId to);
  void look_up(const AwaitedMessage& message);
  void add(const WayPart& part, const HopTime& own);
  void split(Ticks begin, Ticks end);

  const ExplainedRun& run_;
  WayCosts costs_;
  bool are_queues_recorded_;
  std::vector<WayPart> parts_;
  MessageName name_;  ///< message that `parts_` belong to
  Ticks end_{0};
  std::vector<HopTime> own_;  ///< [part]: time of the last packet
  std::vector<Ticks> queued_;
};

}  // namespace dcube
