#pragma once

#include "dcube/core/params.hpp"

namespace dcube {

/// Warns of costs in a machine that only a forgotten unit explains: above a millisecond beside a
/// bandwidth, and rates below 1 kB/s. Its settings have been read, so they are valid.
void warn_of_machine_units(const Params& machine);

/// Warns of computing times of 10 s and more that are numbers without a unit. Likewise.
void warn_of_program_units(const Params& program);

}  // namespace dcube
