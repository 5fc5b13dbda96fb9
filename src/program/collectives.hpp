#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "dcube/engine/process.hpp"
#include "dcube/engine/task.hpp"

namespace dcube {

// Tree expansion and collapse over all processes of a run [N 3], from and to process 0. In step i
// of an expansion every process below 2^i sends to the process 2^i above it: on 2^d processes the
// binomial tree of the d-cube, d steps deep. Every process of the run takes part.

/// Place of a process in the tree.
class TreePlace {
 public:
  TreePlace(std::uint32_t rank, std::uint32_t size) {
    if (rank != 0) {
      parent_ = ProcessId{rank - std::bit_floor(rank)};
    }
    // 64 bits, so that a step past the last process does not wrap around.
    for (std::uint64_t step = std::uint64_t{std::bit_floor(rank)} * 2 + (rank == 0 ? 1 : 0);
         rank + step < size; step *= 2) {
      children_.emplace_back(static_cast<std::uint32_t>(rank + step));
    }
  }

  /// 0 for the root, which has no parent.
  ProcessId parent() const { return parent_; }
  /// Children in the order of an expansion; a collapse takes them from last to first.
  const std::vector<ProcessId>& children() const { return children_; }

  /// The place when process `number` of the tree has rank `rank_of(number)` in the run; 0 stays 0.
  template <class RankOf>
  TreePlace renumbered(RankOf rank_of) const {
    TreePlace place = *this;
    place.parent_ = rank_of(parent_.index());
    for (ProcessId& child : place.children_) {
      child = rank_of(child.index());
    }
    return place;
  }

 private:
  ProcessId parent_;
  std::vector<ProcessId> children_;
};

/// `co_await` gives every process the values of process 0, ignoring those of the others. A value
/// takes `bytes_per_value` on the simulated machine. `place` is in a tree of all participants.
template <class T>
Task<std::vector<T>> broadcast(Process& process, TreePlace place, std::vector<T> values,
                               std::uint64_t bytes_per_value = sizeof(T)) {
  if (process.rank().index() != 0) {
    Payload received = co_await process.receive(place.parent());
    values = received.take<T>();
  }
  for (const ProcessId child : place.children()) {
    process.send(child, Payload::of(values, values.size() * bytes_per_value));
  }
  co_return values;
}

template <class T>
Task<std::vector<T>> broadcast(Process& process, std::vector<T> values,
                               std::uint64_t bytes_per_value = sizeof(T)) {
  return broadcast(process, TreePlace{process.rank().index(), process.size()}, std::move(values),
                   bytes_per_value);
}

/// Combines the values of all processes on the way to process 0, where `co_await` gives the result
/// (elsewhere nothing). `co_await combine(own values, values of a child)` spends its time.
template <class T, class Combine>
Task<std::vector<T>> collapse(Process& process, TreePlace place, std::vector<T> values,
                              Combine combine, std::uint64_t bytes_per_value = sizeof(T)) {
  for (auto child = place.children().rbegin(); child != place.children().rend(); ++child) {
    Payload received = co_await process.receive(*child);
    values = co_await combine(std::move(values), received.take<T>());
  }
  if (process.rank().index() != 0) {
    const std::uint64_t bytes = values.size() * bytes_per_value;
    process.send(place.parent(), Payload::of(std::move(values), bytes));
    co_return std::vector<T>{};
  }
  co_return values;
}

template <class T, class Combine>
Task<std::vector<T>> collapse(Process& process, std::vector<T> values, Combine combine,
                              std::uint64_t bytes_per_value = sizeof(T)) {
  return collapse(process, TreePlace{process.rank().index(), process.size()}, std::move(values),
                  std::move(combine), bytes_per_value);
}

}  // namespace dcube
