#pragma once

#include <cstdint>
#include <vector>

#include "dcube/core/random.hpp"
#include "placement.hpp"

namespace dcube {

/// On larger machines a process is placed near its heaviest partner, and other places are not
/// looked at.
inline constexpr std::uint32_t most_compared_places = 4096;

/// Places one process after the other, the one that is bound most to those placed before, where it
/// adds least. Of places that add as little, it takes one from which the other processes that share
/// partners with it are reached over as many nodes. So it finds most regular graphs in machines of
/// their shape. The first process and its place, and what is left open, are drawn.
/// O(compared places x flows).
std::vector<std::uint32_t> grown_places(const PlacementProblem& problem, SplitMix64& random);

}  // namespace dcube
