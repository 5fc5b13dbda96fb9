#include "message_way.hpp"

#include <algorithm>
#include <numeric>

#include "dcube/core/errors.hpp"

namespace dcube {

void WayCosts::set_bytes(std::uint64_t bytes) {
  if (is_set_ && bytes == bytes_) {
    return;
  }
  is_set_ = true;
  bytes_ = bytes;
  packets_ = packet_count(machine_.links, bytes);
  last_ = known(packets_.bytes_last);
  if (packets_.before_last > 0) {
    before_ = known(packets_.bytes_before);
  }
}

WayCosts::Known WayCosts::known(std::uint64_t bytes) const {
  const LinkModel& links = machine_.links;
  Known known;
  known.per_dimension.reserve(links.per_dimension.size());
  for (const TransferCost& cost : links.per_dimension) {
    known.per_dimension.push_back(hop_time(links.switching, cost, bytes));
  }
  if (links.injection) {
    known.injection = hop_time(links.switching, *links.injection, bytes);
  }
  return known;
}

HopTime WayCosts::time(const WayPart& part, const Known& known, std::uint64_t bytes) const {
  if (part.is_injection) {
    return known.injection;
  }
  const LinkModel& links = machine_.links;
  const auto found = links.overrides.find(part.link);
  return found == links.overrides.end()
             ? known.per_dimension[machine_.topology->link(part.link).value().dimension]
             : hop_time(links.switching, found->second, bytes);
}

LoneFlight WayCosts::alone(std::span<const WayPart> way, Injection injection) const {
  LoneFlight flight;
  for (const WayPart& part : way) {
    if (!part.is_injection || injection == Injection::passed) {
      flight.cross(before(part), last(part), packets_.before_last, 1);
    }
  }
  return flight;
}

Ticks WayCosts::advances(std::span<const WayPart> way, Injection injection) const {
  Ticks sum{0};
  for (const WayPart& part : way) {
    if (!part.is_injection || injection == Injection::passed) {
      sum += last(part).advance;
    }
  }
  return sum;
}

const std::vector<WayPart>& MessageWays::of(const AwaitedMessage& message, ProcessId destination,
                                            Ticks end) {
  parts_.clear();
  costs_.set_bytes(message.bytes);
  if (run_.record.keeps_all_hops()) {
    look_up(message);
  } else {
    follow(message, run_.map[message.name.source.index()], run_.map[destination.index()]);
  }
  const LinkModel& links = run_.machine.links;
  if (may_overlap(links)) {
    split(message.start, end);
  }
  WayPart& last = parts_.back();
  // A failure may have ended a way that led past the destination.
  expects(!links.faults.empty() || last.finish == end,
          "a message followed again arrives when it did");
  last.finish = end;
  return parts_;
}

void MessageWays::follow(const AwaitedMessage& message, NodeId from, NodeId to) {
  const Topology& topology = *run_.machine.topology;
  const std::span<const NotedHop> queued = run_.record.hops(message.name);
  auto next_queued = queued.begin();
  Ticks time = message.start;
  const auto cross = [&](LinkId link, bool is_injection) {
    WayPart part{link, is_injection, time, time, time};
    if (next_queued != queued.end() && next_queued->arrival == time) {
      part.start = next_queued->start;
      ++next_queued;
    }
    time = part.finish = part.start + costs_.last(part).advance;
    parts_.push_back(part);
  };
  const auto inject = [&](NodeId node, Passage passage) {
    if (run_.machine.links.injection) {
      cross(injection_server(topology, node, passage), true);
    }
  };
  inject(from, Passage::out);
  for_each_link(topology, from, to, [&](LinkId link) { cross(link, false); });
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
  const NodeId source = run_.map[message.name.source.index()];
  NodeId at = source;
  /// In the direction in which it goes. After a failure it may begin again at its source.
  const auto directed = [&](LinkId server) {
    if (run_.machine.links.duplex == Duplex::full) {
      return server;
    }
    for (const NodeId node : {at, source}) {
      for (const LinkId link : {server, topology.reverse(server)}) {
        if (const Link ends = topology.link(link).value(); ends.from == node) {
          at = ends.to;
          return link;
        }
      }
    }
    return server;
  };
  Ticks time = message.start;
  for (const NotedHop& hop : way) {
    const bool is_injection = injection_server_of(topology, hop.link).has_value();
    const LinkId link = is_injection ? hop.link : directed(hop.link);
    parts_.push_back({link, is_injection, time, hop.start, hop.finish});
    time = hop.finish;
  }
}

void MessageWays::split(Ticks begin, Ticks end) {
  using Injection = WayCosts::Injection;
  const auto slowness = [this](const WayPart& part) {
    const HopTime own = costs_.last(part);
    return std::max(own.body, costs_.before(part).occupancy);
  };
  // Links that never queue still take the packets of a message one after the other.
  if (run_.machine.links.contention == Contention::off) {
    for (WayPart& part : parts_) {
      part.start = part.finish - costs_.last(part).advance;
    }
  }
  const Ticks advances = costs_.advances(parts_, Injection::passed);
  const LoneFlight alone = costs_.alone(parts_, Injection::passed);
  const Ticks link_advances = costs_.advances(parts_, Injection::left_out);
  const LoneFlight on_links = costs_.alone(parts_, Injection::left_out);
  const Ticks waits = end - begin - advances;
  Ticks bytes = std::min(alone.end() - advances, waits);
  const Ticks of_links = std::min(bytes, on_links.end() - link_advances);
  const Ticks of_injection = bytes - of_links;
  Ticks queueing = waits - bytes;

  // The head waits for packets before it, too, where the message is alone.
  Ticks own_waits = alone.head - advances;
  std::size_t last_wait = 0;
  std::size_t slowest = 0;
  std::vector<Ticks> queued(parts_.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const WayPart& part = parts_[i];
    const Ticks wait = part.start - part.arrival;
    const Ticks own = std::min(wait, own_waits);
    own_waits -= own;
    queued[i] = std::min(wait - own, queueing);
    queueing -= queued[i];
    last_wait = wait > Ticks{0} ? i : last_wait;
    if (!part.is_injection &&
        (parts_[slowest].is_injection || slowness(part) >= slowness(parts_[slowest]))) {
      slowest = i;
    }
  }
  queued[last_wait] += queueing;
  Ticks time = begin;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    WayPart& part = parts_[i];
    part.arrival = time;
    part.start = time + queued[i];
    part.bytes = (i == slowest ? of_links : Ticks{0}) +
                 (i == 0 && part.is_injection ? of_injection : Ticks{0});
    time = part.finish = part.start + costs_.last(part).advance + part.bytes;
  }
}

}  // namespace dcube
