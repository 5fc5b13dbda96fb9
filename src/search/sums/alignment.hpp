#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "placement.hpp"

namespace dcube {

/// The second map, moved by a symmetry of the machine so that as many processes as possible are
/// where the first map has them. The symmetry is put together dimension by dimension (which
/// dimension becomes which, reflections, translations where ends are joined), so there may be a
/// better one. The map itself on machines that are no whole grids.
std::vector<std::uint32_t> aligned_places(const PlacementProblem& problem,
                                          std::span<const std::uint32_t> fixed,
                                          std::span<const std::uint32_t> moved);

}  // namespace dcube
