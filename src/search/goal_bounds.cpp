#include "goal_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

namespace dcube {

std::vector<CostBound> link_time_bounds(const SearchProblem& problem) {
  std::uint64_t fastest = std::numeric_limits<std::uint64_t>::max();
  for (std::uint32_t link = 0; link < problem.topology.link_slots(); ++link) {
    if (problem.topology.link(LinkId{link})) {
      fastest = std::min(fastest, problem.rates.units[link]);
    }
  }
  if (problem.topology.link_count() == 0) {
    return {{0, "the machine has no links"}};
  }
  std::vector<CostBound> bounds = cost_bounds(problem.with_objective(Objective::link_load));
  for (CostBound& bound : bounds) {
    bound.cost = problem.rates.time_of(bound.cost * fastest);
    bound.source = fmt::format("link load, on the fastest link; {}", bound.source);
  }
  return bounds;
}

std::vector<CostBound> weighted_bounds(const SearchProblem& problem) {
  CostBound sum;
  for (const ObjectiveTerm& term : problem.terms) {
    const CostBound bound = cost_bounds(problem.with_objective(term.objective)).front();
    sum.cost += term.weight * bound.cost;
    sum.source += fmt::format("{}{}: {}", sum.source.empty() ? "the bounds of the terms: " : "; ",
                              to_string(term.objective), bound.source);
  }
  return {sum};
}

}  // namespace dcube
