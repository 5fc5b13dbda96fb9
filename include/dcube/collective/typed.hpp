#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "dcube/collective/collective.hpp"
#include "dcube/collective/elements.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/engine/group.hpp"
#include "dcube/engine/task.hpp"

namespace dcube {

// Collectives over values. Every process of the group awaits the same call:
//
//   std::vector<double> sums =
//       co_await allreduce(process.world(), std::move(values), std::plus<>{}, {.algorithm =
//       "ring"});
//
// Values are copyable and have a default. `operation(a, b)` gives their combination; it need not be
// commutative when the options say so. Throws InputError when the call is unusable, and
// ContractViolation when processes do not give the same counts.

namespace detail {

struct NoOperation {
  template <class T>
  T operator()(const T& own, const T&) const {
    return own;
  }
};

/// Runs the collective on buffers that begin as `work` and `input`, and gives the answer.
template <class T, class Operation = NoOperation>
Task<std::vector<T>> collect(Group group, CollectiveCall call, std::vector<T> work,
                             std::vector<T> input = {}, Operation operation = {}) {
  const std::uint64_t bytes = call.options.element_bytes;
  ElementValues<T, Operation> elements{std::move(work), std::move(input), std::move(operation),
                                       bytes == 0 ? sizeof(T) : bytes};
  co_await run_collective(std::move(group), call, elements);
  co_return elements.take();
}

/// Elements of a rank's share among all.
inline ElementRange share_of(const CollectiveCall& call, std::uint32_t rank) {
  if (call.counts.empty()) {
    return {call.count * rank, call.count * (rank + std::uint64_t{1})};
  }
  ElementRange share;
  for (std::uint32_t i = 0; i <= rank; ++i) {
    share.begin = share.end;
    share.end += call.counts[i];
  }
  return share;
}

inline std::uint64_t sum_of(std::span<const std::uint64_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

inline std::uint64_t all_shares(const CollectiveCall& call, std::uint32_t size) {
  return call.counts.empty() ? call.count * size : sum_of(call.counts);
}

inline void expect_counts(std::span<const std::uint64_t> counts, std::uint32_t size) {
  expects(counts.empty() || counts.size() == size,
          "a collective with counts has one for each process");
}

/// Values of the share alone.
template <class T>
std::vector<T> cut(std::vector<T> values, const ElementRange& share) {
  return {std::make_move_iterator(values.begin() + static_cast<std::ptrdiff_t>(share.begin)),
          std::make_move_iterator(values.begin() + static_cast<std::ptrdiff_t>(share.end))};
}

/// `all` values, of which those of the share are given.
template <class T>
std::vector<T> place(std::vector<T> values, const ElementRange& share, std::uint64_t all) {
  expects(values.size() == share.size(), "a process gives its own share to a collective");
  std::vector<T> placed(all);
  std::move(values.begin(), values.end(),
            placed.begin() + static_cast<std::ptrdiff_t>(share.begin));
  return placed;
}

}  // namespace detail

/// `co_await` gives everybody the root's values. The others give as many, which are ignored.
template <class T>
Task<std::vector<T>> broadcast(Group group, std::vector<T> values, std::uint32_t root = 0,
                               CollectiveOptions options = {}) {
  const CollectiveCall call{
      .kind = CollectiveKind::broadcast, .root = root, .count = values.size(), .options = options};
  co_return co_await detail::collect(std::move(group), call, std::move(values));
}

/// `co_await` gives the root the combination of all values, in order of ranks; others get nothing.
template <class T, class Operation>
Task<std::vector<T>> reduce(Group group, std::vector<T> values, Operation operation,
                            std::uint32_t root = 0, CollectiveOptions options = {}) {
  const CollectiveCall call{
      .kind = CollectiveKind::reduce, .root = root, .count = values.size(), .options = options};
  const bool is_root = group.rank() == root;
  std::vector<T> reduced = co_await detail::collect(std::move(group), call, std::move(values),
                                                    std::vector<T>{}, std::move(operation));
  if (!is_root) {
    reduced.clear();
  }
  co_return reduced;
}

/// `co_await` gives everybody the combination of everybody's values.
template <class T, class Operation>
Task<std::vector<T>> allreduce(Group group, std::vector<T> values, Operation operation,
                               CollectiveOptions options = {}) {
  const CollectiveCall call{
      .kind = CollectiveKind::allreduce, .count = values.size(), .options = options};
  co_return co_await detail::collect(std::move(group), call, std::move(values), std::vector<T>{},
                                     std::move(operation));
}

/// `co_await` gives the combination of the values of ranks 0 to this one.
template <class T, class Operation>
Task<std::vector<T>> scan(Group group, std::vector<T> values, Operation operation,
                          CollectiveOptions options = {}) {
  const CollectiveCall call{
      .kind = CollectiveKind::scan, .count = values.size(), .options = options};
  co_return co_await detail::collect(std::move(group), call, std::move(values), std::vector<T>{},
                                     std::move(operation));
}

/// `co_await` gives the combination of the values of the ranks below this one; rank 0 gets nothing.
template <class T, class Operation>
Task<std::vector<T>> exscan(Group group, std::vector<T> values, Operation operation,
                            CollectiveOptions options = {}) {
  const CollectiveCall call{
      .kind = CollectiveKind::exscan, .count = values.size(), .options = options};
  const bool is_first = group.rank() == 0;
  std::vector<T> combined = co_await detail::collect(std::move(group), call, std::move(values),
                                                     std::vector<T>{}, std::move(operation));
  if (is_first) {
    combined.clear();
  }
  co_return combined;
}

/// `co_await` gives everybody everybody's values, in order of ranks. `counts`: values of each rank,
/// empty when equal; they must outlive the collective.
template <class T>
Task<std::vector<T>> allgather(Group group, std::vector<T> values,
                               std::span<const std::uint64_t> counts = {},
                               CollectiveOptions options = {}) {
  detail::expect_counts(counts, group.size());
  const CollectiveCall call{.kind = CollectiveKind::allgather,
                            .count = values.size(),
                            .counts = counts,
                            .options = options};
  std::vector<T> work = detail::place(std::move(values), detail::share_of(call, group.rank()),
                                      detail::all_shares(call, group.size()));
  co_return co_await detail::collect(std::move(group), call, std::move(work));
}

/// `co_await` gives the root everybody's values, in order of ranks; the others get nothing.
template <class T>
Task<std::vector<T>> gather(Group group, std::vector<T> values, std::uint32_t root = 0,
                            std::span<const std::uint64_t> counts = {},
                            CollectiveOptions options = {}) {
  detail::expect_counts(counts, group.size());
  const CollectiveCall call{.kind = CollectiveKind::gather,
                            .root = root,
                            .count = values.size(),
                            .counts = counts,
                            .options = options};
  const bool is_root = group.rank() == root;
  std::vector<T> work = detail::place(std::move(values), detail::share_of(call, group.rank()),
                                      detail::all_shares(call, group.size()));
  work = co_await detail::collect(std::move(group), call, std::move(work));
  if (!is_root) {
    work.clear();
  }
  co_return work;
}

/// `co_await` gives everybody its share of the root's values; what the others give is ignored.
/// `counts` must outlive the collective.
template <class T>
Task<std::vector<T>> scatter(Group group, std::vector<T> values,
                             std::span<const std::uint64_t> counts, std::uint32_t root = 0,
                             CollectiveOptions options = {}) {
  detail::expect_counts(counts, group.size());
  expects(!counts.empty(), "a collective with counts has one for each process");
  const CollectiveCall call{
      .kind = CollectiveKind::scatter, .root = root, .counts = counts, .options = options};
  const ElementRange share = detail::share_of(call, group.rank());
  const std::uint64_t all = detail::all_shares(call, group.size());
  expects(group.rank() != root || values.size() == all, "the root gives the values of all shares");
  values.resize(all);
  std::vector<T> work = co_await detail::collect(std::move(group), call, std::move(values));
  co_return detail::cut(std::move(work), share);
}

/// Everybody gives all values, and `co_await` gives the combination of one's own share of them.
/// `counts`: values of each share, empty when equal; they must outlive the collective.
template <class T, class Operation>
Task<std::vector<T>> reduce_scatter(Group group, std::vector<T> values, Operation operation,
                                    std::span<const std::uint64_t> counts = {},
                                    CollectiveOptions options = {}) {
  detail::expect_counts(counts, group.size());
  const CollectiveCall call{.kind = CollectiveKind::reduce_scatter,
                            .count = values.size() / group.size(),
                            .counts = counts,
                            .options = options};
  expects(values.size() == detail::all_shares(call, group.size()),
          "a process gives the values of all shares to a reduce_scatter");
  const ElementRange share = detail::share_of(call, group.rank());
  std::vector<T> work = co_await detail::collect(std::move(group), call, std::move(values),
                                                 std::vector<T>{}, std::move(operation));
  co_return detail::cut(std::move(work), share);
}

/// Everybody gives equally many values for each rank, in order of ranks, and `co_await` gives those
/// that each has for oneself.
template <class T>
Task<std::vector<T>> all_to_all(Group group, std::vector<T> values,
                                CollectiveOptions options = {}) {
  const CollectiveCall call{.kind = CollectiveKind::all_to_all,
                            .count = values.size() / group.size(),
                            .options = options};
  expects(values.size() % group.size() == 0, "a process gives as many values for each rank");
  std::vector<T> work(values.size());
  co_return co_await detail::collect(std::move(group), call, std::move(work), std::move(values));
}

/// all_to_all() with a count for each rank; the counts must outlive the collective.
template <class T>
Task<std::vector<T>> all_to_allv(Group group, std::vector<T> values,
                                 std::span<const std::uint64_t> send_counts,
                                 std::span<const std::uint64_t> receive_counts,
                                 CollectiveOptions options = {}) {
  const CollectiveCall call{.kind = CollectiveKind::all_to_allv,
                            .send_counts = send_counts,
                            .receive_counts = receive_counts,
                            .options = options};
  expects(values.size() == detail::sum_of(send_counts), "a process gives the values that it sends");
  std::vector<T> work(detail::sum_of(receive_counts));
  co_return co_await detail::collect(std::move(group), call, std::move(work), std::move(values));
}

/// `co_await` waits until every process of the group waits.
inline Task<> barrier(Group group, CollectiveOptions options = {}) {
  const CollectiveCall call{.kind = CollectiveKind::barrier, .options = options};
  co_await run_collective(std::move(group), call);
}

}  // namespace dcube
