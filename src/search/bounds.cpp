#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <ranges>
#include <vector>

#include "cube_traffic.hpp"
#include "dcube/search/search.hpp"
#include "metrics/grid_kind.hpp"
#include "metrics/spheres.hpp"
#include "partners.hpp"
#include "wirelength_bounds.hpp"

// Bounds that no map can beat. docs/search.md derives each.

namespace dcube {
namespace {

std::uint64_t divided_up(std::uint64_t a, std::uint64_t b) { return b == 0 ? 0 : (a + b - 1) / b; }

CostBound greatest(const std::vector<CostBound>& bounds) {
  return *std::ranges::max_element(bounds, {}, &CostBound::cost);
}

/// How many processes are within 1, 2, .. steps of a process along the flows.
std::vector<std::uint64_t> reach(const Partners& partners, std::uint32_t process) {
  std::vector<bool> is_seen(partners.process_count());
  is_seen[process] = true;
  std::vector<std::uint32_t> wave{process};
  std::vector<std::uint64_t> counts;
  std::uint64_t seen = 1;
  while (!wave.empty()) {
    std::vector<std::uint32_t> next;
    for (const std::uint32_t at : wave) {
      for (const Partner& partner : partners.of(at)) {
        if (!is_seen[partner.process.index()]) {
          is_seen[partner.process.index()] = true;
          next.push_back(partner.process.index());
        }
      }
    }
    seen += next.size();
    if (!next.empty()) {
      counts.push_back(seen);
    }
    wave = std::move(next);
  }
  return counts;
}

/// With longest dilation L, the processes within t steps are within L * t hops.
std::uint64_t growth_bound(const Topology& topology, const Partners& partners) {
  // Every process gives a bound, and each costs a walk over all pairs; a few are enough.
  constexpr std::uint64_t most_processes = 512;
  constexpr std::uint64_t most_pairs = 200'000'000;
  const std::uint64_t looked_at = std::clamp<std::uint64_t>(
      most_pairs / std::max<std::uint64_t>(1, partners.total_weight()), 1, most_processes);
  Spheres within = widest_spheres(topology, topology.node_count());
  std::partial_sum(within.begin(), within.end(), within.begin());
  std::uint64_t longest = 0;
  const auto step = static_cast<std::uint32_t>(1 + partners.process_count() / looked_at);
  for (std::uint32_t process = 0; process < partners.process_count(); process += step) {
    std::uint64_t steps = 0;
    for (const std::uint64_t count : reach(partners, process)) {
      ++steps;
      const auto hops = std::ranges::lower_bound(within, count) - within.begin();
      longest = std::max(longest, divided_up(static_cast<std::uint64_t>(hops), steps));
    }
  }
  return longest;
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

std::vector<CostBound> longest_bounds(const SearchProblem& problem, const Partners& partners) {
  std::vector<CostBound> bounds{
      {growth_bound(problem.topology, partners),
       "growth: the processes within t steps of one need as many nodes within t times the longest "
       "dilation"}};
  if (pairs_two_apart(problem.topology, partners) > 0) {
    bounds.push_back({2, "parity: no odd cycle of flows has flows of one hop alone"});
  }
  const auto weights = pair_weights_of_cube(partners);
  if (problem.topology.kind() == "line" && weights &&
      std::ranges::find(*weights, 0U) == weights->end()) {
    bounds.push_back({cube_bandwidth(weights->size()),
                      "the bandwidth of a hypercube (Harper 1966), which by_weight reaches"});
  }
  return bounds;
}

/// The bytes that cross between the halves of a machine that a cube fills. They are at least those
/// of the cube's lightest dimension.
std::optional<CostBound> bisection_bound(const SearchProblem& problem, const Partners& partners) {
  const auto weights = pair_weights_of_cube(partners);
  const std::uint64_t nodes = problem.topology.node_count();
  if (!weights || weights->empty() || partners.process_count() != nodes ||
      !is_grid(problem.topology)) {
    return std::nullopt;
  }
  const std::uint64_t bytes = std::ranges::min(*weights) * (nodes / 2);
  CostBound bound{0,
                  "bisection: a half of a cube exchanges at least what its lightest dimension "
                  "does (Harper 1964)"};
  for (const std::uint32_t side : problem.topology.shape()) {
    if (side % 2 == 0) {
      const std::uint64_t links =
          nodes / side * (wraps_around(problem.topology) && side > 2 ? 2 : 1);
      const std::uint64_t servers = problem.sharing == LinkSharing::directed ? 2 * links : links;
      bound.cost = std::max(bound.cost, divided_up(bytes, servers));
    }
  }
  return bound;
}

/// Everything that a process sends, or receives, crosses the links of its node.
CostBound node_bound(const SearchProblem& problem) {
  std::vector<std::uint64_t> out(problem.traffic.process_count());
  std::vector<std::uint64_t> in(problem.traffic.process_count());
  for (const Flow& flow : problem.traffic.flows()) {
    out[flow.from.index()] += flow.bytes;
    in[flow.to.index()] += flow.bytes;
  }
  std::size_t links = 1;
  for (std::uint32_t node = 0; node < problem.topology.node_count(); ++node) {
    links = std::max(links, problem.topology.neighbours(NodeId{node}).size());
  }
  std::uint64_t most = 0;
  for (std::size_t process = 0; process < out.size(); ++process) {
    most = std::max(most, problem.sharing == LinkSharing::directed
                              ? std::max(out[process], in[process])
                              : out[process] + in[process]);
  }
  return {divided_up(most, links),
          "node: what the busiest process sends or receives, over the links of a node"};
}

std::vector<CostBound> link_bounds(const SearchProblem& problem, const Partners& partners) {
  const CostBound hops = greatest(sum_bounds(problem.topology, partners));
  const std::uint64_t links =
      problem.topology.link_count() * (problem.sharing == LinkSharing::directed ? 2 : 1);
  std::vector<CostBound> bounds{
      {divided_up(hops.cost, links), "mean: the least hop-bytes over all links; " + hops.source},
      node_bound(problem)};
  if (const auto bisection = bisection_bound(problem, partners)) {
    bounds.push_back(*bisection);
  }
  return bounds;
}

/// An exchange starts when both partners are ready, so a process takes all its stages and all its
/// distances one after the other. Some process has at least the mean of these sums [X IV.A].
std::vector<CostBound> cc_bounds(const SearchProblem& problem) {
  const std::uint32_t processes = problem.traffic.process_count();
  const Traffic cube =
      Traffic::of(Guest::cube(static_cast<std::uint32_t>(std::countr_zero(processes))));
  const Partners pairs{cube, Objective::average_dilation};  // a pair weighs 2: one at each end
  const CostBound hops = greatest(sum_bounds(problem.topology, pairs));
  const auto stages = static_cast<std::uint64_t>(std::countr_zero(processes));
  const std::uint64_t time =
      stages * static_cast<std::uint64_t>(problem.cc_compute.count()) +
      divided_up(hops.cost, processes) * static_cast<std::uint64_t>(problem.cc_hop.count());
  return {{time, "stages, and the mean distances of a process; " + hops.source}};
}

}  // namespace

std::vector<CostBound> cost_bounds(const SearchProblem& problem) {
  const Partners partners{problem.traffic, problem.objective};
  std::vector<CostBound> bounds;
  switch (problem.objective) {
    case Objective::average_dilation:
    case Objective::hop_bytes:
      bounds = sum_bounds(problem.topology, partners);
      break;
    case Objective::longest_dilation:
      bounds = longest_bounds(problem, partners);
      break;
    case Objective::link_load:
      bounds = link_bounds(problem, partners);
      break;
    case Objective::cc_time:
      bounds = cc_bounds(problem);
      break;
    case Objective::makespan:
      if (problem.makespan_bound) {
        bounds = {*problem.makespan_bound};
      } else {
        bounds = {{0, "nothing is known about the makespan of this program"}};
      }
      break;
  }
  std::ranges::stable_sort(bounds, std::greater{}, &CostBound::cost);
  return bounds;
}

}  // namespace dcube
