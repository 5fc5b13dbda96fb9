#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dcube/core/random.hpp"
#include "population.hpp"
#include "swap_annealing.hpp"

namespace dcube {

// A map in two steps, for nodes with several slots: processes are parted into groups that fit on a
// node, so that little traffic leaves a group. Then each group is placed as one process of a
// machine whose nodes have one slot (Mercier & Jeannot 2011).

/// Places of groups that less traffic leaves, on any nodes: annealing by exchanges from `places`,
/// which tries `moves` maps. `apart`: the problem's apart(). Asks `stops()` now and then.
std::vector<std::uint32_t> parted_places(const PlacementProblem& apart,
                                         std::vector<std::uint32_t> places, const Cooling& cooling,
                                         std::uint64_t moves, SplitMix64& random,
                                         const std::function<bool()>& stops);

/// Places of the same groups on better nodes: a search of its own, whose result never costs more.
/// `moves` grows by the maps tried.
std::vector<std::uint32_t> rearranged_places(const PlacementProblem& problem,
                                             std::span<const std::uint32_t> places,
                                             const PopulationSettings& settings,
                                             const SearchControl& control, std::uint64_t& moves);

}  // namespace dcube
