#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dcube/embedding/traffic.hpp"

namespace dcube {

/// Numbers for the processes of a cube that are numbered in another way, so that partners differ in
/// one bit. Nothing where the flows are not those of a cube, or where the processes have such
/// numbers already. The heaviest dimension of process 0 is the lowest.
std::optional<std::vector<std::uint32_t>> hidden_cube(const Traffic& traffic);

/// The traffic in which process p has the number `numbers[p]`.
Traffic renumbered(const Traffic& traffic, const std::vector<std::uint32_t>& numbers);

}  // namespace dcube
