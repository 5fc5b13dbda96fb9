#include "message_way.hpp"

#include <algorithm>

#include "dcube/core/errors.hpp"

namespace dcube {

const std::vector<WayPart>& MessageWays::of(const AwaitedMessage& message, ProcessId destination,
                                            Ticks end) {
  parts_.clear();
  if (run_.record.keeps_all_hops()) {
    look_up(message);
  } else {
    follow(message, run_.map[message.name.source.index()], run_.map[destination.index()]);
  }
  WayPart& last = parts_.back();
  const LinkModel& links = run_.machine.links;
  // The tail comes later, or a failure has ended a way that led past the destination.
  const bool may_be_later = links.switching == Switching::cut_through || !links.faults.empty();
  expects(may_be_later || last.finish == end, "a message followed again arrives when it did");
  last.finish = end;
  return parts_;
}

Ticks MessageWays::advance_on(LinkId link) const {
  const LinkModel& links = run_.machine.links;
  const auto found = links.overrides.find(link);
  return found == links.overrides.end()
             ? per_dimension_[run_.machine.topology->link(link).value().dimension]
             : hop_time(links.switching, found->second, bytes_).advance;
}

void MessageWays::follow(const AwaitedMessage& message, NodeId from, NodeId to) {
  const LinkModel& links = run_.machine.links;
  const Topology& topology = *run_.machine.topology;
  if (per_dimension_.empty() || bytes_ != message.bytes) {
    bytes_ = message.bytes;
    per_dimension_.clear();
    for (const TransferCost& cost : links.per_dimension) {
      per_dimension_.push_back(hop_time(links.switching, cost, bytes_).advance);
    }
  }
  const std::span<const NotedHop> queued = run_.record.hops(message.name);
  auto next_queued = queued.begin();
  Ticks time = message.start;
  const auto cross = [&](LinkId link, bool is_injection, Ticks advance) {
    WayPart part{link, is_injection, time, time, time};
    if (next_queued != queued.end() && next_queued->arrival == time) {
      part.start = next_queued->start;
      ++next_queued;
    }
    time = part.finish = part.start + advance;
    parts_.push_back(part);
  };
  const auto inject = [&](NodeId node, Passage passage) {
    if (links.injection) {
      cross(injection_server(topology, node, passage), true,
            hop_time(links.switching, *links.injection, bytes_).advance);
    }
  };
  inject(from, Passage::out);
  for_each_link(topology, from, to, [&](LinkId link) { cross(link, false, advance_on(link)); });
  inject(to, Passage::in);
  expects(next_queued == queued.end(), "every queued hop is on its message's way");
}

/// Of the packets of a message, the one that began its last hop last came last.
void MessageWays::look_up(const AwaitedMessage& message) {
  const Topology& topology = *run_.machine.topology;
  const std::span<const NotedHop> hops = run_.record.hops(message.name);
  expects(!hops.empty(), "a message between nodes makes hops");
  const auto of_packet = [&](std::uint32_t packet) {
    return std::span{std::ranges::lower_bound(hops, packet, {}, &NotedHop::packet),
                     std::ranges::upper_bound(hops, packet, {}, &NotedHop::packet)};
  };
  std::span<const NotedHop> way = of_packet(0);
  for (std::uint32_t packet = 1; packet <= hops.back().packet; ++packet) {
    if (const auto other = of_packet(packet); other.back().finish >= way.back().finish) {
      way = other;
    }
  }
  // Links that never queue still take the packets of a message one after the other.
  const bool queues = run_.machine.links.contention == Contention::on;
  Ticks time = message.start;
  for (const NotedHop& hop : way) {
    parts_.push_back({hop.link, injection_server_of(topology, hop.link).has_value(), time,
                      queues ? hop.start : time, hop.finish});
    time = hop.finish;
  }
}

}  // namespace dcube
