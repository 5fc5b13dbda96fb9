#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "dcube/core/random.hpp"
#include "placement.hpp"

namespace dcube {

/// Robust tabu search (Taillard 1991): always the best exchange that does not bring two processes
/// back to where they were a short time ago, unless it leads to the best map so far.
class TabuSearch {
 public:
  virtual ~TabuSearch() = default;

  /// Goes on until `patience` steps in a row have found nothing better, then returns the best map.
  /// Asks `stops()` now and then.
  virtual std::vector<std::uint32_t> run(std::span<const std::uint32_t> places,
                                         std::uint32_t patience, SplitMix64& random,
                                         const std::function<bool()>& stops) = 0;
  /// What all steps so far count, in maps tried.
  virtual std::uint64_t moves() const = 0;
};

/// The table of exchanges grows with the square of the places.
inline constexpr std::uint32_t most_tabu_places = 512;

/// Nothing where the table would be too large. `problem` must outlive it.
std::unique_ptr<TabuSearch> make_tabu_search(const PlacementProblem& problem);

}  // namespace dcube
