#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "dcube/engine/listener.hpp"
#include "graph_cpus.hpp"
#include "graph_events.hpp"
#include "graph_messages.hpp"
#include "graph_operations.hpp"
#include "graph_queues.hpp"
#include "graph_schedule.hpp"

// A process is a simulation of its own: a list of what happens in it, in order of time. From
// outside come messages, and the news that a large message of its own has been taken. What happens
// in a process depends on what comes, so in general it must have heard of everything up to an
// instant before it goes on there.
//
// Mostly it need not. What waits for a cpu is served in the order in which it entered, a message as
// its send began. While the only cpu is busy, or when it becomes free and what is next entered
// before any message that is not known began, nothing that comes from outside is served first. So a
// process goes on as far as that holds, and its clock, with which its messages leave, runs ahead of
// the network. A sender that waits for its receiver must not run ahead: it may go on at any
// instant. Where some messages wait so, what a process does may let others go on at the same
// instant, so all ask what is known whenever their cpu becomes free.

namespace dcube {
namespace {

using Kind = Operation::Kind;

using Event = GraphEvent;
using detail::Heard;

class GraphRun {
 public:
  GraphRun(Process& process, GraphSchedule& graphs)
      : process_{process},
        listener_{process},
        graphs_{graphs},
        graph_{graphs.schedule.processes[process.rank().index()],
               graphs.schedule.graphs[process.rank().index()], graphs.nodes},
        messages_{graph_, graphs.sent},
        missing_arrivals_{graphs.arrivals[process.rank().index()]} {}
  GraphRun(const GraphRun&) = delete;
  GraphRun& operator=(const GraphRun&) = delete;
  /// Notes what it waited for, if the run has ended before its operations.
  ~GraphRun() {
    const auto first = done_ < graph_.size() ? messages_.oldest_receive() : std::nullopt;
    if (first) {
      const GraphNode& receive = graph_[*first];
      graphs_.open[process_.rank()] = {receive.peer, receive.tag, receive.amount};
    }
  }

  Task<> run() {
    listener_.listen(std::as_bytes(std::span{this, 1}));
    for (std::uint32_t i = 0; i < graph_.size(); ++i) {
      ++graph_[i].missing;
      let_in(i);
    }
    enter_freed();
    while (done_ < graph_.size() || missing_arrivals_ > 0 || next_time() < Ticks::max()) {
      while (handle_next()) {
      }
      const Ticks until = next_time();
      if (until < Ticks::max() || missing_arrivals_ > 0 || open_ > 0) {
        listen_to(co_await listener_.hear(std::min(until, cpus_.next_free(clock_)),
                                          cpus_.activity(clock_)));
      } else if (done_ < graph_.size()) {
        go_to(cpus_.last_busy());
        co_await wait_forever();
      }
    }
    go_to(cpus_.last_busy());
    graphs_.ends[process_.rank().index()] = cpus_.last_busy();
  }

 private:
  // --- Events

  Event event_at(Ticks time, Event::What what, std::uint32_t index) {
    return {time, place_, order_++, index, what};
  }
  /// Ticks::max(): nothing is to happen.
  Ticks next_time() const {
    return events_.is_empty() ? queues_.next_turn()
                              : std::min(events_.front().time, queues_.next_turn());
  }
  /// Whether the next turn of a queue comes before the next event.
  bool is_turn_first() const {
    if (events_.is_empty()) {
      return true;
    }
    const Event& event = events_.front();
    const Ticks turn = queues_.next_turn();
    return turn != event.time ? turn < event.time : event.enters_after(queues_.next());
  }
  /// False: there is nothing, or something unknown may come first.
  bool handle_next() {
    if (!queues_.are_empty() && is_turn_first()) {
      const Ticks turn = queues_.next_turn();
      if (!is_foreseen(turn, queues_.next().place.entered)) {
        return false;
      }
      serve(turn);
      return true;
    }
    if (events_.is_empty() || !is_foreseen(events_.front().time, events_.front().place.entered)) {
      return false;
    }
    handle(events_.pop());
    return true;
  }

  // --- Time

  /// Whether nothing that is not known yet can change what the next event does, at `time`.
  bool is_foreseen(Ticks time, Ticks entered) const {
    if (time <= known_ || (missing_arrivals_ == 0 && open_ == 0)) {
      return true;
    }
    const Ticks free = cpus_.only_free();
    return runs_ahead() && (time < free || (time == free && entered < unknown_));
  }
  bool runs_ahead() const { return graphs_.has_one_cpu && open_ == 0 && departing_ == 0; }

