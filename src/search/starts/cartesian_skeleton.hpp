#pragma once

#include <optional>

#include "dcube/search/partners.hpp"

namespace dcube {

/// The pairs along the sides of a grid whose processes exchange with all around them, as in
/// stencils of 9 and 27 points: the Cartesian skeleton of a strong product (Hammack & Imrich, "On
/// Cartesian skeletons of graphs", Ars Math. Contemp. 2, 2009). Nothing where processes have other
/// numbers of partners than in such grids of lines of 3 and rings of 4 or more, or where it takes
/// long.
std::optional<Partners> cartesian_skeleton(const Partners& partners);

}  // namespace dcube
