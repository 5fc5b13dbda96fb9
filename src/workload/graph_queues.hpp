#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graph_cpus.hpp"
#include "graph_events.hpp"

namespace dcube {

/// Events of a process that wait for busy cpus and network interfaces. Those that wait for the same
/// cpu and (except computations) interface form a queue. The first that can be served stands for
/// its queue among the events of the process.
class GraphQueues {
 public:
  /// Both must outlive this.
  GraphQueues(GraphCpus& cpus, EventQueue& events) : cpus_{cpus}, events_{events} {}

 private:
  struct Queue {
    std::uint8_t cpu = 0;
    std::uint16_t interface = 0;
    std::uint32_t source = 0;                        ///< of the event that stands for all
    std::uint32_t order = 0;                         ///< likewise
    Ticks next{-1};                                  ///< and its time
    EventQueue Queue::*line = &Queue::computations;  ///< and its line
    // All with time 0.
    EventQueue computations{};
    EventQueue sends{};
    EventQueue arrivals{};

    bool stands(const GraphEvent& event, Ticks time) const {
      return order == event.order && source == event.place.source && next == time;
    }
  };

 public:
  /// Events of a queue that wait for the same.
  using Line = EventQueue Queue::*;
  static constexpr Line computations = &Queue::computations;
  static constexpr Line sends = &Queue::sends;
  static constexpr Line arrivals = &Queue::arrivals;

  /// Queues an event, to be served at its time or later.
  void add(const GraphEvent& event, Line line, std::uint8_t cpu, std::uint16_t interface) {
    Queue& queue = queue_for(cpu, interface);
    GraphEvent waiting = event;
    waiting.time = Ticks{0};
    (queue.*line).push(waiting);
    if ((queue.*line).front().is(event)) {
      announce(queue, event.time);
    }
  }
  /// The line whose first event is served in this turn. Null if the first of the queue has changed
  /// meanwhile; the new one has a turn of its own.
  EventQueue* line_of(const GraphEvent& turn) {
    Queue& queue = queues_.data()[turn.index];
    if (!queue.stands(turn, turn.time)) {
      return nullptr;
    }
    queue.next = Ticks{-1};
    // It is still the first: what came before it would have been announced in its place.
    if (free_of(queue, queue.line) <= turn.time) {
      return &(queue.*queue.line);
    }
    announce(queue, turn.time);
    return nullptr;
  }
  /// Gives the next event of the queue its turn.
  void go_on(const GraphEvent& turn) { announce(queues_.data()[turn.index], turn.time); }

 private:
  Queue& queue_for(std::uint8_t cpu, std::uint16_t interface) {
    const auto known = std::ranges::find_if(queues_, [&](const Queue& queue) {
      return queue.cpu == cpu && queue.interface == interface;
    });
    return known != queues_.end() ? *known
                                  : queues_.emplace_back(Queue{.cpu = cpu, .interface = interface});
  }
  /// When the cpu and the interface of a line are free.
  Ticks free_of(const Queue& queue, Line line) {
    const Ticks cpu_free = cpus_.free(queue.cpu);
    if (line == computations) {
      return cpu_free;
    }
    const GraphCpus::Interface& interface = cpus_.interface(queue.interface);
    return std::max(cpu_free, line == sends ? interface.send_free : interface.receive_free);
  }
  /// Pushes a turn for the first event, at the time when its cpu and interface are free.
  void announce(Queue& queue, Ticks now) {
    const GraphCpus::Interface& interface = cpus_.interface(queue.interface);
    const Ticks cpu_free = std::max(cpus_.free(queue.cpu), now);
    const EventQueue* next = nullptr;
    Line line = computations;
    Ticks time{0};
    const auto consider = [&](Line of, const EventQueue& events, Ticks free) {
      if (events.is_empty()) {
        return;
      }
      const Ticks both_free = std::max(cpu_free, free);
      if (next == nullptr || both_free < time ||
          (both_free == time && next->front() > events.front())) {
        next = &events;
        line = of;
        time = both_free;
      }
    };
    consider(computations, queue.computations, cpu_free);
    consider(sends, queue.sends, interface.send_free);
    consider(arrivals, queue.arrivals, interface.receive_free);
    if (next == nullptr) {
      return;
    }
    const GraphEvent& first = next->front();
    if (!queue.stands(first, time)) {
      queue.line = line;
      queue.source = first.place.source;
      queue.order = first.order;
      queue.next = time;
      GraphEvent turn = first;
      turn.time = time;
      turn.index = static_cast<std::uint32_t>(&queue - queues_.data());
      turn.what = GraphEvent::What::queue;
      events_.push(turn);
    }
  }

  GraphCpus& cpus_;
  EventQueue& events_;
  std::vector<Queue> queues_;
};

}  // namespace dcube
