#include "ways.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/random.hpp"
#include "dcube/network/routing_names.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "dcube/topology/routing.hpp"
#include "dcube/topology/with_host.hpp"

namespace dcube {

namespace {

/// Random number `draw` of a message.
std::uint64_t drawn(const RoutingModel& routing, const Message& message, std::uint64_t draw) {
  return hash_of(routing.seed, message.source.index(), message.send_number, draw);
}

/// Number of nodes that routes may pass: all but a host computer, which is the last node.
std::uint32_t nodes_to_pass(const Topology& topology) {
  return without_host(topology).node_count();
}

}  // namespace

Ways::Ways(const LinkModel& links, Servers& servers, HopCosts& costs, LinkUsage& usage)
    : topology_{&servers.topology()},
      servers_{servers},
      costs_{costs},
      usage_{usage},
      routing_{links.routing},
      may_fail_{!links.faults.empty()},
      has_dead_ends_{may_fail_ || !failures_of(without_host(*topology_)).empty()},
      goes_hop_by_hop_{may_fail_ || (routing_.kind == Routing::random_order &&
                                     !is_grid(without_host(*topology_)))},
      takes_own_routes_{routing_.kind == Routing::fixed && !may_fail_ &&
                        !topology_->are_routes_by_flow()},
      has_intermediates_{makes_detours(routing_.kind)},
      keeps_sources_{may_fail_ || topology_->are_routes_by_flow()},
      first_to_pass_{without_host(*topology_).first_forwarder()},
      nodes_to_pass_{nodes_to_pass(servers.topology())} {
  if (routing_.kind == Routing::random_order) {
    const Topology& network = without_host(*topology_);
    refuse_if(!has_coordinates(network), "",
              "messages in a {} have no order of dimensions to draw "
              "(random_order is for grids; valiant suits every network)",
              network.kind());
    dimensions_.resize(network.dimension_count());
    if (&network != topology_) {
      gate_ = topology_->neighbours(NodeId{nodes_to_pass_}).front();
    }
  }
  refuse_if((routing_.kind == Routing::valiant_group || routing_.kind == Routing::ugal) &&
                without_host(*topology_).group_count() == 0,
            "",
            "messages in a {} have no group to draw (valiant_group and ugal are for dragonflies)",
            without_host(*topology_).kind());
  if (routing_.kind == Routing::ugal && links.contention == Contention::on) {
    on_server_.assign(servers.count(), 0);
    held_until_.assign(servers.count(), 0);
  }
  if (routing_.kind == Routing::minimal_adaptive) {
    list_links();
    promised_until_.assign(links.contention == Contention::on ? servers.count() : 0, 0);
  }
}

void Ways::list_links() {
  for (std::uint32_t slot = 0; slot < topology_->link_slots(); ++slot) {
    const std::optional<Link> link = topology_->link(LinkId{slot});
    if (link && topology_->is_alive(link->to)) {
      exits_.push_back({servers_.hop(LinkId{slot}, link->to), LinkId{slot}});
    }
  }
  const auto from = [this](const Exit& exit) { return topology_->link(exit.link)->from; };
  std::ranges::stable_sort(exits_, {}, from);
  first_exit_.assign(topology_->node_count() + 1, 0);
  for (const Exit& exit : exits_) {
    ++first_exit_[from(exit).index() + 1];
  }
  std::partial_sum(first_exit_.begin(), first_exit_.end(), first_exit_.begin());
}

// --- Ways that are drawn ---

void Ways::draw_intermediate(std::uint32_t number, const Message& message) {
  intermediate_.grow_to(std::size_t{number} + 1);
  const std::uint64_t word = drawn(routing_, message, 0);
  if (routing_.kind != Routing::valiant) {
    const Topology& network = without_host(*topology_);
    const bool is_inside =
        message.at.index() < nodes_to_pass_ && message.to.index() < nodes_to_pass_;
    const auto group = static_cast<std::uint32_t>(bounded(word, network.group_count()));
    const bool is_other =
        is_inside && network.group_of(message.at) != network.group_of(message.to) &&
        group != network.group_of(message.at) && group != network.group_of(message.to);
    intermediate_[number] = is_other ? network.entry_of(group, message.at).index() : Message::none;
    is_undecided_.grow_to(std::size_t{number} + 1);
    is_undecided_[number] = routing_.kind == Routing::ugal && is_other ? 1 : 0;
    return;
  }
  const auto node =
      first_to_pass_ + static_cast<std::uint32_t>(bounded(word, nodes_to_pass_ - first_to_pass_));
  const bool is_on_the_way = node == message.at.index() || node == message.to.index();
  intermediate_[number] = is_on_the_way ? Message::none : node;
}

Stretch Ways::other_stretch(std::uint32_t number, const Message& message) {
  const Stretch stretch = servers_.stretch_of(next_run(number, message));
  if (counts_messages()) {
    ++on_server_[stretch.first];
  }
  return stretch;
}

/// The network's own way; if links may fail, only its first hop is certain.
Run Ways::own_run(std::uint32_t number, const Message& message, NodeId at, NodeId to) const {
  std::uint64_t flow = 0;
  if (routing_.kind == Routing::ecmp) {
    flow = std::uint64_t{message.source.index()} << 32U | message.send_number;
  } else if (keeps_sources_) {
    flow = Topology::flow_between(NodeId{sources_[number]}, message.to);
  }
  Run run = topology_->next_run_of(flow, at, to);
  if (goes_hop_by_hop_) {
    run.hops = 1;
    run.end = topology_->link(run.first)->to;
  }
  return run;
}

Run Ways::next_run(std::uint32_t number, const Message& message) {
  if (routing_.kind == Routing::random_order) {
    return next_drawn_run(number, message);
  }
  NodeId target = message.to;
  // Messages that have yet to decide are on both ways.
  if (has_intermediates_ && !(routing_.kind == Routing::ugal && is_undecided_[number] != 0)) {
    std::uint32_t& node = intermediate_[number];
    if (node == message.at.index() || (node != Message::none && !leads_on(message, NodeId{node}))) {
      node = Message::none;
    }
    if (node != Message::none) {
      target = NodeId{node};
    }
  }
  return own_run(number, message, message.at, target);
}

/// The way through the first dimension, in the message's order, in which its coordinate differs
/// from the destination's; around failures, and over a host computer's link, the network's own.
Run Ways::next_drawn_run(std::uint32_t number, const Message& message) {
  const Run own = own_run(number, message, message.at, message.to);
  const bool is_for_host = message.to.index() == nodes_to_pass_;
  if (message.at.index() == nodes_to_pass_ ||
      (is_for_host && topology_->distance(message.at, message.to) == 1)) {
    return own;
  }
  const NodeId to = is_for_host ? gate_ : message.to;
  const std::span<const std::uint32_t> shape = topology_->shape();
  const auto count = static_cast<std::uint32_t>(dimensions_.size());
  std::iota(dimensions_.begin(), dimensions_.end(), 0U);
  for (std::uint32_t left = count; left > 0; --left) {
    const std::uint64_t place = bounded(drawn(routing_, message, left), left);
    std::swap(dimensions_[left - 1], dimensions_[place]);
    const std::uint32_t dimension = dimensions_[left - 1];
    const std::uint32_t stride = std::accumulate(shape.begin(), shape.begin() + dimension,
                                                 std::uint32_t{1}, std::multiplies{});
    const auto coordinate = [&](NodeId node) { return node.index() / stride % shape[dimension]; };
    if (coordinate(message.at) != coordinate(to)) {
      const NodeId turn{message.at.index() - coordinate(message.at) * stride +
                        coordinate(to) * stride};
      if (!topology_->reaches(message.at, turn)) {
        return own;
      }
      const Run run = own_run(number, message, message.at, turn);
      const bool is_shortest =
          run.hops + topology_->distance(run.end, to) == topology_->distance(message.at, to);
      return is_shortest ? run : own;
    }
  }
  return own;
}

// --- Failures ---

void Ways::take_back(HopEvent hop, Message& message) {
  const auto direction = static_cast<std::uint8_t>(hop.direction & ~release_flag);
  const LinkId link = servers_.link(hop.server, direction);
  usage_.take_back(servers_.hop(link, message.at), message.cost_row);
  if (counts_messages()) {
    leave(hop.server, 0);
  }
  --message.hops;
  message.at = servers_.topology().link(link)->from;
}

bool Ways::sends_again(std::uint32_t number, Message& message) {
  if (topology_->is_alive(message.at)) {
    return false;
  }
  message.at = NodeId{sources_[number]};
  if (routing_.kind == Routing::ugal) {
    is_undecided_[number] = intermediate_[number] != Message::none ? 1 : 0;
  }
  return true;
}

// --- Ways that are chosen ---

HopEvent Ways::choose(std::uint32_t number, Message& message, Instant now, Instant tail) {
  return routing_.kind == Routing::ugal ? choose_way(number, message, now)
                                        : choose_link(number, message, now, tail);
}

/// Decides between the network's own way and that through a group.
HopEvent Ways::choose_way(std::uint32_t number, Message& message, Instant now) {
  is_undecided_[number] = 0;
  const NodeId over{intermediate_[number]};
  if (!leads_on(message, over)) {
    intermediate_[number] = Message::none;
  } else {
    const Int128 own = cost_of_way(number, message, message.to, now);
    const Int128 other = Int128{cost_of_way(number, message, over, now)} + routing_.threshold;
    if (own <= other) {
      intermediate_[number] = Message::none;
    }
  }
  return next(number, message);
}

/// Messages on a link, and one more: on the first link, times the hops, or on all links of the way.
std::uint64_t Ways::cost_of_way(std::uint32_t number, const Message& message, NodeId over,
                                Instant now) const {
  std::uint64_t cost = 0;
  NodeId target = over;
  for (NodeId at = message.at; at != message.to;) {
    const Run run = own_run(number, message, at, target);
    const NodeId next = run.hops == 1 ? run.end : topology_->link(run.first)->to;
    cost += 1;
    if (!on_server_.empty()) {
      const std::uint32_t server = servers_.hop(run.first, next).first;
      cost += on_server_[server] + (held_until_[server] > now ? 1 : 0);
    }
    if (routing_.sight == Sight::first_link) {
      return cost * (std::uint64_t{topology_->distance(message.at, over)} +
                     topology_->distance(over, message.to));
    }
    at = next;
    target = at == target ? message.to : target;
  }
  return cost;
}

HopEvent Ways::choose_link(std::uint32_t number, Message& message, Instant now, Instant tail) {
  const std::uint32_t distance = topology_->distance(message.at, message.to);
  constexpr Instant never = RadixHeap<Timed>::never;
  std::pair earliest{never, never};  // for this message, and in general
  const Stretch* best = nullptr;
  for (std::uint32_t i = first_exit_[message.at.index()]; i < first_exit_[message.at.index() + 1];
       ++i) {
    const auto& [hop, link] = exits_[i];
    const NodeId to = hop.end;
    if ((may_fail_ && !works(link)) || (has_dead_ends_ && !topology_->reaches(to, message.to))) {
      continue;
    }
    const bool is_nearer = topology_->distance(to, message.to) + 1 == distance;
    const bool leads_to_host =
        message.to.index() >= nodes_to_pass_ && topology_->distance(to, message.to) == 1;
    const bool leaves_host = message.at.index() >= nodes_to_pass_;
    const bool passes = to.index() < nodes_to_pass_ &&
                        (to.index() >= first_to_pass_ || leads_to_host || leaves_host);
    if (!is_nearer || (!passes && to != message.to)) {
      continue;
    }
    const Instant free_since = promised_until_.empty() ? 0 : promised_until_[hop.first];
    const std::pair free{std::max(now, free_since), free_since};
    if (free < earliest) {
      earliest = free;
      best = &hop;
    }
  }
  expects(best != nullptr, "a neighbour is nearer to where a message goes");
  const HopEvent event = take(number, message, *best);
  if (!promised_until_.empty()) {
    const Instant end = checked_add(
        earliest.first, costs_.occupancy(message.cost_row, best->first, best->direction));
    promised_until_[best->first] = costs_.held_until(best->first, best->direction, end, tail);
  }
  return event;
}

}  // namespace dcube
