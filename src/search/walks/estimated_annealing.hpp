#pragma once

#include <cstdint>
#include <vector>

#include "dcube/core/random.hpp"
#include "dcube/search/search.hpp"
#include "time_model.hpp"

namespace dcube {

/// The map of least estimate by a TimeModel with these weights, on a walk of so many steps from
/// `map`: a step takes less than a hundredth of the time of a simulation, and some of such maps are
/// faster than what simulations find around other starts. The same on every run unless
/// control.should_stop() ends it.
std::vector<NodeId> anneal_estimate(const SearchProblem& problem, std::vector<NodeId> map,
                                    const TimeModel::Weights& weights, std::uint64_t steps,
                                    SplitMix64& random, const SearchControl& control);

}  // namespace dcube