  /// Moves the clock on.
  void go_to(Ticks time) {
    if (clock_ < time) {
      go_on_to(time);
    }
  }
  void go_on_to(Ticks time) {
    while (clock_ < time) {
      const Ticks until = std::min(time, cpus_.next_free(clock_));
      listener_.pass(until, cpus_.activity(clock_));
      clock_ = until;
    }
  }

  void listen_to(std::span<const Heard> all) {
    clock_ = process_.now();
    now_ = clock_;
    GraphSchedule::Coming& coming = graphs_.coming[process_.rank().index()];
    graph_.prefetch(latest_);  // and what mostly comes next
    graph_.prefetch(latest_ + 2);
    graph_.prefetch(latest_ + 4);
    for (const Heard& heard : all) {
      graphs_.sent.prefetch(heard.tag);
    }
    for (const Heard& heard : all) {
      if (heard.what == Heard::What::arrival) {
        expects(graphs_.has_rendezvous || heard.time > known_,
                "no message is faster than its machine allows");
        --missing_arrivals_;
        SentMessage& arrived = graphs_.sent[heard.tag];
        if (!graphs_.has_rendezvous) {
          coming.note_arrival(heard.start);
        }
        messages_.prefetch_queue(arrived.source, arrived.tag);
        events_.push({clock_, arrived.place(),
                      heard.peer == process_.rank() ? order_++ : heard.send_number, heard.tag,
                      Event::What::arrival});
        arrived.note_send_number(heard.send_number);
      } else {
        const SentMessage& taken = graphs_.sent[heard.tag];
        events_.push({clock_, taken.place(), taken.next, heard.tag, Event::What::answer});
      }
    }
    if (graphs_.has_rendezvous) {
      known_ = all.empty() ? clock_ : clock_ - Ticks{1};  // more may happen at this instant
    } else {
      known_ = std::max(clock_, graphs_.first_arrival(coming, clock_) - Ticks{1});
      unknown_ = graphs_.first_begin(coming, clock_);
    }
  }
  /// For messages that nobody sends: the run ends in a deadlock that names this process.
  Task<> wait_forever() {
    const std::optional<std::uint32_t> first = messages_.oldest_receive();
    expects(first.has_value(), "operations of a graph do not wait for each other in a circle");
    constexpr Tag of_nobody = most_tags - 1;
    co_await process_.wait(process_.post_receive(graph_[*first].peer, of_nobody));
  }

  // --- What happens

  void handle(const Event& event) {
    begin(event);
    switch (event.what) {
      case Event::What::start:
        start(event);
        break;
      case Event::What::departure:
        --departing_;
        depart(event.index, event.place);
        break;
      case Event::What::done:
        release_others(event.index);
        break;
      case Event::What::arrival:
        arrive(event);
        break;
      case Event::What::answer:
        end_rendezvous(event.index);
        break;
    }
  }
  void begin(const Event& event) {
    now_ = event.time;
    place_ = event.place.of_next(now_, process_.rank().index());
    go_to(now_);
  }

  // --- Queues

  /// Whether a cpu and the like are free; if not, the event waits for them in a line of a queue.
  template <class Of>
  bool is_free(const Event& event, Ticks free, GraphQueues::Line line, const Of& operation) {
    if (free <= event.time) {
      return true;
    }
    queues_.add(event, line, operation.cpu, operation.interface, event.time);
    return false;
  }
  void serve(Ticks turn) {
    EventQueue* const line = queues_.begin_turn();
    if (line == nullptr) {
      return;
    }
    Event served = line->pop();
    served.time = turn;
    messages_.prefetch_next(*line);
    begin(served);
    if (served.what == Event::What::arrival) {
      arrive(served);
    } else {
      start(served);
    }
    queues_.end_turn(turn);
  }

  // --- Operations and messages

