#include <algorithm>
#include <compare>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "bounds.hpp"
#include "dcube/topology/grid_kind.hpp"

// Distances on a grid add up over its dimensions, and those in a dimension over the cuts between
// neighbouring coordinates. Say the processes use N1, N2, .. coordinates of the dimensions. Then a
// coordinate of dimension 1 has at most m = slots * N2 * N3 .. of them.
//
// On a line, the numbers of processes on one side of the cuts grow from 0 to n in N1 steps of 1 to
// m.
//
// On a cycle of p = 2h nodes, two nodes are as far apart as there are windows of h neighbouring
// coordinates, of the p there are, that hold one of them alone, divided by 2. A window and its
// complement part the processes alike, so h windows count. If one is empty, the processes are as on
// a line. If none is, let a >= 1 be the least number in any. From that window to its complement,
// the numbers go from a to n - a in h steps of at most m, of which no more than N1 are not 0,
// because each of those takes a coordinate that is used. They are never below a nor above n - a.

namespace dcube {
namespace {

constexpr std::uint64_t infinite = std::numeric_limits<std::uint64_t>::max() / 4;

/// A dimension of several nodes.
struct Side {
  std::uint32_t nodes;
  bool is_cycle;

  auto operator<=>(const Side&) const = default;
};

using Sums = std::vector<std::uint64_t>;

/// sums[a]: the least sum of cuts up to the one that parts a processes.
Sums after_a_step(const Sums& sums, const Sums& cuts, std::uint64_t most_step, std::size_t first,
                  std::size_t last) {
  Sums next(sums.size(), infinite);
  for (std::size_t from = first; from < last; ++from) {
    if (sums[from] == infinite) {
      continue;
    }
    const std::size_t end = std::min<std::size_t>(last, from + most_step);
    for (std::size_t to = from + 1; to <= end; ++to) {
      next[to] = std::min(next[to], sums[from] + cuts[to]);
    }
  }
  return next;
}

/// Least cost of a dimension, by the number of coordinates that are used.
Sums costs_on_line(const Sums& cuts, std::uint64_t most_step, std::size_t most_used) {
  Sums costs{infinite};
  Sums sums(cuts.size(), infinite);
  sums[0] = 0;
  while (costs.size() <= most_used) {
    sums = after_a_step(sums, cuts, most_step, 0, cuts.size() - 1);
    costs.push_back(sums.back());  // the last cut is 0
  }
  return costs;
}

Sums costs_on_cycle(const Sums& cuts, std::uint64_t most_step, std::size_t most_used,
                    std::uint64_t half) {
  Sums costs(most_used + 1, infinite);
  const std::size_t processes = cuts.size() - 1;
  std::uint64_t least_cut = infinite;
  for (std::size_t least = processes / 2; least >= 1; --least) {
    least_cut = std::min(least_cut, cuts[least]);
    // The window of `least` counts, its complement does not.
    Sums sums(cuts.size(), infinite);
    sums[least] = cuts[least];
    std::uint64_t best = least * 2 == processes ? half * cuts[least] : infinite;
    for (std::size_t steps = 1; steps <= std::min<std::uint64_t>(most_used, half); ++steps) {
      sums = after_a_step(sums, cuts, most_step, least, processes - least);
      const std::uint64_t reached = sums[processes - least];
      if (reached < infinite) {
        best = std::min(best, reached - cuts[least] + (half - steps) * least_cut);
      }
      costs[steps] = std::min(costs[steps], best);
    }
  }
  // More coordinates may be used than windows change.
  const auto less = [](std::uint64_t a, std::uint64_t b) { return std::min(a, b); };
  std::partial_sum(costs.begin(), costs.end(), costs.begin(), less);
  std::ranges::transform(costs, costs_on_line(cuts, most_step, most_used), costs.begin(), less);
  return costs;
}

}  // namespace

std::uint64_t grid_section_bound(const Topology& topology, std::uint32_t slots,
                                 const std::vector<std::uint64_t>& cuts) {
  constexpr std::size_t most_processes = 64;
  constexpr std::uint64_t most_choices = 5000;
  if (!is_grid(topology) || cuts.size() < 3 || cuts.size() > most_processes + 1) {
    return 0;
  }
  const std::uint64_t processes = cuts.size() - 1;
  std::vector<Side> sides;
  std::uint64_t choices = 1;
  for (std::size_t d = 0; d < topology.dimension_count(); ++d) {
    const Side side{topology.shape()[d], is_cycle(topology, d)};
    choices *= side.nodes;
    if ((side.is_cycle && side.nodes % 2 == 1) || choices > most_choices) {
      return 0;
    }
    if (side.nodes > 1) {
      sides.push_back(side);
    }
  }
  std::map<std::pair<Side, std::uint64_t>, Sums> known;
  const auto cost_of = [&](const Side& side, std::uint64_t used, std::uint64_t most_step) {
    const auto [entry, is_new] = known.try_emplace({side, most_step});
    if (is_new) {
      const auto most_used = std::min<std::uint64_t>(side.nodes, processes);
      entry->second = side.is_cycle ? costs_on_cycle(cuts, most_step, most_used, side.nodes / 2)
                                    : costs_on_line(cuts, most_step, most_used);
    }
    return used < entry->second.size() ? entry->second[used] : infinite;
  };
  std::uint64_t least = infinite;
  std::vector<std::uint64_t> used;  // coordinates of the dimensions chosen so far
  const auto choose = [&](const auto& choose_next) -> void {
    if (used.size() < sides.size()) {
      for (std::uint64_t count = 1; count <= sides[used.size()].nodes; ++count) {
        used.push_back(count);
        choose_next(choose_next);
        used.pop_back();
      }
      return;
    }
    const std::uint64_t room =
        std::accumulate(used.begin(), used.end(), std::uint64_t{slots}, std::multiplies{});
    if (room < processes) {
      return;
    }
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < sides.size() && sum < least; ++i) {
      sum += cost_of(sides[i], used[i], std::min(room / used[i], processes));
    }
    least = std::min(least, sum);
  };
  choose(choose);
  return least == infinite ? 0 : least;
}

}  // namespace dcube
