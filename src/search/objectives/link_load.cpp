#include "dcube/metrics/traffic_metrics.hpp"
#include "link_loads.hpp"
#include "search/bounds/bounds.hpp"
#include "search/proofs/partial_bound.hpp"

namespace dcube {
namespace {

std::uint64_t link_load_of(const SearchProblem& problem, std::span<const NodeId> map) {
  return measure_traffic(problem.topology, problem.traffic, map, problem.sharing,
                         HopWeights::ignored)
      .link_bytes.max;
}

}  // namespace

/// The bytes on the most loaded link.
const ObjectiveKind link_load_objective{
    .traits = {.name = "link-load",
               .quantity = "bytes on the busiest link",
               .counted = "byte",
               .place = "on the busiest link",
               .needs_routes = true,
               .is_reason = true,
               .models = {Objective::hop_bytes}},
    .most_cost =
        [](const SearchProblem& problem) { return UInt128{problem.traffic.total_bytes()}; },
    .cost = link_load_of,
    .map_cost = [](const SearchProblem& problem,
                   const Distances&) { return link_load_cost(problem, nullptr); },
    .bounds =
        [](const SearchProblem& problem) {
          return link_bounds(problem, Partners{problem.traffic, problem.objective});
        },
    .least_cost =
        [](const PartialBound& placed, std::uint64_t) {
          return placed.is_complete() ? link_load_of(placed.problem(), placed.map())
                                      : greatest_load_placed(placed, nullptr);
        }};

}  // namespace dcube
