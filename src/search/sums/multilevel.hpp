#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "dcube/search/search.hpp"

namespace dcube {

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
