#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dcube/search/search.hpp"
#include "placement.hpp"

namespace dcube {

/// A map of a population.
struct Individual {
  std::vector<std::uint32_t> places;
  std::uint64_t cost = 0;
  std::string origin;
};

/// Settings of improve().
struct PopulationSettings {
  std::uint64_t seed = 1;
  std::uint64_t effort = 0;     ///< maps tried
  std::uint32_t agreement = 0;  ///< see AnnealingSettings
  std::uint32_t jobs = 1;       ///< threads; the result does not depend on their number
  std::uint64_t floor = 0;      ///< the search ends at a map of this cost
};

/// Result of improve().
struct PopulationResult {
  Individual best;
  std::uint64_t moves = 0;
  bool is_cut_short = false;
  bool has_agreed = false;
};

/// Improves sums of weight times distance. Walks of annealing from the given maps, from grown ones
/// and from random ones make a first population. Then pairs of maps are recombined, and tabu search
/// or annealing improves their children; the worst maps make room.
PopulationResult improve(const PlacementProblem& problem, std::vector<Individual> starts,
                         const PopulationSettings& settings, const SearchControl& control);

}  // namespace dcube
