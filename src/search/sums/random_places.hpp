#pragma once

#include <numeric>
#include <utility>
#include <vector>

#include "placement.hpp"
#include "search/walks/draws.hpp"

namespace dcube {

/// A map drawn evenly from all.
inline std::vector<std::uint32_t> random_places(const PlacementProblem& problem,
                                                SplitMix64& random) {
  std::vector<std::uint32_t> free(problem.place_count());
  std::iota(free.begin(), free.end(), 0U);
  for (std::size_t i = free.size(); i > 1; --i) {
    std::swap(free[i - 1], free[draw_below(random, i)]);
  }
  std::vector<std::uint32_t> places = problem.pinned_place;
  for (std::size_t i = 0; i < problem.movable.size(); ++i) {
    places[problem.movable[i]] = free[i];
  }
  return places;
}

}  // namespace dcube
