#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "dcube/search/search.hpp"
#include "metrics/grid_kind.hpp"
#include "partners.hpp"

// Bounds that no map can beat. docs/search.md derives each.

namespace dcube {
namespace {

constexpr const char* theorem =
    "the minimum wirelength of a hypercube (Liu & Tang 2023; Tang, arXiv 2302.13237)";
constexpr const char* degree = "degree: the heaviest partners of a process on the nearest nodes";
constexpr const char* parity =
    "parity: every pair is a hop apart, and in every odd cycle of them one is two apart";
constexpr const char* nested =
    "nested cubes: the least wirelength of the k heaviest dimensions, for every k";

/// The most links that a set of `count` nodes of a grid can have inside. A line of n of its nodes
/// has n - 1, a whole cycle n, and there are at least c * count^((c-1)/c) lines in the c dimensions
/// together (Loomis & Whitney 1949, and the inequality of means).
std::uint64_t most_inner_links(const Topology& topology, std::uint64_t count) {
  double dimensions = 0;
  std::uint64_t cycles = 0;
  for (const std::uint32_t side : topology.shape()) {
    dimensions += side > 1 ? 1 : 0;
    cycles += wraps_around(topology) && side > 2 ? count / side : 0;
  }
  if (dimensions == 0) {
    return 0;
  }
  const double lines =
      dimensions * std::pow(static_cast<double>(count), (dimensions - 1) / dimensions);
  // An inexact power is rounded down on purpose: fewer lines allow more links.
  const auto least_lines = static_cast<std::uint64_t>(std::ceil(lines - 1e-6));
  return static_cast<std::uint64_t>(dimensions) * count - least_lines + cycles;
}

/// A bound for the wirelength of a k-cube anywhere on the machine, from how many pairs of 2^k nodes
/// can be within distance 1, 2, .. of each other.
std::uint64_t cube_wirelength(const Topology& topology, std::uint32_t k) {
  const std::uint64_t processes = std::uint64_t{1} << k;
  const Spheres spheres = widest_spheres(topology, k);
  std::uint64_t left = processes / 2 * k;
  std::uint64_t sum = 0;
  std::uint64_t pairs_within = 0;  // twice, to stay whole
  std::uint64_t taken = 0;
  for (std::size_t distance = 1; left > 0; ++distance) {
    if (distance >= spheres.size()) {
      return sum + distance * left;
    }
    pairs_within += processes * spheres[distance];
    std::uint64_t most = pairs_within / 2;
    if (distance == 1 && is_grid(topology)) {
      most = std::min(most, most_inner_links(topology, processes));
    }
    const std::uint64_t here = std::min(left, most - std::min(most, taken));
    taken += here;
    left -= here;
    sum += distance * here;
  }
  return sum;
}

/// The wirelength that the theorem gives for a cube that fills the machine, if it gives one.
std::optional<std::uint64_t> theorem_wirelength(const Topology& topology, std::uint32_t k) {
  const auto form = closed_form(topology, wraps_around(topology) ? "xor" : "standard");
  if (!form || std::uint64_t{1} << k != topology.node_count()) {
    return std::nullopt;
  }
  return form->total_dilation;
}

/// sum_k (w_(k) - w_(k+1)) * wirelength of the k heaviest dimensions, which form 2^(d-k) cubes.
std::uint64_t nested_bound(const Topology& topology, std::vector<std::uint64_t> weights) {
  std::ranges::sort(weights, std::greater{});
  const auto d = static_cast<std::uint32_t>(weights.size());
  std::uint64_t sum = 0;
  for (std::uint32_t k = 1; k <= d; ++k) {
    const std::uint64_t step = weights[k - 1] - (k < d ? weights[k] : 0);
    if (step == 0) {
      continue;
    }
    const std::uint64_t wirelength =
        std::max(cube_wirelength(topology, k), theorem_wirelength(topology, k).value_or(0));
    sum += step * (wirelength << (d - k));
  }
  return sum;
}

/// Whether no closed walk has an odd number of links.
bool is_bipartite(const Topology& topology) {
  return is_grid(topology) && std::ranges::all_of(topology.shape(), [&](std::uint32_t side) {
           return !wraps_around(topology) || side <= 2 || side % 2 == 0;
         });
}

/// Processes that pairs of any weight but 0 join.
struct Component {
  bool has_odd_cycle = false;
  std::uint64_t lightest = std::numeric_limits<std::uint64_t>::max();  ///< pair
};

/// Colours the component of `first` in two colours as far as possible.
Component component_of(const Partners& partners, std::uint32_t first, std::vector<char>& colour) {
  Component component;
  colour[first] = 1;
  std::vector<std::uint32_t> waiting{first};
  while (!waiting.empty()) {
    const std::uint32_t process = waiting.back();
    waiting.pop_back();
    for (const Partner& partner : partners.of(process)) {
      if (partner.weight == 0) {
        continue;
      }
      char& other = colour[partner.process.index()];
      component.lightest = std::min(component.lightest, partner.weight);
      component.has_odd_cycle |= other == colour[process];
      if (other == 0) {
        other = static_cast<char>(3 - colour[process]);
        waiting.push_back(partner.process.index());
      }
    }
  }
  return component;
}

/// On a machine without odd cycles, an odd cycle of pairs has a pair whose ends are an even number
/// of hops apart, so at least two. Returns the least weight of all such pairs together, which is
/// that of the lightest pair of every component with an odd cycle; 0 where nothing follows.
std::uint64_t pairs_two_apart(const Topology& topology, const Partners& partners) {
  if (!is_bipartite(topology)) {
    return 0;
  }
  std::uint64_t weight = 0;
  std::vector<char> colour(partners.process_count());
  for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
    if (colour[process] == 0) {
      const Component component = component_of(partners, process, colour);
      weight += component.has_odd_cycle ? component.lightest : 0;
    }
  }
  return weight;
}

/// Bounds for sums of weight times distance; at least one.
std::vector<CostBound> sum_bounds(const Topology& topology, const Partners& partners) {
  const Spheres spheres =
      widest_spheres(topology, static_cast<std::uint32_t>(partners.most_partners()));
  std::vector<CostBound> bounds{{partners.least_distances(spheres), degree}};
  if (const std::uint64_t two_apart = pairs_two_apart(topology, partners); two_apart > 0) {
    bounds.push_back({partners.total_weight() + two_apart, parity});
  }
  const auto weights = partners.cube_weights();
  if (!weights || weights->empty()) {
    return bounds;
  }
  const bool is_uniform =
      std::ranges::adjacent_find(*weights, std::not_equal_to{}) == weights->end();
  const auto wirelength = theorem_wirelength(topology, static_cast<std::uint32_t>(weights->size()));
  if (is_uniform && wirelength) {
    bounds.push_back({weights->front() * *wirelength, theorem});
  } else {
    bounds.push_back({nested_bound(topology, *weights),
                      wirelength ? fmt::format("{}; all of them: {}", nested, theorem) : nested});
  }
  return bounds;
}

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
  const auto weights = partners.cube_weights();
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
  const auto weights = partners.cube_weights();
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
