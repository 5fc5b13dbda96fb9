#include "reference_simulator.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

namespace dcube::testing {

namespace {

struct Message {
  ProcessId source;
  ProcessId destination;
  std::uint32_t send_number = 0;
  std::uint64_t bytes = 0;
  Ticks start{0};
  std::vector<NodeId> route;
  std::size_t position = 0;  ///< where on the route it is, or on the way to position + 1
  Ticks reached{0};          ///< its link
  Ticks hop_start{0};
  std::optional<Ticks> arrival;

  auto rank() const { return std::tuple{reached, source, send_number}; }
};

struct Server {
  std::vector<std::size_t> queue;
  bool is_busy = false;
};

struct Actor {
  std::size_t step = 0;
  bool is_posted = false;  ///< waits in a rendezvous for its partner
  bool has_sent = false;   ///< the sending half of its exchange is over
  bool is_done = false;
  Ticks blocked_since{0};
  std::optional<Ticks> busy_until;
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
  }

  History run() {
    instants_.insert(Ticks{0});
    while (!instants_.empty()) {
      now_ = instants_.extract(instants_.begin()).value();
      move_messages();
      while (step_processes()) {
      }
      choose();
    }
    for (std::uint32_t p = 0; p < actors_.size(); ++p) {
      if (!actors_[p].is_done) {
        history_.blocked.emplace_back(p);
        history_.ends[p] = now_;
        note(ProcessId{p}, Activity::waiting, actors_[p].blocked_since, now_,
             partner_step(ProcessId{p}).peer, std::nullopt);
      }
    }
    return std::move(history_);
  }

 private:
  // --- Messages.

  void move_messages() {
    for (std::size_t m = 0; m < messages_.size(); ++m) {
      Message& message = messages_[m];
      if (departures_.contains(m) && message.start == now_) {
        departures_.erase(m);
        reach(m);
      } else if (flying_.contains(m) && flying_.at(m) == now_) {
        flying_.erase(m);
        const LinkId link = link_of(message);
        history_.hops.push_back({message.source, message.send_number, server_id(link),
                                 message.reached, message.hop_start, now_,
                                 case_.map[message.destination.index()], message.bytes});
        if (has_contention()) {
          servers_[server_id(link)].is_busy = false;
        }
        ++message.position;
        reach(m);
      }
    }
  }

  /// The message has reached the node at its position.
  void reach(std::size_t m) {
    Message& message = messages_[m];
    if (message.position + 1 == message.route.size()) {
      message.arrival = now_;
      history_.deliveries.push_back(
          {message.source, message.send_number, message.destination, message.bytes,
           static_cast<std::uint32_t>(message.route.size() - 1), message.start, now_});
      return;
    }
    message.reached = now_;
    if (has_contention()) {
      servers_[server_id(link_of(message))].queue.push_back(m);
    } else {
      begin_hop(m);
    }
  }

  void begin_hop(std::size_t m) {
    Message& message = messages_[m];
    message.hop_start = now_;
    const LinkId link = link_of(message);
    const auto& overrides = case_.machine.links.overrides;
    const auto special = overrides.find(link);
    const TransferCost& cost =
        special != overrides.end()
            ? special->second
            : case_.machine.links.per_dimension[topology_.link(link)->dimension];
    const Ticks finish = now_ + std::max(Ticks{1}, cost.of(message.bytes));
    flying_[m] = finish;
    instants_.insert(finish);
  }

  void choose() {
    for (auto& [link, server] : servers_) {
      if (server.is_busy || server.queue.empty()) {
        continue;
      }
      const auto first = std::ranges::min_element(
          server.queue, {}, [this](std::size_t m) { return messages_[m].rank(); });
      const std::size_t m = *first;
      server.queue.erase(first);
      server.is_busy = true;
      begin_hop(m);
    }
  }

  bool has_contention() const { return case_.machine.links.contention == Contention::on; }
  LinkId link_of(const Message& message) const {
    return link_between_.at({message.route[message.position], message.route[message.position + 1]});
  }
  LinkId server_id(LinkId link) const {
    return case_.machine.links.duplex == Duplex::half ? std::min(link, topology_.reverse(link))
                                                      : link;
  }

