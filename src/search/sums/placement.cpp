#include "placement.hpp"

#include <algorithm>
#include <utility>

#include "core/mapped.hpp"
#include "place_costs.hpp"
#include "search/objectives/hop_lengths.hpp"
#include "search/pairs.hpp"
#include "search/starts/starts.hpp"

namespace dcube {
namespace {

using Near = std::vector<std::vector<std::uint32_t>>;

/// What is beside each node once `as[node]` stands for it.
Near contracted(const Near& near, std::span<const std::uint32_t> as) {
  Near contracted(near.size());
  for (std::uint32_t node = 0; node < near.size(); ++node) {
    for (const std::uint32_t other : near[node]) {
      if (as[node] != as[other]) {
        contracted[as[node]].push_back(as[other]);
      }
    }
  }
  for (std::vector<std::uint32_t>& beside : contracted) {
    std::ranges::sort(beside);
    beside.erase(std::unique(beside.begin(), beside.end()), beside.end());
  }
  return contracted;
}

/// What stands for each node where nodes stand for the switch that alone is beside them.
std::vector<std::uint32_t> without_own_switches(const PlacementProblem& problem) {
  std::vector<std::uint32_t> as = numbered(problem.near.size());
  for (const NodeId one : problem.node) {
    const std::vector<std::uint32_t>& beside = problem.near[one.index()];
    if (beside.size() == 1 && beside.front() >= problem.search.topology.terminal_count()) {
      as[beside.front()] = one.index();
    }
  }
  return as;
}

}  // namespace

std::optional<Twins> twins_of(std::span<const std::uint32_t> nodes,
                              std::span<const std::vector<std::uint32_t>> near,
                              const Distances& distances) {
  constexpr std::uint64_t most_distances = 100'000'000;
  std::vector<std::uint32_t> order{nodes.begin(), nodes.end()};
  const auto neighbours = [&](std::uint32_t node) -> const std::vector<std::uint32_t>& {
    return near[node];
  };
  std::ranges::stable_sort(order, {}, neighbours);
  Twins twins{numbered(near.size())};
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (near[order[i]] == near[order[i - 1]]) {
      twins.first[order[i]] = twins.first[order[i - 1]];
    }
  }
  const std::vector<std::uint32_t> firsts =
      kept(nodes, [&](std::uint32_t node) { return twins.first[node] == node; });
  if (firsts.size() < 2 || firsts.size() == nodes.size() ||
      firsts.size() > Distances::most_tabled_nodes ||
      nodes.size() * firsts.size() > most_distances) {
    return std::nullopt;
  }
  const auto distance = [&](std::uint32_t one, std::uint32_t other) {
    return distances(NodeId{one}, NodeId{other});
  };
  const auto second =
      std::ranges::find_if(nodes, [&](std::uint32_t node) { return twins.first[node] != node; });
  twins.apart = distance(*second, twins.first[*second]);
  for (const std::uint32_t node : nodes) {
    const std::uint32_t first = twins.first[node];
    for (const std::uint32_t other : firsts) {
      const std::uint32_t hops = distance(node, other);
      const bool is_alike = other == first ? node == first || hops == twins.apart
                                           : hops > twins.apart && hops == distance(first, other);
      if (!is_alike) {
        return std::nullopt;
      }
    }
  }
  return twins;
}

PlacementProblem::PlacementProblem(const SearchProblem& problem)
    : search{problem},
      partners{problem.traffic, problem.objective},
      distances{distances_of(problem)},
      near{numbered(problem.topology.node_count(), [&](std::uint32_t number) {
        return mapped(problem.topology.neighbours(NodeId{number}), &NodeId::index);
      })} {
  add_places(slots_of_nodes(problem));
}

PlacementProblem::PlacementProblem(const SearchProblem& problem, const PlacementProblem& nodes)
    : search{problem},
      partners{problem.traffic, problem.objective},
      distances{nodes.distances},
      near{contracted(nodes.near, without_own_switches(nodes))},
      offset{nodes.offset} {
  std::vector<std::uint32_t> slots(near.size());
  for (const NodeId one : nodes.node) {
    slots[one.index()] = 1;
  }
  add_places(std::move(slots));
}

