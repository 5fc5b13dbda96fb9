#pragma once

// The network of the plain simulator: links with their queues, hops, packets, failures.

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "support/history.hpp"
#include "ways.hpp"

namespace dcube::testing {

/// Messages under way, one instant at a time, and failures. Link queues are searched for the first
/// message by (arrival, source, send number); in turn, for the first packet of the message whose
/// turn it is.
class PlainNetwork : public PlainWays {
 public:
  /// `instants`: times of coming events; the network adds its own.
  PlainNetwork(const ScriptCase& scripted, History& history, std::multiset<Ticks>& instants)
      : PlainWays{scripted}, history_{history}, instants_{instants} {}

  std::vector<PlainMessage>& messages() { return messages_; }

  void begin_instant(Ticks now) {
    now_ = now;
    fail();
    move_messages();
  }
  /// Call it once all messages that leave at this instant have left.
  void end_instant() { choose(); }
  /// Ends the hops that have begun, after a message has been cut off.
  void stop() {
    for (const auto& [m, finish] : flying_) {
      const PlainMessage& message = messages_[m];
      if (!local_.contains(m) && message.position < message.way.size() &&
          message.hop_start < now_ && finish > now_) {
        note_hop(message, now_, std::min(message.hop_release, now_));
      }
    }
  }

  /// Cuts a message into packets, and sends them.
  void leave(std::size_t m) {
    const std::optional<std::uint64_t> limit = case_.machine.links.packet_bytes;
    const PlainMessage whole = messages_[m];
    const bool is_local = case_.map[whole.source.index()] == case_.map[whole.destination.index()];
    if (!limit || whole.bytes <= *limit || is_local || whole.whole) {
      set_out(m);
      return;
    }
    for (std::uint64_t sent = 0; sent < whole.bytes; sent += *limit) {
      PlainMessage packet = whole;
      packet.bytes = std::min(*limit, whole.bytes - sent);
      packet.whole = m;
      packet.packet = static_cast<std::uint32_t>(messages_[m].packets_left++);
      messages_.push_back(packet);
      set_out(messages_.size() - 1);
    }
  }

  void set_out(std::size_t m) {
    if (messages_[m].start == now_) {
      reach(m);
    } else {
      departures_.insert(m);
      instants_.insert(messages_[m].start);
    }
  }

 private:
  struct Server {
    std::vector<std::size_t> queue;
    std::vector<std::size_t> turns;  ///< whole messages with something in the queue
    Ticks free_at{0};
  };

  // --- Failures.

  /// Hops that end at this instant count as made. A message on a failing link, or waiting for it,
  /// is put back at the link's beginning.
  void fail() {
    for (const Fault& fault : case_.machine.links.faults) {
      if (fault.at == now_) {
        left_ = fault.left.get();
        std::vector<std::size_t> stopped;
        for (const auto& [m, finish] : flying_) {
          if (!local_.contains(m) && messages_[m].position < messages_[m].way.size() &&
              finish > now_ && has_failed(messages_[m].way[messages_[m].position])) {
            stopped.push_back(m);
          }
        }
        for (const std::size_t m : stopped) {
          forget(flying_.extract(m).mapped());
          forget(messages_[m].hop_release);
        }
        for (auto& [name, server] : servers_) {
          if (has_failed(name.second)) {
            stopped.insert(stopped.end(), server.queue.begin(), server.queue.end());
            server.queue.clear();
            server.turns.clear();
          }
        }
        for (const std::size_t m : stopped) {
          messages_[m].way.resize(messages_[m].position);
          reach(m);
        }
      }
    }
  }
  /// What was to happen then does not.
  void note_hop(const PlainMessage& message, Ticks finish, Ticks release) {
    const LinkId link = message.way[message.position];
    history_.hops.push_back({message.source, message.send_number, server_id(link), message.reached,
                             message.hop_start, finish, release,
                             case_.map[message.destination.index()], message.bytes,
                             message.destination, message.packet, link != server_id(link)});
  }
  void forget(Ticks instant) {
    if (instant > now_) {
      instants_.erase(instants_.find(instant));
    }
  }
  bool has_failed(LinkId link) const {
    return !is_injection(link) && topology_.link(link) && !left_->link(link);
  }

