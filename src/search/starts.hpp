#pragma once

#include <vector>

#include "dcube/search/search.hpp"

namespace dcube {

/// Those that fit, each name once; at least identity. Processes of unknown shape whose number is a
/// power of two are also placed as the cube that their labels form.
std::vector<Start> structured_starts(const SearchProblem& problem);

}  // namespace dcube
