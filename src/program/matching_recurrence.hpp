#pragma once

#include <span>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/network/machine.hpp"
#include "matching_problem.hpp"

namespace dcube {

/// The time at which template matching ends without contention, from the clocks of all processes.
/// Where the problem uses the host, `machine` has the host as a node and `map` ends with the host's
/// process. O(processes). Throws InputError past 63 bits.
Ticks predict_matching(const Machine& machine, std::span<const NodeId> map,
                       const MatchingProblem& problem, const MatchingCosts& costs);

}  // namespace dcube
