#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcube/embedding/subcube.hpp"

namespace dcube {

/// All `dimensions`-subcubes of the cube, those with the same free positions together.
std::vector<Subcube> all_subcubes(std::uint32_t cube_dimensions, std::uint32_t dimensions);

/// Whether `address` stands for all those that the symmetries of the cube that leave every one of
/// `placed` in its place turn it into. Positions with the same symbols in all of `placed` can be
/// permuted, so that * come first there, then 0, then 1; where all hold * (or nothing is placed) 0
/// and 1 are alike, and it has 0.
bool is_first_of_its_kind(std::span<const Subcube> placed, const Subcube& address);

}  // namespace dcube
