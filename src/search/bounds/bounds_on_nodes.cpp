#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "bounds.hpp"

namespace dcube {
namespace {

constexpr const char* parity =
    "parity: every pair is a hop apart, and in every odd cycle of them one is two apart";

void add_table_bounds(const SearchProblem& problem, const std::optional<SlotDistances>& distances,
                      const Partners& partners, std::vector<CostBound>& bounds) {
  if (!distances) {
    return;
  }
  for (const CostBound& bound :
       {gilmore_lawler_bound(*distances, partners), spread_bound(problem, *distances, partners),
        projection_bound(problem, *distances, partners),
        group_bound(problem, distances, partners)}) {
    if (bound.cost > 0) {
      bounds.push_back(bound);
    }
  }
}

constexpr std::uint32_t most_processes_of_table = 1024;

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
  if (is_least_known(problem, partners)) {
    return bounds;
  }
  std::optional<SlotDistances> distances;
  if (partners.process_count() <= most_processes_of_table) {
    distances = SlotDistances::of(problem);
  }
  if (distances) {
    add_table_bounds(problem, distances, partners, bounds);
  } else if (CostBound bound = group_bound(problem, distances, partners); bound.cost > 0) {
    bounds.push_back(std::move(bound));
  }
  return bounds;
}

std::vector<CostBound> weighted_sum_bounds(const SearchProblem& problem, const Partners& partners) {
  std::vector<CostBound> bounds;
  if (partners.process_count() <= most_processes_of_table) {
    add_table_bounds(problem, SlotDistances::weighted(problem), partners, bounds);
  }
  return bounds;
}

}  // namespace dcube
