#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcube/embedding/subcube.hpp"

namespace dcube {

/// All subcubes of the cube with so many dimensions; those with * at the same positions follow each
/// other. Throws MemoryError when there are too many.
std::vector<Subcube> all_subcubes(std::uint32_t cube_dimensions, std::uint32_t dimensions);

/// Whether `address` represents its class under the symmetries of the cube that keep every one of
/// `placed`. Positions at which all of `placed` hold the same symbols can be permuted: there the
/// representative has * first, then 0, then 1. Where all of `placed` hold *, or nothing is placed,
/// 0 and 1 can be exchanged, and the representative has 0.
bool is_first_of_its_kind(std::span<const Subcube> placed, const Subcube& address);

}  // namespace dcube
