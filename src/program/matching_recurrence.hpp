#pragma once

#include <span>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/network/machine.hpp"
#include "matching_problem.hpp"

namespace dcube {

/// When template matching ends without contention: the clock of every process, carried through what
/// it computes, sends and receives. `machine` has the host as a node where the problem uses it, and
/// `map` the host's process as its last. O(processes). Throws InputError past 63 bits.
Ticks predict_matching(const Machine& machine, std::span<const NodeId> map,
                       const MatchingProblem& problem, const MatchingCosts& costs);

}  // namespace dcube
