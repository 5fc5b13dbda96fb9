#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/engine/process.hpp"

namespace dcube::detail {

inline constexpr std::uint32_t nothing = ~std::uint32_t{0};

/// Whether a message's tag and a receive's tag match, in either order.
inline bool suits(Tag a, Tag b) {
  return a == b || (std::max(a, b) == any_tag && std::min(a, b) < first_reserved_tag);
}

/// A queue of numbered items: the number of its last item, or of its map in `sorted_`.
struct Queue {
  std::uint32_t word = nothing;
  bool is_empty() const { return word == nothing; }
};

/// Queues of items with a source and a tag: messages that nobody has asked for, and receives
/// without a message. An item is in at most one queue.
///
/// Most queues are short. Such a queue is a circular list in the order of insertion, searched from
/// the front. A search that passes many items sorts the queue by source for good, so an unlucky
/// order of requests costs O(log items) each.
///
/// `Items` gives `next(i)`, `source(i)` and `tag(i)` of item i.
template <class Items>
class Queues {
 public:
  explicit Queues(Items items) : items_{items} {}

  void push(Queue& queue, std::uint32_t item) {
    if (is_sorted(queue)) {
      append(sorted(queue).try_emplace(items_.source(item), nothing).first->second, item);
    } else {
      append(queue.word, item);
    }
  }

  /// Takes the earliest item of `source` that suits the tag; `nothing` if there is none.
  std::uint32_t take(Queue& queue, ProcessId source, Tag tag) {
    if (queue.is_empty()) {
      return nothing;
    }
    if (!is_sorted(queue)) {
      std::uint32_t previous = queue.word;
      for (std::uint32_t passed = 0; passed < longest_search; ++passed) {
        const std::uint32_t current = items_.next(previous);
        if (items_.source(current) == source && suits(items_.tag(current), tag)) {
          return take_after(queue.word, previous);
        }
        if (current == queue.word) {
          return nothing;
        }
        previous = current;
      }
      sort(queue);
    }
    return take_sorted(queue, source, tag);
  }

  /// The item that take() would take. Sorts the queue by source.
  std::uint32_t find(Queue& queue, ProcessId source, Tag tag) {
    if (queue.is_empty()) {
      return nothing;
    }
    if (!is_sorted(queue)) {
      sort(queue);
    }
    const auto list = sorted(queue).find(source);
    if (list == sorted(queue).end()) {
      return nothing;
    }
    const std::uint32_t previous = before(list->second, tag);
    return previous == nothing ? nothing : items_.next(previous);
  }

  /// Calls `see` for every item; those of one source come in order.
  template <class See>
  void for_each(const Queue& queue, See&& see) const {
    if (queue.is_empty()) {
      return;
    }
    if (!is_sorted(queue)) {
      show(queue.word, see);
      return;
    }
    for (const auto& [source, last] : sorted_[queue.word & ~sorted_flag]) {
      show(last, see);
    }
  }

 private:
  static constexpr std::uint32_t longest_search = 32;
  static constexpr std::uint32_t sorted_flag = std::uint32_t{1} << 31;
  /// The last item of each source's own list.
  using Sorted = std::map<ProcessId, std::uint32_t>;

  static bool is_sorted(const Queue& queue) {
    return queue.word != nothing && (queue.word & sorted_flag) != 0;
  }
  Sorted& sorted(const Queue& queue) { return sorted_[queue.word & ~sorted_flag]; }

  /// Appends an item to a circular list, known by its last item.
  void append(std::uint32_t& last, std::uint32_t item) {
    items_.next(item) = last == nothing ? item : std::exchange(items_.next(last), item);
    last = item;
  }

  /// Removes the successor of `previous` from the list.
  std::uint32_t take_after(std::uint32_t& last, std::uint32_t previous) {
    const std::uint32_t taken = items_.next(previous);
    items_.next(previous) = items_.next(taken);
    if (taken == last) {
      last = taken == previous ? nothing : previous;
    }
    return taken;
  }

  /// Predecessor of the list's first item that suits the tag.
  std::uint32_t before(std::uint32_t last, Tag tag) {
    std::uint32_t previous = last;
    do {
      const std::uint32_t current = items_.next(previous);
      if (suits(items_.tag(current), tag)) {
        return previous;
      }
      previous = current;
    } while (previous != last);
    return nothing;
  }

  void sort(Queue& queue) {
    if (unused_.empty()) {
      unused_.push_back(static_cast<std::uint32_t>(sorted_.size()));
      sorted_.emplace_back();
    }
    const std::uint32_t place = unused_.back();
    unused_.pop_back();
    std::uint32_t last = std::exchange(queue.word, sorted_flag | place);
    while (last != nothing) {
      const std::uint32_t item = take_after(last, last);
      append(sorted_[place].try_emplace(items_.source(item), nothing).first->second, item);
    }
  }

  std::uint32_t take_sorted(Queue& queue, ProcessId source, Tag tag) {
    Sorted& lists = sorted(queue);
    const auto list = lists.find(source);
    if (list == lists.end()) {
      return nothing;
    }
    const std::uint32_t previous = before(list->second, tag);
    if (previous == nothing) {
      return nothing;
    }
    const std::uint32_t taken = take_after(list->second, previous);
    if (list->second == nothing) {
      lists.erase(list);
    }
    if (lists.empty()) {
      unused_.push_back(std::exchange(queue.word, nothing) & ~sorted_flag);
    }
    return taken;
  }

  template <class See>
  void show(std::uint32_t last, See& see) const {
    std::uint32_t current = last;
    do {
      current = items_.next(current);
      see(current);
    } while (current != last);
  }

  Items items_;
  std::vector<Sorted> sorted_;
  std::vector<std::uint32_t> unused_;  ///< places in `sorted_`
};

}  // namespace dcube::detail
