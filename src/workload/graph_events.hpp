#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "dcube/core/time.hpp"

namespace dcube {

/// Order among events of one instant: first by the instant at which they entered, then by that of
/// the event that let them in, and of its own cause. The depth is limited: equal instants all the
/// way are rare unless processes do the same, and then the process where the chain began decides.
struct GraphPlace {
  /// Time between two entries in ps, saturated at 4.29 ms.
  using Gap = std::uint32_t;
  static constexpr Gap longest = std::numeric_limits<Gap>::max();

  Ticks entered{-1};           ///< when its last requirement was met; message: its begin
  Gap since_cause = longest;   ///< since the cause entered
  Gap since_origin = longest;  ///< since the cause of the cause entered
  std::uint32_t root = 0;      ///< process where the chain of causes began
  std::uint32_t source = 0;    ///< of a message; else the process itself

  /// Place of an event that this one lets in at `now` in the process.
  GraphPlace of_next(Ticks now, std::uint32_t process) const {
    const auto since = static_cast<std::uint64_t>((now - entered).count());
    const auto gap = [](std::uint64_t time) {
      return static_cast<Gap>(std::min<std::uint64_t>(time, longest));
    };
    return {now, gap(since), since_cause == longest ? longest : gap(since + since_cause), root,
            process};
  }
  /// Whether both, entered at one instant, have the same causes and source.
  bool has_cause_of(const GraphPlace& other) const {
    return source == other.source && since_cause == other.since_cause &&
           since_origin == other.since_origin && root == other.root;
  }
  /// Order of events that entered at one instant but differ in their causes or source.
  [[gnu::noinline]] bool comes_after(const GraphPlace& other) const {
    return std::tie(other.since_cause, other.since_origin, root, source) >
           std::tie(since_cause, since_origin, other.root, other.source);
  }
};

/// An event of a process of a graph, ordered by time and place.
struct GraphEvent {
  enum class What : std::uint8_t { start, departure, done, arrival, answer };

  Ticks time;
  GraphPlace place;
  std::uint32_t order = 0;  ///< among events of one source that entered at one instant
  std::uint32_t index = 0;  ///< number of the operation or message
  What what{};

  bool is(const GraphEvent& other) const {
    return order == other.order && place.source == other.place.source;
  }
  /// Whether it comes after another event of the same time.
  bool enters_after(const GraphEvent& other) const {
    if (place.entered != other.place.entered) {
      return place.entered > other.place.entered;
    }
    return place.has_cause_of(other.place) ? order > other.order : place.comes_after(other.place);
  }
  friend bool operator>(const GraphEvent& a, const GraphEvent& b) {
    return a.time != b.time ? a.time > b.time : a.enters_after(b);
  }
};

/// A sorted queue of events. They mostly come in order; then every call is O(1).
class EventQueue {
 public:
  bool is_empty() const { return first_ == end_; }
  const GraphEvent& front() const { return events_.data()[first_]; }
  /// Null: there are not so many more.
  const GraphEvent* after_front(std::size_t events) const {
    return first_ + events < end_ ? events_.data() + first_ + events : nullptr;
  }
  /// Inlined, so that an event is built in its place. The nearer end of the queue makes room.
  [[gnu::always_inline]] void push(GraphEvent event) {
    if (end_ == events_.size()) [[unlikely]] {
      events_.resize(end_ == 0 ? 2 : 2 * end_);
    }
    GraphEvent* const events = events_.data();
    if (first_ > 0 && events[first_ + (end_ - first_) / 2] > event) {
      GraphEvent* place = events + --first_;
      for (const GraphEvent* const end = events + end_ - 1; place != end && !(place[1] > event);
           ++place) {
        *place = place[1];
      }
      *place = event;
      return;
    }
    GraphEvent* place = events + end_++;
    for (const GraphEvent* const first = events + first_; place != first && place[-1] > event;
         --place) {
      *place = place[-1];
    }
    *place = event;
  }
  GraphEvent pop() {
    const GraphEvent taken = events_.data()[first_++];
    constexpr std::size_t few = 8;  // so that the memory in use stays in the cache
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
