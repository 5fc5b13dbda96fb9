#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "dcube/core/random.hpp"
#include "dcube/search/search.hpp"

namespace dcube::searching {

inline std::unique_ptr<Topology> machine(const std::string& settings) {
  return make_topology(Params::parse(settings));
}

inline Traffic cube(std::uint32_t dimensions) { return Traffic::of(Guest::cube(dimensions)); }

inline std::vector<std::uint64_t> doubling(std::uint32_t dimensions) {
  std::vector<std::uint64_t> weights;
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    weights.push_back(std::uint64_t{1} << i);
  }
  return weights;
}

/// `flows` flows of 1 to 9 bytes; some processes may have none.
inline Traffic random_traffic(std::uint32_t processes, std::uint32_t flows, std::uint64_t seed) {
  SplitMix64 random{seed};
  const auto draw = [&](std::uint32_t bound) {
    return static_cast<std::uint32_t>(bounded(random.next(), bound));
  };
  std::vector<Flow> list;
  for (std::uint32_t i = 0; i < flows; ++i) {
    list.push_back({ProcessId{draw(processes)}, ProcessId{draw(processes)}, 1 + draw(9), 1});
  }
  return {processes, std::move(list)};
}

/// Every objective that needs no simulation; those that need a cube for whole cubes alone. Those
/// that may not fit into 63 bits are left out.
inline std::vector<Objective> objectives(const Traffic& traffic) {
  const std::size_t processes = traffic.process_count();
  const std::size_t dimensions = static_cast<std::size_t>(std::bit_width(processes)) - 1;
  const bool is_cube = cube_weights(traffic) && traffic.flows().size() == processes * dimensions;
  const bool is_light = traffic.total_bytes() < std::uint64_t{1} << 40U;
  std::vector<Objective> list;
  for (const Objective objective : objective_catalog()) {
    const ObjectiveTraits& traits = traits_of(objective);
    if (!traits.is_simulated && (is_cube || !traits.needs_cube) &&
        (is_light || (!traits.needs_rates && !traits.is_composed))) {
      list.push_back(objective);
    }
  }
  return list;
}

/// Where the objective needs them, with terms of every kind and links of three rates.
inline SearchProblem problem(const Topology& topology, const Traffic& traffic,
                             Objective objective) {
  SearchProblem made{
      .topology = topology, .traffic = traffic, .objective = objective, .cc_hop = Ticks{1}};
  if (objective == Objective::weighted_sum) {
    made.terms = {{Objective::hop_bytes, 10},
                  {Objective::link_load, 2},
                  {Objective::longest_dilation, 5},
                  {Objective::link_time, 1},
                  {Objective::average_dilation, 3}};
    made.scale = 10;
  }
  if (made.has(&ObjectiveTraits::needs_rates)) {
    for (std::uint32_t link = 0; link < topology.link_slots(); ++link) {
      made.rates.units.push_back(2 + link % 3);
    }
    made.rates.unit = ExactTime{7, 2};
  }
  return made;
}

/// A problem keeps references.
SearchProblem problem(const Topology& topology, Traffic&& traffic, Objective objective) = delete;

/// Whether no node hosts more than `slots` processes.
inline bool fits(const std::vector<NodeId>& map, const Topology& topology,
                 std::uint32_t slots = 1) {
  std::vector<std::uint32_t> taken(topology.node_count());
  return std::ranges::all_of(
      map, [&](NodeId node) { return topology.contains(node) && ++taken[node.index()] <= slots; });
}

/// Calls `visit(map)` for every map there is.
template <class Visit>
void for_each_map(const Topology& topology, std::uint32_t slots, std::uint32_t processes,
                  Visit visit) {
  std::vector<NodeId> map;
  std::vector<std::uint32_t> taken(topology.node_count());
  const auto descend = [&](const auto& self) -> void {
    if (map.size() == processes) {
      visit(map);
      return;
    }
    for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
      if (taken[node] < slots) {
        ++taken[node];
        map.emplace_back(node);
        self(self);
        map.pop_back();
        --taken[node];
      }
    }
  };
  descend(descend);
}

/// The least cost of all maps of a few processes to usable nodes.
inline std::uint64_t least_cost(const SearchProblem& problem) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for_each_map(problem.topology, problem.slots, problem.traffic.process_count(),
               [&](const std::vector<NodeId>& map) {
                 const auto is_usable = [&](NodeId node) {
                   return problem.topology.is_usable(node);
                 };
                 if (std::ranges::all_of(map, is_usable)) {
                   least = std::min(least, cost_of(problem, map));
                 }
               });
  return least;
}

}  // namespace dcube::searching