  /// `from` finishes its send cost at `start`; the message leaves then.
  void send(ProcessId from, ProcessId to, std::uint64_t bytes, Ticks start) {
    Message message;
    message.source = from;
    message.destination = to;
    message.send_number = sends_[from.index()]++;
    message.bytes = bytes;
    message.start = start;
    message.route = topology_.route(case_.map[from.index()], case_.map[to.index()]);
    messages_.push_back(std::move(message));
    const std::size_t m = messages_.size() - 1;
    channels_[{from, to}].push_back(m);
    if (start == now_) {
      reach(m);
    } else {
      departures_.insert(m);
      instants_.insert(start);
    }
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
        ++actor.step;
        occupy(p, Activity::compute, step.duration, p, std::nullopt);
        return true;
      case Step::Kind::send:
        ++actor.step;
        pay_and_send(p, step);
        return true;
      case Step::Kind::receive:
        return try_receive(p, step.peer);
      case Step::Kind::exchange:
        return step_exchange(p, step);
    }
    throw std::logic_error("a step is of one of four kinds");
  }

  bool step_exchange(ProcessId p, const Step& step) {
    Actor& actor = actors_[p.index()];
    if (step.peer == p) {
      ++actor.step;
      return true;
    }
    if (actor.has_sent) {
      return try_receive(p, step.peer);
    }
    if (step.mode == ExchangeMode::eager) {
      actor.has_sent = true;
      pay_and_send(p, step);
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
      note(who, Activity::waiting, both.blocked_since, now_, who == p ? step.peer : p,
           std::nullopt);
      both.is_posted = false;
      both.has_sent = true;
      both.blocked_since = now_;
      pay_and_send(who, own);
    }
    return true;
  }

  const Step& partner_step(ProcessId p) const {
    return case_.scripts[p.index()][actors_[p.index()].step];
  }

  void pay_and_send(ProcessId p, const Step& step) {
    const Ticks cost = step.peer == p ? Ticks{0} : case_.machine.endpoint.send.of(step.bytes);
    const MessageName message{p, sends_[p.index()]};
    send(p, step.peer, step.bytes, now_ + cost);
    occupy(p, Activity::endpoint, cost, step.peer, message);
  }

  bool try_receive(ProcessId p, ProcessId from) {
    Actor& actor = actors_[p.index()];
    std::deque<std::size_t>& channel = channels_[{from, p}];
    if (channel.empty() || !messages_[channel.front()].arrival) {
      return false;
    }
    const Message& message = messages_[channel.front()];
    channel.pop_front();
    const Ticks on_its_way = std::clamp(message.start, actor.blocked_since, now_);
    const MessageName name{from, message.send_number};
    note(p, Activity::waiting, actor.blocked_since, on_its_way, from, name);
    note(p, Activity::communication, on_its_way, now_, from, name);
    ++actor.step;
    actor.has_sent = false;
    actor.blocked_since = now_;
    occupy(p, Activity::endpoint,
           from == p ? Ticks{0} : case_.machine.endpoint.receive.of(message.bytes), from, name);
    return true;
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
            std::optional<MessageName> message) {
    if (begin < end) {
      history_.intervals.push_back({p, activity, no_stage, begin, end, peer, message});
    }
  }

  const ScriptCase& case_;
  const Topology& topology_;
  std::map<std::pair<NodeId, NodeId>, LinkId> link_between_;
  std::set<Ticks> instants_;
  Ticks now_{0};
  std::vector<Message> messages_;
  std::set<std::size_t> departures_;
  std::map<std::size_t, Ticks> flying_;
  std::map<LinkId, Server> servers_;
  std::map<std::pair<ProcessId, ProcessId>, std::deque<std::size_t>> channels_;
  std::vector<std::uint32_t> sends_;
  std::vector<Actor> actors_;
  History history_;
};

}  // namespace

void History::sort() {
  std::ranges::sort(hops, {}, [](const Hop& h) {
    return std::tuple{h.source, h.send_number, h.start};
  });
  std::ranges::sort(deliveries, {}, [](const Delivery& d) {
    return std::tuple{d.source, d.send_number};
  });
  std::ranges::sort(intervals, {}, [](const Interval& i) {
    return std::tuple{i.process, i.begin};
  });
}

History HistoryRecorder::finish(const RunReport& report) {
  history_.ends = report.process_ends;
  for (const BlockedProcess& blocked : report.blocked) {
    history_.blocked.push_back(blocked.process);
  }
  history_.sort();
  return std::move(history_);
}

History simulate_plainly(const ScriptCase& scripted) {
  History history = PlainSimulator{scripted}.run();
  history.sort();
  return history;
}

}  // namespace dcube::testing
