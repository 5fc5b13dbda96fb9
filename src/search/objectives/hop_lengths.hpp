#pragma once

#include <memory>
#include <vector>

#include "dcube/search/search.hpp"
#include "distances.hpp"

namespace dcube {

/// Whether the objective counts weights of links, and some weigh more than 1.
bool weighs_hops(const SearchProblem& problem);

/// Distances as the objective counts them: hops, or lengths of routes by weights.
Distances distances_of(const SearchProblem& problem);

/// distances_of() where the objective counts weights; null where hops do.
std::shared_ptr<const Distances> weighted_distances(const SearchProblem& problem);

/// The models of the objective (ObjectiveTraits::models) that can be searched for on the machine.
std::vector<Objective> usable_models(const SearchProblem& problem);

/// Throws InputError (no place) unless sums of lengths stay within 63 bits, and routes there and
/// back weigh the same.
void check_hop_weights(const SearchProblem& problem);

}  // namespace dcube
