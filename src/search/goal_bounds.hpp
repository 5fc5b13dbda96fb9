#pragma once

#include <vector>

#include "dcube/search/search.hpp"

namespace dcube {

// Bounds that follow from those of other objectives.

/// A link takes at least as long as its bytes on the fastest link, so what bounds the bytes of the
/// busiest link bounds its time.
std::vector<CostBound> link_time_bounds(const SearchProblem& problem);

/// Every map costs at least the weighted sum of the bounds of the terms.
std::vector<CostBound> weighted_bounds(const SearchProblem& problem);

}  // namespace dcube
