#pragma once

#include <string_view>

#include "dcube/core/params.hpp"
#include "dcube/scenario/experiments.hpp"

namespace dcube {

/// Any number; `what` completes "x is not ..". Throws InputError.
double real_number(const Params& group, std::string_view key, std::string_view what);

/// The figure that a point gives as "printed" or "expected". Throws InputError.
Reference read_reference(const Params& point);

}  // namespace dcube
