#include "graph_run.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "followers.hpp"

namespace dcube {
namespace {

using Kind = Operation::Kind;

/// A message of a send carries the number of the operation as its tag; what a receiver answers when
/// it takes a message above the eager limit has a tag of its own.
constexpr Tag answer_tag = first_reserved_tag;

/// What happens in a process, in order of time.
struct Event {
  enum class What : std::uint8_t { start, departure, done, arrival };

  Ticks time;
  Ticks ready;  ///< when it could have happened if nothing had been busy
  std::uint32_t order = 0;
  What what{};
  std::uint32_t index = 0;  ///< operation, or message

  friend bool operator>(const Event& a, const Event& b) {
    return std::tie(a.time, a.ready, a.order) > std::tie(b.time, b.ready, b.order);
  }
};

/// A message that has arrived.
struct Arrival {
  ProcessId source;
  std::uint32_t operation = 0;  ///< its send
};

class GraphRun {
 public:
  GraphRun(Process& process, GraphSchedule& graphs)
      : process_{process},
        graphs_{graphs},
        operations_{graphs.schedule.processes[process.rank().index()]},
        followers_{operations_.size(), graphs.schedule.graphs[process.rank().index()].edges},
        missing_arrivals_{graphs.arrivals[process.rank().index()]} {}

  Task<> run() {
    for (std::uint32_t i = 0; i < operations_.size(); ++i) {
      if (followers_.is_free(i)) {
        push(Event::What::start, i, Ticks{0});
      }
    }
    while (done_ < operations_.size() || missing_arrivals_ > 0 || !events_.empty()) {
      const bool may_hear = may_hear_now();
      if (may_hear) {
        gather_requests();
      }
      const Ticks until = next_instant();
      if (may_hear && !requests_.empty()) {
        Completed completed = until == Ticks::max()
                                  ? co_await process_.wait_any(requests_)
                                  : co_await process_.wait_any(requests_, until, activity());
        if (completed.index < requests_.size()) {
          hear(completed);
          continue;
        }
      } else if (until == Ticks::max()) {
        co_await wait_forever();
      } else {
        co_await process_.wait_any({}, until, activity());
        if (!may_hear && may_hear_now()) {
          continue;  // to what has arrived by now
        }
      }
      handle_events();
    }
    while (busy_until() > process_.now()) {
      co_await process_.wait_any({}, next_instant(), activity());
    }
    graphs_.ends[process_.rank().index()] = last_busy_;
  }

 private:
  struct Cpu {
    Ticks free{0};
    Activity activity = Activity::compute;
  };
  struct Interface {
    Ticks send_free{0};
    Ticks receive_free{0};
  };
  /// A send above the eager limit that nobody has taken yet.
  struct Rendezvous {
    Request request;
    std::uint32_t operation = 0;
  };

  template <class Resources>
  static auto& at(Resources& resources, std::size_t number) {
    if (number >= resources.size()) {
      resources.resize(number + 1);
    }
    return resources[number];
  }
  Cpu& cpu(const Operation& operation) { return at(cpus_, operation.cpu); }
  Interface& interface(const Operation& operation) { return at(interfaces_, operation.interface); }

  void push(Event::What what, std::uint32_t index, Ticks time) { push(what, index, time, time); }
  void push(Event::What what, std::uint32_t index, Ticks time, Ticks ready) {
    events_.push({time, ready, order_++, what, index});
  }

  // --- Waiting

  /// While the only cpu is busy, no message can be handled; those that arrive are found then.
  bool may_hear_now() const {
    return !(graphs_.has_one_cpu && rendezvous_.empty() && busy_until() > process_.now());
  }
  void gather_requests() {
    if (missing_arrivals_ > 0 && !is_listening_) {
      listening_ = process_.post_receive(anyone, any_tag);
      is_listening_ = true;
    }
    requests_.clear();
    if (is_listening_) {
      requests_.push_back(listening_);
    }
    for (const Rendezvous& open : rendezvous_) {
      requests_.push_back(open.request);
    }
  }
  void hear(Completed& completed) {
    const Ticks now = process_.now();
    if (is_listening_ && completed.index == 0) {
      is_listening_ = false;
      --missing_arrivals_;
      messages_.push_back({completed.message.source, completed.message.tag});
      push(Event::What::arrival, static_cast<std::uint32_t>(messages_.size() - 1), now,
           completed.message.arrival);
      return;
    }
    const auto open = rendezvous_.begin() +
                      static_cast<std::ptrdiff_t>(completed.index - (is_listening_ ? 1 : 0));
    const std::uint32_t sent = open->operation;
    rendezvous_.erase(open);
    const Operation& operation = operations_[sent];
    occupy(cpu(operation), now, Activity::endpoint);
    raise(interface(operation).send_free, now);
    finish(sent, now);
  }

