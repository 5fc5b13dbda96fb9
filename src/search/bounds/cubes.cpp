#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "bounds.hpp"
#include "dcube/metrics/guest_edges.hpp"
#include "dcube/metrics/spheres.hpp"
#include "dcube/topology/grid_kind.hpp"

namespace dcube {
namespace {

constexpr const char* theorem =
    "the minimum wirelength of a hypercube (Liu & Tang 2023; Tang, arXiv 2302.13237)";
constexpr const char* nested =
    "nested cubes: the least wirelength of the k heaviest dimensions, for every k";

/// Whether so many lines in c dimensions, up to c * count, are too few for `count` nodes: fewer
/// than c * count^((c-1)/c). Both sides to the c-th power, over (c * count)^(c-1) * c.
bool are_too_few(std::uint64_t lines, std::uint64_t c, std::uint64_t count) {
  const auto dimensions = static_cast<double>(c);
  const double share = static_cast<double>(lines) / (dimensions * static_cast<double>(count));
  double power = static_cast<double>(lines) / dimensions;
  for (std::uint64_t i = 1; i < c; ++i) {
    power *= share;
  }
  // Less than 3 c roundings, each by 2^-53 at most.
  return power * (1 + static_cast<double>(c) * 0x1p-49) < 1;
}

/// Least number of lines of a set of `count` nodes; 0 where there are no dimensions.
std::uint64_t least_lines(std::uint64_t dimensions, std::uint64_t count) {
  std::uint64_t lines = 0;
  for (std::uint64_t step = std::bit_floor(dimensions * count); step > 0; step /= 2) {
    const std::uint64_t more = lines + step;
    if (more <= dimensions * count && are_too_few(more - 1, dimensions, count)) {
      lines = more;
    }
  }
  return lines;
}

/// The most links that a set of `count` nodes of a grid can have inside. A line of n of its nodes
/// has n - 1, a whole cycle n, and there are at least c * count^((c-1)/c) lines in the c dimensions
/// together (Loomis & Whitney 1949, and the inequality of means).
std::uint64_t most_inner_links(const Topology& topology, std::uint64_t count) {
  std::uint64_t dimensions = 0;
  std::uint64_t cycles = 0;
  for (std::size_t d = 0; d < topology.dimension_count(); ++d) {
    dimensions += topology.shape()[d] > 1 ? 1 : 0;
    cycles += is_cycle(topology, d) ? count / topology.shape()[d] : 0;
  }
  return dimensions * count - least_lines(dimensions, count) + cycles;
}

/// The pairs between m processes of a k-cube and the others are at least these (Harper 1964). They
/// are exactly these for the first m processes.
std::vector<std::uint64_t> least_cuts(std::uint32_t k) {
  std::vector<std::uint64_t> cuts{0};
  std::uint64_t inside = 0;
  for (std::uint64_t m = 1; m <= std::uint64_t{1} << k; ++m) {
    inside += static_cast<std::uint64_t>(std::popcount(m - 1));
    cuts.push_back(k * m - 2 * inside);
  }
  return cuts;
}

/// The least wirelength of a k-cube on a line, link by link: the processes on one side of each are
/// at most `slots` more than at the link before.
std::uint64_t cube_on_line(std::uint32_t k, std::uint32_t slots) {
  const std::vector<std::uint64_t> cuts = least_cuts(k);
  std::vector<std::uint64_t> least(cuts.size());
  for (std::size_t m = 1; m < cuts.size(); ++m) {
    const auto before = least.begin() + static_cast<std::ptrdiff_t>(m);
    const auto first = before - static_cast<std::ptrdiff_t>(std::min<std::size_t>(slots, m));
    least[m] = cuts[m] + *std::min_element(first, before);
  }
  return least.back();
}

/// A bound for the wirelength of a k-cube on a ring of an even number of nodes. Two nodes are as
/// many hops apart as there are pairs of opposite links that part them. One turn around the ring,
/// half of it has a, .., 2^k - a processes and again a, where a is the least that any half has, and
/// as many at each step but for one.
std::uint64_t cube_on_ring(std::uint64_t nodes, std::uint32_t k) {
  const std::vector<std::uint64_t> cuts = least_cuts(k);
  const std::uint64_t processes = std::uint64_t{1} << k;
  std::uint64_t between = 0;  // cuts of a + 1, .., 2^k - a - 1
  std::uint64_t bound = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();  // of a, .., 2^k - a
  for (std::uint64_t below = 0; below <= processes / 2; ++below) {
    const std::uint64_t a = processes / 2 - below;
    const std::uint64_t values = below == 0 ? 0 : 2 * below - 1;
    if (below > 0) {
      between += below == 1 ? cuts[a + 1] : 2 * cuts[a + 1];
    }
    least = std::min(least, cuts[a]);
    if (values <= nodes / 2) {
      bound = std::min(bound, between + (nodes / 2 - values) * least);
    }
  }
  return bound;
}

/// Bound on a machine of one dimension; 0 on others, and where it would take long.
std::uint64_t cube_in_one_dimension(const Topology& topology, std::uint32_t k,
                                    std::uint32_t slots) {
  constexpr std::uint64_t most_steps = 10'000'000;
  const auto is_long = [](std::uint32_t side) { return side > 1; };
  if (!is_grid(topology) || std::ranges::count_if(topology.shape(), is_long) != 1 ||
      (std::uint64_t{slots} << k) > most_steps) {
    return 0;
  }
  const std::uint64_t nodes = topology.node_count();
  if (has_open_ends(topology)) {
    return cube_on_line(k, slots);
  }
  return slots == 1 && nodes % 2 == 0 ? cube_on_ring(nodes, k) : 0;
}

/// A bound for the wirelength of a k-cube anywhere on the machine, from how many pairs of 2^k
/// processes can be within distance 0, 1, 2, .. of each other.
std::uint64_t cube_of_near_pairs(const Topology& topology, std::uint32_t k, std::uint32_t slots) {
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

/// Wirelength of a k-cube that fills the machine, if anything is known: the least by the theorem
/// where nodes have one slot, a bound where they have several.
std::optional<CostBound> filling_wirelength(const Topology& topology, std::uint32_t k,
                                            std::uint32_t slots) {
  const std::uint64_t processes = std::uint64_t{1} << k;
  if (processes != std::uint64_t{topology.node_count()} * slots) {
    return std::nullopt;
  }
  if (slots == 1) {
    const bool wraps = wraps_around(topology);
    const auto form = closed_form(topology, wraps ? "xor" : "standard");
    return form && (wraps || has_open_ends(topology))
               ? std::optional{CostBound{form->total_dilation, theorem}}
               : std::nullopt;
  }
  DilationBound bound = dilation_bound(topology, Guest::cube(k), slots);
  return CostBound{bound.total_dilation, std::move(bound.source)};
}

/// sum_k (w_(k) - w_(k+1)) * wirelength of the k heaviest dimensions, which form 2^(d-k) cubes.
std::uint64_t nested_bound(const Topology& topology, std::vector<std::uint64_t> weights,
                           std::uint32_t slots) {
  std::ranges::sort(weights, std::greater{});
  const auto d = static_cast<std::uint32_t>(weights.size());
  constexpr std::uint32_t most_sectioned = 6;
  std::uint64_t sum = 0;
  for (std::uint32_t k = 1; k <= d; ++k) {
    const std::uint64_t step = weights[k - 1] - (k < d ? weights[k] : 0);
    if (step == 0) {
      continue;
    }
    const std::uint64_t wirelength =
        std::max({cube_of_near_pairs(topology, k, slots), cube_in_one_dimension(topology, k, slots),
                  k <= most_sectioned ? grid_section_bound(topology, slots, least_cuts(k)) : 0,
                  filling_wirelength(topology, k, slots).value_or(CostBound{}).cost});
    sum += step * (wirelength << (d - k));
  }
  return sum;
}

bool is_uniform(const std::vector<std::uint64_t>& weights) {
  return std::ranges::adjacent_find(weights, std::not_equal_to{}) == weights.end();
}

}  // namespace

bool is_least_known(const SearchProblem& problem, const Partners& partners) {
  const auto weights = partners.cube_weights();
  return weights && problem.slots == 1 && !weights->empty() && is_uniform(*weights) &&
         filling_wirelength(problem.topology, static_cast<std::uint32_t>(weights->size()), 1);
}

std::vector<CostBound> cube_bounds(const SearchProblem& problem, const Partners& partners) {
  std::vector<CostBound> bounds;
  const auto weights = partners.cube_weights();
  if (!weights || weights->empty()) {
    return bounds;
  }
  const auto wirelength = filling_wirelength(
      problem.topology, static_cast<std::uint32_t>(weights->size()), problem.slots);
  if (is_uniform(*weights) && wirelength) {
    bounds.push_back({weights->front() * wirelength->cost, wirelength->source});
  }
  if (!is_uniform(*weights) || !wirelength || problem.slots > 1) {
    bounds.push_back(
        {nested_bound(problem.topology, *weights, problem.slots),
         wirelength ? fmt::format("{}; all of them: {}", nested, wirelength->source) : nested});
  }
  return bounds;
}

}  // namespace dcube
