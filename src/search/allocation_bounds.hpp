#pragma once

#include <vector>

#include "dcube/search/search.hpp"

namespace dcube {

/// Bounds that do not ask which part of the machine is left or who is pinned; at least one.
/// cost_bounds() looks at both, too.
std::vector<CostBound> bounds_on_nodes(const SearchProblem& problem);

}  // namespace dcube
