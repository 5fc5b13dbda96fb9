#include <algorithm>
#include <bit>
#include <vector>

#include "bounds.hpp"

namespace dcube {

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

}  // namespace dcube
