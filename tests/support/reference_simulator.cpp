#include "reference_simulator.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "dcube/core/int128.hpp"
#include "dcube/core/random.hpp"
#include "reference_network.hpp"

namespace dcube::testing {

namespace {

/// A receive or a send that has been posted.
struct PlainRequest {
  bool is_send = false;
  ProcessId peer;
  Tag tag = 0;
  std::optional<std::size_t> message;
  Ticks given{0};   ///< its message
  Ticks posted{0};  ///< receive

  bool suits(const PlainMessage& m) const {
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
  std::uint64_t computations = 0;                     ///< begun so far
  std::map<std::size_t, std::size_t> requests;        ///< by the steps that posted them
  std::vector<std::size_t> posts;                     ///< receives without a message, in order
  std::optional<std::size_t> own;                     ///< the receive that it is in
  std::optional<std::vector<std::size_t>> waits_for;  ///< steps of the requests
  std::optional<Ticks> waits_until;
  std::size_t position = 0;  ///< of the first that is not complete
  /// The last message that was given to a receive from anyone as soon as it could be, and when.
  std::optional<std::pair<Ticks, std::size_t>> given_at_once;
};

class PlainSimulator {
 public:
  explicit PlainSimulator(const ScriptCase& scripted)
      : case_{scripted}, network_{scripted, history_, instants_}, actors_(scripted.map.size()) {
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
      network_.begin_instant(now_);
      do {
        while (step_processes() || take_what_was_there()) {
        }
      } while (match_all_from_anyone() || answer_choices(now_) || serve_cores());
      network_.end_instant();
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
  /// `from` finishes its send cost at `start`; the message leaves then, or waits for its receiver.
  std::size_t send(ProcessId from, ProcessId to, Tag tag, std::uint64_t bytes, Ticks start,
                   SendMode mode) {
    PlainMessage message;
    message.source = from;
    message.destination = to;
    message.send_number = sends_[from.index()]++;
    message.tag = tag;
    message.bytes = bytes;
    message.start = start;
    const NodeId node = case_.map[from.index()];
    message.node = node;
    message.way = network_.way_of(message, node, case_.map[to.index()]);
    if (network_.may_fail() && case_.machine.links.routing.kind == Routing::valiant) {
      message.over =
          NodeId{static_cast<std::uint32_t>(network_.drawn(message, 0, network_.nodes_to_pass()))};
      if (*message.over == node || *message.over == case_.map[to.index()]) {
        message.over.reset();
      }
    }
    const auto limit = case_.machine.endpoint.eager_limit_bytes;
    const bool is_large = limit && bytes > *limit;
    message.waits_for_receiver =
        from != to && (mode == SendMode::rendezvous || (mode == SendMode::by_size && is_large));
    messages_.push_back(std::move(message));
    const std::size_t m = messages_.size() - 1;
    untaken_[to.index()].push_back(m);
    if (messages_[m].waits_for_receiver) {
      instants_.insert(start);
    } else {
      network_.leave(m);
    }
    match_at_once(to);
    return m;
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
      network_.leave(m);
    }
  }

  /// A message that has had to wait for its receive: for its posting, or for what an earlier
  /// receive from anyone got.
  void note_release(ProcessId p, Ticks posted, std::size_t m) {
    const PlainMessage& message = messages_[m];
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
      const PlainMessage& given = messages_[first];
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
    if (actors_[p.index()].posts.empty() || untaken_[p.index()].empty()) {
      return false;
    }
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
    const PlainMessage& message = messages_[*request.message];
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
        const std::size_t m = pay_and_send(p, step, step.send_mode);
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
    if (duration > Ticks{0}) {
      duration = varied(p, duration);
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

  /// Up to the jitter's part more or less.
  Ticks varied(ProcessId p, Ticks duration) {
    const std::uint64_t number = actors_[p.index()].computations++;
    const auto most = static_cast<std::int64_t>(static_cast<UInt128>(duration.count()) *
                                                case_.jitter.part / Jitter::whole);
    const auto values = static_cast<std::uint64_t>(2 * most + 1);
    const auto of_run =
        static_cast<std::int64_t>(bounded(hash_of(case_.jitter.seed), values)) - most;
    const auto own =
        static_cast<std::int64_t>(bounded(hash_of(case_.jitter.seed, p.index(), number), values)) -
        most;
    const std::int64_t sum = of_run + own;
    return duration + Ticks{sum >= 0 ? sum / 2 : -((1 - sum) / 2)};  // rounded down
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
      pay_and_send(p, step, SendMode::by_size);
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
      pay_and_send(who, own, SendMode::eager);
    }
    return true;
  }

  const Step& partner_step(ProcessId p) const {
    return case_.scripts[p.index()][actors_[p.index()].step];
  }

  std::size_t pay_and_send(ProcessId p, const Step& step, SendMode mode) {
    const Ticks cost = step.peer == p ? Ticks{0} : case_.machine.endpoint.send.of(step.bytes);
    const MessageName message{p, sends_[p.index()]};
    const std::size_t m = send(p, step.peer, step.tag, step.bytes, now_ + cost, mode);
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
    const PlainMessage& message = messages_[*request.message];
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
    const PlainMessage& message = messages_[*request.message];
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
      actor.waits_until.reset();
      if (step.kind == Step::Kind::wait_any && step.duration > Ticks{0} &&
          !actor.waits_for->empty()) {
        actor.waits_until = now_ + step.duration;
        instants_.insert(*actor.waits_until);
      }
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
    const PlainMessage& message = messages_[*request.message];
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
        spend_meanwhile(p);
        const std::size_t posting = (*actor.waits_for)[first->second];
        take(p, request_of(p, posting));
        forget(p, posting);
        end_wait(p);
        has_answered = true;
      } else if (actor.waits_until && *actor.waits_until == now_ && last == now_) {
        note(p, spent_in_vain(p), actor.blocked_since, now_, p, std::nullopt);
        actor.blocked_since = now_;
        observe(p, case_.scripts[p.index()].size(), ProcessId{}, 0, 0);
        end_wait(p);
        has_answered = true;
      }
    }
    return has_answered;
  }

  /// Nobody is to blame for a wait whose time is over.
  Activity spent_in_vain(ProcessId p) const {
    return partner_step(p).meanwhile == Activity::compute ? Activity::compute : Activity::endpoint;
  }
  /// A process that works while it waits has not waited.
  void spend_meanwhile(ProcessId p) {
    Actor& actor = actors_[p.index()];
    if (actor.waits_until && partner_step(p).meanwhile != Activity::waiting) {
      note(p, partner_step(p).meanwhile, actor.blocked_since, now_, p, std::nullopt);
      actor.blocked_since = now_;
    }
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
  History history_;
  std::set<Ticks> instants_;
  PlainNetwork network_;
  std::vector<PlainMessage>& messages_ = network_.messages();
  Ticks now_{0};
  std::vector<std::vector<std::size_t>> untaken_;  ///< [destination] messages without a receive
  std::vector<PlainRequest> requests_;
  std::map<NodeId, std::vector<std::pair<Ticks, ProcessId>>> core_ends_;  ///< and who has them
  std::vector<std::uint32_t> sends_;
  std::vector<Actor> actors_;
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
