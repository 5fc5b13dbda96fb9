#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcube/core/random.hpp"
#include "placement.hpp"

namespace dcube {

/// A map made of two, which are aligned first. Half of the time it has what they agree about, and
/// of the rest here the place of one, there that of the other. Otherwise it has one map on the
/// nodes around a drawn one, and the other elsewhere, so that whole neighbourhoods stay together.
/// Processes for which neither place is free go to the nearest free ones.
std::vector<std::uint32_t> recombined(const PlacementProblem& problem,
                                      std::span<const std::uint32_t> first,
                                      std::span<const std::uint32_t> second, SplitMix64& random);

}  // namespace dcube
