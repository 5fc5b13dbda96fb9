#include "reference_simulator.hpp"

#include <algorithm>
#include <deque>
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
  bool until_arrival = false;  ///< send
  ProcessId peer;
  Tag tag = 0;
  std::optional<std::size_t> message;
  Ticks given{0};   ///< its message
  Ticks posted{0};  ///< receive; may be yet to come, at a port with a core

  bool suits(const PlainMessage& m) const {
    constexpr Tag collectives = Tag{1} << 31;  // tags from here on
    return (peer == anyone || peer == m.source) &&
           (tag == m.tag || (tag == any_tag && m.tag < collectives));
  }
};

/// A port of a collective in the background, with its request if it waits for a message.
struct PlainPort {
  const std::vector<ScriptCollective::PortStep>* steps = nullptr;
  Tag tag = 0;
  std::vector<std::size_t> sent{};  ///< requests of messages that hold up the next one
  std::size_t next = 0;
  std::optional<std::size_t> request{};
  bool is_done = false;
  Ticks at{0};  ///< where it has a core: its time

  /// Whether it takes or waits for a message to combine, in exchange for one of its own.
  bool is_in_exchange() const {
    return next < steps->size() && (*steps)[next].to && (*steps)[next].combinations > 0;
  }
};

/// A message that is combined when those of all ports have come.
struct PlainHeld {
  std::size_t port = 0;
  std::uint64_t bytes = 0;
};

/// Cores of ports.
struct PlainCores {
  Ticks begin{0};
  Ticks turn{0};  ///< end of the last computing
  Ticks end{0};   ///< of the latest action
  Ticks computed{0};
};

struct PlainCollective {
  std::size_t step = 0;  ///< that started it
  TransferCost combining;
  ExactTime plan;   ///< for each message
  ExactTime piece;  ///< for each after the first of a message
  bool sends_block = false;
  bool is_in_step = false;
  std::vector<PlainPort> ports;
  std::vector<std::size_t> waiting{};  ///< ports, since the first
  std::vector<PlainHeld> held{};
  std::optional<PlainCores> cores{};

  bool is_done() const { return std::ranges::all_of(ports, &PlainPort::is_done); }
};

/// The port whose steps a process takes at present.
struct Serving {
  enum class Phase { send, receive, combine, combine_only, end };
  std::size_t collective = 0;
  std::size_t port = 0;
  Phase phase = Phase::send;
  std::uint64_t bytes = 0;   ///< combine
  bool is_prepared = false;  ///< to send
};