  /// Chooses the next link of a message at a node. False: no route, or the choice is made later.
  bool go_on(std::size_t m) {
    PlainMessage& message = messages_[m];
    const NodeId to = case_.map[message.destination.index()];
    if (!left_->is_alive(message.node)) {
      message.node = case_.map[message.source.index()];
      message.tail = now_;
      message.is_undecided = is_ugal() && message.over;
      if (case_.machine.links.injection.out) {
        message.way.push_back(injection_of(message, message.node, Passage::out));
        return true;
      }
    }
    if (!left_->reaches(message.node, to)) {
      const CutOff cut{now_, message.source, message.send_number, message.destination, message.node,
                       to};
      if (!history_.cut_off || std::tuple{cut.source, cut.send_number, message.packet} <
                                   std::tuple{history_.cut_off->source,
                                              history_.cut_off->send_number, cut_off_packet_}) {
        history_.cut_off = cut;
        cut_off_packet_ = message.packet;
      }
      return false;
    }
    if (message.over && !message.is_undecided &&
        (*message.over == message.node || !left_->reaches(message.node, *message.over) ||
         !left_->reaches(*message.over, to))) {
      message.over.reset();
    }
    if (message.node == to && !message.over) {
      if (case_.machine.links.injection.in && !is_injection_of(message, to)) {
        message.way.push_back(injection_of(message, to, Passage::in));
      }
      return true;
    }
    if (is_adaptive()) {
      message.reached = now_;
      undecided_.push_back(m);
      return false;
    }
    if (message.is_undecided && message.node.index() >= without_host(topology_).first_forwarder()) {
      message.reached = now_;
      undecided_.push_back(m);
      return false;
    }
    LinkId next =
        first_link(message, message.node, message.is_undecided ? to : message.over.value_or(to));
    if (case_.machine.links.routing.kind == Routing::random_order) {
      const std::vector<NodeId> turns = turns_of(message, message.node, to);
      if (turns.size() > 1 && left_->reaches(message.node, turns[1])) {
        const LinkId other = first_link(message, message.node, turns[1]);
        if (1 + left_->distance(topology_.link(other)->to, to) ==
            left_->distance(message.node, to)) {
          next = other;
        }
      }
    }
    message.way.push_back(next);
    return true;
  }
  /// The first link of the working network's own route.
  LinkId first_link(const PlainMessage& message, NodeId from, NodeId to) const {
    const std::uint64_t flow =
        flow_of(message, case_.map[message.source.index()], case_.map[message.destination.index()]);
    return left_->next_run_of(flow, from, to).first;
  }
  /// All links of that route.
  std::vector<LinkId> links_between(const PlainMessage& message, NodeId from, NodeId to) const {
    std::vector<LinkId> links;
    while (from != to) {
      links.push_back(first_link(message, from, to));
      from = topology_.link(links.back())->to;
    }
    return links;
  }

  /// Messages that wait for the link or occupy it, and those whose heads are crossing it.
  std::uint64_t messages_on(LinkId link) const {
    if (!has_contention()) {
      return 0;
    }
    const auto is_on_it = [&](std::size_t m) {
      const PlainMessage& message = messages_[m];
      return !local_.contains(m) && message.position < message.way.size() &&
             !is_injection(message.way[message.position]) &&
             server_id(message.way[message.position]) == server_id(link);
    };
    std::uint64_t count = 0;
    for (const auto& [m, finish] : flying_) {
      count += is_on_it(m) ? 1 : 0;
    }
    for (const auto& [name, server] : servers_) {
      count += static_cast<std::uint64_t>(std::ranges::count_if(server.queue, is_on_it));
    }
    const auto held = held_until_.find(server_id(link));
    return count + (held != held_until_.end() && held->second > now_ ? 1 : 0);
  }
  /// UGAL: the network's own way unless that over a group costs less.
  LinkId chosen_way(PlainMessage& message, NodeId to) {
    message.is_undecided = false;
    const auto cost = [&](NodeId over) {
      std::vector<LinkId> way = links_between(message, message.node, over);
      const std::vector<LinkId> rest = links_between(message, over, to);
      way.insert(way.end(), rest.begin(), rest.end());
      if (case_.machine.links.routing.sight == Sight::first_link) {
        return (messages_on(way.front()) + 1) *
               (left_->distance(message.node, over) + left_->distance(over, to));
      }
      std::uint64_t sum = way.size();
      for (const LinkId link : way) {
        sum += messages_on(link);
      }
      return sum;
    };
    if (!left_->reaches(message.node, *message.over) || !left_->reaches(*message.over, to) ||
        cost(to) <= cost(*message.over) + case_.machine.links.routing.threshold) {
      message.over.reset();
    }
    return first_link(message, message.node, message.over.value_or(to));
  }

