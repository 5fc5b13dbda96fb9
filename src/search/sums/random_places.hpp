#pragma once

#include <numeric>
#include <vector>

#include "placement.hpp"
#include "search/walks/draws.hpp"

namespace dcube {

/// A map drawn evenly from all.
inline std::vector<std::uint32_t> random_places(const PlacementProblem& problem,
                                                SplitMix64& random) {
  std::vector<std::uint32_t> free(problem.place_count());
  std::iota(free.begin(), free.end(), 0U);
  shuffle(free, random);
  std::vector<std::uint32_t> places = problem.pinned_place;
  for (std::size_t i = 0; i < problem.movable.size(); ++i) {
    places[problem.movable[i]] = free[i];
  }
  return places;
}

}  // namespace dcube
