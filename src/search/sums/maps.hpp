#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/mapped.hpp"
#include "dcube/core/random.hpp"
#include "dcube/search/search.hpp"
#include "placement.hpp"
#include "search/walks/draws.hpp"

// Maps that are drawn, made or put together, each way in a file of its name.

namespace dcube {

/// A map drawn evenly from all.
inline std::vector<std::uint32_t> random_places(const PlacementProblem& problem,
                                                SplitMix64& random) {
  std::vector<std::uint32_t> free = numbered(problem.place_count());
  shuffle(free, random);
  std::vector<std::uint32_t> places = problem.pinned_place;
  for (std::size_t i = 0; i < problem.movable.size(); ++i) {
    places[problem.movable[i]] = free[i];
  }
  return places;
}

/// On larger machines a process is placed near its heaviest partner, and other places are not
/// looked at.
inline constexpr std::uint32_t most_compared_places = 4096;

/// Places one process after the other, the one that is bound most to those placed before, where it
/// adds least. Of places that add as little, it takes one from which the other processes that share
/// partners with it are reached over as many nodes. So it finds most regular graphs in machines of
/// their shape. The first process and its place, and what is left open, are drawn.
/// O(compared places x flows).
std::vector<std::uint32_t> grown_places(const PlacementProblem& problem, SplitMix64& random);

/// The second map, moved by a symmetry of the machine so that as many processes as possible are
/// where the first map has them. The symmetry is put together dimension by dimension (which
/// dimension becomes which, reflections, translations where ends are joined), so there may be a
/// better one. The map itself on machines that are no whole grids.
std::vector<std::uint32_t> aligned_places(const PlacementProblem& problem,
                                          std::span<const std::uint32_t> fixed,
                                          std::span<const std::uint32_t> moved);

/// A map made of two, which are aligned first. Half of the time it has what they agree about, and
/// of the rest here the place of one, there that of the other. Otherwise it has one map on the
/// nodes around a drawn one, and the other elsewhere, so that whole neighbourhoods stay together.
/// Processes for which neither place is free go to the nearest free ones.
std::vector<std::uint32_t> recombined(const PlacementProblem& problem,
                                      std::span<const std::uint32_t> first,
                                      std::span<const std::uint32_t> second, SplitMix64& random);

/// A map that costs at most as much, found in cycles of at most so many maps in all: processes of a
/// node with heavy traffic are joined in pairs, these pairs in pairs again, and so on. Then groups
/// go to other nodes wherever that pays, from the largest to single processes (Walshaw 2004).
/// `stops(moves)` is told now and then how many maps were tried since the last time.
std::vector<std::uint32_t> regrouped_places(const PlacementProblem& problem,
                                            std::span<const std::uint32_t> places,
                                            std::uint64_t moves, SplitMix64& random,
                                            const std::function<bool(std::uint64_t)>& stops);

/// Limit of places; machines with more are made coarser.
inline constexpr std::uint32_t most_places_searched_whole = 128;

/// A map made from coarse to fine: processes with heavy traffic are joined in pairs, these pairs in
/// pairs again, and so on, while the nodes of a grid become blocks of two, four, .. nodes. The few
/// blocks at the end are searched as a machine of their own; then each block comes apart, and
/// annealing mends every level (Hendrickson & Leland 1995; Karypis & Kumar 1998). Nothing unless
/// the machine is a whole grid that can be halved often, with one slot a node and no pins.
std::optional<std::vector<NodeId>> multilevel_map(const SearchProblem& problem, std::uint64_t seed,
                                                  std::uint32_t jobs, const SearchControl& control);

}  // namespace dcube
