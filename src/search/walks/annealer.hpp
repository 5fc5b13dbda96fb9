#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "affine_map.hpp"
#include "dcube/core/random.hpp"
#include "dcube/search/partners.hpp"
#include "dcube/search/search.hpp"
#include "moves.hpp"
#include "search/starts/traffic_grid.hpp"
#include "temperature.hpp"

namespace dcube {

inline constexpr std::string_view affine_walk = "annealing: affine maps over GF(2)";
inline constexpr std::string_view node_walk = "annealing: swaps, blocks and reversals";

/// Flows of a process, both ways.
inline std::uint64_t mean_partners(const SearchProblem& problem) {
  return 2 * problem.traffic.flows().size() / std::max(1U, problem.traffic.process_count());
}

/// Common part of annealing with computed and with simulated costs: how maps change, the best map
/// so far (of those of least cost the one of least energy), and when to stop.
class Annealer {
 protected:
  /// `stream` tells the random numbers of one way of annealing from those of another. The caller is
  /// asked whether to stop after every `poll_interval` moves.
  Annealer(const SearchProblem& problem, const AnnealingSettings& settings,
           const SearchControl& control, std::uint64_t stream, std::uint64_t poll_interval)
      : problem_{problem},
        settings_{settings},
        control_{control},
        poll_interval_{poll_interval},
        partners_{problem.traffic, problem.objective},
        cube_numbers_{hidden_cube(problem.traffic)},
        moves_{problem, partners_},
        random_{hash_of(settings.seed, stream)},
        floor_{settings.bound ? *settings.bound : cost_bounds(problem).front().cost} {
    found_.cost = std::numeric_limits<std::uint64_t>::max();
  }

  void offer(std::span<const NodeId> map, std::uint64_t cost, double energy,
             std::string_view origin) {
    if (cost < found_.cost || (cost == found_.cost && energy < energy_)) {
      found_.map.assign(map.begin(), map.end());
      found_.cost = cost;
      found_.origin = origin;
      energy_ = energy;
    }
  }

  /// The map as an affine one, of the numbers in the hidden cube if there is one. A walk over such
  /// maps needs every node, and moves every process.
  std::optional<AffineMap> affine_map(std::span<const NodeId> map) const {
    if (problem_.has_unusable_nodes() || problem_.has_pins()) {
      return std::nullopt;
    }
    std::vector<NodeId> of_numbers{map.begin(), map.end()};
    for (std::size_t process = 0; cube_numbers_ && process < map.size(); ++process) {
      of_numbers[(*cube_numbers_)[process]] = map[process];
    }
    return AffineMap::of(of_numbers, problem_.topology.node_count(), problem_.slots);
  }

  std::vector<NodeId> map_of(const AffineMap& affine) const {
    const std::vector<NodeId> of_numbers = affine.map();
    std::vector<NodeId> map = of_numbers;
    for (std::size_t process = 0; cube_numbers_ && process < map.size(); ++process) {
      map[process] = of_numbers[(*cube_numbers_)[process]];
    }
    return map;
  }

  /// Whether the bound is reached, or the caller wants to stop.
  bool is_over() { return is_over(found_.moves); }
  /// The same where effort is not a number of maps.
  bool is_over(std::uint64_t done) {
    if (found_.is_cut_short || found_.cost == floor_) {
      return true;
    }
    if (found_.moves % poll_interval_ == 0) {
      found_.is_cut_short = control_.stops_at({done, settings_.effort, found_.cost});
    }
    return found_.is_cut_short;
  }

  const SearchProblem& problem_;
  const AnnealingSettings& settings_;
  const SearchControl& control_;
  std::uint64_t poll_interval_;
  Partners partners_;
  std::optional<std::vector<std::uint32_t>> cube_numbers_;  ///< by process
  Moves moves_;
  SplitMix64 random_;
  std::uint64_t floor_;
  Temperature temperature_;
  FoundMap found_;
  double energy_ = 0;  ///< of the best map
};

FoundMap anneal_computed(const SearchProblem& problem, const AnnealingSettings& settings,
                         const SearchControl& control);
FoundMap anneal_simulated(const SearchProblem& problem, const AnnealingSettings& settings,
                          const SearchControl& control);

}  // namespace dcube
