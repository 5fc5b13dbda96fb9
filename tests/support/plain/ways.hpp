#pragma once

// Ways of messages through the network of the plain simulator, and what hops cost.

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "dcube/core/random.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "dcube/topology/with_host.hpp"
#include "support/script.hpp"

namespace dcube::testing {

/// A message, or a packet of one, in the plain simulator.
struct PlainMessage {
  ProcessId source;
  ProcessId destination;
  std::uint32_t send_number = 0;
  Tag tag = 0;
  std::uint64_t bytes = 0;
  Ticks start{0};
  bool waits_for_receiver = false;
  std::optional<std::size_t> whole = std::nullopt;  ///< message that this is a packet of
  std::uint32_t packet = 0;                         ///< number of the packet
  std::size_t packets_left = 0;                     ///< of a whole message
  std::vector<LinkId> way;     ///< links and injection servers; adaptive: so far
  NodeId node;                 ///< the message's node, or where its present hop began
  std::optional<NodeId> over;  ///< hop by hop: node that it has yet to visit
  bool is_undecided = false;   ///< ugal: whether it goes over `over`
  std::size_t position = 0;    ///< in `way`: of the next link, or of the present one
  std::uint32_t hops = 0;
  Ticks reached{0};  ///< time at which it reached its link
  Ticks hop_start{0};
  Ticks hop_release{0};  ///< time at which the link is free again
  Ticks tail{0};         ///< cut-through: time at which the last byte is at the node
  std::optional<Ticks> arrival;

  auto rank() const { return std::tuple{reached, source, send_number, packet}; }
  /// Time from which a receive from anyone can take it.
  std::optional<Ticks> available() const {
    return waits_for_receiver ? std::optional{start} : arrival;
  }
};

/// Rules of ways and costs, whatever else is on the network.
class PlainWays {
 public:
  explicit PlainWays(const ScriptCase& scripted)
      : case_{scripted}, topology_{*scripted.machine.topology} {}

  /// Whether messages choose their next link at every node.
  bool may_fail() const {
    return !case_.machine.links.faults.empty() || is_ugal() ||
           (case_.machine.links.routing.kind == Routing::random_order && !is_grid(topology_));
  }

  /// Whether the message's way ends with the injection server of node `to`.
  bool is_injection_of(const PlainMessage& message, NodeId to) const {
    return !message.way.empty() && message.way.back() == injection_of(message, to, Passage::in);
  }
  /// Each interface has a server out of each node, then one into each.
  LinkId injection_of(const PlainMessage& message, NodeId node, Passage passage) const {
    const std::uint32_t interface = message.tag % case_.machine.links.interfaces;
    const std::uint32_t before = 2 * interface + (passage == Passage::out ? 0 : 1);
    return LinkId{topology_.link_slots() + before * topology_.node_count() + node.index()};
  }

