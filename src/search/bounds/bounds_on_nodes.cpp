#include <algorithm>
#include <functional>
#include <iterator>
#include <vector>

#include "bounds.hpp"

namespace dcube {
namespace {

constexpr const char* parity =
    "parity: every pair is a hop apart, and in every odd cycle of them one is two apart";

}  // namespace

std::vector<CostBound> sum_bounds(const SearchProblem& problem, const Partners& partners) {
  std::vector<CostBound> bounds{degree_bound(problem, partners)};
  if (const std::uint64_t two_apart = pairs_two_apart(problem, partners); two_apart > 0) {
    bounds.push_back({partners.total_weight() + two_apart, parity});
  }
  if (problem.slots > 1) {
    bounds.push_back(connection_bound(problem, partners));
  }
  std::ranges::move(cube_bounds(problem, partners), std::back_inserter(bounds));
  if (CostBound sections = section_bound(problem, partners); sections.cost > 0) {
    bounds.push_back(std::move(sections));
  }
  constexpr std::uint32_t most_processes = 1024;
  if (partners.process_count() > most_processes || is_least_known(problem, partners)) {
    return bounds;
  }
  if (const auto distances = SlotDistances::of(problem)) {
    for (const CostBound& bound :
         {gilmore_lawler_bound(*distances, partners), spread_bound(problem, *distances, partners),
          projection_bound(problem, *distances, partners)}) {
      if (bound.cost > 0) {
        bounds.push_back(bound);
      }
    }
  }
  return bounds;
}

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
