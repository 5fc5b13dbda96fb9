#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>

#include "bounds.hpp"
#include "core/mapped.hpp"
#include "dcube/topology/hop_weights.hpp"
#include "search/objectives/distances.hpp"
#include "search/objectives/hop_lengths.hpp"
#include "search/objectives/objective_kind.hpp"
#include "search/proofs/partial_bound.hpp"
#include "search/starts/starts.hpp"
#include "search/starts/traffic_grid.hpp"

namespace dcube {
namespace {

/// Bounds on the box of usable nodes, where that is as good as a machine of its own: they say no
/// less than those of the whole machine. None where it is not. Rates are those of the machine's own
/// links, and the bounds of a sum follow from those of its terms, which may be on the box.
std::vector<CostBound> box_bounds(const SearchProblem& problem) {
  const ObjectiveTraits& traits = traits_of(problem.objective);
  if (traits.is_composed || traits.needs_rates || traits.is_simulated) {
    return {};
  }
  const std::optional<Box> box = box_of_usable_nodes(problem.topology);
  if (!box || !box->keeps_routes) {
    return {};
  }
  std::vector<CostBound> bounds = cost_bounds(problem.with(*box->topology, problem.traffic));
  for (CostBound& bound : bounds) {
    bound.source += fmt::format(", in the {}", describe(*box->topology));
  }
  return bounds;
}

/// Bound that enumeration has before it tries any map: pinned processes where they are, the
/// partners of the others on the free nodes nearest to the best place for them. Nothing unless
/// processes are pinned or nodes are left out, or where that takes long.
std::optional<CostBound> placed_bound(const SearchProblem& problem) {
  constexpr std::uint64_t most_pairs = std::uint64_t{1} << 21U;
  const std::uint64_t nodes = problem.topology.usable_count();
  if (traits_of(problem.objective).is_simulated ||
      (!problem.has_pins() && !problem.has_unusable_nodes()) || nodes * nodes > most_pairs ||
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

/// A cube whose processes are numbered in another way has the bounds of the cube.
std::vector<CostBound> bounds_in_any_order(const SearchProblem& problem) {
  const ObjectiveKind& kind = kind_of(problem.objective);
  const auto numbers =
      kind.traits.is_simulated || problem.has_pins() ? std::nullopt : hidden_cube(problem.traffic);
  if (!numbers) {
    return kind.bounds(problem);
  }
  const Traffic cube = renumbered(problem.traffic, *numbers);
  return kind.bounds(problem.with(problem.topology, cube));
}

/// Turns bounds of hops into those of weights, and adds bounds from lengths of routes.
void count_weights(const SearchProblem& problem, std::vector<CostBound>& bounds) {
  const std::uint64_t least = HopLengths{problem.topology}.least_weight();
  for (CostBound& bound : bounds) {
    bound.cost *= least;
    bound.source += least > 1 ? fmt::format(", and every hop weighs at least {}", least) : "";
  }
  std::ranges::move(weighted_sum_bounds(problem, Partners{problem.traffic, problem.objective}),
                    std::back_inserter(bounds));
}

void raise_to_multiples(std::uint64_t unit, UnitInSource in_source,
                        std::vector<CostBound>& bounds) {
  for (CostBound& bound : bounds) {
    if (bound.cost % unit != 0) {
      bound.cost = divided_up(bound.cost, unit) * unit;
      bound.source += in_source == UnitInSource::named
                          ? fmt::format("; every such sum is a multiple of {}", unit)
                          : "";
    }
  }
}

}  // namespace

std::vector<CostBound> cost_bounds(const SearchProblem& problem, UnitInSource unit) {
  std::vector<CostBound> bounds = box_bounds(problem);
  if (bounds.empty()) {
    bounds = bounds_in_any_order(problem);
  }
  if (weighs_hops(problem)) {
    count_weights(problem, bounds);
  }
  if (const auto placed = placed_bound(problem)) {
    bounds.push_back(*placed);
  }
  std::ranges::stable_sort(bounds, std::greater{}, &CostBound::cost);
  if (traits_of(problem.objective).is_sum) {
    raise_to_multiples(sum_unit(problem, Partners{problem.traffic, problem.objective}), unit,
                       bounds);
  }
  return bounds;
}

std::string take_refuted(std::vector<CostBound>& bounds, const FoundMap& found) {
  std::vector<std::uint64_t> costs = mapped(found.starts, &StartValue::cost);
  costs.push_back(found.cost);
  return take_refuted(bounds, std::ranges::min(costs));
}

}  // namespace dcube
