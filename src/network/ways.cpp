#include "ways.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/random.hpp"
#include "dcube/topology/grid_kind.hpp"
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
      goes_hop_by_hop_{may_fail_ || (routing_.kind == Routing::random_order &&
                                     !is_grid(without_host(*topology_)))},
      takes_own_routes_{routing_.kind == Routing::fixed && !may_fail_},
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
  if (are_chosen()) {
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
  const auto node =
      static_cast<std::uint32_t>(bounded(drawn(routing_, message, 0), nodes_to_pass_));
  const bool is_on_the_way = node == message.at.index() || node == message.to.index();
  intermediate_[number] = is_on_the_way ? Message::none : node;
}

Stretch Ways::other_stretch(std::uint32_t number, const Message& message) {
  return servers_.stretch_of(next_run(number, message));
}

/// The network's own way; if links may fail, only its first hop is certain.
Run Ways::own_run(NodeId at, NodeId to) const {
  Run run = topology_->next_run(at, to);
  if (goes_hop_by_hop_) {
    run.hops = 1;
    run.end = topology_->link(run.first)->to;
  }
  return run;
}

Run Ways::next_run(std::uint32_t number, const Message& message) {
  if (routing_.kind == Routing::random_order) {
    return next_drawn_run(message);
  }
  NodeId target = message.to;
  if (routing_.kind == Routing::valiant) {
    std::uint32_t& node = intermediate_[number];
    if (node == message.at.index() ||
        (node != Message::none && !topology_->reaches(message.at, NodeId{node}))) {
      node = Message::none;
    }
    if (node != Message::none) {
      target = NodeId{node};
    }
  }
  return own_run(message.at, target);
}

/// The way through the first dimension, in the message's order, in which its coordinate differs
/// from the destination's; around failures, and over a host computer's link, the network's own.
Run Ways::next_drawn_run(const Message& message) {
  const Run own = own_run(message.at, message.to);
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
      const Run run = own_run(message.at, turn);
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
  --message.hops;
  message.at = servers_.topology().link(link)->from;
}

bool Ways::sends_again(std::uint32_t number, Message& message) const {
  if (topology_->is_alive(message.at)) {
    return false;
  }
  message.at = NodeId{sources_[number]};
  return true;
}

// --- Ways that are chosen ---

HopEvent Ways::choose(std::uint32_t number, Message& message, Instant now) {
  const std::uint32_t distance = topology_->distance(message.at, message.to);
  constexpr Instant never = RadixHeap<Timed>::never;
  std::pair earliest{never, never};  // for this message, and in general
  const Stretch* best = nullptr;
  for (std::uint32_t i = first_exit_[message.at.index()]; i < first_exit_[message.at.index() + 1];
       ++i) {
    const auto& [hop, link] = exits_[i];
    const NodeId to = hop.end;
    if (may_fail_ && !(works(link) && topology_->reaches(to, message.to))) {
      continue;
    }
    const bool is_nearer = topology_->distance(to, message.to) + 1 == distance;
    if (!is_nearer || (to.index() >= nodes_to_pass_ && to != message.to)) {
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
    promised_until_[best->first] = checked_add(
        earliest.first, costs_.occupancy(message.cost_row, best->first, best->direction));
  }
  return event;
}

}  // namespace dcube
