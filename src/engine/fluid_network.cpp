#include "fluid_network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dcube/core/errors.hpp"

namespace dcube::detail {

namespace {

double ticks_of(const ExactTime& time) {
  return static_cast<double>(time.numerator()) / static_cast<double>(time.denominator());
}

}  // namespace

FluidNetwork::FluidNetwork(const Machine& machine)
    : machine_{machine},
      is_half_duplex_{machine.links.duplex == Duplex::half},
      links_(machine.topology->link_slots()),
      crossings_(links_.size(), 0),
      busy_(links_.size(), 0) {
  const auto server_of = [](const TransferCost& cost) {
    return Server{ticks_of(cost.fixed), ticks_of(cost.per_byte)};
  };
  const Topology& topology = *machine.topology;
  for (const LinkDirection& block : topology.link_directions()) {
    std::fill_n(links_.begin() + block.first.index(), block.count,
                server_of(machine.links.per_dimension.at(block.dimension)));
  }
  for (const auto& [link, cost] : machine.links.overrides) {
    links_.at(link.index()) = server_of(cost);
  }
  servers_ = links_;
  if (is_half_duplex_) {
    for (std::uint32_t slot = 0; slot < links_.size(); ++slot) {
      if (topology.link(LinkId{slot})) {
        const std::uint32_t other = topology.reverse(LinkId{slot}).index();
        servers_[slot].per_byte = std::max(links_[slot].per_byte, links_[other].per_byte);
      }
    }
  }
  if (const Injection& injection = machine.links.injection) {
    for (std::uint32_t interface = 0; interface < machine.links.interfaces; ++interface) {
      for (const Passage passage : {Passage::out, Passage::in}) {
        servers_.resize(servers_.size() + topology.node_count(),
                        server_of(injection.of(passage).value_or(TransferCost{})));
      }
    }
  }
  for (const Server& server : servers_) {
    has_flows_ |= server.per_byte > 0 && machine.links.contention == Contention::on;
    const double penalty = penalty_of(server.latency, server.per_byte);
    most_penalty_ = std::max(most_penalty_, penalty);
    if (penalty > 0 && (least_penalty_ == 0 || penalty < least_penalty_)) {
      least_penalty_ = penalty;
    }
  }
}

// --- Ways ---

double FluidNetwork::latency_factor() const {
  return machine_.fluid == FluidModel::lv08 ? 13.01 : 1;
}

double FluidNetwork::bandwidth_factor() const {
  return machine_.fluid == FluidModel::lv08 ? 0.97 : 1;
}

/// Notes the servers that the message passes in `way_`, and counts its load on links.
FluidNetwork::Way FluidNetwork::take_way(Message& message) {
  const Topology& topology = *machine_.topology;
  const auto bytes = static_cast<double>(message.payload.size_bytes());
  Way way;
  way_.clear();
  const auto pass = [&](std::uint32_t server, double latency) {
    way_.push_back(server);
    way.latency += latency;
    way.per_byte_most = std::max(way.per_byte_most, servers_[server].per_byte);
    way.per_byte_sum += servers_[server].per_byte;
  };
  const auto inject = [&](NodeId node, Passage passage) {
    if (machine_.links.injection.of(passage)) {
      const std::uint32_t server =
          injection_server(topology, node, passage, message.tag % machine_.links.interfaces)
              .index();
      pass(server, servers_[server].latency);
    }
  };
  inject(message.at, Passage::out);
  message.hops = 0;
  for_each_link(topology, message.at, message.to, [&](LinkId link) {
    const std::uint32_t server =
        is_half_duplex_ ? std::min(link, topology.reverse(link)).index() : link.index();
    pass(server, links_[link.index()].latency);
    ++message.hops;
    ++crossings_[server];
    busy_[server] += bytes * links_[link.index()].per_byte;
  });
  inject(message.to, Passage::in);
  hop_count_ += message.hops;
  return way;
}

Ticks FluidNetwork::arrival_alone(const Message& message, const Way& way) const {
  constexpr auto end_of_time = static_cast<double>(std::numeric_limits<std::int64_t>::max());
  const auto bytes = static_cast<double>(message.payload.size_bytes());
  const double time =
      latency_factor() * way.latency + bytes * way.per_byte_most / bandwidth_factor();
  if (time >= end_of_time) {
    refuse_late_time();
  }
  return checked_add(message.start, std::max(Ticks{std::llround(time)}, Ticks{1}));
}

/// LV08 adds the time of 20537 bytes on the links of a way to its latency.
double FluidNetwork::penalty_of(double latency, double per_byte_sum) const {
  constexpr double weight_bytes = 20537;
  return machine_.fluid == FluidModel::lv08 ? latency + weight_bytes * per_byte_sum : latency;
}

// Only the ratio of penalties matters. SimGrid's solver ignores a sum of inverse penalties below
// 10^-5, so they are scaled to about 1, and to more only for ways of several links.
Flow FluidNetwork::flow_of(MessageId id) {
  Message& message = messages_[id];
  const Way way = take_way(message);
  double penalty = penalty_of(way.latency, way.per_byte_sum);
  if (penalty == 0) {
    penalty = least_penalty_;  // 0 would be a suspended flow for SimGrid
  }
  return {id, message.payload.size_bytes(), latency_factor() * way.latency,
          most_penalty_ > 0 ? penalty / most_penalty_ : 1, way_};
}

// --- The calendar ---

void FluidNetwork::depart(MessageId id) {
  const Message& message = messages_[id];
  expects(message.start >= now_, "a message starts no earlier than the open instant");
  if (message.start == now_) {
    take_off(id);
  } else {
    calendar_.push({message.start, Due::departure, id});
  }
}

/// If there is nothing to share, the arrival is known at once.
void FluidNetwork::take_off(MessageId id) {
  Message& message = messages_[id];
  if (has_flows_ && message.payload.size_bytes() > 0) {
    due_flows_.push_back(id);
  } else {
    const Way way = take_way(message);
    arrive(id, arrival_alone(message, way));
  }
}

std::span<const MessageId> FluidNetwork::advance(Ticks horizon) {
  delivered_.clear();
  alarms_.clear();
  if (has_due_flows()) {
    return delivered_;
  }
  while (delivered_.empty() && alarms_.empty() && due_flows_.empty() && !calendar_.empty() &&
         calendar_.top().time <= horizon) {
    now_ = calendar_.top().time;
    if (now_ == Ticks::max()) {
      refuse_late_time();
    }
    while (!calendar_.empty() && calendar_.top().time == now_) {
      const Timed timed = calendar_.top();
      calendar_.pop();
      switch (timed.due) {
        case Due::arrival:
          delivered_.push_back(timed.message);
          break;
        case Due::alarm:
          alarms_.push_back(timed.message.index());
          break;
        case Due::departure:
          take_off(timed.message);
      }
    }
  }
  return delivered_;
}

std::span<const MessageId> FluidNetwork::sorted_due_flows() {
  std::ranges::sort(due_flows_, {}, [this](MessageId id) { return messages_[id].priority(); });
  return due_flows_;
}

void FluidNetwork::land(MessageId id, Ticks time) {
  arrive(id, std::max({time, now_, messages_[id].start + Ticks{1}}));
}

LinkCounters FluidNetwork::link_counters() const { return {crossings_, busy_}; }

}  // namespace dcube::detail
