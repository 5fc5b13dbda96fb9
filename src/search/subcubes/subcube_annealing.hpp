#pragma once

#include <cstdint>
#include <optional>

#include "dcube/search/subcubes.hpp"

namespace dcube {

/// anneal_subcubes(), or nothing when no mapping of the kind is drawn to begin with.
std::optional<SubcubeSearchResult> try_to_anneal(const SubcubeProblem& problem, MappingKind kind,
                                                 const SubcubeAnnealing& annealing,
                                                 std::uint64_t seed,
                                                 const SubcubeSearchProgress& progress);

}  // namespace dcube
