#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "partners.hpp"

namespace dcube {

/// The weight of every pair along each dimension (0: no flows there) when the pairs are those of a
/// cube and a dimension's all weigh the same.
std::optional<std::vector<std::uint64_t>> pair_weights_of_cube(const Partners& partners);

}  // namespace dcube
