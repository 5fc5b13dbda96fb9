#pragma once

#include <vector>

#include "dcube/search/search.hpp"

namespace dcube {

/// The structured embeddings that fit, each name once; identity always does. 2^d processes are also
/// placed as the cube that their labels form.
std::vector<Start> structured_starts(const SearchProblem& problem);

}  // namespace dcube
