#include "partial_bound.hpp"

#include <algorithm>
#include <functional>

namespace dcube {
namespace {

constexpr std::uint64_t unbounded = std::numeric_limits<std::uint64_t>::max();

}  // namespace

PartialBound::PartialBound(const SearchProblem& problem, const Distances& distances)
    : problem_{problem},
      distances_{distances},
      partners_{problem.traffic, problem.objective},
      map_(problem.traffic.process_count()),
      is_placed_(problem.traffic.process_count()),
      is_free_(problem.topology.node_count(), true),
      to_placed_(std::size_t{problem.traffic.process_count()} * problem.topology.node_count()) {
  // In the time of a cube's exchanges every stage counts one distance, whatever its flows carry.
  if (problem.objective == Objective::cc_time) {
    const Traffic cube = Traffic::of(Guest::cube(
        static_cast<std::uint32_t>(std::bit_width(problem.traffic.process_count()) - 1)));
    partners_ = Partners{cube, Objective::average_dilation};
  }
  for (std::uint32_t process = 0; process < partners_.process_count(); ++process) {
    const auto of_process = partners_.of(process);
    heaviest_first_.emplace_back(of_process.begin(), of_process.end());
    std::ranges::stable_sort(heaviest_first_.back(), std::greater{}, &Partner::weight);
    if (problem.objective == Objective::cc_time) {
      for (Partner& partner : heaviest_first_.back()) {
        partner.weight = 1;
      }
    }
  }
  for (std::uint32_t node = 0; node < problem.topology.node_count(); ++node) {
    std::vector<NodeId> others;
    for (std::uint32_t other = 0; other < problem.topology.node_count(); ++other) {
      if (other != node) {
        others.emplace_back(other);
      }
    }
    std::ranges::stable_sort(others, std::less{},
                             [&](NodeId other) { return distances(NodeId{node}, other); });
    nearest_first_.push_back(std::move(others));
  }
}

void PartialBound::place(std::uint32_t process, NodeId node) {
  map_[process] = node;
  is_placed_[process] = true;
  is_free_[node.index()] = false;
  ++placed_;
  for (const Partner& partner : heaviest_first_[process]) {
    std::uint64_t* const row =
        to_placed_.data() + std::size_t{partner.process.index()} * is_free_.size();
    for (std::uint32_t at = 0; at < is_free_.size(); ++at) {
      row[at] += partner.weight * distance(NodeId{at}, node);
    }
  }
}

void PartialBound::remove(std::uint32_t process) {
  const NodeId node = map_[process];
  is_placed_[process] = false;
  is_free_[node.index()] = true;
  --placed_;
  for (const Partner& partner : heaviest_first_[process]) {
    std::uint64_t* const row =
        to_placed_.data() + std::size_t{partner.process.index()} * is_free_.size();
    for (std::uint32_t at = 0; at < is_free_.size(); ++at) {
      row[at] -= partner.weight * distance(NodeId{at}, node);
    }
  }
}

std::uint64_t PartialBound::nearest(std::uint32_t process, NodeId node) const {
  const std::vector<NodeId>& others = nearest_first_[node.index()];
  std::size_t next = 0;
  std::uint64_t sum = 0;
  for (const Partner& partner : heaviest_first_[process]) {
    if (is_placed(partner.process.index())) {
      continue;
    }
    while (!is_free_[others[next].index()]) {
      ++next;
    }
    sum += partner.weight * distance(node, others[next++]);
  }
  return sum;
}

std::uint64_t PartialBound::least_cost(std::uint64_t limit) const {
  switch (problem_.objective) {
    case Objective::longest_dilation:
      return least_longest();
    case Objective::cc_time:
      return least_time(limit);
    case Objective::link_load:
      return least_load();
    default:
      return least_sum(limit);
  }
}

std::uint64_t PartialBound::least_sum(std::uint64_t limit) const {
  std::uint64_t placed_ends = 0;     // pairs of two placed processes, from both ends
  std::uint64_t from_placed = 0;     // from placed to unplaced ones
  std::uint64_t among_unplaced = 0;  // from both ends
  std::uint64_t from_unplaced = 0;   // twice to placed ones, and among_unplaced, for one node each
  for (std::uint32_t process = 0; process < map_.size(); ++process) {
    if (is_placed(process)) {
      placed_ends += to_placed(process, map_[process]);
      from_placed += nearest(process, map_[process]);
    }
  }
  if (placed_ends / 2 + from_placed > limit) {
    return placed_ends / 2 + from_placed;
  }
  for (std::uint32_t process = 0; process < map_.size(); ++process) {
    if (is_placed(process) || heaviest_first_[process].empty()) {
      continue;
    }
    std::uint64_t least_among = unbounded;
    std::uint64_t least_both = unbounded;
    for (std::uint32_t node = 0; node < is_free_.size(); ++node) {
      if (is_free_[node]) {
        const std::uint64_t among = nearest(process, NodeId{node});
        least_among = std::min(least_among, among);
        least_both = std::min(least_both, 2 * to_placed(process, NodeId{node}) + among);
      }
    }
    among_unplaced += least_among;
    from_unplaced += least_both;
  }
  return placed_ends / 2 +
         std::max(from_placed + (among_unplaced + 1) / 2, (from_unplaced + 1) / 2);
}

std::uint64_t PartialBound::least_longest() const {
  std::uint64_t longest = 0;
  for (std::uint32_t process = 0; process < map_.size(); ++process) {
    if (!is_placed(process)) {
      continue;
    }
    const std::vector<NodeId>& others = nearest_first_[map_[process].index()];
    std::size_t next = 0;
    for (const Partner& partner : heaviest_first_[process]) {
      if (is_placed(partner.process.index())) {
        longest = std::max(longest, distance(map_[process], map_[partner.process.index()]));
        continue;
      }
      while (!is_free_[others[next].index()]) {
        ++next;
      }
      longest = std::max(longest, distance(map_[process], others[next++]));
    }
  }
  return longest;
}

std::uint64_t PartialBound::least_time(std::uint64_t limit) const {
  if (placed_ == map_.size()) {
    return cost_of(problem_, map_);
  }
  const std::uint64_t stages = heaviest_first_.front().size();
  const auto time = [&](std::uint64_t hops) {
    return stages * static_cast<std::uint64_t>(problem_.cc_compute.count()) +
           hops * static_cast<std::uint64_t>(problem_.cc_hop.count());
  };
  std::uint64_t longest = 0;
  for (std::uint32_t process = 0; process < map_.size(); ++process) {
    std::uint64_t hops = unbounded;
    if (is_placed(process)) {
      hops = to_placed(process, map_[process]) + nearest(process, map_[process]);
    } else {
      for (std::uint32_t node = 0; node < is_free_.size(); ++node) {
        if (is_free_[node]) {
          hops = std::min(hops, to_placed(process, NodeId{node}) + nearest(process, NodeId{node}));
        }
      }
    }
    longest = std::max(longest, hops);
    if (time(longest) > limit) {
      break;
    }
  }
  return time(longest);
}

std::uint64_t PartialBound::least_load() const {
  if (placed_ == map_.size()) {
    return cost_of(problem_, map_);
  }
  std::vector<std::uint64_t> load(problem_.topology.link_slots());
  for (const Flow& flow : problem_.traffic.flows()) {
    if (!is_placed(flow.from.index()) || !is_placed(flow.to.index())) {
      continue;
    }
    NodeId at = map_[flow.from.index()];
    while (at != map_[flow.to.index()]) {
      const Run run = problem_.topology.next_run(at, map_[flow.to.index()]);
      std::int64_t link = run.first.index();
      for (std::uint32_t hop = 0; hop < run.hops; ++hop, link += run.stride) {
        const LinkId id{static_cast<std::uint32_t>(link)};
        const LinkId server = problem_.sharing == LinkSharing::undirected
                                  ? std::min(id, problem_.topology.reverse(id))
                                  : id;
        load[server.index()] += flow.bytes;
      }
      at = run.end;
    }
  }
  return load.empty() ? 0 : *std::ranges::max_element(load);
}

}  // namespace dcube
