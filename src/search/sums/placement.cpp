#include "placement.hpp"

#include <algorithm>

#include "core/mapped.hpp"
#include "search/objectives/hop_lengths.hpp"
#include "search/pairs.hpp"

namespace dcube {

PlacementProblem::PlacementProblem(const SearchProblem& problem)
    : search{problem},
      partners{problem.traffic, problem.objective},
      distances{distances_of(problem)},
      pinned_place(problem.traffic.process_count(), nobody),
      near(problem.topology.node_count()) {
  const Topology& topology = problem.topology;
  std::vector<std::uint32_t> pinned(topology.node_count());
  for (const std::optional<NodeId>& pin : problem.pins) {
    pinned[pin ? pin->index() : 0] += pin ? 1 : 0;
  }
  for (std::uint32_t number = 0; number < topology.node_count(); ++number) {
    const NodeId one{number};
    first.push_back(static_cast<std::uint32_t>(node.size()));
    if (topology.is_usable(one)) {
      node.insert(node.end(), problem.slots - pinned[number], one);
    }
    near[number] = mapped(topology.neighbours(one), &NodeId::index);
  }
  first.push_back(static_cast<std::uint32_t>(node.size()));
  for (std::uint32_t process = 0; process < process_count(); ++process) {
    if (problem.is_pinned(process)) {
      pinned_place[process] = static_cast<std::uint32_t>(node.size());
      node.push_back(*problem.pins[process]);
    } else {
      movable.push_back(process);
    }
  }
}

PlacementProblem::PlacementProblem(const PlacementProblem& problem,
                                   std::span<const std::uint32_t> order)
    : search{problem.search},
      partners{problem.partners.renumbered(order)},
      distances{problem.distances},
      node{problem.node},
      first{problem.first},
      pinned_place(order.size()),
      near{problem.near} {
  for (std::uint32_t number = 0; number < order.size(); ++number) {
    pinned_place[number] = problem.pinned_place[order[number]];
    if (pinned_place[number] == nobody) {
      movable.push_back(number);
    }
  }
}

PlacementProblem PlacementProblem::apart() const {
  PlacementProblem problem = *this;
  problem.distances = Distances::one_apart(search.topology);
  problem.near.assign(near.size(), {});
  return problem;
}

std::vector<std::uint32_t> PlacementProblem::places_of(std::span<const NodeId> map) const {
  std::vector<std::uint32_t> next = first;
  std::vector<std::uint32_t> places;
  places.reserve(map.size());
  for (std::size_t process = 0; process < map.size(); ++process) {
    const std::uint32_t pinned = pinned_place[process];
    places.push_back(pinned == nobody ? next[map[process].index()]++ : pinned);
  }
  return places;
}

std::vector<NodeId> PlacementProblem::map_of(std::span<const std::uint32_t> places) const {
  return mapped(places, [&](std::uint32_t place) { return node[place]; });
}

std::uint64_t PlacementProblem::cost_of(std::span<const std::uint32_t> places) const {
  std::uint64_t cost = 0;
  for_each_pair(partners, [&](std::uint32_t a, std::uint32_t b, std::uint64_t weight) {
    cost += weight * distance(places[a], places[b]);
  });
  return cost;
}

UInt128 greatest_increase(const PlacementProblem& problem) {
  UInt128 most_weight = 0;
  for (std::uint32_t process = 0; process < problem.process_count(); ++process) {
    UInt128 weight = 0;
    for (const Partner& partner : problem.partners.of(process)) {
      weight += partner.weight;
    }
    most_weight = std::max(most_weight, weight);
  }
  std::uint32_t farthest = 0;
  for (std::uint32_t a = 0; a < problem.node.size(); ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      farthest = std::max(farthest, problem.distance(a, b));
    }
  }
  return 2 * most_weight / common_divisor(problem.partners) * farthest;
}

}  // namespace dcube
