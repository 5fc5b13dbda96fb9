#pragma once

#include <memory>
#include <vector>

#include "dcube/topology/hop_weights.hpp"
#include "objective_kind.hpp"

namespace dcube {

/// Whether the objective counts weights of links, and some weigh more than 1.
inline bool weighs_hops(const SearchProblem& problem) {
  return kind_of(problem.objective).weighs_hops && !hop_weights_of(problem.topology).empty();
}

/// Distances as the objective counts them: hops, or lengths of routes by weights.
inline Distances distances_of(const SearchProblem& problem) {
  return weighs_hops(problem) ? Distances::weighted(problem.topology) : Distances{problem.topology};
}

/// distances_of() where the objective counts weights; null where hops do.
inline std::shared_ptr<const Distances> weighted_distances(const SearchProblem& problem) {
  return weighs_hops(problem)
             ? std::make_shared<const Distances>(Distances::weighted(problem.topology))
             : nullptr;
}

/// The models of the objective (ObjectiveTraits::models) that can be searched for on the machine.
inline std::vector<Objective> usable_models(const SearchProblem& problem) {
  std::vector<Objective> models = traits_of(problem.objective).models;
  std::erase_if(models, [&](Objective model) { return !is_usable(problem.with_objective(model)); });
  return models;
}

}  // namespace dcube
