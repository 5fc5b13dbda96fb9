#pragma once

#include <numeric>
#include <utility>
#include <vector>

#include "placement.hpp"
#include "search/draws.hpp"

namespace dcube {

/// A map drawn evenly from all.
inline std::vector<std::uint32_t> random_places(const PlacementProblem& problem,
                                                SplitMix64& random) {
  std::vector<std::uint32_t> places(problem.place_count());
  std::iota(places.begin(), places.end(), 0U);
  for (std::size_t i = places.size(); i > 1; --i) {
    std::swap(places[i - 1], places[draw_below(random, i)]);
  }
  places.resize(problem.process_count());
  return places;
}

}  // namespace dcube