  /// Costs of a hop. Store and forward occupies a link while the message is on it, pipelined wires
  /// for its bytes alone. In cut-through the head needs the latency, and the body follows.
  struct Costs {
    Ticks advance{0};
    Ticks occupancy{0};
    Ticks body{0};
  };
  Costs costs_of(LinkId link, std::uint64_t bytes) const {
    const TransferCost& cost = cost_of(link);
    const Ticks whole = std::max(Ticks{1}, cost.of(bytes));
    const Ticks head = std::max(Ticks{1}, cost.of(0));
    const Ticks body = TransferCost{{}, cost.per_byte}.of(bytes);
    switch (case_.machine.links.switching) {
      case Switching::cut_through:
        return {head, std::max(Ticks{1}, body), body};
      case Switching::pipelined:
        return {whole, std::max(Ticks{1}, body), {}};
      default:
        return {whole, whole, {}};
    }
  }
  bool is_cut_through() const { return case_.machine.links.switching == Switching::cut_through; }
  bool has_contention() const { return case_.machine.links.contention == Contention::on; }
  bool is_injection(LinkId link) const { return link.index() >= topology_.link_slots(); }
  const TransferCost& cost_of(LinkId link) const {
    const LinkModel& links = case_.machine.links;
    if (is_injection(link)) {
      const std::uint32_t nodes = topology_.node_count();
      const bool leaves = (link.index() - topology_.link_slots()) / nodes % 2 == 0;
      return leaves ? *links.injection.out : *links.injection.in;
    }
    const auto special = links.overrides.find(link);
    return special != links.overrides.end() ? special->second
                                            : links.per_dimension[topology_.link(link)->dimension];
  }
  bool is_ugal() const { return case_.machine.links.routing.kind == Routing::ugal; }
  /// What the message's route depends on beside its ends.
  std::uint64_t flow_of(const PlainMessage& message, NodeId from, NodeId to) const {
    return case_.machine.links.routing.kind == Routing::ecmp
               ? std::uint64_t{message.source.index()} << 32U | message.send_number
               : std::uint64_t{from.index()} << 32U | to.index();
  }
  /// Node that the message goes over, if it draws one.
  std::optional<NodeId> drawn_over(const PlainMessage& message, NodeId from, NodeId to) const {
    const Topology& network = without_host(topology_);
    const Routing routing = case_.machine.links.routing.kind;
    if (routing == Routing::valiant) {
      const std::uint32_t first = network.first_forwarder();
      const NodeId over{first +
                        static_cast<std::uint32_t>(drawn(message, 0, nodes_to_pass() - first))};
      return over == from || over == to ? std::nullopt : std::optional{over};
    }
    if ((routing != Routing::valiant_group && routing != Routing::ugal) ||
        from.index() >= nodes_to_pass() || to.index() >= nodes_to_pass()) {
      return std::nullopt;
    }
    const auto group = static_cast<std::uint32_t>(drawn(message, 0, network.group_count()));
    const std::uint32_t first = network.group_of(from);
    const std::uint32_t last = network.group_of(to);
    return first == last || group == first || group == last
               ? std::nullopt
               : std::optional{network.entry_of(group, from)};
  }
  bool is_adaptive() const { return case_.machine.links.routing.kind == Routing::minimal_adaptive; }
  std::uint64_t drawn(const PlainMessage& message, std::uint64_t number,
                      std::uint64_t bound) const {
    return bounded(hash_of(case_.machine.links.routing.seed, message.source.index(),
                           message.send_number, number),
                   bound);
  }
  std::uint32_t nodes_to_pass() const {
    return topology_.node_count() - (topology_.kind() == "with_host" ? 1 : 0);
  }
  /// Appends the links of the topology's own route.
  void go_to(std::vector<LinkId>& way, const PlainMessage& message, NodeId from, NodeId to) const {
    const std::uint64_t flow =
        flow_of(message, case_.map[message.source.index()], case_.map[message.destination.index()]);
    while (from != to) {
      const Run run = topology_.next_run_of(flow, from, to);
      for (std::uint32_t hop = 0; hop < run.hops; ++hop) {
        way.emplace_back(run.first.index() + hop * static_cast<std::uint32_t>(run.stride));
      }
      from = run.end;
    }
  }
  /// The first node of the route, and those that it goes over by own routes.
  std::vector<NodeId> turns_of(const PlainMessage& message, NodeId from, NodeId to) const {
    std::vector<NodeId> route{from};
    if (from == to) {
      return route;
    }
    switch (case_.machine.links.routing.kind) {
      case Routing::valiant:
      case Routing::valiant_group:
        if (const std::optional<NodeId> over = drawn_over(message, from, to);
            over && topology_.reaches(from, *over) && topology_.reaches(*over, to)) {
          route.push_back(*over);
        }
        break;
      case Routing::random_order: {
        // The order concerns the grid; a host computer is one hop before or after it.
        const NodeId host{nodes_to_pass()};
        if (from == host) {
          route.push_back(topology_.route(from, to)[1]);
        }
        const std::vector<NodeId> own = topology_.route(route.back(), to);
        const NodeId end = to == host && own.size() > 1 ? own[own.size() - 2] : to;
        if (route.back() == to || end == route.back()) {
          break;
        }
        const bool has_host = nodes_to_pass() < topology_.node_count();
        std::vector<std::uint32_t> order(topology_.shape().size() - (has_host ? 1 : 0));
        for (std::uint32_t i = 0; i < order.size(); ++i) {
          order[i] = i;
        }
        for (std::size_t left = order.size(); left > 0; --left) {
          std::swap(order[left - 1], order[drawn(message, left, left)]);
        }
        for (auto dimension = order.rbegin(); dimension != order.rend(); ++dimension) {
          std::uint32_t stride = 1;
          for (std::uint32_t d = 0; d < *dimension; ++d) {
            stride *= topology_.shape()[d];
          }
          const std::uint32_t side = topology_.shape()[*dimension];
          const std::uint32_t here = route.back().index();
          const NodeId turn{here - here / stride % side * stride +
                            end.index() / stride % side * stride};
          if (turn != route.back()) {
            route.push_back(turn);
          }
        }
        break;
      }
      default:
        break;
    }
    return route;
  }
  /// Links of a way: injection, the links of the route, and injection at the other end.
  std::vector<LinkId> way_of(const PlainMessage& message, NodeId from, NodeId to) const {
    std::vector<LinkId> way;
    if (!is_adaptive() && !may_fail()) {
      std::vector<NodeId> turns = turns_of(message, from, to);
      turns.push_back(to);
      for (std::size_t i = 0; i + 1 < turns.size(); ++i) {
        go_to(way, message, turns[i], turns[i + 1]);
      }
    }
    const Injection& injection = case_.machine.links.injection;
    if (injection.out && from != to) {
      way.insert(way.begin(), injection_of(message, from, Passage::out));
    }
    if (injection.in && from != to && !is_adaptive() && !may_fail()) {
      way.push_back(injection_of(message, to, Passage::in));
    }
    return way;
  }
  LinkId server_id(LinkId link) const {
    return case_.machine.links.duplex == Duplex::half && !is_injection(link)
               ? std::min(link, topology_.reverse(link))
               : link;
  }

 protected:
  const ScriptCase& case_;
  const Topology& topology_;
};

}  // namespace dcube::testing