  /// When something happens here next, or a cpu is no longer busy.
  Ticks next_instant() const {
    Ticks next = events_.empty() ? Ticks::max() : std::max(events_.top().time, process_.now());
    for (const Cpu& cpu : cpus_) {
      if (cpu.free > process_.now()) {
        next = std::min(next, cpu.free);
      }
    }
    return next;
  }
  Ticks busy_until() const {
    Ticks until{0};
    for (const Cpu& cpu : cpus_) {
      until = std::max(until, cpu.free);
    }
    return until;
  }
  /// What the process is seen to do: computing if a cpu does.
  Activity activity() const {
    Activity seen = Activity::waiting;
    for (const Cpu& cpu : cpus_) {
      if (cpu.free > process_.now() && seen != Activity::compute) {
        seen = cpu.activity;
      }
    }
    return seen;
  }
  /// For messages that nobody sends: the run ends in a deadlock that names this process.
  Task<> wait_forever() {
    expects(!posted_.empty(), "operations of a graph do not wait for each other in a circle");
    constexpr Tag of_nobody = most_tags - 1;
    co_await process_.wait(process_.post_receive(operations_[posted_.front()].peer, of_nobody));
  }

  // --- What happens

  void handle_events() {
    while (!events_.empty() && events_.top().time <= process_.now()) {
      const Event event = events_.top();
      events_.pop();
      switch (event.what) {
        case Event::What::start:
          start(event);
          break;
        case Event::What::departure:
          depart(event.index);
          break;
        case Event::What::done:
          release_followers(event.index, false);
          break;
        case Event::What::arrival:
          arrive(event);
          break;
      }
    }
  }
  /// Whether what the event needs is free; if not, it happens again when that is.
  bool is_free(const Event& event, Ticks free) {
    if (free <= event.time) {
      return true;
    }
    Event later = event;
    later.time = free;
    events_.push(later);
    return false;
  }

  void start(const Event& event) {
    const Operation& operation = operations_[event.index];
    const Ticks now = event.time;
    switch (operation.kind) {
      case Kind::send: {
        Ticks& interface_free = interface(operation).send_free;
        if (!is_free(event, std::max(cpu(operation).free, interface_free))) {
          return;
        }
        const Ticks cpu_free = checked_add(now, graphs_.costs.send(operation.amount));
        occupy(cpu(operation), cpu_free, Activity::endpoint);
        interface_free = checked_add(now, graphs_.costs.gap(operation.amount));
        push(Event::What::departure, event.index, checked_add(now, graphs_.costs.overhead()));
        if (!graphs_.costs.is_rendezvous(operation.amount)) {
          finish(event.index, std::max(cpu_free, interface_free));
        }
        break;
      }
      case Kind::receive:
        receive(event.index);
        break;
      default:
        if (!is_free(event, cpu(operation).free)) {
          return;
        }
        occupy(cpu(operation),
               checked_add(now, process_.varied(Ticks{static_cast<Ticks::rep>(operation.amount)},
                                                event.index)),
               Activity::compute);
        finish(event.index, cpu(operation).free);
        break;
    }
    release_followers(event.index, true);
  }

  void depart(std::uint32_t sent) {
    const Operation& operation = operations_[sent];
    process_.send(operation.peer, Payload::of_size(operation.amount), sent, SendMode::eager);
    if (graphs_.costs.is_rendezvous(operation.amount)) {
      rendezvous_.push_back(
          {process_.post_send(operation.peer, Payload{}, answer_tag + sent, SendMode::rendezvous),
           sent});
    }
  }

