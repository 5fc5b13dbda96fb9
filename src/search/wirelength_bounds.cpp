#include "wirelength_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "cube_traffic.hpp"
#include "metrics/grid_kind.hpp"
#include "metrics/spheres.hpp"

namespace dcube {
namespace {

constexpr const char* theorem =
    "the minimum wirelength of a hypercube (Liu & Tang 2023; Tang, arXiv 2302.13237)";
constexpr const char* degree = "degree: the heaviest partners of a process on the nearest nodes";
constexpr const char* parity =
    "parity: every pair is a hop apart, and in every odd cycle of them one is two apart";
constexpr const char* nested =
    "nested cubes: the least wirelength of the k heaviest dimensions, for every k";

/// Puts each process's heaviest partners on the nodes next to it and the others farther out. Every
/// pair is seen from both ends.
std::uint64_t degree_bound(const Topology& topology, const Partners& partners) {
  const Spheres spheres =
      widest_spheres(topology, static_cast<std::uint32_t>(partners.most_partners()));
  std::uint64_t twice = 0;
  std::vector<std::uint64_t> weights;
  for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
    weights.clear();
    for (const Partner& partner : partners.of(process)) {
      weights.push_back(partner.weight);
    }
    std::ranges::sort(weights, std::greater{});
    std::size_t next = 0;
    for (std::size_t distance = 1; distance < spheres.size(); ++distance) {
      for (std::uint64_t i = 0; i < spheres[distance] && next < weights.size(); ++i) {
        twice += distance * weights[next++];
      }
    }
  }
  return (twice + 1) / 2;
}

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

}  // namespace

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

std::vector<CostBound> sum_bounds(const Topology& topology, const Partners& partners) {
  std::vector<CostBound> bounds{{degree_bound(topology, partners), degree}};
  if (const std::uint64_t two_apart = pairs_two_apart(topology, partners); two_apart > 0) {
    bounds.push_back({partners.total_weight() + two_apart, parity});
  }
  const auto weights = pair_weights_of_cube(partners);
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

}  // namespace dcube
