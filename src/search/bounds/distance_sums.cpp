#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "bounds.hpp"
#include "core/mapped.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "dcube/topology/hop_weights.hpp"

namespace dcube {
namespace {

/// Least sum of the distances between k processes on a line of positions that hold `capacity` each:
/// at best they follow one another, and then two that have t - 1 between them are t / capacity
/// positions apart.
std::uint64_t among_on_line(std::uint64_t k, std::uint64_t capacity) {
  std::uint64_t sum = 0;
  for (std::uint64_t t = capacity; t < k; ++t) {
    sum += (k - t) * (t / capacity);
  }
  return sum;
}

constexpr const char* spreading =
    "spreading: any k processes are so far from one of them, and from each other (Even, Naor, Rao "
    "& Schieber 2000)";

/// The distances among k processes of a grid add up to at least this, each pair once. Not for every
/// k, because sets of one more follow from those of one less.
std::uint64_t least_on_grid(const SearchProblem& problem, std::uint64_t k) {
  constexpr std::uint64_t few = 16;
  constexpr std::uint64_t some = 64;
  const bool is_looked_at = k <= few || (k <= some && k % 4 == 0);
  if (is_path(problem.topology)) {
    return among_on_line(k, problem.slots);
  }
  if (!is_looked_at) {
    return 0;
  }
  return grid_section_bound(problem.topology, problem.slots,
                            numbered(k + 1, [&](std::uint64_t m) { return m * (k - m); }));
}

SpreadingNeeds needs_of(const SearchProblem& problem, const SlotDistances& distances,
                        std::size_t most) {
  // Sums over hops of a grid count for as many lightest ones.
  const std::uint32_t lightest =
      distances.are_weighted() ? HopLengths{problem.topology}.least_weight() : 1;
  SpreadingNeeds needs;
  needs.of_pair = problem.slots == 1 ? lightest : 0;
  needs.from_one.assign(most + 1, ~std::uint64_t{0});
  needs.from_one[0] = 0;
  std::uint64_t all = 0;
  for (std::size_t node = 0; node < distances.node_count(); ++node) {
    const std::vector<std::uint32_t> nearest = distances.nearest(node);
    std::uint64_t sum = 0;
    for (std::size_t k = 1; k <= most; ++k) {
      needs.from_one[k] = std::min(needs.from_one[k], sum);
      sum += k <= nearest.size() ? nearest[k - 1] : 0;
    }
    all += problem.slots * std::accumulate(nearest.begin(), nearest.end(), std::uint64_t{0});
  }
  bool pays = false;
  needs.among.assign(most + 1, 0);
  for (std::uint64_t k = 2; k <= most; ++k) {
    const std::uint64_t each = k * needs.from_one[k];
    std::uint64_t& among = needs.among[k];
    among = each;
    if (k > 2) {
      // Every pair of k is in k - 2 of the k sets of one less.
      among = std::max(among, divided_up(needs.among[k - 1] * k, k - 2));
    }
    among = std::max(among, 2 * std::uint64_t{lightest} * least_on_grid(problem, k));
    if (k == distances.slot_count()) {
      among = std::max(among, all);
    }
    pays |= among > each;
  }
  if (!pays) {
    needs.among.clear();
  }
  return needs;
}

/// Work for spreading_bound(): some fifty milliseconds for 64 processes, at most a second.
std::uint64_t spreading_work(std::uint64_t processes) {
  constexpr std::uint64_t most = 5'000'000;
  return std::min(150 * processes * processes, most);
}

}  // namespace

CostBound spread_bound(const SearchProblem& problem, const SlotDistances& distances,
                       const Partners& partners) {
  constexpr std::uint64_t most_steps = 2'000'000;
  const std::uint64_t processes = partners.process_count();
  const std::uint64_t pair_ends = partners.first(partners.process_count());
  if (processes * (pair_ends / 2 + processes) > most_steps) {
    return {};
  }
  // The programme adds distances up along paths of processes. Those of a grid may be added.
  const SpreadingNeeds needs =
      needs_of(problem, is_grid(problem.topology) ? distances : distances.shortened(), processes);
  return {spreading_bound(partners, needs, spreading_work(processes)), spreading};
}

}  // namespace dcube
