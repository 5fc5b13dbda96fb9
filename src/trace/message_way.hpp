#pragma once

#include <vector>

#include "dcube/trace/causal_record.hpp"
#include "dcube/trace/critical_path.hpp"

namespace dcube {

/// What a message does at one link or injection server: it reaches it, begins, and is at the end.
struct WayPart {
  LinkId link;  ///< or injection server; see injection_server_of()
  bool is_injection = false;
  Ticks arrival{0};
  Ticks start{0};
  Ticks finish{0};
};

/// The ways of messages that were waited for, once a run has ended.
///
/// Where messages go whole, by the network's own routes, on links that never fail, the record need
/// not have kept their ways: the cost of a hop is known, and its begin follows from the hop before
/// it and from the hops that queued. Elsewhere the record has kept all hops; of a message in
/// packets, those of the packet that came last count. In cut-through a hop is over when the head is
/// at the next node, and the last one when the tail is.
class MessageWays {
 public:
  explicit MessageWays(const ExplainedRun& run) : run_{run} {}

  /// The way of a message between processes of different nodes, which arrived at `end`. Valid until
  /// the next call.
  const std::vector<WayPart>& of(const AwaitedMessage& message, ProcessId destination, Ticks end);

 private:
  void follow(const AwaitedMessage& message, NodeId from, NodeId to);
  void look_up(const AwaitedMessage& message);
  Ticks advance_on(LinkId link) const;

  const ExplainedRun& run_;
  std::vector<WayPart> parts_;
  std::uint64_t bytes_ = 0;           ///< of the message followed last
  std::vector<Ticks> per_dimension_;  ///< what its hops take
};

}  // namespace dcube
