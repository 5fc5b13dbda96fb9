#pragma once

#include <vector>

#include "places.hpp"

namespace dcube {

/// Places of terminals in a product of blocks, then of the switches, block by block. Copies of what
/// is inside of a block are panels; its switches are in rows below them, those of the next block
/// above, and so on.
std::vector<Place> places_of_blocks(const std::vector<const Topology*>& units);

}  // namespace dcube
