#include "parts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace dcube {
namespace {

/// The groups of a map: the processes of a node are one process.
struct Groups {
  std::vector<std::uint32_t> of_process;
  std::vector<NodeId> node;                ///< of each group
  std::vector<std::optional<NodeId>> pin;  ///< of each group; empty where no process is pinned
};

Groups groups_of(const PlacementProblem& problem, std::span<const std::uint32_t> places) {
  Groups groups;
  std::vector<std::uint32_t> group_on(problem.near.size(), nobody);
  for (std::uint32_t process = 0; process < places.size(); ++process) {
    const NodeId node = problem.node[places[process]];
    std::uint32_t& group = group_on[node.index()];
    if (group == nobody) {
      group = static_cast<std::uint32_t>(groups.node.size());
      groups.node.push_back(node);
    }
    groups.of_process.push_back(group);
  }
  if (problem.movable.size() < places.size()) {
    groups.pin.resize(groups.node.size());
    for (std::uint32_t process = 0; process < places.size(); ++process) {
      if (problem.pinned_place[process] != nobody) {
        const std::uint32_t group = groups.of_process[process];
        groups.pin[group] = groups.node[group];
      }
    }
  }
  return groups;
}

Traffic traffic_of(const Partners& partners, const Groups& groups) {
  std::vector<Flow> flows;
  for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
    for (const Partner& partner : partners.of(process)) {
      const std::uint32_t own = groups.of_process[process];
      const std::uint32_t other = groups.of_process[partner.process.index()];
      if (own < other) {
        flows.push_back({ProcessId{own}, ProcessId{other}, partner.weight, 1});
      }
    }
  }
  return Traffic{static_cast<std::uint32_t>(groups.node.size()), std::move(flows)};
}

}  // namespace

std::vector<std::uint32_t> parted_places(const PlacementProblem& apart,
                                         std::vector<std::uint32_t> places, const Cooling& cooling,
                                         std::uint64_t moves, SplitMix64& random,
                                         const std::function<bool()>& stops) {
  return SwapAnnealing{apart}.run(std::move(places), cooling, moves, random, stops);
}

std::vector<std::uint32_t> rearranged_places(const PlacementProblem& problem,
                                             std::span<const std::uint32_t> places,
                                             const PopulationSettings& settings,
                                             const SearchControl& control, std::uint64_t& moves) {
  const Groups groups = groups_of(problem, places);
  const Traffic traffic = traffic_of(problem.partners, groups);
  SearchProblem search{.topology = problem.search.topology, .traffic = traffic};
  search.pins = groups.pin;
  PlacementProblem placement{search};
  placement.distances = problem.distances;  // as the objective counts them
  Individual start{placement.places_of(groups.node), 0, {}};
  start.cost = placement.cost_of(start.places);
  const PopulationResult result = improve(placement, {std::move(start)}, settings, control);
  moves += result.moves;
  const std::vector<NodeId> nodes = placement.map_of(result.best.places);
  std::vector<NodeId> map;
  map.reserve(places.size());
  for (const std::uint32_t group : groups.of_process) {
    map.push_back(nodes[group]);
  }
  return problem.places_of(map);
}

}  // namespace dcube
