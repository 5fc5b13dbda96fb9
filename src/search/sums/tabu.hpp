#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "dcube/core/random.hpp"
#include "placement.hpp"

namespace dcube {

struct TabuLimits {
  std::uint64_t patience = 1;  ///< steps in a row that find nothing better
  std::uint64_t moves = 1;     ///< maps tried; there is a step at least
};

/// Robust tabu search (Taillard 1991): always the best exchange that does not bring two processes
/// back to where they were a short time ago, unless it leads to the best map so far.
class TabuSearch {
 public:
  virtual ~TabuSearch() = default;

  /// Returns the best map. Tells `stops(moves)` now and then how many maps it has tried since it
  /// last did, and asks whether to stop.
  virtual std::vector<std::uint32_t> run(std::span<const std::uint32_t> places,
                                         const TabuLimits& limits, SplitMix64& random,
                                         const std::function<bool(std::uint64_t)>& stops) = 0;
  /// Maps tried in a step. It weighs all exchanges, 64 of which take as long as annealing takes to
  /// try a map.
  virtual std::uint64_t moves_of_a_step() const = 0;
};

/// The table of exchanges grows with the square of the places.
inline constexpr std::uint32_t most_tabu_places = 256;

/// Nothing where the table would be too large. `problem` must outlive it.
std::unique_ptr<TabuSearch> make_tabu_search(const PlacementProblem& problem);

}  // namespace dcube
