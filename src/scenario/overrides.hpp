#pragma once

#include <string>

#include "dcube/core/params.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube {

/// The document with the value at the override's pointer (RFC 6901) replaced. Missing keys are
/// created, "-" appends to a list; anything else that is missing is an InputError (place "--set").
Params with_override(const Params& document, const Override& change);

/// Is the pointer below the one-token pointer "/`key`"?
bool points_below(const Override& change, std::string_view key);

}  // namespace dcube