  void start(const Event& event) {
    const GraphNode& operation = graph_[event.index];
    latest_ = event.index;
    graph_.prefetch_followers(operation);
    switch (operation.kind) {
      case Kind::send:
        send(event, operation);
        break;
      case Kind::receive:
        receive(event);
        break;
      default:
        compute(event, operation);
        break;
    }
  }
  void compute(const Event& event, const GraphNode& operation) {
    if (!is_free(event, cpus_.free(operation.cpu), GraphQueues::computations, operation)) {
      return;
    }
    const Ticks done = checked_add(
        now_, process_.varied(Ticks{static_cast<Ticks::rep>(operation.amount)}, event.index));
    cpus_.occupy(operation.cpu, done, Activity::compute);
    run_ahead();
    finish(event.index, true, done);
  }
  void send(const Event& event, const GraphNode& operation) {
    Ticks& interface_free = cpus_.interface(operation.interface).send_free;
    if (!is_free(event, std::max(cpus_.free(operation.cpu), interface_free), GraphQueues::sends,
                 operation)) {
      return;
    }
    const bool is_rendezvous = graphs_.costs.is_rendezvous(operation.amount);
    const GraphCosts::OfMessage& costs = graphs_.costs.of(operation.amount);
    const Ticks departure = checked_add(now_, graphs_.costs.overhead());
    const Ticks cpu_free = checked_add(now_, costs.send);
    cpus_.occupy(operation.cpu, cpu_free, Activity::endpoint);
    interface_free = checked_add(now_, costs.gap);
    open_ += is_rendezvous ? 1 : 0;
    if (runs_ahead()) {
      go_to(departure);
      depart(event.index, place_);
      run_ahead();
    } else {
      events_.push(event_at(departure, Event::What::departure, event.index));
      ++departing_;
    }
    if (is_rendezvous) {
      release(event.index, true, false, now_);
    } else {
      finish(event.index, true, cpu_free);
    }
  }
  /// What the only cpu does is settled until it is free.
  void run_ahead() {
    if (runs_ahead() && clock_ < cpus_.only_free()) {
      clock_ = cpus_.only_free();
      listener_.pass(clock_, cpus_.only_activity());
    }
  }

  /// The message leaves at the time of the clock.
  void depart(std::uint32_t sent, const GraphPlace& place) {
    const GraphNode& operation = graph_[sent];
    if (!graphs_.has_rendezvous) {
      graphs_.coming[operation.peer.index()].note_departure(clock_);
    }
    const std::uint32_t number = graphs_.sent.keep({.bytes = operation.amount,
                                                    .entered = place.entered,
                                                    .since_cause = place.since_cause,
                                                    .since_origin = place.since_origin,
                                                    .root = place.root,
                                                    .source = process_.rank(),
                                                    .operation = sent,
                                                    .tag = operation.tag,
                                                    .interface = operation.interface,
                                                    .cpu = operation.cpu});
    process_.send(operation.peer, Payload::of_size(operation.amount), number, SendMode::eager);
    if (operation.peer == process_.rank()) {
      known_ = std::min(known_, clock_ - Ticks{1});  // it is there already
      unknown_ = std::min(unknown_, place.entered);
    }
  }

  void arrive(const Event& event) {
    const SentMessage& message = graphs_.sent[event.index];
    Ticks& interface_free = cpus_.interface(message.interface).receive_free;
    if (!is_free(event, std::max(cpus_.free(message.cpu), interface_free), GraphQueues::arrivals,
                 message)) {
      return;
    }
    const GraphCosts::OfMessage& costs = graphs_.costs.of(message.bytes);
    const Ticks done = checked_add(now_, costs.receive);
    cpus_.occupy(message.cpu, done, Activity::endpoint);
    interface_free = checked_add(now_, costs.gap);
    if (const std::optional<std::uint32_t> received = messages_.receive_for(event.index)) {
      take(*received, event.index, event, false, done);
    }
    run_ahead();
  }
  void receive(const Event& event) {
    const std::uint32_t received = event.index;
    if (const std::optional<std::uint32_t> message = messages_.message_for(received)) {
      take(received, *message, event, true, now_);
    } else {
      release(received, true, false, now_);
    }
  }
  /// The receive gets the message, at once or some time after its start.
  void take(std::uint32_t received, std::uint32_t message, const Event& by, bool starts,
            Ticks done) {
    SentMessage& taken = graphs_.sent[message];
    if (graphs_.has_rendezvous && graphs_.costs.is_rendezvous(taken.bytes)) {
      const MessageName name{taken.source, taken.send_number()};
      taken.note_taker(by);
      if (name.source == process_.rank()) {
        events_.push({now_, by.place, by.order, message, Event::What::answer});
      } else {
        listener_.tell_taken(name, message, now_);
      }
    } else {
      graphs_.sent.forget(message);
    }
    finish(received, starts, done);
  }
  /// The receiver has taken a message of this process.
  void end_rendezvous(std::uint32_t message) {
    --open_;
    const std::uint32_t sent = graphs_.sent[message].operation;
    graphs_.sent.forget(message);
    const GraphNode& operation = graph_[sent];
    cpus_.occupy(operation.cpu, now_, Activity::endpoint);
    Ticks& interface_free = cpus_.interface(operation.interface).send_free;
    interface_free = std::max(interface_free, now_);
    finish(sent, false, now_);
  }

