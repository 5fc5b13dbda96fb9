#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "dcube/core/time.hpp"

namespace dcube {

/// The place of what can begin among all that can begin at the same instant: what entered earlier
/// comes first, and of those that entered at one instant, what was let in by what had entered
/// earlier. How far back that is looked at is limited: the same instants all the way are rare but
/// where processes do the same, and then the process where it began decides.
struct GraphPlace {
  /// How long before it entered something else did; 4.29 ms stand for longer times, too.
  using Gap = std::uint32_t;
  static constexpr Gap longest = std::numeric_limits<Gap>::max();

  Ticks entered{-1};          ///< when the last of what it required was met; of a message its begin
  Gap since_cause = longest;  ///< from the entering of what let it in
  Gap since_origin = longest;  ///< and of what had let that in
  std::uint32_t root = 0;      ///< the process where the first of them began
  std::uint32_t source = 0;    ///< of a message; else the process itself

  /// Of what is let in at `now` in this process.
  GraphPlace of_next(Ticks now, std::uint32_t process) const {
    const auto since = static_cast<std::uint64_t>((now - entered).count());
    const auto gap = [](std::uint64_t time) {
      return static_cast<Gap>(std::min<std::uint64_t>(time, longest));
    };
    return {now, gap(since), since_cause == longest ? longest : gap(since + since_cause), root,
            process};
  }
  /// Of those that entered at one instant.
  bool has_cause_of(const GraphPlace& other) const {
    return source == other.source && since_cause == other.since_cause &&
           since_origin == other.since_origin && root == other.root;
  }
  /// Of others that entered at one instant.
  [[gnu::noinline]] bool comes_after(const GraphPlace& other) const {
    return std::tie(other.since_cause, other.since_origin, root, source) >
           std::tie(since_cause, since_origin, other.root, other.source);
  }
};

/// What happens in a process of a graph, in order of time and place.
struct GraphEvent {
  enum class What : std::uint8_t { start, departure, done, arrival, answer, queue };

  Ticks time;
  GraphPlace place;
  std::uint32_t order = 0;  ///< among those of one source, where they entered at one instant
  std::uint32_t index = 0;  ///< operation, message, or queue
  What what{};

  bool is(const GraphEvent& other) const {
    return order == other.order && place.source == other.place.source;
  }
  friend bool operator>(const GraphEvent& a, const GraphEvent& b) {
    if (a.time != b.time) {
      return a.time > b.time;
    }
    if (a.place.entered != b.place.entered) {
      return a.place.entered > b.place.entered;
    }
    return a.place.has_cause_of(b.place) ? a.order > b.order : a.place.comes_after(b.place);
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
    if (first_ > 0 && events_[first_] > event) {
      events_[--first_] = event;
      return;
    }
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
