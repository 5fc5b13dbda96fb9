#include <algorithm>
#include <compare>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <span>
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

/// Least cost of a dimension, by the number of coordinates that are used.
class DimensionCosts {
 public:
  DimensionCosts(std::span<const std::uint64_t> cuts, std::uint64_t most_step,
                 std::uint64_t most_used)
      : cuts_{cuts}, most_step_{most_step}, costs_(most_used + 1, infinite) {}

  std::vector<std::uint64_t> on_line() {
    const std::size_t processes = cuts_.size() - 1;
    std::vector<std::uint64_t> sums(processes + 1, infinite);
    sums[0] = 0;
    for (std::size_t used = 1; used < costs_.size(); ++used) {
      sums = after_a_step(sums, 0, processes);
      costs_[used] = sums[processes];  // the last cut is 0
    }
    return costs_;
  }

  std::vector<std::uint64_t> on_cycle(std::uint64_t half) {
    const std::vector<std::uint64_t> line = on_line();
    std::ranges::fill(costs_, infinite);
    const std::size_t processes = cuts_.size() - 1;
    std::uint64_t least_cut = infinite;
    for (std::size_t least = processes / 2; least >= 1; --least) {
      least_cut = std::min(least_cut, cuts_[least]);
      // The window of `least` counts, its complement does not.
      std::vector<std::uint64_t> sums(processes + 1, infinite);
      sums[least] = cuts_[least];
      std::uint64_t best = least * 2 == processes ? half * cuts_[least] : infinite;
      for (std::size_t steps = 1; steps < costs_.size() && steps <= half; ++steps) {
        sums = after_a_step(sums, least, processes - least);
        const std::uint64_t reached = sums[processes - least];
        if (reached < infinite) {
          best = std::min(best, reached - cuts_[least] + (half - steps) * least_cut);
        }
        costs_[steps] = std::min(costs_[steps], best);
      }
    }
    // More coordinates may be used than windows change.
    const auto less = [](std::uint64_t a, std::uint64_t b) { return std::min(a, b); };
    std::partial_sum(costs_.begin(), costs_.end(), costs_.begin(), less);
    std::ranges::transform(costs_, line, costs_.begin(), less);
    return costs_;
  }

 private:
  /// sums[a]: the least sum of cuts up to the one that parts a processes.
  std::vector<std::uint64_t> after_a_step(const std::vector<std::uint64_t>& sums, std::size_t first,
                                          std::size_t last) const {
    std::vector<std::uint64_t> next(sums.size(), infinite);
    for (std::size_t from = first; from < last; ++from) {
      if (sums[from] == infinite) {
        continue;
      }
      const std::size_t end = std::min<std::size_t>(last, from + most_step_);
      for (std::size_t to = from + 1; to <= end; ++to) {
        next[to] = std::min(next[to], sums[from] + cuts_[to]);
      }
    }
    return next;
  }

  std::span<const std::uint64_t> cuts_;
  std::uint64_t most_step_;
  std::vector<std::uint64_t> costs_;
};

class GridSections {
 public:
  GridSections(const Topology& topology, std::uint32_t slots,
               const std::vector<std::uint64_t>& cuts)
      : slots_{slots}, cuts_{cuts} {
    for (std::size_t d = 0; d < topology.dimension_count(); ++d) {
      if (topology.shape()[d] > 1) {
        sides_.push_back({topology.shape()[d], is_cycle(topology, d)});
      }
    }
  }

  std::uint64_t bound() {
    constexpr std::uint64_t most_choices = 5000;
    std::uint64_t choices = 1;
    for (const Side& side : sides_) {
      choices *= side.nodes;
      if ((side.is_cycle && side.nodes % 2 == 1) || choices > most_choices) {
        return 0;
      }
    }
    least_ = infinite;
    used_.clear();
    choose();
    return least_ == infinite ? 0 : least_;
  }

 private:
  struct Side {
    std::uint32_t nodes;
    bool is_cycle;

    auto operator<=>(const Side&) const = default;
  };

  std::uint64_t processes() const { return cuts_.size() - 1; }

  /// Tries every number of used coordinates for the next dimension.
  void choose() {
    if (used_.size() < sides_.size()) {
      for (std::uint64_t used = 1; used <= sides_[used_.size()].nodes; ++used) {
        used_.push_back(used);
        choose();
        used_.pop_back();
      }
      return;
    }
    const std::uint64_t room =
        std::accumulate(used_.begin(), used_.end(), std::uint64_t{slots_}, std::multiplies{});
    if (room < processes()) {
      return;
    }
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < sides_.size() && sum < least_; ++i) {
      sum += cost(sides_[i], used_[i], std::min(room / used_[i], processes()));
    }
    least_ = std::min(least_, sum);
  }

  std::uint64_t cost(Side side, std::uint64_t used, std::uint64_t most_step) {
    const auto [known, is_new] = costs_.try_emplace({side, most_step});
    if (is_new) {
      DimensionCosts costs{cuts_, most_step, std::min<std::uint64_t>(side.nodes, processes())};
      known->second = side.is_cycle ? costs.on_cycle(side.nodes / 2) : costs.on_line();
    }
    return used < known->second.size() ? known->second[used] : infinite;
  }

  std::uint32_t slots_;
  const std::vector<std::uint64_t>& cuts_;
  std::vector<Side> sides_;
  std::vector<std::uint64_t> used_;  ///< used coordinates of the dimensions chosen so far
  std::uint64_t least_ = infinite;
  std::map<std::pair<Side, std::uint64_t>, std::vector<std::uint64_t>> costs_;
};

}  // namespace

std::uint64_t grid_section_bound(const Topology& topology, std::uint32_t slots,
                                 const std::vector<std::uint64_t>& cuts) {
  constexpr std::size_t most_processes = 64;
  if (!is_grid(topology) || cuts.size() < 3 || cuts.size() > most_processes + 1) {
    return 0;
  }
  return GridSections{topology, slots, cuts}.bound();
}

}  // namespace dcube