  const Operation& sent_by(const Arrival& message) const {
    return graphs_.schedule.processes[message.source.index()][message.operation];
  }
  /// Whether the receive asks for this message.
  bool suits(const Operation& receive, const Arrival& message) const {
    return (receive.peer == anyone || receive.peer == message.source) &&
           (receive.tag == any_tag || receive.tag == sent_by(message).tag);
  }
  void take(std::uint32_t received, const Arrival& message, Ticks done) {
    if (graphs_.costs.is_rendezvous(sent_by(message).amount)) {
      process_.post_receive(message.source, answer_tag + message.operation);
    }
    finish(received, done);
  }

  void receive(std::uint32_t received) {
    const auto waiting = std::ranges::find_if(waiting_, [&](std::uint32_t message) {
      return suits(operations_[received], messages_[message]);
    });
    if (waiting == waiting_.end()) {
      posted_.push_back(received);
      return;
    }
    take(received, messages_[*waiting], process_.now());
    waiting_.erase(waiting);
  }

  void arrive(const Event& event) {
    const Arrival message = messages_[event.index];
    const Operation& sent = sent_by(message);
    Ticks& interface_free = interface(sent).receive_free;
    if (!is_free(event, std::max(cpu(sent).free, interface_free))) {
      return;
    }
    const Ticks done = checked_add(event.time, graphs_.costs.receive(sent.amount));
    occupy(cpu(sent), done, Activity::endpoint);
    interface_free = checked_add(event.time, graphs_.costs.gap(sent.amount));
    const auto posted = std::ranges::find_if(
        posted_, [&](std::uint32_t received) { return suits(operations_[received], message); });
    if (posted == posted_.end()) {
      waiting_.push_back(event.index);
      return;
    }
    const std::uint32_t received = *posted;
    posted_.erase(posted);
    take(received, message, done);
  }

  static void raise(Ticks& time, Ticks to) { time = std::max(time, to); }
  void occupy(Cpu& cpu, Ticks until, Activity activity) {
    if (until > cpu.free) {
      cpu = {until, activity};
      raise(last_busy_, until);
    }
  }

  void finish(std::uint32_t operation, Ticks time) {
    ++done_;
    if (time <= process_.now()) {
      release_followers(operation, false);
    } else if (!followers_.of(operation).empty()) {
      push(Event::What::done, operation, time);
    }
  }
  /// Those that wait for its start, or for its end.
  void release_followers(std::uint32_t operation, bool is_started) {
    for (const Followers::Follower& follower : followers_.of(operation)) {
      if (follower.is_started == is_started && followers_.release(follower.operation)) {
        push(Event::What::start, follower.operation, process_.now());
      }
    }
  }

  Process& process_;
  GraphSchedule& graphs_;
  const std::vector<Operation>& operations_;
  Followers followers_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint32_t order_ = 0;
  std::size_t done_ = 0;
  std::vector<Cpu> cpus_;
  std::vector<Interface> interfaces_;
  Ticks last_busy_{0};

  std::uint32_t missing_arrivals_;
  bool is_listening_ = false;
  Request listening_;
  std::vector<Rendezvous> rendezvous_;
  std::vector<Request> requests_;       ///< that the process waits for
  std::vector<Arrival> messages_;       ///< that have arrived
  std::vector<std::uint32_t> waiting_;  ///< messages that no receive has taken, in order
  std::vector<std::uint32_t> posted_;   ///< receives that have no message, in order
};

}  // namespace

GraphCosts::GraphCosts(const EndpointModel& endpoint) : endpoint_{endpoint} {}

Ticks GraphCosts::receive(std::uint64_t bytes) const {
  const Ticks of_cpu = cost(endpoint_.receive, bytes);
  const Ticks of_interface = cost({endpoint_.receive.fixed, endpoint_.gap.per_byte}, bytes);
  return std::max(of_cpu, of_interface);
}

GraphSchedule::GraphSchedule(const Schedule& of, const EndpointModel& endpoint)
    : schedule{of},
      costs{endpoint},
      arrivals(of.processes.size(), 0),
      ends(of.processes.size(), Ticks{0}) {
  for (const std::vector<Operation>& process : of.processes) {
    for (const Operation& operation : process) {
      has_one_cpu = has_one_cpu && operation.cpu == 0;
      if (operation.kind == Kind::send) {
        ++arrivals[operation.peer.index()];
      }
    }
  }
}

Task<> run_graph(Process& process, GraphSchedule& graphs) {
  GraphRun run{process, graphs};
  co_await run.run();
}

}  // namespace dcube
