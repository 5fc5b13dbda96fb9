#include "reference_simulator.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "dcube/core/random.hpp"
#include "topology/grid_kind.hpp"

namespace dcube::testing {

namespace {

struct Message {
  ProcessId source;
  ProcessId destination;
  std::uint32_t send_number = 0;
  Tag tag = 0;
  std::uint64_t bytes = 0;
  Ticks start{0};
  bool waits_for_receiver = false;
  std::optional<std::size_t> whole = std::nullopt;  ///< the message that it is a packet of
  std::uint32_t packet = 0;                         ///< its number in that
  std::size_t packets_left = 0;                     ///< of a whole message
  std::vector<LinkId> way;     ///< links and injection servers; adaptive: so far
  NodeId node;                 ///< where it is, or where its present hop began
  std::optional<NodeId> over;  ///< valiant, where links fail: the node that it has yet to visit
  std::size_t position = 0;    ///< of the next of them, or of the one it is on
  std::uint32_t hops = 0;
  Ticks reached{0};  ///< its link
  Ticks hop_start{0};
  Ticks hop_release{0};  ///< when the link is free again
  Ticks tail{0};         ///< cut-through: when the last byte is at the node
  std::optional<Ticks> arrival;

  auto rank() const { return std::tuple{reached, source, send_number, packet}; }
  /// When a receive from anyone can take it.
  std::optional<Ticks> available() const {
    return waits_for_receiver ? std::optional{start} : arrival;
  }
};

struct Server {
  std::vector<std::size_t> queue;
  Ticks free_at{0};
};

/// A receive or a send that has been posted.
struct PlainRequest {
  bool is_send = false;
  ProcessId peer;
  Tag tag = 0;
  std::optional<std::size_t> message;
  Ticks given{0};   ///< its message
  Ticks posted{0};  ///< receive

  bool suits(const Message& m) const {
    return (peer == anyone || peer == m.source) && (tag == any_tag || tag == m.tag);
  }
};

struct Actor {
  std::size_t step = 0;
  bool is_posted = false;  ///< waits in a rendezvous for its partner
  bool has_sent = false;   ///< the sending half of its exchange is over
  bool is_done = false;
  Ticks blocked_since{0};
  std::optional<Ticks> busy_until;
  std::optional<Ticks> wants_core;                    ///< for so long, since blocked_since
  std::map<std::size_t, std::size_t> requests;        ///< by the steps that posted them
  std::vector<std::size_t> posts;                     ///< receives without a message, in order
  std::optional<std::size_t> own;                     ///< the receive that it is in
  std::optional<std::vector<std::size_t>> waits_for;  ///< steps of the requests
  std::size_t position = 0;                           ///< of the first that is not complete
  /// The last message that was given to a receive from anyone as soon as it could be, and when.
  std::optional<std::pair<Ticks, std::size_t>> given_at_once;
};

class PlainSimulator {
 public:
  explicit PlainSimulator(const ScriptCase& scripted)
      : case_{scripted}, topology_{*scripted.machine.topology}, actors_(scripted.map.size()) {
    for (std::uint32_t slot = 0; slot < topology_.link_slots(); ++slot) {
      if (const auto link = topology_.link(LinkId{slot})) {
        link_between_[{link->from, link->to}] = LinkId{slot};
      }
    }
    history_.ends.assign(actors_.size(), Ticks{0});
    sends_.assign(actors_.size(), 0);
    untaken_.resize(actors_.size());
  }

  History run() {
    instants_.insert(Ticks{0});
    while (!instants_.empty()) {
      for (const Fault& fault : case_.machine.links.faults) {
        if (fault.at > now_ && fault.at <= *instants_.begin()) {
          instants_.insert(fault.at);
        }
      }
      now_ = instants_.extract(instants_.begin()).value();
      fail();
      move_messages();
      do {
        while (step_processes() || take_what_was_there()) {
        }
      } while (match_all_from_anyone() || answer_choices(now_) || serve_cores());
      choose();
      if (history_.cut_off) {
        break;
      }
    }
    for (std::uint32_t p = 0; p < actors_.size() && !history_.cut_off; ++p) {
      if (!actors_[p].is_done) {
        history_.blocked.emplace_back(p);
        history_.ends[p] = now_;
        const ProcessId awaited = awaited_by(ProcessId{p});
        note(ProcessId{p}, Activity::waiting, actors_[p].blocked_since, now_,
             awaited == anyone ? ProcessId{p} : awaited, std::nullopt, Awaits::nothing);
      }
    }
    return std::move(history_);
  }

