#pragma once

#include <string>
#include <vector>

#include "dcube/search/search.hpp"

namespace dcube {

/// A structured embedding, named and made.
struct Start {
  std::string embedding;
  std::vector<NodeId> map;
};

/// Those that fit, each name once; at least identity. Processes of unknown shape whose number is a
/// power of two are also placed as the cube that their labels form.
std::vector<Start> structured_starts(const SearchProblem& problem);

}  // namespace dcube
