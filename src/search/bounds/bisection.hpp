#pragma once

#include <cstdint>

#include "dcube/search/partners.hpp"

namespace dcube {

/// Least weight that `least` to `most` processes exchange with the others, from eigenvalues; 0
/// where that would take long, or nothing follows.
std::uint64_t spectral_cut(const Partners& partners, std::uint64_t least, std::uint64_t most);

}  // namespace dcube