 private:
  // --- Failures.

  /// Then messages look for their way at every node.
  bool may_fail() const {
    return !case_.machine.links.faults.empty() ||
           (case_.machine.links.routing.kind == Routing::random_order && !is_grid(topology_));
  }

  /// Hops that end at this instant have been made. Whoever is on a link that fails, or waits for
  /// it, is where that link begins.
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
          flying_.erase(m);
        }
        for (auto& [name, server] : servers_) {
          if (has_failed(name.second)) {
            stopped.insert(stopped.end(), server.queue.begin(), server.queue.end());
            server.queue.clear();
          }
        }
        for (const std::size_t m : stopped) {
          messages_[m].way.resize(messages_[m].position);
          reach(m);
        }
      }
    }
  }
  bool has_failed(LinkId link) const {
    return !is_injection(link) && topology_.link(link) && !left_->link(link);
  }

  /// The message is at a node and looks for its next link. False: there is none to its destination.
  bool go_on(std::size_t m) {
    Message& message = messages_[m];
    const NodeId to = case_.map[message.destination.index()];
    if (!left_->is_alive(message.node)) {
      message.node = case_.map[message.source.index()];
      if (case_.machine.links.injection) {
        message.way.push_back(LinkId{topology_.link_slots() + message.node.index()});
        return true;
      }
    }
    if (!left_->reaches(message.node, to)) {
      const CutOff cut{now_, message.source, message.send_number, message.destination, message.node,
                       to};
      if (!history_.cut_off ||
          std::pair{cut.source, cut.send_number} <
              std::pair{history_.cut_off->source, history_.cut_off->send_number}) {
        history_.cut_off = cut;
      }
      return false;
    }
    if (message.over &&
        (*message.over == message.node || !left_->reaches(message.node, *message.over))) {
      message.over.reset();
    }
    if (message.node == to && !message.over) {
      if (case_.machine.links.injection && !is_injection_of(message, to)) {
        message.way.push_back(LinkId{topology_.link_slots() + topology_.node_count() + to.index()});
      }
      return true;
    }
    if (is_adaptive()) {
      message.reached = now_;
      undecided_.push_back(m);
      return false;
    }
    NodeId next = left_->route(message.node, message.over.value_or(to))[1];
    if (case_.machine.links.routing.kind == Routing::random_order) {
      const std::vector<NodeId> turns = route_of(message, message.node, to, true);
      if (turns.size() > 1 && left_->reaches(message.node, turns[1])) {
        const NodeId other = left_->route(message.node, turns[1])[1];
        if (1 + left_->distance(other, to) == left_->distance(message.node, to)) {
          next = other;
        }
      }
    }
    message.way.push_back(link_between_.at({message.node, next}));
    return true;
  }
  /// Whether the last of its way is the way into the node.
  bool is_injection_of(const Message& message, NodeId to) const {
    return !message.way.empty() &&
           message.way.back() ==
               LinkId{topology_.link_slots() + topology_.node_count() + to.index()};
  }

  // --- Messages.

  void move_messages() {
    for (std::size_t m = 0; m < messages_.size(); ++m) {
      Message& message = messages_[m];
      if (departures_.contains(m) && message.start == now_) {
        departures_.erase(m);
        reach(m);
      } else if (flying_.contains(m) && flying_.at(m) == now_) {
        flying_.erase(m);
        if (local_.contains(m) || message.position == message.way.size()) {
          reach(m);
          continue;
        }
        const LinkId link = message.way[message.position];
        history_.hops.push_back({message.source, message.send_number, server_id(link),
                                 message.reached, message.hop_start, now_, message.hop_release,
                                 case_.map[message.destination.index()], message.bytes,
                                 message.destination, message.packet, link != server_id(link)});
        const Costs costs = costs_of(link, message.bytes);
        message.tail = std::max(message.hop_start + costs.body, message.tail) + costs.advance;
        ++message.position;
        if (!is_injection(link)) {
          message.node = topology_.link(link)->to;
          ++message.hops;
        }
        reach(m);
      }
    }
  }

  /// The message has reached the node at its position.
  void reach(std::size_t m) {
    Message& message = messages_[m];
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
      if (case_.machine.links.injection && !is_injection(message.way.back())) {
        message.way.push_back(LinkId{topology_.link_slots() + topology_.node_count() + to.index()});
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
        Message& whole = messages_[*message.whole];
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

  void arrive(Message& message) {
    message.arrival = now_;
    history_.deliveries.push_back({message.source, message.send_number, message.destination,
                                   message.bytes, message.hops, message.start, now_});
  }

  /// Without contention every message has links of its own, in which only its packets queue.
  using ServerName = std::pair<std::size_t, LinkId>;
  ServerName server_of(std::size_t m) const {
    const Message& message = messages_[m];
    return has_contention() ? ServerName{0, server_id(message.way[message.position])}
                            : ServerName{1 + message.whole.value_or(m),
                                         LinkId{static_cast<std::uint32_t>(message.position)}};
  }
  void enqueue(std::size_t m) {
    messages_[m].reached = now_;
    servers_[server_of(m)].queue.push_back(m);
  }

  /// Messages that are at a node at this instant take, in their order, one of the links that bring
  /// them nearer: the one that has served all that chose it first. Of those that are free it is the
  /// one that has been free the longest, and the lowest number among equals.
  void choose_ways() {
    std::ranges::sort(undecided_, {}, [this](std::size_t m) { return messages_[m].rank(); });
    for (const std::size_t m : undecided_) {
      Message& message = messages_[m];
      const NodeId to = case_.map[message.destination.index()];
      std::optional<std::tuple<Ticks, Ticks, LinkId>> best;
      for (const NodeId next : left_->neighbours(message.node)) {
        const bool is_host_between = next != to && next.index() >= nodes_to_pass();
        if (left_->reaches(next, to) &&
            left_->distance(next, to) < left_->distance(message.node, to) && !is_host_between) {
          const LinkId link = link_between_.at({message.node, next});
          const Ticks since = has_contention() ? promised_[server_id(link)] : Ticks{0};
          const std::tuple choice{std::max(now_, since), since, link};
          best = best ? std::min(*best, choice) : choice;
        }
      }
      const auto [free, since, link] = best.value();
      promised_[server_id(link)] = free + costs_of(link, message.bytes).occupancy;
      message.way.push_back(link);
      enqueue(m);
    }
    undecided_.clear();
  }

  void begin_hop(std::size_t m) {
    Message& message = messages_[m];
    message.hop_start = now_;
    if (!has_contention()) {
      message.reached = now_;  // that packets follow each other is no queueing
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

  void choose() {
    choose_ways();
    for (auto& [link, server] : servers_) {
      if (server.free_at > now_ || server.queue.empty()) {
        continue;
      }
      const auto first = std::ranges::min_element(
          server.queue, {}, [this](std::size_t m) { return messages_[m].rank(); });
      const std::size_t m = *first;
      server.queue.erase(first);
      begin_hop(m);
      server.free_at = messages_[m].hop_release;
    }
  }

  /// Store and forward takes a link for as long as the message is on it; with pipelined wires, for
  /// its bytes alone. In cut-through the head needs the latency, and the bytes come behind it.
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
  std::uint64_t drawn(const Message& message, std::uint64_t number, std::uint64_t bound) const {
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
  /// Or, for messages that draw the order of dimensions, only the nodes where it turns.
  std::vector<NodeId> route_of(const Message& message, NodeId from, NodeId to,
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
        // The grid alone; a host computer is one hop before or after it.
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
  /// Out of the node, over the links of the route, into the other node.
  std::vector<LinkId> way_of(const Message& message, NodeId from, NodeId to) const {
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

  /// `from` finishes its send cost at `start`; the message leaves then, or waits for its receiver.
  std::size_t send(ProcessId from, ProcessId to, Tag tag, std::uint64_t bytes, Ticks start,
                   bool is_exchange) {
    Message message;
    message.source = from;
    message.destination = to;
    message.send_number = sends_[from.index()]++;
    message.tag = tag;
    message.bytes = bytes;
    message.start = start;
    const NodeId node = case_.map[from.index()];
    message.node = node;
    message.way = way_of(message, node, case_.map[to.index()]);
    if (may_fail() && case_.machine.links.routing.kind == Routing::valiant) {
      message.over = NodeId{static_cast<std::uint32_t>(drawn(message, 0, nodes_to_pass()))};
      if (*message.over == node || *message.over == case_.map[to.index()]) {
        message.over.reset();
      }
    }
    const auto limit = case_.machine.endpoint.eager_limit_bytes;
    message.waits_for_receiver = from != to && !is_exchange && limit && bytes > *limit;
    messages_.push_back(std::move(message));
    const std::size_t m = messages_.size() - 1;
    untaken_[to.index()].push_back(m);
    if (messages_[m].waits_for_receiver) {
      instants_.insert(start);
    } else {
      leave(m);
    }
    match_at_once(to);
    return m;
  }

  /// A message that leaves its node is cut into packets there.
  void leave(std::size_t m) {
    const std::optional<std::uint64_t> limit = case_.machine.links.packet_bytes;
    const Message whole = messages_[m];
    const bool is_local = case_.map[whole.source.index()] == case_.map[whole.destination.index()];
    if (!limit || whole.bytes <= *limit || is_local || whole.whole) {
      set_out(m);
      return;
    }
    for (std::uint64_t sent = 0; sent < whole.bytes; sent += *limit) {
      Message packet = whole;
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

  // --- Which receive gets which message.

  std::vector<std::size_t> waiting_messages(ProcessId p) const {
    std::vector<std::size_t> waiting = untaken_[p.index()];
    std::ranges::sort(waiting, {}, [this](std::size_t m) {
      return std::pair{messages_[m].source, messages_[m].send_number};
    });
    return waiting;
  }

  /// The first receive that the message suits.
  std::optional<std::size_t> first_receive(ProcessId p, std::size_t m) const {
    for (const std::size_t r : actors_[p.index()].posts) {
      if (requests_[r].suits(messages_[m])) {
        return r;
      }
    }
    return std::nullopt;
  }

  /// A receive from one process gets this message only when that has sent none before that suits.
  bool is_next_for(ProcessId p, std::size_t r, std::size_t m) const {
    for (const std::size_t other : waiting_messages(p)) {
      if (messages_[other].source == messages_[m].source && requests_[r].suits(messages_[other])) {
        return other == m;
      }
    }
    return false;
  }

  void match(ProcessId p, std::size_t r, std::size_t m) {
    std::erase(actors_[p.index()].posts, r);
    requests_[r].message = m;
    requests_[r].given = now_;
    std::erase(untaken_[p.index()], m);
    note_release(p, requests_[r].posted, m);
    if (messages_[m].waits_for_receiver) {
      messages_[m].waits_for_receiver = false;
      messages_[m].start = std::max(messages_[m].start, now_);
      leave(m);
    }
  }

  /// A message that has had to wait for its receive: for its posting, or for what an earlier
  /// receive from anyone got.
  void note_release(ProcessId p, Ticks posted, std::size_t m) {
    const Message& message = messages_[m];
    if (message.available() >= std::optional{now_} || !message.available() ||
        (posted == now_ && !message.waits_for_receiver)) {
      return;
    }
    Release release{
        {message.source, message.send_number}, now_, !message.waits_for_receiver, p, std::nullopt};
    if (posted != now_) {
      const auto [time, first] = actors_[p.index()].given_at_once.value();
      if (time != now_) {
        throw std::logic_error("a message is given late for no reason");
      }
      const Message& given = messages_[first];
      if (given.arrival == std::optional{now_} && given.source != p) {
        release.arrival = MessageName{given.source, given.send_number};
      } else {
        release.process = given.source;
      }
    }
    history_.releases.push_back(release);
  }

  /// A receive from one process gets a message as soon as both are there, unless a receive from
  /// anyone comes before it.
  void match_at_once(ProcessId p) {
    for (const std::size_t m : waiting_messages(p)) {
      const auto r = first_receive(p, m);
      if (r && requests_[*r].peer != anyone && is_next_for(p, *r, m)) {
        match(p, *r, m);
        match_at_once(p);
        return;
      }
    }
  }

  /// The first of each source and tag that can be taken by now, in order.
  bool match_from_anyone(ProcessId p, Ticks last) {
    std::vector<std::size_t> first;
    std::set<std::pair<ProcessId, Tag>> seen;
    for (const std::size_t m : waiting_messages(p)) {
      if (seen.emplace(messages_[m].source, messages_[m].tag).second &&
          messages_[m].available() <= std::optional{last} && messages_[m].available()) {
        first.push_back(m);
      }
    }
    std::ranges::sort(first, {}, [this](std::size_t m) {
      return std::tuple{*messages_[m].available(), messages_[m].source, messages_[m].send_number};
    });
    for (const std::size_t m : first) {
      const auto r = first_receive(p, m);
      if (r && (requests_[*r].peer == anyone || is_next_for(p, *r, m))) {
        if (messages_[m].available() == std::optional{now_}) {
          actors_[p.index()].given_at_once = {now_, m};
        }
        match(p, *r, m);
        match_at_once(p);
        return true;
      }
    }
    return false;
  }

  std::optional<Ticks> completion(const PlainRequest& request) const {
    if (!request.message) {
      return std::nullopt;
    }
    const Message& message = messages_[*request.message];
    if (!request.is_send) {
      return message.arrival ? std::optional{std::max(*message.arrival, request.given)}
                             : std::nullopt;
    }
    return message.waits_for_receiver || message.start > now_ ? std::nullopt
                                                              : std::optional{message.start};
  }

  // --- Processes.

  bool step_processes() {
    bool has_moved = false;
    for (std::uint32_t p = 0; p < actors_.size(); ++p) {
      while (step(ProcessId{p})) {
        has_moved = true;
      }
    }
    return has_moved;
  }

  /// Does what the process can do now; false when it can do nothing.
  bool step(ProcessId p) {
    Actor& actor = actors_[p.index()];
    if (actor.is_done || (actor.busy_until && *actor.busy_until > now_)) {
      return false;
    }
    if (actor.busy_until) {
      actor.busy_until.reset();
      actor.blocked_since = now_;
    }
    const std::vector<Step>& script = case_.scripts[p.index()];
    if (actor.step == script.size()) {
      actor.is_done = true;
      history_.ends[p.index()] = now_;
      return true;
    }
    const Step& step = script[actor.step];
    switch (step.kind) {
      case Step::Kind::compute:
        return compute(p, step.duration);
      case Step::Kind::send:
      case Step::Kind::post_send: {
        const std::size_t m = pay_and_send(p, step, false);
        if (step.kind == Step::Kind::post_send) {
          add_request(p, {true, step.peer, step.tag, m, {}, {}});
        }
        ++actor.step;
        return true;
      }
      case Step::Kind::post_receive:
        actor.posts.push_back(add_request(p, {false, step.peer, step.tag, std::nullopt, {}, now_}));
        match_at_once(p);
        ++actor.step;
        return true;
      case Step::Kind::receive:
        return try_receive(p, step.peer, step.tag);
      case Step::Kind::exchange:
        return step_exchange(p, step);
      default:
        return step_wait(p, step);
    }
  }

  std::size_t add_request(ProcessId p, const PlainRequest& request) {
    requests_.push_back(request);
    actors_[p.index()].requests[actors_[p.index()].step] = requests_.size() - 1;
    return requests_.size() - 1;
  }

  // --- Computing.

  bool compute(ProcessId p, Ticks duration) {
    Actor& actor = actors_[p.index()];
    if (actor.wants_core) {
      return false;
    }
    if (duration > Ticks{0} && case_.machine.node.cores) {
      actor.wants_core = duration;
      actor.blocked_since = now_;
      return true;
    }
    ++actor.step;
    occupy(p, Activity::compute, duration, p, std::nullopt);
    return true;
  }

  /// The cores of each node go to those that were ready first.
  bool serve_cores() {
    std::map<NodeId, std::vector<std::pair<Ticks, ProcessId>>> ready;
    for (std::uint32_t p = 0; p < actors_.size(); ++p) {
      if (actors_[p].wants_core) {
        ready[case_.map[p]].emplace_back(actors_[p].blocked_since, ProcessId{p});
      }
    }
    bool is_served = false;
    for (auto& [node, processes] : ready) {
      std::ranges::sort(processes);
      std::vector<std::pair<Ticks, ProcessId>>& cores = core_ends_[node];
      for (const auto& [since, p] : processes) {
        std::ranges::sort(cores);
        const bool is_new = cores.size() < *case_.machine.node.cores;
        if (!is_new && cores.front().first > now_) {
          break;
        }
        Actor& actor = actors_[p.index()];
        const Ticks duration = *std::exchange(actor.wants_core, std::nullopt);
        const ProcessId before = is_new ? p : cores.front().second;
        if (!is_new) {
          cores.erase(cores.begin());
        }
        cores.emplace_back(now_ + duration, p);
        note(p, Activity::waiting, since, now_, before, std::nullopt, Awaits::core);
        ++actor.step;
        occupy(p, Activity::compute, duration, p, std::nullopt);
        is_served = true;
      }
    }
    return is_served;
  }

  // --- Exchanges and receives.

  bool step_exchange(ProcessId p, const Step& step) {
    Actor& actor = actors_[p.index()];
    if (step.peer == p) {
      observe(p, 0, step.peer, 0, step.bytes);
      ++actor.step;
      return true;
    }
    if (actor.has_sent) {
      return try_receive(p, step.peer, 0);
    }
    if (step.mode == ExchangeMode::eager) {
      actor.has_sent = true;
      pay_and_send(p, step, false);
      return true;
    }
    Actor& partner = actors_[step.peer.index()];
    if (!partner.is_posted || partner_step(step.peer).peer != p) {
      const bool is_new = !actor.is_posted;
      actor.is_posted = true;
      return is_new;
    }
    for (const ProcessId who : {p, step.peer}) {
      const Step& own = partner_step(who);
      Actor& both = actors_[who.index()];
      note(who, Activity::waiting, both.blocked_since, now_, who == p ? step.peer : p, std::nullopt,
           Awaits::partner);
      both.is_posted = false;
      both.has_sent = true;
      both.blocked_since = now_;
      pay_and_send(who, own, true);
    }
    return true;
  }

  const Step& partner_step(ProcessId p) const {
    return case_.scripts[p.index()][actors_[p.index()].step];
  }

  std::size_t pay_and_send(ProcessId p, const Step& step, bool is_rendezvous) {
    const Ticks cost = step.peer == p ? Ticks{0} : case_.machine.endpoint.send.of(step.bytes);
    const MessageName message{p, sends_[p.index()]};
    const std::size_t m = send(p, step.peer, step.tag, step.bytes, now_ + cost, is_rendezvous);
    occupy(p, Activity::endpoint, cost, step.peer, message);
    return m;
  }

  bool try_receive(ProcessId p, ProcessId from, Tag tag) {
    Actor& actor = actors_[p.index()];
    const bool is_new = !actor.own;
    if (is_new) {
      requests_.push_back({false, from, tag, std::nullopt, {}, now_});
      actor.own = requests_.size() - 1;
      actor.posts.push_back(*actor.own);
      match_at_once(p);
    }
    const PlainRequest& request = requests_[*actor.own];
    if (!completion(request)) {
      return is_new;
    }
    const Message& message = messages_[*request.message];
    take(p, request);
    const bool is_any = from == anyone;
    observe(p, 0, message.source, is_any ? message.tag : 0, message.bytes);
    actor.own.reset();
    actor.has_sent = false;
    ++actor.step;
    return true;
  }

  /// The process has waited for a request that is complete.
  void take(ProcessId p, const PlainRequest& request) {
    Actor& actor = actors_[p.index()];
    const Message& message = messages_[*request.message];
    const Ticks begin = std::exchange(actor.blocked_since, now_);
    if (request.is_send) {
      note(p, Activity::waiting, begin, now_, request.peer, std::nullopt, Awaits::receiver,
           message.send_number);
      return;
    }
    const Ticks on_its_way = std::clamp(message.start, begin, now_);
    const MessageName name{message.source, message.send_number};
    note(p, Activity::waiting, begin, on_its_way, message.source, name, Awaits::message);
    note(p, Activity::communication, on_its_way, now_, message.source, name);
    const Ticks cost =
        message.source == p ? Ticks{0} : case_.machine.endpoint.receive.of(message.bytes);
    occupy(p, Activity::endpoint, cost, message.source, name);
  }

  // --- Requests.

  /// The steps whose requests a wait is for: those that are still posted.
  std::vector<std::size_t> posted(ProcessId p, const Step& step) const {
    std::vector<std::size_t> steps;
    for (const std::size_t posting : step.requests) {
      if (actors_[p.index()].requests.contains(posting)) {
        steps.push_back(posting);
      }
    }
    return steps;
  }
  const PlainRequest& request_of(ProcessId p, std::size_t step) const {
    return requests_[actors_[p.index()].requests.at(step)];
  }

  bool step_wait(ProcessId p, const Step& step) {
    Actor& actor = actors_[p.index()];
    const bool is_new = !actor.waits_for;
    if (is_new) {
      actor.waits_for = posted(p, step);
      actor.position = 0;
    }
    const std::vector<std::size_t>& steps = *actor.waits_for;
    if (step.kind == Step::Kind::wait_all && actor.position < steps.size()) {
      const PlainRequest& request = request_of(p, steps[actor.position]);
      if (!completion(request)) {
        return is_new;
      }
      ++actor.position;
      take(p, request);
      return true;
    }
    if (step.kind != Step::Kind::wait_all && !steps.empty()) {
      return is_new;  // answer_choices() decides
    }
    for (const std::size_t posting : steps) {
      forget(p, posting);
    }
    end_wait(p);
    return true;
  }

  void forget(ProcessId p, std::size_t posting) {
    const PlainRequest& request = request_of(p, posting);
    const Message& message = messages_[*request.message];
    if (request.is_send) {
      observe(p, posting, p, request.tag, 0);
    } else {
      observe(p, posting, message.source, message.tag, message.bytes);
    }
    actors_[p.index()].requests.erase(posting);
  }

  void end_wait(ProcessId p) {
    actors_[p.index()].waits_for.reset();
    ++actors_[p.index()].step;
  }

  bool match_all_from_anyone() {
    bool has_matched = false;
    for (std::uint32_t p = 0; p < actors_.size(); ++p) {
      while (match_from_anyone(ProcessId{p}, now_)) {
        has_matched = true;
      }
    }
    return has_matched;
  }

  /// What came before this instant is taken at once: nothing that happens at it can be earlier.
  bool take_what_was_there() {
    for (std::uint32_t p = 0; p < actors_.size(); ++p) {
      if (match_from_anyone(ProcessId{p}, now_ - Ticks{1})) {
        return true;
      }
    }
    return answer_choices(now_ - Ticks{1});
  }

  /// Answers those who wait for one of several requests that was complete at `last`, or test one.
  bool answer_choices(Ticks last) {
    bool has_answered = false;
    for (std::uint32_t rank = 0; rank < actors_.size(); ++rank) {
      const ProcessId p{rank};
      Actor& actor = actors_[rank];
      if (!actor.waits_for || actor.waits_for->empty() || actor.busy_until ||
          partner_step(p).kind == Step::Kind::wait_all) {
        continue;
      }
      std::optional<std::pair<Ticks, std::size_t>> first;
      for (std::size_t i = 0; i < actor.waits_for->size(); ++i) {
        const auto time = completion(request_of(p, (*actor.waits_for)[i]));
        if (time && *time <= last && (!first || *time < first->first)) {
          first = {*time, i};
        }
      }
      if (partner_step(p).kind == Step::Kind::test) {
        if (last < now_) {
          continue;
        }
        const std::optional<Ticks> tested = completion(request_of(p, actor.waits_for->front()));
        observe(p, tested ? 1 : 0, ProcessId{}, 0, 0);
        end_wait(p);
        has_answered = true;
      } else if (first) {
        const std::size_t posting = (*actor.waits_for)[first->second];
        take(p, request_of(p, posting));
        forget(p, posting);
        end_wait(p);
        has_answered = true;
      }
    }
    return has_answered;
  }

  /// Whom a process that is blocked for ever waits for.
  ProcessId awaited_by(ProcessId p) const {
    const Actor& actor = actors_[p.index()];
    const Step& step = partner_step(p);
    if (step.kind == Step::Kind::wait_all) {
      return request_of(p, (*actor.waits_for)[actor.position]).peer;
    }
    return step.kind == Step::Kind::wait_any ? anyone : step.peer;
  }

  /// Noted when what is paid for receiving it has been paid, too.
  void observe(ProcessId p, std::size_t request, ProcessId source, Tag tag, std::uint64_t bytes) {
    const Actor& actor = actors_[p.index()];
    history_.observations.push_back(
        {p, actor.step, actor.busy_until.value_or(now_), request, source, tag, bytes});
  }

  void occupy(ProcessId p, Activity activity, Ticks duration, ProcessId peer,
              std::optional<MessageName> message) {
    actors_[p.index()].blocked_since = now_ + duration;
    note(p, activity, now_, now_ + duration, peer, message);
    if (duration > Ticks{0}) {
      actors_[p.index()].busy_until = now_ + duration;
      instants_.insert(now_ + duration);
    }
  }

  void note(ProcessId p, Activity activity, Ticks begin, Ticks end, ProcessId peer,
            std::optional<MessageName> message, Awaits awaits = Awaits::nothing,
            std::uint32_t send_number = 0) {
    if (begin < end) {
      history_.intervals.push_back(
          {p, activity, no_stage, begin, end, peer, message, awaits, send_number});
    }
  }

  const ScriptCase& case_;
  const Topology& topology_;
  const Topology* left_ = &topology_;  ///< what works of it
  std::map<std::pair<NodeId, NodeId>, LinkId> link_between_;
  std::set<Ticks> instants_;
  Ticks now_{0};
  std::vector<Message> messages_;
  std::set<std::size_t> departures_;
  std::map<std::size_t, Ticks> flying_;
  std::map<ServerName, Server> servers_;
  std::map<LinkId, Ticks> promised_;               ///< adaptive: until when servers are taken
  std::vector<std::size_t> undecided_;             ///< adaptive: at a node at this instant
  std::set<std::size_t> local_;                    ///< messages on their way inside a node
  std::vector<std::vector<std::size_t>> untaken_;  ///< [destination] messages without a receive
  std::vector<PlainRequest> requests_;
  std::map<NodeId, std::vector<std::pair<Ticks, ProcessId>>> core_ends_;  ///< and who has them
  std::vector<std::uint32_t> sends_;
  std::vector<Actor> actors_;
  History history_;
};

}  // namespace

void History::sort() {
  std::ranges::sort(hops, {}, [](const Hop& h) {
    return std::tuple{h.source, h.send_number, h.packet, h.start};
  });
  std::ranges::sort(observations);
  std::ranges::sort(deliveries, {}, [](const Delivery& d) {
    return std::tuple{d.source, d.send_number};
  });
  std::ranges::sort(intervals, {}, [](const Interval& i) {
    return std::tuple{i.process, i.begin};
  });
  std::ranges::sort(releases, {}, &Release::message);
}

History HistoryRecorder::finish(const RunReport& report) {
  history_.ends = report.process_ends;
  for (const BlockedProcess& blocked : report.blocked) {
    history_.blocked.push_back(blocked.process);
  }
  history_.cut_off = report.cut_off;
  history_.sort();
  return std::move(history_);
}

History simulate_plainly(const ScriptCase& scripted) {
  History history = PlainSimulator{scripted}.run();
  history.sort();
  return history;
}

}  // namespace dcube::testing
