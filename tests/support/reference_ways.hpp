#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "dcube/core/random.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "script.hpp"

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
  std::optional<NodeId> over;  ///< valiant, with failures: node that it has yet to visit
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
      : case_{scripted}, topology_{*scripted.machine.topology} {
    for (std::uint32_t slot = 0; slot < topology_.link_slots(); ++slot) {
      if (const auto link = topology_.link(LinkId{slot})) {
        link_between_[{link->from, link->to}] = LinkId{slot};
      }
    }
  }

  /// Whether messages choose their next link at every node.
  bool may_fail() const {
    return !case_.machine.links.faults.empty() ||
           (case_.machine.links.routing.kind == Routing::random_order && !is_grid(topology_));
  }

  /// Whether the message's way ends with the injection server of node `to`.
  bool is_injection_of(const PlainMessage& message, NodeId to) const {
    return !message.way.empty() &&
           message.way.back() ==
               LinkId{topology_.link_slots() + topology_.node_count() + to.index()};
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
      return *links.injection;
    }
    const auto special = links.overrides.find(link);
    return special != links.overrides.end() ? special->second
                                            : links.per_dimension[topology_.link(link)->dimension];
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
  void go_to(std::vector<NodeId>& route, NodeId to) const {
    const std::vector<NodeId> rest = topology_.route(route.back(), to);
    route.insert(route.end(), rest.begin() + 1, rest.end());
  }
  /// Nodes of the route; `only_turns`: of a random order of dimensions, only those where it turns.
  std::vector<NodeId> route_of(const PlainMessage& message, NodeId from, NodeId to,
                               bool only_turns = false) const {
    std::vector<NodeId> route{from};
    if (from == to) {
      return route;
    }
    switch (case_.machine.links.routing.kind) {
      case Routing::valiant: {
        const auto over = static_cast<std::uint32_t>(drawn(message, 0, nodes_to_pass()));
        if (topology_.reaches(from, NodeId{over})) {
          go_to(route, NodeId{over});
        }
        break;
      }
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
          if (!only_turns) {
            go_to(route, turn);
          } else if (turn != route.back()) {
            route.push_back(turn);
          }
        }
        break;
      }
      default:
        break;
    }
    if (!only_turns) {
      go_to(route, to);
    }
    return route;
  }
  /// Links of a way: injection, the links of the route, and injection at the other end.
  std::vector<LinkId> way_of(const PlainMessage& message, NodeId from, NodeId to) const {
    const std::vector<NodeId> route =
        is_adaptive() || may_fail() ? std::vector<NodeId>{from} : route_of(message, from, to);
    std::vector<LinkId> way;
    for (std::size_t i = 0; i + 1 < route.size(); ++i) {
      way.push_back(link_between_.at({route[i], route[i + 1]}));
    }
    if (case_.machine.links.injection && from != to) {
      const std::uint32_t slots = topology_.link_slots();
      way.insert(way.begin(), LinkId{slots + from.index()});
      if (is_adaptive() || may_fail()) {
        return way;
      }
      way.push_back(LinkId{slots + topology_.node_count() + to.index()});
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
  std::map<std::pair<NodeId, NodeId>, LinkId> link_between_;
};

}  // namespace dcube::testing
