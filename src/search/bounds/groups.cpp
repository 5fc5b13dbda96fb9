#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "bounds.hpp"
#include "core/mapped.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/metrics/spheres.hpp"
#include "densest_sets.hpp"

// Slots within some length of each other form groups, those of a node or below a switch: a sum of
// weight times length is, over all lengths, that of the weights of the pairs that are farther
// apart.

namespace dcube {
namespace {

constexpr const char* groups =
    "groups: what so many processes, as share a node or a switch, can have among them, and the "
    "heaviest partners of each on the nearest slots";

/// Slots that are no farther apart than some length; what is farther is longer by `step` at least.
struct Level {
  std::uint64_t step = 1;
  std::uint64_t within = 0;  ///< slots of this length from one, itself included, at most
  std::uint64_t group = 0;   ///< slots that such lengths join, at most
};

std::vector<Level> levels_of(const SlotDistances& distances) {
  const std::size_t nodes = distances.node_count();
  std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>> pairs;
  pairs[0];
  for (std::uint32_t a = 0; a < nodes; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      pairs[distances(a, b)].emplace_back(a, b);
    }
  }
  boost::disjoint_sets_with_storage<> joined{nodes};
  std::vector<std::uint64_t> within(nodes, 1);
  std::vector<Level> levels;
  for (auto level = pairs.begin(); std::next(level) != pairs.end(); ++level) {
    for (const auto& [a, b] : level->second) {
      ++within[a];
      ++within[b];
      joined.union_set(a, b);
    }
    std::vector<std::uint64_t> sizes(nodes);
    for (std::uint32_t node = 0; node < nodes; ++node) {
      ++sizes[joined.find_set(node)];
    }
    levels.push_back({std::next(level)->first - level->first,
                      std::ranges::max(within) * distances.slots(),
                      std::ranges::max(sizes) * distances.slots()});
  }
  return levels;
}

/// Of a machine that is too large for a table.
std::vector<Level> levels_of(const SearchProblem& problem, const Partners& partners) {
  std::vector<Level> levels;
  std::uint64_t within = 0;
  for (const std::uint64_t nodes :
       widest_spheres(problem.topology, static_cast<std::uint32_t>(partners.most_partners()))) {
    within += nodes * problem.slots;
    levels.push_back({1, within, levels.empty() ? problem.slots : ~std::uint64_t{0}});
  }
  return levels;
}

}  // namespace

CostBound group_bound(const SearchProblem& problem, const std::optional<SlotDistances>& distances,
                      const Partners& partners) {
  constexpr std::uint32_t most_processes = std::uint32_t{1} << 16U;
  const std::uint32_t processes = partners.process_count();
  // Where every node hosts one process, links join the nodes to one group, but heavier ones may
  // not.
  const bool has_groups_of_nodes =
      distances && (distances->are_weighted() || problem.has_unusable_nodes());
  if (processes > most_processes || (problem.slots == 1 && !has_groups_of_nodes)) {
    return {};
  }
  const std::vector<Level> levels =
      distances ? levels_of(*distances) : levels_of(problem, partners);
  std::uint64_t largest = 0;
  for (const Level& level : levels) {
    largest = level.group < processes ? std::max(largest, level.group) : largest;
  }
  if (largest < 2) {
    return {};
  }
  const DensestSets sets{problem.traffic, partners, static_cast<std::uint32_t>(largest)};
  std::vector<std::uint64_t> beyond(levels.size());  // of each process's heaviest partners, within
  for (std::uint32_t process = 0; process < processes; ++process) {
    std::vector<std::uint64_t> weights = mapped(partners.of(process), &Partner::weight);
    std::ranges::sort(weights);
    std::partial_sum(weights.begin(), weights.end(), weights.begin());
    for (std::size_t i = 0; i < levels.size() && weights.size() >= levels[i].within; ++i) {
      beyond[i] += weights[weights.size() - levels[i].within];
    }
  }
  UInt128 cost = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    std::uint64_t farther = divided_up(beyond[i], 2);
    if (levels[i].group < processes) {
      farther = std::max(
          farther, partners.total_weight() -
                       sets.in_groups(processes, static_cast<std::uint32_t>(levels[i].group)));
    }
    cost += UInt128{levels[i].step} * farther;
  }
  return {static_cast<std::uint64_t>(cost), groups};
}

}  // namespace dcube
