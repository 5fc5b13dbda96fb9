#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

#include "allocation_bounds.hpp"
#include "core/mapped.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/search/search.hpp"
#include "goal_bounds.hpp"
#include "partners.hpp"
#include "topology/grid_kind.hpp"

// Bounds that no map can beat. docs/search.md derives each.

namespace dcube {
namespace {

constexpr const char* theorem =
    "the minimum wirelength of a hypercube (Liu & Tang 2023; Tang, arXiv 2302.13237)";
constexpr const char* degree = "degree: the heaviest partners of a process on the nearest nodes";
constexpr const char* degree_of_slots =
    "degree: the heaviest partners of a process on its own and the nearest nodes";
constexpr const char* parity =
    "parity: every pair is a hop apart, and in every odd cycle of them one is two apart";
constexpr const char* connection =
    "connection: processes that flows join fill so many nodes, and the lightest flows join those";
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

/// The most edges of a cube that can be inside nodes of so many slots. Any m processes have at most
/// f(m) edges among them, the sum of the bits of 0 .. m-1 (Harper 1964), so a process has at most
/// the greatest f(m) / m.
std::uint64_t most_edges_inside(std::uint64_t processes, std::uint32_t slots) {
  std::uint64_t most = 0;
  std::uint64_t edges = 0;
  for (std::uint64_t m = 1; m <= std::min<std::uint64_t>(slots, processes); ++m) {
    edges += static_cast<std::uint64_t>(std::popcount(m - 1));
    most = std::max(most, static_cast<std::uint64_t>(UInt128{processes} * edges / m));
  }
  return most;
}

/// A bound for the wirelength of a k-cube anywhere on the machine, from how many pairs of 2^k
/// processes can be within distance 0, 1, 2, .. of each other.
std::uint64_t cube_wirelength(const Topology& topology, std::uint32_t k, std::uint32_t slots) {
  const std::uint64_t processes = std::uint64_t{1} << k;
  const Spheres spheres = widest_spheres(topology, k);
  std::uint64_t taken = std::min(processes / 2 * k, most_edges_inside(processes, slots));
  std::uint64_t left = processes / 2 * k - taken;
  std::uint64_t sum = 0;
  std::uint64_t others_within = slots - 1;
  for (std::size_t distance = 1; left > 0; ++distance) {
    if (distance >= spheres.size()) {
      return sum + distance * left;
    }
    others_within = std::min(others_within + slots * spheres[distance], processes - 1);
    std::uint64_t most = processes * others_within / 2;
    if (distance == 1 && slots == 1 && is_grid(topology)) {
      most = std::min(most, most_inner_links(topology, processes));
    }
    const std::uint64_t here = std::min(left, most - std::min(most, taken));
    taken += here;
    left -= here;
    sum += distance * here;
  }
  return sum;
}

/// What is known of the wirelength of a k-cube that fills the machine, if anything is: the least
/// by the theorem where nodes have one slot, a bound where they have several.
std::optional<CostBound> filling_wirelength(const Topology& topology, std::uint32_t k,
                                            std::uint32_t slots) {
  const std::uint64_t processes = std::uint64_t{1} << k;
  if (processes != std::uint64_t{topology.node_count()} * slots) {
    return std::nullopt;
  }
  if (slots == 1) {
    const auto form = closed_form(topology, wraps_around(topology) ? "xor" : "standard");
    return form ? std::optional{CostBound{form->total_dilation, theorem}} : std::nullopt;
  }
  const DilationBound bound = dilation_bound(topology, Guest::cube(k), slots);
  const double edges = static_cast<double>(processes / 2 * k);
  // An inexact product is rounded down on purpose.
  constexpr double share = 1e-12;
  return CostBound{
      static_cast<std::uint64_t>(std::ceil(bound.average_dilation * edges * (1 - share) - 1e-6)),
      bound.source};
}

/// sum_k (w_(k) - w_(k+1)) * wirelength of the k heaviest dimensions, which form 2^(d-k) cubes.
std::uint64_t nested_bound(const Topology& topology, std::vector<std::uint64_t> weights,
                           std::uint32_t slots) {
  std::ranges::sort(weights, std::greater{});
  const auto d = static_cast<std::uint32_t>(weights.size());
  std::uint64_t sum = 0;
  for (std::uint32_t k = 1; k <= d; ++k) {
    const std::uint64_t step = weights[k - 1] - (k < d ? weights[k] : 0);
    if (step == 0) {
      continue;
    }
    const std::uint64_t wirelength =
        std::max(cube_wirelength(topology, k, slots),
                 filling_wirelength(topology, k, slots).value_or(CostBound{}).cost);
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
/// of hops apart, so at least two unless they can share a node. Returns the least weight of all
/// such pairs together, which is that of the lightest pair of every component with an odd cycle; 0
/// where nothing follows.
std::uint64_t pairs_two_apart(const SearchProblem& problem, const Partners& partners) {
  if (problem.slots > 1 || !is_bipartite(problem.topology)) {
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

/// Which processes pairs have joined so far.
class Joined {
 public:
  explicit Joined(std::uint32_t processes) : parent_(processes) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }

  std::uint32_t root(std::uint32_t process) {
    while (parent_[process] != process) {
      process = parent_[process] = parent_[parent_[process]];
    }
    return process;
  }

  /// Whether they were apart.
  bool join(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    parent_[a] = b;
    return a != b;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

/// Processes that pairs join are on at least as many nodes as they fill, and pairs between those
/// nodes join the nodes. The lightest that can are the first of a least spanning tree (Kruskal
/// 1956).
std::uint64_t least_between_nodes(const Partners& partners, std::uint32_t slots) {
  struct Pair {
    std::uint64_t weight;
    std::uint32_t process;
    std::uint32_t other;
  };
  std::vector<Pair> pairs;
  for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
    for (const Partner& partner : partners.of(process)) {
      if (process < partner.process.index()) {
        pairs.push_back({partner.weight, process, partner.process.index()});
      }
    }
  }
  std::ranges::stable_sort(pairs, {}, &Pair::weight);
  Joined joined{partners.process_count()};
  std::erase_if(pairs, [&](const Pair& pair) { return !joined.join(pair.process, pair.other); });
  std::vector<std::uint64_t> sizes(partners.process_count());
  for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
    ++sizes[joined.root(process)];
  }
  std::vector<std::uint64_t> left;  // pairs between the nodes of each component
  std::ranges::transform(sizes, std::back_inserter(left),
                         [&](std::uint64_t size) { return size == 0 ? 0 : (size - 1) / slots; });
  std::uint64_t sum = 0;
  for (const Pair& pair : pairs) {
    if (std::uint64_t& of_component = left[joined.root(pair.process)]; of_component > 0) {
      sum += pair.weight;
      --of_component;
    }
  }
  return sum;
}

/// Bounds for sums of weight times distance; at least one.
std::vector<CostBound> sum_bounds(const SearchProblem& problem, const Partners& partners) {
  const Topology& topology = problem.topology;
  const Spheres spheres =
      widest_spheres(topology, static_cast<std::uint32_t>(partners.most_partners()));
  std::vector<CostBound> bounds{{partners.least_distances(spheres, problem.slots),
                                 problem.slots == 1 ? degree : degree_of_slots}};
  if (const std::uint64_t two_apart = pairs_two_apart(problem, partners); two_apart > 0) {
    bounds.push_back({partners.total_weight() + two_apart, parity});
  }
  if (problem.slots > 1) {
    bounds.push_back({least_between_nodes(partners, problem.slots), connection});
  }
  const auto weights = partners.cube_weights();
  if (!weights || weights->empty()) {
    return bounds;
  }
  const bool is_uniform =
      std::ranges::adjacent_find(*weights, std::not_equal_to{}) == weights->end();
  const auto wirelength =
      filling_wirelength(topology, static_cast<std::uint32_t>(weights->size()), problem.slots);
  if (is_uniform && wirelength) {
    bounds.push_back({weights->front() * wirelength->cost, wirelength->source});
  }
  if (!is_uniform || !wirelength || problem.slots > 1) {
    bounds.push_back(
        {nested_bound(topology, *weights, problem.slots),
         wirelength ? fmt::format("{}; all of them: {}", nested, wirelength->source) : nested});
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
std::uint64_t growth_bound(const SearchProblem& problem, const Partners& partners) {
  // Every process gives a bound, and each costs a walk over all pairs; a few are enough.
  constexpr std::uint64_t most_processes = 512;
  constexpr std::uint64_t most_pairs = 200'000'000;
  const std::uint64_t looked_at = std::clamp<std::uint64_t>(
      most_pairs / std::max<std::uint64_t>(1, partners.total_weight()), 1, most_processes);
  Spheres within = widest_spheres(problem.topology, problem.topology.node_count());
  std::partial_sum(within.begin(), within.end(), within.begin());
  std::uint64_t longest = 0;
  const auto step = static_cast<std::uint32_t>(1 + partners.process_count() / looked_at);
  for (std::uint32_t process = 0; process < partners.process_count(); process += step) {
    std::uint64_t steps = 0;
    for (const std::uint64_t count : reach(partners, process)) {
      ++steps;
      const auto hops =
          std::ranges::lower_bound(within, divided_up(count, problem.slots)) - within.begin();
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
      {growth_bound(problem, partners),
       fmt::format("growth: the processes within t steps of one need as many {} within t times the "
                   "longest dilation",
                   problem.slots == 1 ? "nodes" : "slots")}};
  if (pairs_two_apart(problem, partners) > 0) {
    bounds.push_back({2, "parity: no odd cycle of flows has flows of one hop alone"});
  }
  const auto weights = partners.cube_weights();
  if (problem.topology.kind() == "line" && weights &&
      std::ranges::find(*weights, 0U) == weights->end()) {
    // Of two processes that are so many slots apart.
    bounds.push_back(
        {cube_bandwidth(weights->size()) / problem.slots,
         problem.slots == 1
             ? "the bandwidth of a hypercube (Harper 1966), which by_weight reaches"
             : "the bandwidth of a hypercube (Harper 1966), in nodes of so many slots"});
  }
  return bounds;
}

/// The bytes that cross between the halves of a machine that a cube fills. They are at least those
/// of the cube's lightest dimension.
std::optional<CostBound> bisection_bound(const SearchProblem& problem, const Partners& partners) {
  const auto weights = partners.cube_weights();
  const std::uint64_t nodes = problem.topology.node_count();
  if (!weights || weights->empty() || partners.process_count() != problem.slot_count() ||
      !is_grid(problem.topology)) {
    return std::nullopt;
  }
  const std::uint64_t bytes = std::ranges::min(*weights) * (partners.process_count() / 2);
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

/// The amounts but for the `left_out` greatest, together.
std::uint64_t sum_without_greatest(std::vector<std::uint64_t>& amounts, std::uint32_t left_out) {
  const auto first = static_cast<std::ptrdiff_t>(std::min<std::size_t>(left_out, amounts.size()));
  std::ranges::nth_element(amounts, amounts.begin() + first, std::greater{});
  return std::accumulate(amounts.begin() + first, amounts.end(), std::uint64_t{0});
}

/// Everything that a process sends, or receives, crosses the links of its node, except what it
/// exchanges with those that can share the node.
CostBound node_bound(const SearchProblem& problem, const Partners& partners) {
  std::vector<std::vector<std::uint64_t>> out(problem.traffic.process_count());
  std::vector<std::vector<std::uint64_t>> in(problem.traffic.process_count());
  for (const Flow& flow : problem.traffic.flows()) {
    out[flow.from.index()].push_back(flow.bytes);
    in[flow.to.index()].push_back(flow.bytes);
  }
  std::size_t links = 1;
  for (std::uint32_t node = 0; node < problem.topology.node_count(); ++node) {
    links = std::max(links, problem.topology.neighbours(NodeId{node}).size());
  }
  std::uint64_t most = 0;
  const std::uint32_t beside = problem.slots - 1;
  for (std::uint32_t process = 0; process < out.size(); ++process) {
    if (problem.sharing == LinkSharing::directed) {
      most = std::max({most, sum_without_greatest(out[process], beside),
                       sum_without_greatest(in[process], beside)});
    } else {
      auto both = mapped(partners.of(process), &Partner::weight);
      most = std::max(most, sum_without_greatest(both, beside));
    }
  }
  return {divided_up(most, links),
          problem.slots == 1
              ? "node: what the busiest process sends or receives, over the links of a node"
              : "node: what the busiest process sends to other nodes or receives from them, over "
                "the links of a node"};
}

std::vector<CostBound> link_bounds(const SearchProblem& problem, const Partners& partners) {
  const CostBound hops = greatest(sum_bounds(problem, partners));
  const std::uint64_t links =
      problem.topology.link_count() * (problem.sharing == LinkSharing::directed ? 2 : 1);
  std::vector<CostBound> bounds{
      {divided_up(hops.cost, links), "mean: the least hop-bytes over all links; " + hops.source},
      node_bound(problem, partners)};
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
  const CostBound hops = greatest(sum_bounds(problem, pairs));
  const auto stages = static_cast<std::uint64_t>(std::countr_zero(processes));
  const std::uint64_t computing = stages * static_cast<std::uint64_t>(problem.cc_compute.count());
  const auto hop = static_cast<std::uint64_t>(problem.cc_hop.count());
  std::vector<CostBound> bounds{{computing + divided_up(hops.cost, processes) * hop,
                                 "stages, and the mean distances of a process; " + hops.source}};
  if (problem.slots > 1) {
    const auto local = static_cast<std::uint64_t>(problem.cc_local.count());
    bounds.push_back({computing + stages * std::min(hop, local),
                      "stages, each with a message inside a node or over a link"});
  }
  return bounds;
}

}  // namespace

std::vector<CostBound> bounds_on_nodes(const SearchProblem& problem) {
  const Partners partners{problem.traffic, problem.objective};
  std::vector<CostBound> bounds;
  switch (problem.objective) {
    case Objective::average_dilation:
    case Objective::hop_bytes:
      bounds = sum_bounds(problem, partners);
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
    case Objective::link_time:
      bounds = link_time_bounds(problem);
      break;
    case Objective::weighted_sum:
      bounds = weighted_bounds(problem);
      break;
    case Objective::makespan:
      if (problem.makespan_bound) {
        bounds = {*problem.makespan_bound};
      } else {
        bounds = {{0, "nothing is known about the makespan of this program"}};
      }
      break;
  }
  return bounds;
}

}  // namespace dcube
