#include "goal_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "box.hpp"
#include "distances.hpp"
#include "partial_bound.hpp"

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

std::vector<CostBound> box_bounds(const SearchProblem& problem) {
  if (problem.objective == Objective::weighted_sum || problem.objective == Objective::link_time) {
    return {};
  }
  const std::optional<Box> box = box_of_usable_nodes(problem.topology);
  if (!box || !box->keeps_routes) {
    return {};
  }
  std::vector<CostBound> bounds = cost_bounds({.topology = *box->topology,
                                               .traffic = problem.traffic,
                                               .objective = problem.objective,
                                               .slots = problem.slots,
                                               .guest = problem.guest,
                                               .sharing = problem.sharing,
                                               .cc_compute = problem.cc_compute,
                                               .cc_hop = problem.cc_hop,
                                               .cc_local = problem.cc_local});
  for (CostBound& bound : bounds) {
    bound.source += fmt::format(", in the {}", describe(*box->topology));
  }
  return bounds;
}

std::optional<CostBound> placed_bound(const SearchProblem& problem) {
  constexpr std::uint64_t most_pairs = std::uint64_t{1} << 21U;
  const std::uint64_t nodes = problem.topology.usable_count();
  if ((!problem.has_pins() && !problem.has_unusable_nodes()) || nodes * nodes > most_pairs ||
      std::uint64_t{problem.topology.node_count()} * problem.traffic.process_count() >
          2 * most_pairs) {
    return std::nullopt;
  }
  const Distances distances{problem.topology};
  PartialBounds bounds{problem, distances};
  for (std::uint32_t process = 0; process < problem.pins.size(); ++process) {
    if (problem.is_pinned(process)) {
      bounds.place(process, *problem.pins[process]);
    }
  }
  return CostBound{bounds.least_cost(std::numeric_limits<std::uint64_t>::max()),
                   problem.has_pins() ? "places: pinned processes where they are, the partners of "
                                        "each on the nearest nodes that are left"
                                      : "places: the partners of a process on the nearest of the "
                                        "nodes that may host any"};
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
