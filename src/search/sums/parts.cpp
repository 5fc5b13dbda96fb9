#include <optional>

#include "core/mapped.hpp"
#include "population.hpp"
#include "search/pairs.hpp"

namespace dcube {
namespace {

/// The groups of a map: the processes of a node are one process.
struct Groups {
  std::vector<std::uint32_t> of_process;
  std::vector<NodeId> node;                ///< of each group
  std::vector<std::optional<NodeId>> pin;  ///< of each group: its node where a process is pinned
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
      groups.pin.emplace_back();
    }
    groups.of_process.push_back(group);
    if (problem.pinned_place[process] != nobody) {
      groups.pin[group] = node;
    }
  }
  return groups;
}

}  // namespace

std::vector<std::uint32_t> rearranged_places(const PlacementProblem& problem,
                                             std::span<const std::uint32_t> places,
                                             const PopulationSettings& settings,
                                             const SearchControl& control, std::uint64_t& moves) {
  const Groups groups = groups_of(problem, places);
  const auto group_count = static_cast<std::uint32_t>(groups.node.size());
  const Traffic traffic = traffic_of_groups(problem.partners, groups.of_process, group_count);
  SearchProblem search{.topology = problem.search.topology, .traffic = traffic};
  search.pins = groups.pin;
  const PlacementProblem placement{search, problem};
  const PopulationResult result =
      improve(placement, {individual_of(placement, groups.node)}, settings, control);
  moves += result.moves;
  const std::vector<NodeId> nodes = placement.map_of(result.best.places);
  return problem.places_of(
      mapped(groups.of_process, [&](std::uint32_t group) { return nodes[group]; }));
}

}  // namespace dcube
