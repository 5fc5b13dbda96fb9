#pragma once

#include <cstdint>
#include <vector>

#include "calendar.hpp"
#include "dcube/core/growing_array.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/network/message.hpp"
#include "hop_costs.hpp"
#include "link_usage.hpp"
#include "servers.hpp"

namespace dcube {

/// Ways of messages: out of their node, stretch by stretch to the other, and into it. Also counts
/// the load of links.
///
/// The topology's own route is the common case and costs nothing more. A way that a message draws
/// (see Routing) depends on the seed, the source and the send number, never on the order of calls.
/// Links that messages choose are given one by one at the end of an instant; see choose().
class Ways {
 public:
  /// InputError when messages cannot draw their way in such a topology.
  Ways(const LinkModel& links, Servers& servers, HopCosts& costs, LinkUsage& usage);

  /// Whether all messages take the topology's own routes.
  bool are_own() const { return takes_own_routes_; }
  /// The message is about to leave its node; must be called first, unless are_own().
  void set_out(std::uint32_t number, const Message& message) {
    if (has_intermediates_) [[unlikely]] {
      draw_intermediate(number, message);
    }
    if (keeps_sources_) [[unlikely]] {
      sources_.grow_to(std::size_t{number} + 1);
      sources_[number] = message.at.index();
    }
  }
  /// First hop of the next straight stretch of a message that is not at its destination.
  [[gnu::always_inline]] HopEvent next(std::uint32_t number, Message& message) {
    return take(number, message,
                takes_own_routes_ ? servers_.next_stretch(message.at, message.to)
                                  : other_stretch(number, message));
  }
  /// Hop through an injection server.
  HopEvent injection(std::uint32_t number, const Message& message, Passage passage,
                     std::uint32_t tag) const {
    return event_on(number, message, servers_.injection(message.at, passage, tag));
  }
  /// Whether messages may go through a node that they draw.
  bool have_intermediates() const { return has_intermediates_; }
  /// Whether a message at its destination node only passes it.
  bool passes(std::uint32_t number, const Message& message) const {
    return has_intermediates_ && intermediate_[number] != Message::none &&
           intermediate_[number] != message.at.index() &&
           (!may_fail_ || leads_on(message, NodeId{intermediate_[number]}));
  }

  // Failures.

  bool may_fail() const { return may_fail_; }
  /// From now on only `left` works.
  void change(const Topology& left) { topology_ = &left; }
  bool works(LinkId link) const { return topology_->link(link).has_value(); }
  bool is_cut_off(const Message& message) const {
    return may_fail_ && !topology_->reaches(message.at, message.to);
  }
  /// Undoes a hop over a link that has failed.
  void take_back(HopEvent hop, Message& message);
  /// Whether the message was lost in a failed node; it is then at its source again.
  bool sends_again(std::uint32_t number, Message& message);

  /// Whether messages choose links with choose() in place of next(), at some nodes or all.
  bool are_chosen() const {
    return routing_.kind == Routing::minimal_adaptive || routing_.kind == Routing::ugal;
  }
  /// Whether the message chooses its next link.
  bool chooses(std::uint32_t number, const Message& message) const {
    return routing_.kind == Routing::minimal_adaptive ||
           (routing_.kind == Routing::ugal && is_undecided_[number] != 0 &&
            message.at.index() >= first_to_pass_);
  }
  /// The hop of a message that chooses. `minimal_adaptive`: over the link that it can have first,
  /// of those that bring it nearer; of free links the one free the longest, then the
  /// lowest-numbered. Earlier calls hold theirs. `ugal`: see Routing. `tail`: when the message's
  /// tail is there, or 0 where bodies keep their length.
  HopEvent choose(std::uint32_t number, Message& message, Instant now, Instant tail);
  /// Whether leave() must be told of all hops.
  bool counts_messages() const { return !on_server_.empty(); }
  /// A hop over the server has ended; its message holds the server until then.
  void leave(std::uint32_t server, Instant until) {
    --on_server_[server];
    held_until_[server] = std::max(held_until_[server], until);
  }

 private:
  HopEvent event_on(std::uint32_t number, const Message& message, const Stretch& stretch) const {
    return {stretch.first, number, static_cast<std::uint16_t>(stretch.hops - 1), stretch.direction,
            costs_.lane(message.cost_row, stretch.direction)};
  }
  [[gnu::always_inline]] HopEvent take(std::uint32_t number, Message& message,
                                       const Stretch& stretch) {
    message.at = stretch.end;
    message.hops += stretch.hops;
    usage_.add(stretch, message.cost_row);
    return event_on(number, message, stretch);
  }
  void draw_intermediate(std::uint32_t number, const Message& message);
  Stretch other_stretch(std::uint32_t number, const Message& message);
  Run next_run(std::uint32_t number, const Message& message);
  Run next_drawn_run(std::uint32_t number, const Message& message);
  Run own_run(std::uint32_t number, const Message& message, NodeId at, NodeId to) const;
  HopEvent choose_link(std::uint32_t number, Message& message, Instant now, Instant tail);
  HopEvent choose_way(std::uint32_t number, Message& message, Instant now);
  /// Whether the message can go over the node.
  bool leads_on(const Message& message, NodeId over) const {
    return topology_->reaches(message.at, over) && topology_->reaches(over, message.to);
  }
  std::uint64_t cost_of_way(std::uint32_t number, const Message& message, NodeId over,
                            Instant now) const;
  void list_links();

  const Topology* topology_;  ///< with only the parts that work
  Servers& servers_;
  HopCosts& costs_;
  LinkUsage& usage_;
  RoutingModel routing_;
  bool may_fail_;         ///< some links or nodes, later
  bool has_dead_ends_;    ///< failures may leave neighbours that do not lead to a node
  bool goes_hop_by_hop_;  ///< looks again at every node, because parts may have failed
  bool takes_own_routes_;
  bool has_intermediates_;  ///< messages go through a node, or a group, that they draw
  bool keeps_sources_;
  std::uint32_t first_to_pass_;  ///< first node that messages pass
  std::uint32_t nodes_to_pass_;  ///< number of nodes except a host computer
  NodeId gate_;  ///< drawn orders: the node of the grid with the link to a host computer
  std::vector<std::uint32_t> dimensions_;  ///< in the order that a message draws
  /// [message]: the intermediate node of Valiant's routing; none: it has been there.
  GrowingArray<std::uint32_t> intermediate_;
  GrowingArray<std::uint8_t> is_undecided_;  ///< [message], of ugal
  /// [server], of ugal: messages that wait for it, and those whose heads are on it.
  std::vector<std::uint32_t> on_server_;
  std::vector<Instant> held_until_;      ///< [server], of ugal: by a message whose head has left
  GrowingArray<std::uint32_t> sources_;  ///< [message]: source node, if keeps_sources_
  /// Links by the node that they leave: those of node n begin at exits_[first_exit_[n]].
  struct Exit {
    Stretch hop;
    LinkId link;
  };
  std::vector<Exit> exits_;
  std::vector<std::uint32_t> first_exit_;
  /// [server], or empty without contention: when it will have served all that have chosen it.
  std::vector<Instant> promised_until_;
};

}  // namespace dcube