  // --- Messages.

  void move_messages() {
    std::set<std::size_t> moving;
    for (const std::size_t m : departures_) {
      if (messages_[m].start == now_) {
        moving.insert(m);
      }
    }
    for (const auto& [m, finish] : flying_) {
      if (finish == now_) {
        moving.insert(m);
      }
    }
    for (const std::size_t m : moving) {
      if (departures_.erase(m) == 0) {
        flying_.erase(m);
        end_hop(m);
      }
      reach(m);
    }
  }

  void end_hop(std::size_t m) {
    PlainMessage& message = messages_[m];
    if (local_.contains(m) || message.position == message.way.size()) {
      return;
    }
    const LinkId link = message.way[message.position];
    note_hop(message, now_, message.hop_release);
    Ticks& held_until = held_until_[server_id(link)];
    held_until = std::max(held_until, message.hop_release);
    const Costs costs = costs_of(link, message.bytes);
    message.tail = std::max(message.hop_start + costs.body, message.tail) + costs.advance;
    ++message.position;
    if (!is_injection(link)) {
      message.node = topology_.link(link)->to;
      ++message.hops;
    }
  }

  /// Handles a message that has reached the node at its position.
  void reach(std::size_t m) {
    PlainMessage& message = messages_[m];
    const NodeId to = case_.map[message.destination.index()];
    const bool is_local =
        case_.map[message.source.index()] == to && message.source != message.destination;
    if (is_local && !local_.contains(m)) {
      local_.insert(m);
      flying_[m] = now_ + std::max(Ticks{1}, case_.machine.node.local.of(message.bytes));
      instants_.insert(flying_[m]);
      return;
    }
    if (may_fail() && message.position == message.way.size() && !is_local &&
        message.source != message.destination) {
      if (!go_on(m)) {
        return;
      }
    } else if (is_adaptive() && message.position == message.way.size() && !is_local &&
               message.source != message.destination) {
      if (message.node != to) {
        message.reached = now_;
        undecided_.push_back(m);
        return;
      }
      if (case_.machine.links.injection.in && !is_injection(message.way.back())) {
        message.way.push_back(injection_of(message, to, Passage::in));
      }
    }
    if (message.position == message.way.size()) {
      if (is_cut_through() && !is_local && message.source != message.destination &&
          message.tail > now_) {
        flying_[m] = message.tail;
        instants_.insert(message.tail);
        return;
      }
      if (message.whole) {
        PlainMessage& whole = messages_[*message.whole];
        whole.hops = std::max(whole.hops, message.hops);
        if (--whole.packets_left == 0) {
          arrive(whole);
        }
      } else {
        arrive(message);
      }
      return;
    }
    enqueue(m);
  }

  void arrive(PlainMessage& message) {
    message.arrival = now_;
    history_.deliveries.push_back({message.source, message.send_number, message.destination,
                                   message.bytes, message.hops, message.start, now_});
  }

  /// Without contention every message has links of its own, where only its packets queue.
  using ServerName = std::pair<std::size_t, LinkId>;
  ServerName server_of(std::size_t m) const {
    const PlainMessage& message = messages_[m];
    return has_contention() ? ServerName{0, server_id(message.way[message.position])}
                            : ServerName{1 + message.whole.value_or(m),
                                         LinkId{static_cast<std::uint32_t>(message.position)}};
  }
  void enqueue(std::size_t m) {
    messages_[m].reached = now_;
    servers_[server_of(m)].queue.push_back(m);
  }

