#include "message_way.hpp"

#include <algorithm>

#include "dcube/core/errors.hpp"

namespace dcube {

void MessageWay::follow(const AwaitedMessage& message, ProcessId destination, const OnHop& on_hop) {
  if (per_dimension_.empty() || bytes_ != message.bytes) {
    bytes_ = message.bytes;
    per_dimension_.clear();
    for (const TransferCost& cost : machine_.links.per_dimension) {
      per_dimension_.push_back(hop_time(cost, bytes_));
    }
  }
  const std::span<const QueuedHop> queued = record_.queued_hops(message.name);
  auto next_queued = queued.begin();
  Ticks time = message.start;
  NodeId at = map_[message.name.source.index()];
  const NodeId to = map_[destination.index()];
  while (at != to) {
    const Run run = machine_.topology->next_run(at, to);
    std::uint32_t link = run.first.index();
    for (std::uint32_t i = 0; i < run.hops; ++i, link += static_cast<std::uint32_t>(run.stride)) {
      const Ticks arrival = time;
      if (next_queued != queued.end() && next_queued->arrival == arrival) {
        time = next_queued->start;
        ++next_queued;
      }
      const Ticks start = time;
      time += hop_time_on(LinkId{link});
      on_hop(LinkId{link}, arrival, start, time);
    }
    at = run.end;
  }
  expects(next_queued == queued.end(), "every queued hop is on its message's way");
}

Ticks MessageWay::hop_time_on(LinkId link) const {
  const auto found = machine_.links.overrides.find(link);
  return found == machine_.links.overrides.end()
             ? per_dimension_[machine_.topology->link(link).value().dimension]
             : hop_time(found->second, bytes_);
}

LinkId shared_link(const Machine& machine, LinkId link) {
  return machine.links.duplex == Duplex::half ? std::min(link, machine.topology->reverse(link))
                                              : link;
}

}  // namespace dcube
