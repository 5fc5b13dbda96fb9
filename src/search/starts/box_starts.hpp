#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dcube/search/search.hpp"

namespace dcube {

/// The grid that the numbers of the processes show: most bytes go over a few differences 1 = s1,
/// s2, .., each a multiple of the one before, which are its strides. Nothing unless there are two
/// to five of them.
std::optional<Guest> shape_by_strides(const Traffic& traffic);

/// The embedding "boxes" of each of these shapes and of shape_by_strides(), with the box of the
/// fewest hop-bytes among those that fill a node; where nodes have several slots.
std::vector<Start> box_starts(const SearchProblem& problem, std::span<const Guest> guests);

}  // namespace dcube
