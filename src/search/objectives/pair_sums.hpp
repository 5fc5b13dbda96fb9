#pragma once

#include "objective_kind.hpp"

// The functions of objectives that add up a weight times a distance over all pairs of processes.

namespace dcube {

std::unique_ptr<MapCost> pair_sum_cost(const SearchProblem& problem, const Distances& distances);
std::vector<CostBound> pair_sum_bounds(const SearchProblem& problem);
std::uint64_t least_pair_sum(const PartialBound& placed, std::uint64_t limit);

}  // namespace dcube
