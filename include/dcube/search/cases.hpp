#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "dcube/search/search.hpp"

namespace dcube {

/// What a branch and bound starts from.
struct CasesSettings {
  std::uint64_t reached = 0;            ///< cost of a map, above 0; cases that reach it are closed
  std::uint64_t bound = 0;              ///< of all maps, if one is known
  std::uint32_t jobs = 1;               ///< threads
  std::function<bool()> should_stop{};  ///< polled often, by one thread at a time
  std::function<void(std::uint64_t)> on_bound{};  ///< called with each greater bound, like that
};

struct PlacementCasesResult {
  /// No map costs less. That of the best map, if nothing has ended the work early.
  std::uint64_t bound = 0;
  std::uint64_t cases = 0;  ///< how many were bounded
  /// The cost of a better map than the one that was known, and the map, if there is one.
  std::uint64_t cost = 0;
  std::vector<NodeId> map{};
};

/// Whether place_by_cases() takes the problem: a sum of weight times distance on at most 24 slots,
/// all of which reach each other.
bool has_placement_cases(const SearchProblem& problem);

/// Branch and bound over placements: a case gives some processes their nodes, and a dual ascent
/// (Hahn & Grant 1998) bounds what the others add, in whole numbers. Of choices that symmetries of
/// the machine or equal processes make alike one is tried. Ends when no map costs less than the
/// best one, and is then the same on every run.
std::optional<PlacementCasesResult> place_by_cases(const SearchProblem& problem,
                                                   const CasesSettings& settings);

struct FlowPartsBound {
  std::uint64_t cost = 0;   ///< no map costs less
  std::uint64_t cases = 0;  ///< partial placements that were bounded
};

/// A sum of least costs of parts of the flows (Fischetti, Monaci & Salvagnin 2012). A part has a
/// few classes of processes that are clones in it, so few placements differ; what is left of the
/// flows is split again. The first parts have one class, later ones more, until the bound is
/// reached, no flow is left out, or should_stop() ends it. They end early where parts of one class
/// come to far less than the bound given.
///
/// Nothing unless the objective is a sum of weight times distance, with a slot a node, no pins, and
/// at most 128 nodes that may host, all of which reach each other.
std::optional<FlowPartsBound> bound_by_parts(const SearchProblem& problem,
                                             const CasesSettings& settings);

}  // namespace dcube
