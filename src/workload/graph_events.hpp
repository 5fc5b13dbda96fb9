#pragma once

#include <algorithm>
#include <cstddef>
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
  bool is_empty() const { return first_ == end_; }
  const GraphEvent& front() const { return events_[first_]; }
  /// Null: there are not so many more.
  const GraphEvent* after_front(std::size_t events) const {
    return first_ + events < end_ ? &events_[first_ + events] : nullptr;
  }
  /// Inlined, an event is put together where it stays.
  [[gnu::always_inline]] void push(GraphEvent event) {
    if (end_ == events_.size()) [[unlikely]] {
      events_.resize(end_ == 0 ? 2 : 2 * end_);
    }
    std::size_t place = end_++;
    while (place > first_ && events_[place - 1] > event) {
      events_[place] = events_[place - 1];
      --place;
    }
    events_[place] = event;
  }
  GraphEvent pop() {
    const GraphEvent taken = events_[first_++];
    constexpr std::size_t few = 8;  // what is used of the memory should stay in the cache
    if (is_empty()) {
      first_ = end_ = 0;
    } else if (first_ > few && 2 * first_ > end_) {
      std::move(events_.begin() + static_cast<std::ptrdiff_t>(first_),
                events_.begin() + static_cast<std::ptrdiff_t>(end_), events_.begin());
      end_ -= first_;
      first_ = 0;
    }
    return taken;
  }

 private:
  std::vector<GraphEvent> events_;
  std::size_t first_ = 0;
  std::size_t end_ = 0;
};

}  // namespace dcube
