#include "message_way.hpp"

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
  const auto passing = [&](Passage passage) {
    return hop_time(links.switching, links.injection.of(passage).value_or(TransferCost{}), bytes);
  };
  known.out = passing(Passage::out);
  known.in = passing(Passage::in);
  return known;
}

HopTime WayCosts::time(const WayPart& part, const Known& known, std::uint64_t bytes) const {
  if (part.is_injection) {
    const Passage passage = injection_server_of(*machine_.topology, part.link)->passage;
    return passage == Passage::out ? known.out : known.in;
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

MessageWays::MessageWays(const ExplainedRun& run) : run_{run}, costs_{run.machine} {
  const LinkModel& links = run.machine.links;
  const auto is_uniform = [&links] {
    return !links.injection && links.overrides.empty() &&
           std::ranges::adjacent_find(links.per_dimension, std::ranges::not_equal_to{},
                                      &TransferCost::per_byte) == links.per_dimension.end();
  };
  are_queues_recorded_ =
      !run.record.keeps_all_hops() && (links.switching != Switching::cut_through || is_uniform());
}

const std::vector<WayPart>& MessageWays::of(const AwaitedMessage& message, ProcessId destination,
                                            Ticks end) {
  if (!parts_.empty() && message.name == name_ && end == end_) {
    return parts_;
  }
  name_ = message.name;
  end_ = end;
  parts_.clear();
  own_.clear();
  costs_.set_bytes(message.bytes);
  if (run_.record.keeps_all_hops()) {
    look_up(message);
  } else {
    follow(message, run_.map[message.name.source.index()], run_.map[destination.index()]);
  }
  const LinkModel& links = run_.machine.links;
  if (links.switching == Switching::cut_through || links.packet_bytes) {
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
      part.link = is_injection ? next_queued->link : link;  // of the message's interface
      ++next_queued;
    }
    const HopTime own = costs_.last(part);
    time = part.finish = part.start + own.advance;
    add(part, own);
  };
  const auto inject = [&](NodeId node, Passage passage) {
    if (run_.machine.links.injection.of(passage)) {
      cross(injection_server(topology, node, passage), true);
    }
  };
  inject(from, Passage::out);
  for_each_link(topology, from, to, [&](LinkId link) { cross(link, false); });
  inject(to, Passage::in);
  expects(next_queued == queued.end(), "every queued hop is on its message's way");
}

/// The packet that came last is the one that finished its last hop last.
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
  /// Link in the message's direction. After a failure the way may begin again at its source.
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
    WayPart part{link, is_injection, time, hop.start, hop.finish};
    if (!run_.machine.links.faults.empty()) {
      part.arrival = hop.arrival;
      part.lost = hop.arrival - time;
    }
    add(part, costs_.last(part));
    time = hop.finish;
  }
}

void MessageWays::add(const WayPart& part, const HopTime& own) {
  parts_.push_back(part);
  own_.push_back(own);
}

void MessageWays::split(Ticks begin, Ticks end) {
  // `alone`: extra time of the bytes after the head or the last packet; `on_links`: on links alone.
  Ticks advances{0};
  Ticks lost{0};
  Ticks alone{0};
  Ticks on_links{0};
  Ticks link_advances{0};
  std::size_t slowest = parts_.size();
  Ticks longest{-1};
  std::size_t slower_passage = parts_.size();
  Ticks longer_passage{-1};
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    advances += own_[i].advance;
    lost += parts_[i].lost;
    alone = std::max(alone, own_[i].body);
    const Ticks here = costs_.has_packets()
                           ? std::max(own_[i].body, costs_.before(parts_[i]).occupancy)
                           : own_[i].body;
    if (parts_[i].is_injection) {
      if (here > longer_passage) {
        longer_passage = here;
        slower_passage = i;
      }
      continue;
    }
    link_advances += own_[i].advance;
    on_links = std::max(on_links, own_[i].body);
    if (here >= longest) {
      longest = here;
      slowest = i;
    }
  }
  Ticks own_waits{0};  // head's waits for earlier packets, where the message is alone
  if (costs_.has_packets()) {
    const LoneFlight flight = costs_.alone(parts_, WayCosts::Injection::passed);
    alone = flight.end() - advances;
    own_waits = flight.head - advances;
    on_links = costs_.alone(parts_, WayCosts::Injection::left_out).end() - link_advances;
  }
  const Ticks waits = end - begin - advances - lost;
  const Ticks bytes = std::min(alone, waits);
  const Ticks of_links = std::min(bytes, on_links);
  Ticks queueing = waits - bytes;

  // Links that never queue still take the packets of a message one after the other.
  const bool never_queues = run_.machine.links.contention == Contention::off;
  std::size_t last_wait = 0;
  queued_.assign(parts_.size(), Ticks{0});
  for (std::size_t i = 0; i < parts_.size() && queueing > Ticks{0}; ++i) {
    const WayPart& part = parts_[i];
    const Ticks start = never_queues ? part.finish - own_[i].advance : part.start;
    const Ticks wait = start - part.arrival;
    const Ticks own = std::min(wait, own_waits);
    own_waits -= own;
    queued_[i] = std::min(wait - own, queueing);
    queueing -= queued_[i];
    last_wait = wait > Ticks{0} ? i : last_wait;
  }
  queued_[last_wait] += queueing;
  Ticks time = begin;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    WayPart& part = parts_[i];
    part.arrival = time + part.lost;
    part.start = part.arrival + queued_[i];
    part.bytes =
        (i == slowest ? of_links : Ticks{0}) + (i == slower_passage ? bytes - of_links : Ticks{0});
    time = part.finish = part.start + own_[i].advance + part.bytes;
  }
}

}  // namespace dcube
