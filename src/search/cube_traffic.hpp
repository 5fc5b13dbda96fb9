#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "partners.hpp"

namespace dcube {

/// The weight of a pair along each dimension, when the pairs are those of a cube and all pairs of a
/// dimension weigh the same; 0 for a dimension without flows.
std::optional<std::vector<std::uint64_t>> pair_weights_of_cube(const Partners& partners);

}  // namespace dcube
