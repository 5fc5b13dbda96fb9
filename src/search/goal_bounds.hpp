#pragma once

#include <optional>
#include <vector>

#include "dcube/search/search.hpp"

namespace dcube {

// Bounds that follow from those of other objectives.

/// A link takes at least as long as its bytes on the fastest link, so what bounds the bytes of the
/// busiest link bounds its time.
std::vector<CostBound> link_time_bounds(const SearchProblem& problem);

/// Every map costs at least the weighted sum of the bounds of the terms.
std::vector<CostBound> weighted_bounds(const SearchProblem& problem);

/// Bounds on the box of usable nodes, where that is as good as a machine of its own: they are
/// greater than those of the whole machine. Not for sums and link_time, whose bounds follow from
/// others.
std::vector<CostBound> box_bounds(const SearchProblem& problem);

/// What enumeration bounds a map by before it tries any: pinned processes where they are, the
/// partners of the others on the free nodes nearest to the best place for them. Nothing unless
/// processes are pinned or nodes are left out, or where that takes long.
std::optional<CostBound> placed_bound(const SearchProblem& problem);

}  // namespace dcube
