#include <algorithm>
#include <limits>
#include <vector>

#include "bounds.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "search/objectives/hop_lengths.hpp"
#include "search/pairs.hpp"

namespace dcube {
namespace {

/// Whether no closed walk has an odd number of links.
bool is_bipartite(const Topology& topology) {
  bool is_even = is_grid(topology);
  for (std::size_t d = 0; is_even && d < topology.dimension_count(); ++d) {
    is_even = !is_cycle(topology, d) || topology.shape()[d] % 2 == 0;
  }
  return is_even;
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

/// On a machine without odd cycles a pair is an odd number of hops apart where it crosses the cut
/// between nodes of two colours.
std::uint64_t sum_unit(const SearchProblem& problem, const Partners& partners) {
  const std::uint64_t unit = common_divisor(partners);
  const bool is_even =
      !weighs_hops(problem) && is_bipartite(problem.topology) && are_cuts_even(partners, unit);
  return is_even ? 2 * unit : unit;
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

}  // namespace dcube
