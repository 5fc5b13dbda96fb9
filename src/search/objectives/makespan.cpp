#include "dcube/core/errors.hpp"
#include "objective_kind.hpp"

namespace dcube {

/// The picoseconds of a simulation.
const ObjectiveKind makespan_objective{
    .traits = {.name = "makespan",
               .quantity = "makespan, s",
               .is_time = true,
               .flow_weight = FlowWeight::one,
               .is_simulated = true,
               // A program that exchanges the same bytes over fewer hops, or over links that are
               // less busy, often ends earlier.
               .models = {Objective::hop_bytes, Objective::link_load}},
    .check =
        [](const SearchProblem& problem) {
          expects(problem.simulate != nullptr, "a makespan comes with its simulation");
        },
    .bounds =
        [](const SearchProblem& problem) {
          return std::vector{problem.makespan_bound.value_or(
              CostBound{0, "nothing is known about the makespan of this program"})};
        }};

}  // namespace dcube
