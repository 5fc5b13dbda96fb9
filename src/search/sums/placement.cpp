#include "placement.hpp"

namespace dcube {

PlacementProblem::PlacementProblem(const SearchProblem& problem)
    : search{problem},
      partners{problem.traffic, problem.objective},
      distances{problem.topology},
      near(problem.topology.node_count()) {
  const Topology& topology = problem.topology;
  for (std::uint32_t number = 0; number < topology.node_count(); ++number) {
    const NodeId one{number};
    first.push_back(place_count());
    if (topology.is_usable(one)) {
      node.insert(node.end(), problem.slots, one);
    }
    for (const NodeId neighbour : topology.neighbours(one)) {
      near[number].push_back(neighbour.index());
    }
  }
  first.push_back(place_count());
  for (std::uint32_t process = 0; process < process_count(); ++process) {
    movable.push_back(process);
  }
}

std::vector<std::uint32_t> PlacementProblem::places_of(std::span<const NodeId> map) const {
  std::vector<std::uint32_t> next = first;
  std::vector<std::uint32_t> places;
  places.reserve(map.size());
  for (const NodeId home : map) {
    places.push_back(next[home.index()]++);
  }
  return places;
}

std::vector<NodeId> PlacementProblem::map_of(std::span<const std::uint32_t> places) const {
  std::vector<NodeId> map;
  map.reserve(places.size());
  for (const std::uint32_t place : places) {
    map.push_back(node[place]);
  }
  return map;
}

std::uint64_t PlacementProblem::cost_of(std::span<const std::uint32_t> places) const {
  std::uint64_t cost = 0;
  for (std::uint32_t process = 0; process < process_count(); ++process) {
    for (const Partner& partner : partners.of(process)) {
      if (process < partner.process.index()) {
        cost += partner.weight * distance(places[process], places[partner.process.index()]);
      }
    }
  }
  return cost;
}

}  // namespace dcube