  /// Its cpu is busy until `done`.
  void finish(std::uint32_t operation, bool starts, Ticks done) {
    ++done_;
    release(operation, starts, true, done);
  }
  void release(std::uint32_t operation, bool starts, bool ends, Ticks done) {
    if (graph_[operation].follower_count > 0) {
      release_followers(operation, starts, ends, done);
    }
  }
  /// Those that wait for its start, and for its end. What names the same cpu waits for that anyway,
  /// so it is let in at once.
  void release_followers(std::uint32_t operation, bool starts, bool ends, Ticks done) {
    const GraphNode& of = graph_[operation];
    const bool is_over = graphs_.has_one_cpu || done <= now_;
    bool are_all = true;
    for (const OperationGraph::Follower follower : graph_.followers(of)) {
      if (!(follower.is_started() ? starts : ends)) {
        continue;
      }
      if (is_over || follower.is_started() || graph_[follower.operation()].cpu == of.cpu) {
        let_in(follower.operation());
      } else {
        are_all = false;
      }
    }
    if (!are_all) {
      events_.push(event_at(done, Event::What::done, operation));
    }
    enter_freed();
  }
  /// Those that name another cpu, when its own is free of it.
  void release_others(std::uint32_t operation) {
    const GraphNode& of = graph_[operation];
    for (const OperationGraph::Follower follower : graph_.followers(of)) {
      if (!follower.is_started() && graph_[follower.operation()].cpu != of.cpu) {
        let_in(follower.operation());
      }
    }
    enter_freed();
  }
  void let_in(std::uint32_t operation) {
    GraphNode& node = graph_[operation];
    if (--node.missing == 0) {
      graphs_.freed.push_back(place_among_freed(node.kind) << 32U | operation);
    }
  }
  static std::uint64_t place_among_freed(Kind kind) {
    return kind == Kind::send ? 0 : kind == Kind::receive ? 1 : 2;
  }
  /// Of what one event frees sends come first, then receives, each as written.
  void enter_freed() {
    GrowingArray<std::uint64_t>& freed = graphs_.freed;
    if (!std::is_sorted(freed.begin(), freed.end())) {
      std::sort(freed.begin(), freed.end());
    }
    for (const std::uint64_t operation : freed) {
      enter(static_cast<std::uint32_t>(operation));
    }
    freed.clear();
  }
  /// What waits for its cpu alone needs no queue. A receive is posted when its cpu is free as far
  /// as is settled now.
  void enter(std::uint32_t number) {
    const GraphNode& operation = graph_[number];
    Ticks free = cpus_.free(operation.cpu);
    if (operation.kind == Kind::receive) {
      messages_.prefetch_queue(operation.peer, operation.tag);
      events_.push(event_at(std::max(free, now_), Event::What::start, number));
      return;
    }
    const bool sends = operation.kind == Kind::send;
    if (sends) {
      free = std::max(free, cpus_.interface(operation.interface).send_free);
    }
    const Event event = event_at(std::max(free, now_), Event::What::start, number);
    if (free <= now_ || queues_.are_empty()) {
      events_.push(event);
    } else {
      queues_.add(event, sends ? GraphQueues::sends : GraphQueues::computations, operation.cpu,
                  operation.interface, now_);
    }
  }

  Process& process_;
  detail::Listener listener_;
  GraphSchedule& graphs_;
  GraphOperations graph_;
  GraphMessages messages_;
  EventQueue events_;
  std::uint32_t order_ = 0;
  GraphPlace place_{.root = process_.rank().index(),
                    .source = process_.rank().index()};  ///< of what enters now
  std::size_t done_ = 0;
  std::uint32_t latest_ = 0;  ///< operation that has been looked at
  GraphCpus cpus_;
  GraphQueues queues_{cpus_};
  Ticks now_{0};       ///< of the event that is being handled
  Ticks clock_{0};     ///< of the process, which may be ahead
  Ticks known_{0};     ///< everything has been heard of that had happened by then
  Ticks unknown_{-1};  ///< no message has begun earlier that has not been heard of
  std::uint32_t missing_arrivals_;
  std::uint32_t open_ = 0;       ///< sends above the eager limit that nobody has taken
  std::uint32_t departing_ = 0;  ///< messages that leave at an instant to come
};

}  // namespace

Task<> run_graph(Process& process, GraphSchedule& graphs) {
  GraphRun run{process, graphs};
  co_await run.run();
}

}  // namespace dcube
