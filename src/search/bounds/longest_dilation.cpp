#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "bounds.hpp"
#include "core/mapped.hpp"
#include "dcube/metrics/spheres.hpp"
#include "dcube/topology/grid_kind.hpp"

namespace dcube {
namespace {

/// Numbers of processes within 1, 2, .. steps of a process along the flows.
std::vector<std::uint64_t> reach(const Partners& partners, std::uint32_t process) {
  std::vector<bool> is_seen(partners.process_count());
  is_seen[process] = true;
  std::vector<std::uint32_t> seen{process};
  std::vector<std::uint64_t> counts;
  for (std::size_t next = 0; next < seen.size();) {
    const std::size_t end = seen.size();
    for (; next < end; ++next) {
      for (const Partner& partner : partners.of(seen[next])) {
        if (!is_seen[partner.process.index()]) {
          is_seen[partner.process.index()] = true;
          seen.push_back(partner.process.index());
        }
      }
    }
    if (seen.size() > end) {
      counts.push_back(seen.size());
    }
  }
  return counts;
}

/// What the flows reach from some of the processes.
struct Growth {
  std::vector<std::vector<std::uint64_t>> reached;  ///< [process that was looked at]
  std::uint32_t most_steps = 0;  ///< at least the steps between any two, if flows join all
  bool is_connected = false;
};

Growth growth_of(const Partners& partners) {
  // Every process gives a bound, and each costs a walk over all pairs; a few are enough.
  constexpr std::uint64_t most_processes = 2048;
  constexpr std::uint64_t most_pairs = 200'000'000;
  const std::uint64_t looked_at = std::clamp<std::uint64_t>(
      most_pairs / std::max<std::uint64_t>(1, partners.total_weight()), 1, most_processes);
  const auto step = static_cast<std::uint32_t>(divided_up(partners.process_count(), looked_at));
  Growth growth;
  std::uint32_t most = 0;
  std::uint32_t least = ~std::uint32_t{0};
  for (std::uint32_t process = 0; process < partners.process_count(); process += step) {
    growth.reached.push_back(reach(partners, process));
    const std::vector<std::uint64_t>& counts = growth.reached.back();
    growth.is_connected |= !counts.empty() && counts.back() == partners.process_count();
    most = std::max(most, static_cast<std::uint32_t>(counts.size()));
    least = std::min(least, static_cast<std::uint32_t>(counts.size()));
  }
  growth.most_steps = step == 1 ? most : 2 * least;
  return growth;
}

/// With longest dilation L, the processes within t steps are within L * t hops.
std::uint64_t growth_bound(const SearchProblem& problem, const Growth& growth) {
  Spheres within = widest_spheres(problem.topology, problem.topology.node_count());
  std::partial_sum(within.begin(), within.end(), within.begin());
  std::uint64_t longest = 0;
  for (const std::vector<std::uint64_t>& counts : growth.reached) {
    std::uint64_t steps = 0;
    for (const std::uint64_t count : counts) {
      ++steps;
      const auto hops =
          std::ranges::lower_bound(within, divided_up(count, problem.slots)) - within.begin();
      longest = std::max(longest, divided_up(static_cast<std::uint64_t>(hops), steps));
    }
  }
  return longest;
}

using Neighbours = std::vector<std::vector<NodeId>>;

/// The fewest links from a node to each; the number of nodes where none lead.
std::vector<std::uint32_t> links_from(NodeId from, const Neighbours& neighbours) {
  const auto unseen = static_cast<std::uint32_t>(neighbours.size());
  std::vector<std::uint32_t> links(neighbours.size(), unseen);
  links[from.index()] = 0;
  std::vector<NodeId> seen{from};
  for (std::size_t next = 0; next < seen.size(); ++next) {
    const std::uint32_t further = links[seen[next].index()] + 1;
    for (const NodeId node : neighbours[seen[next].index()]) {
      if (links[node.index()] == unseen) {
        links[node.index()] = further;
        seen.push_back(node);
      }
    }
  }
  return links;
}

/// Of any `count` usable nodes some two are as many links apart: all nodes of a set are within its
/// diameter of each. 0 if it would take long.
std::uint64_t least_diameter(const Topology& topology, std::uint64_t count) {
  constexpr std::size_t most_nodes = 2048;
  constexpr std::uint64_t most_steps = 100'000'000;
  const std::vector<NodeId> nodes = usable_nodes(topology);
  // Elsewhere a route may be longer than two others, one after the other, that lead as far.
  const bool adds_up = is_grid(topology);
  const std::uint64_t steps =
      adds_up ? 0 : nodes.size() * (topology.node_count() + 2 * topology.link_count());
  if (count > nodes.size() || nodes.size() > most_nodes || steps > most_steps) {
    return 0;
  }
  const Neighbours neighbours =
      numbered(adds_up ? 0 : topology.node_count(),
               [&](std::uint32_t node) { return topology.neighbours(NodeId{node}); });
  std::vector<std::uint32_t> radii;  // [node]: within them are `count` nodes
  std::vector<std::uint32_t> distances(nodes.size());
  const auto last = static_cast<std::ptrdiff_t>(count) - 1;
  for (const NodeId from : nodes) {
    const std::vector<std::uint32_t> links =
        adds_up ? std::vector<std::uint32_t>{} : links_from(from, neighbours);
    std::ranges::transform(nodes, distances.begin(), [&](NodeId to) {
      return adds_up ? topology.distance(from, to) : links[to.index()];
    });
    std::ranges::nth_element(distances, distances.begin() + last);
    radii.push_back(distances[count - 1]);
  }
  std::ranges::nth_element(radii, radii.begin() + last);
  return radii[count - 1];
}

/// With longest dilation L, processes t steps apart are at most L * t hops apart.
std::uint64_t diameter_bound(const SearchProblem& problem, const Partners& partners,
                             const Growth& growth) {
  if (!growth.is_connected) {
    return 0;
  }
  const std::uint64_t nodes = divided_up(partners.process_count(), problem.slots);
  return divided_up(least_diameter(problem.topology, nodes), growth.most_steps);
}

/// Bandwidth of the cube: sum over k < d of (k over k/2).
std::uint64_t cube_bandwidth(std::size_t dimensions) {
  std::uint64_t sum = 0;
  for (std::uint64_t k = 0; k < dimensions; ++k) {
    std::uint64_t binomial = 1;
    for (std::uint64_t i = 1; i <= k / 2; ++i) {
      binomial = binomial * (k - k / 2 + i) / i;
    }
    sum += binomial;
  }
  return sum;
}

}  // namespace

std::vector<CostBound> longest_bounds(const SearchProblem& problem, const Partners& partners) {
  const Growth growth = growth_of(partners);
  std::vector<CostBound> bounds{
      {growth_bound(problem, growth),
       fmt::format("growth: the processes within t steps of one need as many {} within t times the "
                   "longest dilation",
                   problem.slots == 1 ? "nodes" : "slots")}};
  bounds.push_back({diameter_bound(problem, partners, growth),
                    "diameter: some two of the nodes that are taken are far apart, and their "
                    "processes few steps"});
  if (pairs_two_apart(problem, partners) > 0) {
    bounds.push_back({2, "parity: no odd cycle of flows has flows of one hop alone"});
  }
  const auto weights = partners.cube_weights();
  if (is_path(problem.topology) && weights && std::ranges::find(*weights, 0U) == weights->end()) {
    // Slots that lie a bandwidth apart are at least 1 / `slots` as many nodes apart.
    bounds.push_back(
        {cube_bandwidth(weights->size()) / problem.slots,
         problem.slots == 1
             ? "the bandwidth of a hypercube (Harper 1966), which by_weight reaches"
             : "the bandwidth of a hypercube (Harper 1966), in nodes of so many slots"});
  }
  return bounds;
}

}  // namespace dcube
