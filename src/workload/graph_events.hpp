#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "dcube/core/time.hpp"

namespace dcube {

/// What happens in a process of a graph, in order of time.
struct GraphEvent {
  enum class What : std::uint8_t { start, departure, done, arrival, queue };
  /// Of those that could have happened at one time. Some are known before that time comes.
  enum class Phase : std::uint8_t { known, arrived, found };

  Ticks time;
  Ticks ready;  ///< when it could have happened if nothing had been busy
  std::uint64_t order = 0;
  std::uint32_t index = 0;  ///< operation, message, or queue
  What what{};
  Phase phase{};

  friend bool operator>(const GraphEvent& a, const GraphEvent& b) {
    return std::tie(a.time, a.ready, a.phase, a.order) >
           std::tie(b.time, b.ready, b.phase, b.order);
  }
};

/// Events in order. They mostly come in order, and then every call is O(1).
class EventQueue {
 public:
  bool is_empty() const { return first_ == events_.size(); }
  const GraphEvent& front() const { return events_[first_]; }
  void push(const GraphEvent& event) {
    events_.push_back(event);
    for (std::size_t i = events_.size() - 1; i > first_ && events_[i - 1] > event; --i) {
      std::swap(events_[i - 1], events_[i]);
    }
  }
  GraphEvent pop() {
    const GraphEvent taken = events_[first_++];
    constexpr std::size_t few = 32;
    if (is_empty() || (first_ > few && 2 * first_ > events_.size())) {
      events_.erase(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    return taken;
  }

 private:
  std::vector<GraphEvent> events_;
  std::size_t first_ = 0;
};

}  // namespace dcube