/// What comes next in a collective that the process waits for.
enum class Calling { set_up, start, finish, copy, end };

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

  std::vector<PlainCollective> collectives;  ///< that were not waited for, in order
  std::optional<std::size_t> starting;       ///< next port of the last one
  std::optional<Calling> calling;
  std::optional<Serving> serving;
  std::deque<Serving> served_next;
  std::uint64_t computations_beside = 0;                ///< begun so far beside collectives
  std::optional<Ticks> left;                            ///< of a computation beside collectives
  std::optional<std::vector<std::size_t>> left_of_all;  ///< requests of a wait beside collectives
  bool listens = false;  ///< for a message of a collective, or its own requests
  std::optional<Ticks> listens_until;

  bool has_background() const {
    return std::ranges::any_of(collectives, [](const auto& each) { return !each.is_done(); });
  }
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
        for (const PlainCollective& collective : actors_[p].collectives) {
          if (collective.cores) {
            actors_[p].blocked_since = collective.cores->end;
            note_cores(ProcessId{p}, collective, collective.cores->end);
          }
        }
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
    if (network_.may_fail()) {
      message.over = network_.drawn_over(message, node, case_.map[to.index()]);
      message.is_undecided = network_.is_ugal() && message.over;
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
    requests_[r].given = std::max(now_, requests_[r].posted);
    std::erase(untaken_[p.index()], m);
    note_release(p, requests_[r], m);
    if (messages_[m].waits_for_receiver) {
      messages_[m].waits_for_receiver = false;
      messages_[m].start = std::max(messages_[m].start, requests_[r].given);
      network_.leave(m);
    }
  }

  /// A message that has had to wait for its receive: for its posting, or for what an earlier
  /// receive from anyone got.
  void note_release(ProcessId p, const PlainRequest& request, std::size_t m) {
    const PlainMessage& message = messages_[m];
    const bool is_new = request.posted == request.given;
    if (message.available() >= std::optional{request.given} || !message.available() ||
        (is_new && !message.waits_for_receiver)) {
      return;
    }
    Release release{{message.source, message.send_number},
                    request.given,
                    !message.waits_for_receiver,
                    p,
                    std::nullopt};
    if (!is_new) {
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
    if (request.until_arrival) {
      return message.arrival;
    }
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
    if (!actor.serving && !actor.served_next.empty()) {
      actor.serving = actor.served_next.front();
      actor.served_next.pop_front();
    }
    if (actor.serving) {
      return serve(p);
    }
    if (actor.listens) {
      return receives_alone(actor) && answer_listener(p, now_);  // else answer_choices() decides
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
        if (actor.left || (actor.has_background() && !has_scarce_cores(p))) {
          return compute_beside(p, step.duration);
        }
        return compute(p, step.duration);
      case Step::Kind::call:
        return call(p, step);
      case Step::Kind::start:
        return start(p, step);
      case Step::Kind::finish:
        return finish(p, step.requests.front());
      case Step::Kind::send:
      case Step::Kind::post_send: {
        const std::size_t m = pay_and_send(p, step, step.send_mode);
        if (step.kind == Step::Kind::post_send) {
          add_request(p, {true, step.send_end == SendEnd::arrived, step.peer, step.tag, m, {}, {}});
        }
        ++actor.step;
        return true;
      }
      case Step::Kind::post_receive:
        actor.posts.push_back(
            add_request(p, {false, false, step.peer, step.tag, std::nullopt, {}, now_}));
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

  // --- Collectives in the background.

  bool has_scarce_cores(ProcessId p) const {
    return case_.machine.node.cores &&
           std::ranges::count(case_.map, case_.map[p.index()]) > *case_.machine.node.cores;
  }

  /// A collective that the process waits for: what it costs besides its messages, and its steps.
  bool call(ProcessId p, const Step& step) {
    Actor& actor = actors_[p.index()];
    if (actor.wants_core) {
      return false;
    }
    const ScriptCollective& of = *step.collective;
    const EndpointModel& costs = case_.machine.endpoint;
    const std::size_t ports = of.ports.size();
    switch (actor.calling.value_or(Calling::set_up)) {
      case Calling::set_up: {
        std::uint32_t rounds = 0;
        while ((std::size_t{1} << rounds) < of.members.size()) {
          ++rounds;
        }
        actor.calling = Calling::start;
        const std::uint64_t exchanges = std::uint64_t{rounds} * of.call.options.exchanges;
        return compute(p, round_cost(costs.call, costs.call_per_port, ports) +
                              round_cost({}, costs.exchange, exchanges) +
                              copying(of, of.copied_first));
      }
      case Calling::start:
        return start(p, step);
      case Calling::finish:
        return finish(p, actor.step);
      case Calling::copy:
        actor.calling = Calling::end;
        return compute(p, copying(of, of.copied_last));
      default:
        actor.calling.reset();
        ++actor.step;
        return true;
    }
  }

  Ticks copying(const ScriptCollective& of, const CollectivePlan::Copied& copied) const {
    const EndpointModel& costs = case_.machine.endpoint;
    const ExactTime& by_ports =
        at_ports(of, costs.several_ports.copy_per_byte, costs.copy_per_byte);
    const std::uint64_t bytes = of.call.options.element_bytes;
    return round_cost({}, by_ports, copied.by_ports * bytes) +
           round_cost({}, costs.copy_per_byte, copied.by_one_core * bytes);
  }
  static const ExactTime& at_ports(const ScriptCollective& of,
                                   const std::optional<ExactTime>& at_several,
                                   const ExactTime& at_one) {
    return of.ports.size() > 1 && at_several ? *at_several : at_one;
  }

  PlainCollective begun(const ScriptCollective& of, std::size_t step, bool is_awaited) const {
    const CollectiveOptions& options = of.call.options;
    const EndpointModel& costs = case_.machine.endpoint;
    const SeveralPorts& several = costs.several_ports;
    PlainCollective made;
    made.step = step;
    made.combining = {at_ports(of, several.combine, costs.combine),
                      options.compute.is_zero()
                          ? at_ports(of, several.combine_per_byte, costs.combine_per_byte)
                          : options.compute};
    made.plan = options.plans * at_ports(of, several.plan, costs.plan);
    made.piece = options.sends_pieces ? costs.piece : ExactTime{};
    made.sends_block = options.sends_block;
    made.is_in_step = is_awaited && of.ports.size() > 1 && several.in_step;
    const Tag tag = (Tag{1} << 31) + options.tag * 64;
    for (const ScriptCollective::Port& port : of.ports) {
      made.ports.push_back({.steps = &port.steps, .tag = tag + port.tag});
    }
    return made;
  }

  /// Every port takes its first steps.
  bool start(ProcessId p, const Step& step) {
    Actor& actor = actors_[p.index()];
    if (!actor.starting) {
      const ScriptCollective& of = *step.collective;
      actor.collectives.push_back(begun(of, actor.step, actor.calling.has_value()));
      actor.starting = 0;
      if (actor.calling && of.ports.size() > 1 && case_.machine.endpoint.several_ports.threads &&
          !has_scarce_cores(p)) {
        start_cores(p, actor.collectives.back());
        return true;
      }
    }
    if (*actor.starting < actor.collectives.back().ports.size()) {
      actor.serving = Serving{actor.collectives.size() - 1, (*actor.starting)++};
    } else {
      has_started(actor);
    }
    return true;
  }
  static void has_started(Actor& actor) {
    actor.starting.reset();
    if (actor.calling) {
      actor.calling = Calling::finish;
    } else {
      ++actor.step;
    }
  }

  /// The next thing that a port does: it sends, posts a receive, or combines what has come.
  bool serve(ProcessId p) {
    Actor& actor = actors_[p.index()];
    if (actor.wants_core) {
      return false;
    }
    Serving& serving = *actor.serving;
    PlainCollective& collective = actor.collectives[serving.collective];
    PlainPort& port = collective.ports[serving.port];
    if (serving.phase == Serving::Phase::end) {
      actor.serving.reset();
      return true;
    }
    const bool is_last = port.next == port.steps->size();
    const bool sends = !is_last && (*port.steps)[port.next].to.value_or(p) != p;
    if (serving.phase == Serving::Phase::send && !port.sent.empty() &&
        (is_last || !(*port.steps)[port.next].continues)) {
      wait_at(collective, serving.port, port.sent.back());
      port.sent.pop_back();
      actor.serving.reset();
      return true;
    }
    if (is_last) {
      port.is_done = true;
      actor.serving.reset();
      return true;
    }
    const ScriptCollective::PortStep& step = (*port.steps)[port.next];
    if (serving.phase == Serving::Phase::send && sends && preparing(collective, step) > Ticks{0} &&
        !std::exchange(serving.is_prepared, true)) {
      compute(p, preparing(collective, step));
    } else if (serving.phase == Serving::Phase::send) {
      serving.phase = Serving::Phase::receive;
      serving.is_prepared = false;
      if (sends) {
        Step sent;
        sent.peer = *step.to;
        sent.bytes = step.bytes;
        sent.tag = port.tag;
        const auto limit = case_.machine.endpoint.eager_limit_bytes;
        const bool blocks = collective.sends_block && (!limit || step.bytes > *limit);
        const std::size_t m =
            pay_and_send(p, sent, blocks ? SendMode::rendezvous : SendMode::by_size);
        if (blocks) {
          requests_.push_back({true, true, *step.to, port.tag, m, {}, {}});
          port.sent.push_back(requests_.size() - 1);
        }
      }
    } else if (serving.phase == Serving::Phase::receive && step.from && *step.from != p) {
      requests_.push_back({false, false, *step.from, port.tag, std::nullopt, {}, now_});
      wait_at(collective, serving.port, requests_.size() - 1);
      actor.posts.push_back(*port.request);
      actor.serving.reset();
      match_at_once(p);
    } else if (serving.phase == Serving::Phase::receive && step.from) {
      serving.phase = Serving::Phase::combine;
      serving.bytes = step.to == std::optional{p} ? step.bytes : 0;
    } else {
      const Ticks combining = serving.phase != Serving::Phase::receive
                                  ? combining_time(collective, step, serving.bytes)
                                  : Ticks{0};
      serving.phase = serving.phase == Serving::Phase::combine_only ? Serving::Phase::end
                                                                    : Serving::Phase::send;
      ++port.next;
      if (combining > Ticks{0}) {
        compute(p, combining);
      }
    }
    return true;
  }

  static Ticks preparing(const PlainCollective& collective,
                         const ScriptCollective::PortStep& step) {
    return round_cost(step.continues ? ExactTime{} : collective.plan, collective.piece,
                      step.pieces > 1 ? step.pieces - 1 : 0);
  }

  static Ticks combining_time(const PlainCollective& collective,
                              const ScriptCollective::PortStep& step, std::uint64_t bytes) {
    return round_cost(step.combinations * collective.combining.fixed,
                      step.combinations * collective.combining.per_byte, bytes);
  }

  static void wait_at(PlainCollective& collective, std::size_t port, std::size_t request) {
    collective.ports[port].request = request;
    collective.waiting.push_back(port);
  }

  /// Keeps a message until those of all ports have come, which then are `held`, in order of ports.
  /// Returns whether all have.
  static bool hold(PlainCollective& collective, const PlainHeld& message) {
    collective.held.push_back(message);
    std::ranges::sort(collective.held, {}, &PlainHeld::port);
    return std::ranges::none_of(collective.waiting, [&](std::size_t port) {
      return collective.ports[port].is_in_exchange();
    });
  }

  // --- Collectives whose ports have cores of their own. The process takes the messages in the
  // order in which they come. What a port does then, up to its next wait, has times of its own,
  // which may be yet to come. All compute in this order, one at a time.

  void start_cores(ProcessId p, PlainCollective& collective) {
    history_.has_cores_of_ports = true;
    collective.cores = PlainCores{.begin = now_, .turn = Ticks{0}, .end = now_};
    for (std::size_t port = 0; port < collective.ports.size(); ++port) {
      collective.ports[port].at = now_;
      go_on(p, collective, port);
    }
    has_started(actors_[p.index()]);
    end_cores_if_done(p, collective);
  }

  void compute_in_turn(ProcessId p, PlainCollective& collective, PlainPort& port, Ticks time) {
    if (time > Ticks{0}) {
      const Ticks taken = varied(p, time, actors_[p.index()].computations++);
      port.at = std::max(port.at, collective.cores->turn) + taken;
      collective.cores->turn = port.at;
      collective.cores->computed += taken;
    }
  }

  /// The steps of a port until it waits.
  void go_on(ProcessId p, PlainCollective& collective, std::size_t number) {
    PlainPort& port = collective.ports[number];
    Actor& actor = actors_[p.index()];
    std::optional<std::size_t> awaited;
    while (!awaited) {
      const bool is_last = port.next == port.steps->size();
      if (!port.sent.empty() && (is_last || !(*port.steps)[port.next].continues)) {
        awaited = port.sent.back();
        port.sent.pop_back();
        break;
      }
      if (is_last) {
        port.is_done = true;
        break;
      }
      const ScriptCollective::PortStep& step = (*port.steps)[port.next];
      if (step.to && *step.to != p) {
        compute_in_turn(p, collective, port, preparing(collective, step));
        port.at += cost_of(step.bytes, case_.machine.endpoint.send, &EndpointStep::send);
        const auto limit = case_.machine.endpoint.eager_limit_bytes;
        const bool blocks = collective.sends_block && (!limit || step.bytes > *limit);
        const std::size_t m = send(p, *step.to, port.tag, step.bytes, port.at,
                                   blocks ? SendMode::rendezvous : SendMode::by_size);
        if (blocks) {
          requests_.push_back({true, true, *step.to, port.tag, m, {}, {}});
          port.sent.push_back(requests_.size() - 1);
        }
      }
      if (step.from && *step.from != p) {
        requests_.push_back({false, false, *step.from, port.tag, std::nullopt, {}, port.at});
        awaited = requests_.size() - 1;
        actor.posts.push_back(*awaited);
        match_at_once(p);
      } else {
        if (step.from) {
          compute_in_turn(p, collective, port, combining_time(collective, step, step.bytes));
        }
        ++port.next;
      }
    }
    if (awaited) {
      wait_at(collective, number, *awaited);
      instants_.insert(std::max(now_, port.at));
    }
    collective.cores->end = std::max(collective.cores->end, port.at);
  }

  void take_at_core(ProcessId p, PlainCollective& collective, std::size_t number) {
    PlainPort& port = collective.ports[number];
    const PlainRequest request = requests_[*std::exchange(port.request, std::nullopt)];
    const std::uint64_t bytes = messages_[*request.message].bytes;
    port.at = request.is_send ? std::max(port.at, *completion(request)) : *completion(request);
    if (request.is_send) {
      go_on(p, collective, number);
    } else {
      port.at += cost_of(bytes, case_.machine.endpoint.receive, &EndpointStep::receive);
      collective.cores->end = std::max(collective.cores->end, port.at);
      instants_.insert(port.at);
      if (!collective.is_in_step || !port.is_in_exchange()) {
        combine_at_core(p, collective, {number, bytes});
        go_on(p, collective, number);
      } else if (hold(collective, {number, bytes})) {
        const std::vector<PlainHeld> all = std::exchange(collective.held, {});
        Ticks last{0};
        for (const PlainHeld& held : all) {
          last = std::max(last, collective.ports[held.port].at);
        }
        for (const PlainHeld& held : all) {
          collective.ports[held.port].at = last;
          combine_at_core(p, collective, held);
        }
        for (const PlainHeld& held : all) {
          go_on(p, collective, held.port);
        }
      }
    }
    end_cores_if_done(p, collective);
  }

  void combine_at_core(ProcessId p, PlainCollective& collective, const PlainHeld& message) {
    PlainPort& port = collective.ports[message.port];
    const ScriptCollective::PortStep& step = (*port.steps)[port.next++];
    compute_in_turn(p, collective, port, combining_time(collective, step, message.bytes));
    collective.cores->end = std::max(collective.cores->end, port.at);
  }

  /// Computing in the mean of all ports, and the rest of the time as the endpoint's.
  void note_cores(ProcessId p, const PlainCollective& collective, Ticks end) {
    const PlainCores& cores = *collective.cores;
    const Ticks computed =
        cores.begin + cores.computed / static_cast<Ticks::rep>(collective.ports.size());
    note(p, Activity::compute, cores.begin, std::min(computed, end), p, std::nullopt);
    note(p, Activity::endpoint, computed, end, p, std::nullopt);
  }

  void end_cores_if_done(ProcessId p, const PlainCollective& collective) {
    if (collective.is_done()) {
      Actor& actor = actors_[p.index()];
      note_cores(p, collective, collective.cores->end);
      actor.listens = false;
      actor.busy_until = collective.cores->end;
      instants_.insert(collective.cores->end);
    }
  }

  bool answer_cores(ProcessId p, PlainCollective& collective, Ticks last) {
    std::vector<std::size_t> waiting = collective.waiting;
    if (!collective.is_in_step) {
      std::ranges::sort(waiting);
    }
    std::optional<std::pair<Ticks, std::size_t>> first;
    for (const std::size_t port : waiting) {
      const auto time = completion(requests_[collective.ports[port].request.value()]);
      if (time && *time <= last && (!first || *time < first->first)) {
        first = {*time, port};
      }
    }
    if (first) {
      std::erase(collective.waiting, first->second);
      take_at_core(p, collective, first->second);
    }
    return first.has_value();
  }

  /// Messages of collectives interrupt the computation.
  bool compute_beside(ProcessId p, Ticks duration) {
    Actor& actor = actors_[p.index()];
    if (!actor.left) {
      constexpr std::uint64_t first = std::uint64_t{1} << 32;
      actor.left = varied(p, duration, first + actor.computations_beside++);
    }
    if (*actor.left == Ticks{0}) {
      actor.left.reset();
      ++actor.step;
    } else if (actor.has_background()) {
      listen(p, now_ + *actor.left);
    } else {
      occupy(p, Activity::compute, *std::exchange(actor.left, Ticks{0}), p, std::nullopt);
    }
    return true;
  }

  bool finish(ProcessId p, std::size_t started) {
    Actor& actor = actors_[p.index()];
    const auto waited = std::ranges::find(actor.collectives, started, &PlainCollective::step);
    if (waited->is_done()) {
      actor.collectives.erase(waited);
      if (actor.calling) {
        actor.calling = Calling::copy;
      } else {
        ++actor.step;
      }
    } else {
      listen(p, std::nullopt);
    }
    return true;
  }

  /// Whether all that the process waits for is the next message of a collective.
  static bool receives_alone(const Actor& actor) {
    return actor.calling && actor.collectives.back().ports.size() == 1 &&
           !actor.collectives.back().sends_block;
  }

  /// A wait for all requests, which are taken in order of completion.
  bool wait_beside(ProcessId p) {
    Actor& actor = actors_[p.index()];
    if (!actor.left_of_all->empty()) {
      listen(p, std::nullopt);
      return true;
    }
    actor.left_of_all.reset();
    for (const std::size_t posting : *actor.waits_for) {
      forget(p, posting);
    }
    end_wait(p);
    return true;
  }

  void listen(ProcessId p, std::optional<Ticks> until) {
    Actor& actor = actors_[p.index()];
    actor.listens = true;
    actor.listens_until = until;
    if (until) {
      instants_.insert(*until);
    }
  }

  /// Answers a process that listens, if a request was complete at `last` or its time is over.
  bool answer_listener(ProcessId p, Ticks last) {
    Actor& actor = actors_[p.index()];
    for (PlainCollective& collective : actor.collectives) {
      if (collective.cores) {
        return answer_cores(p, collective, last);
      }
    }
    std::vector<std::size_t> all = actor.left_of_all.value_or(std::vector<std::size_t>{});
    const std::size_t own = all.size();
    std::vector<std::pair<std::size_t, std::size_t>> ports;
    for (std::size_t c = 0; c < actor.collectives.size(); ++c) {
      std::vector<std::size_t> waiting = actor.collectives[c].waiting;
      if (!actor.collectives[c].is_in_step) {
        std::ranges::sort(waiting);
      }
      for (const std::size_t i : waiting) {
        all.push_back(actor.collectives[c].ports[i].request.value());
        ports.emplace_back(c, i);
      }
    }
    std::optional<std::pair<Ticks, std::size_t>> first;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto time = completion(requests_[all[i]]);
      if (time && *time <= last && (!first || *time < first->first)) {
        first = {*time, i};
      }
    }
    const bool is_over = !first && actor.listens_until == std::optional{now_} && last == now_;
    if (!first && !is_over) {
      return false;
    }
    if (actor.listens_until) {
      note(p, Activity::compute, actor.blocked_since, now_, p, std::nullopt);
      actor.blocked_since = now_;
      actor.left = *actor.listens_until - now_;
    }
    actor.listens = false;
    if (!first) {
      return true;
    }
    const PlainRequest request = requests_[all[first->second]];
    take(p, request);
    if (first->second < own) {
      actor.left_of_all->erase(actor.left_of_all->begin() +
                               static_cast<std::ptrdiff_t>(first->second));
    } else {
      const auto [c, i] = ports[first->second - own];
      PlainCollective& collective = actor.collectives[c];
      collective.ports[i].request.reset();
      std::erase(collective.waiting, i);
      const std::uint64_t bytes = messages_[*request.message].bytes;
      if (request.is_send || !collective.is_in_step || !collective.ports[i].is_in_exchange()) {
        actor.serving =
            Serving{c, i, request.is_send ? Serving::Phase::send : Serving::Phase::combine, bytes};
      } else if (hold(collective, {i, bytes})) {
        for (const PlainHeld& held : collective.held) {
          actor.served_next.push_back({c, held.port, Serving::Phase::combine_only, held.bytes});
        }
        for (const PlainHeld& held : std::exchange(collective.held, {})) {
          actor.served_next.push_back({c, held.port});
        }
      }
    }
    return true;
  }

  // --- Computing.

  bool compute(ProcessId p, Ticks duration) {
    Actor& actor = actors_[p.index()];
    if (actor.wants_core) {
      return false;
    }
    if (duration > Ticks{0}) {
      duration = varied(p, duration, actor.computations++);
    }
    if (duration > Ticks{0} && case_.machine.node.cores) {
      actor.wants_core = duration;
      actor.blocked_since = now_;
      return true;
    }
    end_computing(actor);
    occupy(p, Activity::compute, duration, p, std::nullopt);
    return true;
  }
  static void end_computing(Actor& actor) {
    if (!actor.serving && !actor.calling) {
      ++actor.step;
    }
  }

  /// Up to the jitter's part more or less.
  Ticks varied(ProcessId p, Ticks duration, std::uint64_t number) const {
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
        end_computing(actor);
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

  /// Cost of the last step that the message is above; `usual` where it is above none.
  Ticks cost_of(std::uint64_t bytes, TransferCost usual,
                TransferCost EndpointStep::*in_step) const {
    const std::vector<EndpointStep>& larger = case_.machine.endpoint.larger;
    for (std::size_t i = larger.size(); i-- > 0;) {
      if (larger[i].above < bytes) {
        return (larger[i].*in_step).of(bytes);
      }
    }
    return usual.of(bytes);
  }

  std::size_t pay_and_send(ProcessId p, const Step& step, SendMode mode) {
    const Ticks cost = step.peer == p
                           ? Ticks{0}
                           : cost_of(step.bytes, case_.machine.endpoint.send, &EndpointStep::send);
    const MessageName message{p, sends_[p.index()]};
    const std::size_t m = send(p, step.peer, step.tag, step.bytes, now_ + cost, mode);
    occupy(p, Activity::endpoint, cost, step.peer, message);
    return m;
  }

  bool try_receive(ProcessId p, ProcessId from, Tag tag) {
    Actor& actor = actors_[p.index()];
    const bool is_new = !actor.own;
    if (is_new) {
      requests_.push_back({false, false, from, tag, std::nullopt, {}, now_});
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
    const Ticks on_its_way = std::clamp(message.start, begin, now_);
    const MessageName name{message.source, message.send_number};
    if (request.is_send) {
      note(p, Activity::waiting, begin, on_its_way, request.peer, std::nullopt, Awaits::receiver,
           message.send_number);
      note(p, Activity::communication, on_its_way, now_, request.peer, name);
      return;
    }
    note(p, Activity::waiting, begin, on_its_way, message.source, name, Awaits::message);
    note(p, Activity::communication, on_its_way, now_, message.source, name);
    const Ticks cost = message.source == p ? Ticks{0}
                                           : cost_of(message.bytes, case_.machine.endpoint.receive,
                                                     &EndpointStep::receive);
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
      if (step.kind == Step::Kind::wait_all && actor.has_background()) {
        actor.left_of_all.emplace();
        for (const std::size_t posting : *actor.waits_for) {
          actor.left_of_all->push_back(actor.requests.at(posting));
        }
      }
      if (step.kind == Step::Kind::wait_any && step.duration > Ticks{0} &&
          !actor.waits_for->empty()) {
        actor.waits_until = now_ + step.duration;
        instants_.insert(*actor.waits_until);
      }
    }
    if (actor.left_of_all) {
      return wait_beside(p);
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
      if (actor.listens && !actor.busy_until) {
        has_answered = answer_listener(p, last) || has_answered;
        continue;
      }
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
    if (!actor.listens && step.kind == Step::Kind::wait_all) {
      return request_of(p, (*actor.waits_for)[actor.position]).peer;
    }
    std::vector<ProcessId> peers;  // of whom one is enough
    if (actor.listens) {
      for (const std::size_t request : actor.left_of_all.value_or(std::vector<std::size_t>{})) {
        peers.push_back(requests_[request].peer);
      }
      for (const PlainCollective& collective : actor.collectives) {
        for (const auto& port : collective.ports) {
          if (port.request) {
            peers.push_back(requests_[*port.request].peer);
          }
        }
      }
    } else if (step.kind == Step::Kind::wait_any) {
      for (const std::size_t posting : *actor.waits_for) {
        peers.push_back(request_of(p, posting).peer);
      }
    } else {
      peers.push_back(step.peer);
    }
    return peers.size() == 1 ? peers.front() : anyone;
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
