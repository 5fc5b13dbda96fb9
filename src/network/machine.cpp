#include "dcube/network/machine.hpp"

#include <algorithm>

#include "dcube/core/errors.hpp"
#include "dcube/network/lone_flight.hpp"

namespace dcube {

namespace {

/// Throws InputError past 63 bits.
Ticks checked_multiply(Ticks time, std::uint64_t count) {
  Ticks::rep total = 0;
  const bool overflows = __builtin_mul_overflow(time.count(), count, &total);
  return overflows ? checked_add(Ticks::max(), Ticks{1}) : Ticks{total};  // throws
}

}  // namespace

Ticks hop_time(const TransferCost& cost, std::uint64_t bytes) {
  return std::max(cost.of(bytes), Ticks{1});
}

HopTime hop_time(Switching switching, const TransferCost& cost, std::uint64_t bytes) {
  const Ticks whole = hop_time(cost, bytes);
  const Ticks body = round_cost(ExactTime{}, cost.per_byte, bytes);
  const Ticks alone = cost.never_queues ? Ticks{0} : std::max(body, Ticks{1});
  switch (switching) {
    case Switching::store_and_forward:
      break;
    case Switching::pipelined:
      return {whole, alone, Ticks{0}};
    case Switching::cut_through:
      return {hop_time(cost, 0), alone, body};
  }
  return {whole, cost.never_queues ? Ticks{0} : whole, Ticks{0}};
}

void LoneFlight::cross(const HopTime& before, const HopTime& own, std::uint64_t packets_before,
                       std::uint32_t hops) {
  if (packets_before > 0) {
    longest = std::max(longest, before.occupancy);
    const Ticks last_start = checked_add(first_head, checked_multiply(longest, packets_before - 1));
    head = std::max(head, checked_add(last_start, before.occupancy));
    first_head = checked_add(first_head, before.advance);
  }
  const Ticks way = checked_multiply(own.advance, hops);
  tail = checked_add(std::max(checked_add(head, own.body), tail), way);
  head = checked_add(head, way);
}

PacketCount packet_count(const LinkModel& links, std::uint64_t bytes) {
  const std::uint64_t packet = links.packet_bytes.value_or(bytes);
  const std::uint64_t before = bytes > packet ? (bytes - 1) / packet : 0;
  return {before, packet, bytes - before * packet};
}

struct TransferTime::Flight : LoneFlight {};

TransferTime::TransferTime(const Machine& machine, std::uint64_t bytes)
    : machine_{&machine}, local_{hop_time(machine.node.local, bytes)} {
  const PacketCount packets = packet_count(machine.links, bytes);
  packets_before_ = packets.before_last;
  if (packets_before_ > 0) {
    first_ = costs_of(packets.bytes_before);
  }
  last_ = costs_of(packets.bytes_last);
}

TransferTime::Costs TransferTime::costs_of(std::uint64_t bytes) const {
  const LinkModel& links = machine_->links;
  const auto time = [&](const TransferCost& cost) {
    return hop_time(links.switching, cost, bytes);
  };
  Costs costs;
  costs.out = time(links.injection.out.value_or(TransferCost{}));
  costs.in = time(links.injection.in.value_or(TransferCost{}));
  for (const TransferCost& cost : links.per_dimension) {
    costs.per_dimension.push_back(time(cost));
  }
  for (const auto& [link, cost] : links.overrides) {
    costs.overrides.emplace(link, time(cost));
  }
  return costs;
}

Ticks TransferTime::operator()(NodeId from, NodeId to) const {
  if (from == to) {
    return local_;
  }
  Flight flight;
  const Injection& injection = machine_->links.injection;
  if (injection.out) {
    flight.cross(first_.out, last_.out, packets_before_, 1);
  }
  const std::uint64_t flow = Topology::flow_between(from, to);
  while (from != to) {
    const Run run = machine_->topology->next_run_of(flow, from, to);
    cross(run, flight);
    from = run.end;
  }
  if (injection.in) {
    flight.cross(first_.in, last_.in, packets_before_, 1);
  }
  return flight.end();
}

void TransferTime::cross(const Run& run, Flight& flight) const {
  const std::uint32_t dimension = machine_->topology->link(run.first).value().dimension;
  if (last_.overrides.empty() && packets_before_ == 0) {
    const HopTime& time = last_.per_dimension[dimension];
    flight.cross(time, time, 0, run.hops);
    return;
  }
  const auto time_on = [dimension](const Costs& costs, LinkId link) {
    const auto found = costs.overrides.find(link);
    return found != costs.overrides.end() ? found->second
           : costs.per_dimension.empty()  ? HopTime{}
                                          : costs.per_dimension[dimension];
  };
  std::uint32_t link = run.first.index();
  for (std::uint32_t i = 0; i < run.hops; ++i, link += static_cast<std::uint32_t>(run.stride)) {
    flight.cross(time_on(first_, LinkId{link}), time_on(last_, LinkId{link}), packets_before_, 1);
  }
}

LeastTransfer::LeastTransfer(const Machine& machine, std::uint64_t bytes) {
  const LinkModel& links = machine.links;
  const std::uint64_t packet = std::min(bytes, links.packet_bytes.value_or(bytes));
  // Packets that choose their ways may leave over several links: only the first's time is sure.
  const bool are_in_line = links.routing.kind == Routing::fixed && bytes > packet;
  const std::uint64_t packets_before = are_in_line ? (bytes - 1) / packet : 0;
  const std::uint64_t last = are_in_line ? bytes - packets_before * packet : packet;
  // The bytes of a flow count once, at its slowest link.
  const auto offer_flow = [&](TransferCost link) {
    for (const auto* const passing : {&links.injection.out, &links.injection.in}) {
      link.fixed = link.fixed + (*passing ? (*passing)->fixed : ExactTime{});
    }
    Ticks time = hop_time(link, bytes);
    for (const auto* const passing : {&links.injection.out, &links.injection.in}) {
      if (*passing) {
        time = std::max(time, hop_time({link.fixed, (*passing)->per_byte}, bytes));
      }
    }
    time_ = time_ == Ticks{0} ? time : std::min(time_, time);
  };
  const auto offer = [&](const TransferCost& cost) {
    if (machine.fluid) {
      offer_flow(cost);
      return;
    }
    using Flight = TransferTime::Flight;
    Flight flight;
    const auto cross = [&](const TransferCost& on) {
      flight.cross(hop_time(links.switching, on, packet), hop_time(links.switching, on, last),
                   packets_before, 1);
    };
    if (links.injection.out) {
      cross(*links.injection.out);
    }
    cross(cost);
    if (links.injection.in) {
      cross(*links.injection.in);
    }
    const Ticks time = std::max(flight.head, flight.tail);
    const Ticks advance = hop_time(links.switching, cost, last).advance;
    const bool is_first = time_ == Ticks{0};
    time_ = is_first ? time : std::min(time_, time);
    further_hop_ = is_first ? advance : std::min(further_hop_, advance);
  };
  std::ranges::for_each(links.per_dimension, offer);
  std::ranges::for_each(links.overrides, offer, [](const auto& entry) { return entry.second; });
  if (machine.node.slots > 1) {
    const Ticks local = hop_time(machine.node.local, bytes);
    time_ = time_ == Ticks{0} ? local : std::min(time_, local);
  }
  if (machine.fluid) {
    // SimGrid computes in binary fractions.
    constexpr Ticks::rep millionths = 1'000'000;
    time_ -= time_ / millionths + Ticks{1};
  }
  time_ = std::max(time_, Ticks{1});
}

LinkId injection_server(const Topology& topology, NodeId node, Passage passage,
                        std::uint32_t interface) {
  const std::uint32_t before =
      (2 * interface + (passage == Passage::out ? 0 : 1)) * topology.node_count();
  return LinkId{topology.link_slots() + before + node.index()};
}

std::optional<InjectionServer> injection_server_of(const Topology& topology, LinkId server) {
  if (server.index() < topology.link_slots()) {
    return std::nullopt;
  }
  const std::uint32_t nodes = topology.node_count();
  const std::uint32_t number = (server.index() - topology.link_slots()) % (2 * nodes);
  return number < nodes ? InjectionServer{NodeId{number}, Passage::out}
                        : InjectionServer{NodeId{number - nodes}, Passage::in};
}

}  // namespace dcube