  /// Adaptive routing: messages at nodes choose, in their order, among the links that bring them
  /// nearer the one that is free first, of free ones the one that has been free the longest, of
  /// equal ones the lowest number.
  void choose_ways() {
    std::ranges::sort(undecided_, {}, [this](std::size_t m) { return messages_[m].rank(); });
    for (const std::size_t m : undecided_) {
      PlainMessage& message = messages_[m];
      const NodeId to = case_.map[message.destination.index()];
      if (is_ugal()) {
        message.way.push_back(chosen_way(message, to));
        enqueue(m);
        continue;
      }
      std::optional<std::tuple<Ticks, Ticks, LinkId>> best;
      for (std::uint32_t slot = 0; slot < topology_.link_slots(); ++slot) {
        const LinkId link{slot};
        const std::optional<Link> ends = left_->link(link);
        if (!ends || ends->from != message.node || !left_->reaches(ends->to, to)) {
          continue;
        }
        const NodeId next = ends->to;
        const bool is_last =
            next == to || (to.index() >= nodes_to_pass() && next.index() < nodes_to_pass() &&
                           left_->distance(next, to) == 1);
        const bool is_terminal = next.index() < without_host(topology_).first_forwarder() &&
                                 message.node.index() < nodes_to_pass();
        const bool is_host_between = next != to && next.index() >= nodes_to_pass();
        if (left_->distance(next, to) < left_->distance(message.node, to) && !is_host_between &&
            (is_last || !is_terminal)) {
          const Ticks since = has_contention() ? promised_[server_id(link)] : Ticks{0};
          const std::tuple choice{std::max(now_, since), since, link};
          best = best ? std::min(*best, choice) : choice;
        }
      }
      const auto [free, since, link] = best.value();
      promised_[server_id(link)] = std::max(free + costs_of(link, message.bytes).occupancy,
                                            is_cut_through() ? message.tail : Ticks{0});
      message.way.push_back(link);
      enqueue(m);
    }
    undecided_.clear();
  }

  void begin_hop(std::size_t m) {
    PlainMessage& message = messages_[m];
    message.hop_start = now_;
    if (!has_contention()) {
      message.reached = now_;  // packets of a message do not count as queued
    }
    if (message.position == 0) {
      message.tail = message.reached;
    }
    const Costs costs = costs_of(message.way[message.position], message.bytes);
    message.hop_release = now_ + costs.occupancy;
    if (is_cut_through()) {
      message.hop_release = std::max(message.hop_release, message.tail);
    }
    flying_[m] = now_ + costs.advance;
    instants_.insert(flying_[m]);
    instants_.insert(message.hop_release);
  }

  std::size_t whole_of(std::size_t m) const { return messages_[m].whole.value_or(m); }

  void choose() {
    choose_ways();
    const bool takes_turns = case_.machine.links.service == Service::round_robin;
    std::erase_if(servers_, [this](const auto& entry) {  // idle: as if it had never served
      return entry.second.free_at <= now_ && entry.second.queue.empty();
    });
    for (auto& [link, server] : servers_) {
      const bool is_free = server.free_at <= now_ && !server.queue.empty();
      if (is_free || takes_turns) {
        std::ranges::sort(server.queue, {}, [this](std::size_t m) { return messages_[m].rank(); });
      }
      if (takes_turns) {
        for (const std::size_t m : server.queue) {
          if (std::ranges::find(server.turns, whole_of(m)) == server.turns.end()) {
            server.turns.push_back(whole_of(m));
          }
        }
      }
      if (!is_free) {
        continue;
      }
      auto next = server.queue.begin();
      if (takes_turns) {
        next = std::ranges::find(server.queue, server.turns.front(),
                                 [this](std::size_t m) { return whole_of(m); });
      }
      const std::size_t m = *next;
      server.queue.erase(next);
      if (takes_turns) {
        std::erase(server.turns, whole_of(m));
        const auto is_of_it = [&](std::size_t other) { return whole_of(other) == whole_of(m); };
        if (std::ranges::any_of(server.queue, is_of_it)) {
          server.turns.push_back(whole_of(m));
        }
      }
      begin_hop(m);
      server.free_at = messages_[m].hop_release;
    }
  }

  History& history_;
  std::multiset<Ticks>& instants_;
  std::uint32_t cut_off_packet_ = 0;
  Ticks now_{0};
  const Topology* left_ = &topology_;  ///< the working part
  std::vector<PlainMessage> messages_;
  std::set<std::size_t> departures_;
  std::map<std::size_t, Ticks> flying_;
  std::map<ServerName, Server> servers_;
  std::map<LinkId, Ticks> promised_;    ///< adaptive: times until which servers are taken
  std::map<LinkId, Ticks> held_until_;  ///< by messages whose heads have left
  std::vector<std::size_t> undecided_;  ///< adaptive: messages at a node at this instant
  std::set<std::size_t> local_;         ///< messages under way inside a node
};

}  // namespace dcube::testing
