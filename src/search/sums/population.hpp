#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dcube/search/search.hpp"
#include "placement.hpp"

namespace dcube {

struct Individual {
  std::vector<std::uint32_t> places;
  std::uint64_t cost = 0;
  std::string origin;
};

/// Processes on these nodes, without an origin.
inline Individual individual_of(const PlacementProblem& problem, std::span<const NodeId> map) {
  Individual individual{problem.places_of(map), 0, {}};
  individual.cost = problem.cost_of(individual.places);
  return individual;
}

struct PopulationSettings {
  std::uint64_t seed = 1;
  std::uint64_t effort = 0;     ///< maps tried
  std::uint32_t agreement = 0;  ///< see AnnealingSettings
  std::uint32_t jobs = 1;       ///< threads; the result does not depend on their number
  std::uint64_t floor = 0;      ///< the search ends at a map of this cost
};

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

/// Places of the groups of processes that share a node, on better nodes: a search of its own, whose
/// result never costs more. `moves` grows by the maps tried.
std::vector<std::uint32_t> rearranged_places(const PlacementProblem& problem,
                                             std::span<const std::uint32_t> places,
                                             const PopulationSettings& settings,
                                             const SearchControl& control, std::uint64_t& moves);

}  // namespace dcube
