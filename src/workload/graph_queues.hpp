#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "graph_cpus.hpp"
#include "graph_events.hpp"

namespace dcube {

/// Events of a process that wait for busy cpus and network interfaces. Those that wait for the same
/// cpu and (except computations) interface form a queue. The first that can be served stands for
/// its queue, and has its turn among the other events of the process.
class GraphQueues {
 private:
  struct Queue {
    // All with time 0.
    EventQueue computations{};
    EventQueue sends{};
    EventQueue arrivals{};
    EventQueue Queue::*next = nullptr;  ///< that has the event whose turn is next, or null
    Ticks turn = Ticks::max();          ///< and its time
    std::uint8_t cpu = 0;
    std::uint16_t interface = 0;

    const GraphEvent& front() const { return (this->*next).front(); }
  };

 public:
  /// `cpus` must outlive this.
  explicit GraphQueues(GraphCpus& cpus) : cpus_{cpus} {}

  /// Events of a queue that wait for the same.
  using Line = EventQueue Queue::*;
  static constexpr Line computations = &Queue::computations;
  static constexpr Line sends = &Queue::sends;
  static constexpr Line arrivals = &Queue::arrivals;

  /// Queues an event that cannot be served before `now`.
  void add(const GraphEvent& event, Line line, std::uint8_t cpu, std::uint16_t interface,
           Ticks now) {
    Queue& queue = queue_for(cpu, interface);
    GraphEvent waiting = event;
    waiting.time = Ticks{0};
    (queue.*line).push(waiting);
    if ((queue.*line).front().is(event)) {
      announce(queue, now);
    }
  }
  bool are_empty() const { return next_turn_ == Ticks::max(); }
  /// Time of the next turn of any queue; Ticks::max() if nothing waits.
  Ticks next_turn() const { return next_turn_; }
  /// The event that has it.
  const GraphEvent& next() const { return queues_[first_].front(); }
  /// The line of the event whose turn it is. Null if its cpu or interface has become busy; then
  /// another turn follows.
  EventQueue* begin_turn() {
    Queue& queue = queues_[first_];
    if (free_of(queue) > queue.turn) {
      announce(queue, queue.turn);
      return nullptr;
    }
    served_ = first_;
    queue.turn = Ticks::max();
    return &(queue.*std::exchange(queue.next, nullptr));
  }
  /// Call when the event of begin_turn() has been served, at `now`.
  void end_turn(Ticks now) { announce(queues_[served_], now); }

 private:
  Queue& queue_for(std::uint8_t cpu, std::uint16_t interface) {
    std::uint32_t number = 0;
    while (number < count_ &&
           (queues_[number].cpu != cpu || queues_[number].interface != interface)) {
      ++number;
    }
    if (number == count_) [[unlikely]] {
      ++count_;
      queues_[number].cpu = cpu;
      queues_[number].interface = interface;
    }
    return queues_[number];
  }
  /// When the cpu of a queue and the interface of its next event are free.
  Ticks free_of(const Queue& queue) {
    const Ticks cpu_free = cpus_.free(queue.cpu);
    if (queue.next == computations) {
      return cpu_free;
    }
    const GraphCpus::Interface& interface = cpus_.interface(queue.interface);
    return std::max(cpu_free, queue.next == sends ? interface.send_free : interface.receive_free);
  }
  /// Gives the first event of a queue its turn, at the time when its cpu and interface are free.
  void announce(Queue& queue, Ticks now) {
    const GraphCpus::Interface& interface = cpus_.interface(queue.interface);
    const Ticks cpu_free = std::max(cpus_.free(queue.cpu), now);
    queue.next = nullptr;
    queue.turn = Ticks::max();
    const GraphEvent* first = nullptr;
    const auto consider = [&](Line line, Ticks free) {
      const EventQueue& events = queue.*line;
      if (events.is_empty()) {
        return;
      }
      const Ticks both_free = std::max(cpu_free, free);
      if (both_free < queue.turn ||
          (both_free == queue.turn && first != nullptr && first->enters_after(events.front()))) {
        first = &events.front();
        queue.next = line;
        queue.turn = both_free;
      }
    };
    consider(computations, cpu_free);
    consider(sends, interface.send_free);
    consider(arrivals, interface.receive_free);
    choose_first();
  }
  /// Of the queues whose turns come first, that of the event that entered first.
  void choose_first() {
    first_ = 0;
    for (std::uint32_t i = 1; i < count_; ++i) {
      const Queue& first = queues_[first_];
      const Queue& queue = queues_[i];
      if (queue.turn < first.turn || (queue.turn == first.turn && queue.next != nullptr &&
                                      first.front().enters_after(queue.front()))) {
        first_ = i;
      }
    }
    next_turn_ = queues_[first_].turn;
  }

  GraphCpus& cpus_;
  Numbered<Queue> queues_;
  std::uint32_t count_ = 0;  ///< number of queues
  Ticks next_turn_ = Ticks::max();
  std::uint32_t first_ = 0;   ///< index of the queue that has it
  std::uint32_t served_ = 0;  ///< index of the queue of begin_turn()
};

}  // namespace dcube