PlacementProblem::PlacementProblem(const PlacementProblem& problem,
                                   std::span<const std::uint32_t> order)
    : search{problem.search},
      partners{problem.partners.renumbered(order)},
      distances{problem.distances},
      home{problem.home},
      node{problem.node},
      host{problem.host},
      first{problem.first},
      pinned_place(order.size()),
      near{problem.near},
      offset{problem.offset},
      used_nodes_{problem.used_nodes_} {
  for (std::uint32_t number = 0; number < order.size(); ++number) {
    pinned_place[number] = problem.pinned_place[order[number]];
    if (pinned_place[number] == nobody) {
      movable.push_back(number);
    }
  }
}

void PlacementProblem::join_twins(std::span<const std::uint32_t> nodes) {
  if (search.topology.structure().switches == 0) {
    return;
  }
  std::optional<Twins> twins = twins_of(nodes, near, distances);
  if (!twins) {
    return;
  }
  home = std::move(twins->first);
  distances = distances.nearer(twins->apart,
                               kept(nodes, [&](std::uint32_t one) { return home[one] == one; }));
  offset += twins->apart * partners.total_weight();
  near = contracted(near, home);
}

void PlacementProblem::add_places(std::vector<std::uint32_t> slots) {
  const std::vector<std::uint32_t> nodes =
      kept(numbered(slots.size()), [&](std::uint32_t number) { return slots[number] > 0; });
  home = numbered(slots.size());
  if (std::ranges::max(slots) == 1) {
    join_twins(nodes);
  }
  for (std::uint32_t process = 0; process < process_count(); ++process) {
    if (search.is_pinned(process)) {
      --slots[search.pins[process]->index()];
    } else {
      movable.push_back(process);
    }
  }
  const auto place_count = [&] { return static_cast<std::uint32_t>(node.size()); };
  std::vector<std::uint32_t> order = nodes;
  std::ranges::stable_sort(order, {}, [&](std::uint32_t one) { return home[one]; });
  for (const std::uint32_t one : order) {
    first.resize(std::max<std::size_t>(first.size(), home[one] + std::size_t{1}), place_count());
    host.insert(host.end(), slots[one], NodeId{one});
    node.resize(host.size(), NodeId{home[one]});
  }
  first.resize(home.size() + 1, place_count());
  pinned_place.assign(process_count(), nobody);
  for (std::uint32_t process = 0; process < process_count(); ++process) {
    if (search.is_pinned(process)) {
      pinned_place[process] = place_count();
      host.push_back(*search.pins[process]);
      node.emplace_back(home[host.back().index()]);
    }
  }
  std::vector<bool> is_used(home.size());
  for (const NodeId one : node) {
    used_nodes_ += is_used[one.index()] ? 0 : 1;
    is_used[one.index()] = true;
  }
}

PlacementProblem PlacementProblem::apart() const {
  PlacementProblem problem = *this;
  problem.distances = Distances::one_apart(search.topology);
  problem.near.assign(near.size(), {});
  problem.offset = 0;
  return problem;
}

std::vector<std::uint32_t> PlacementProblem::places_of(std::span<const NodeId> map) const {
  std::vector<std::uint32_t> next = first;
  std::vector<std::uint32_t> places = pinned_place;
  std::vector<std::uint32_t> displaced;
  for (const std::uint32_t process : movable) {
    const std::uint32_t number = home[map[process].index()];
    if (next[number] < first[number + 1]) {
      places[process] = next[number]++;
    } else {
      displaced.push_back(process);
    }
  }
  std::uint32_t number = 0;
  for (const std::uint32_t process : displaced) {
    while (next[number] == first[number + 1]) {
      ++number;
    }
    places[process] = next[number]++;
  }
  return places;
}

std::vector<NodeId> PlacementProblem::map_of(std::span<const std::uint32_t> places) const {
  return mapped(places, [&](std::uint32_t place) { return host[place]; });
}

std::uint64_t PlacementProblem::cost_of(std::span<const std::uint32_t> places) const {
  std::uint64_t cost = offset;
  for_each_pair(partners, [&](std::uint32_t a, std::uint32_t b, std::uint64_t weight) {
    cost += weight * distance(places[a], places[b]);
  });
  return cost;
}

bool PlacementProblem::has_many_a_node() const {
  return node.size() > most_tabled_places && process_count() >= many_processes * used_nodes_;
}

UInt128 greatest_increase(const PlacementProblem& problem) {
  std::uint32_t farthest = 0;
  for (std::uint32_t a = 0; a < problem.node.size(); ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      farthest = std::max(farthest, problem.distance(a, b));
    }
  }
  const UInt128 most_weight = std::ranges::max(pair_weights(problem.partners));
  return 2 * most_weight / common_divisor(problem.partners) * farthest;
}

}  // namespace dcube
