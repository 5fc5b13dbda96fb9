#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dcube/network/machine.hpp"
#include "dcube/trace/causal_record.hpp"

namespace dcube {

/// Follows messages over their links again. The cost of a hop is known; its begin follows from the
/// hop before it and from the record of the hops that queued.
class MessageWay {
 public:
  /// All must outlive it.
  MessageWay(const CausalRecord& record, const Machine& machine, std::span<const NodeId> map)
      : record_{record}, machine_{machine}, map_{map} {}

  /// The hops of a message in order, each with when it reached the link, began and ended.
  using OnHop = std::function<void(LinkId link, Ticks arrival, Ticks start, Ticks finish)>;
  void follow(const AwaitedMessage& message, ProcessId destination, const OnHop& on_hop);

 private:
  Ticks hop_time_on(LinkId link) const;

  const CausalRecord& record_;
  const Machine& machine_;
  std::span<const NodeId> map_;
  std::uint64_t bytes_ = 0;
  std::vector<Ticks> per_dimension_;  ///< of a message of bytes_
};

/// The number under which a link's messages are counted: half duplex, the lower of its two.
LinkId shared_link(const Machine& machine, LinkId link);

}  // namespace dcube
