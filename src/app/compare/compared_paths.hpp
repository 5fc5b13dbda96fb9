#pragma once

#include <string>

#include "comparison.hpp"

namespace dcube::app {

// What the critical paths of compared runs go on, where they were looked for.

/// For people: a table, and where they differ a sentence on the fastest run and the one it is held
/// against (either may be null). Empty when no path was looked for.
std::string compared_paths(const Comparison& comparison, const ComparisonRow* best,
                           const ComparisonRow* other);

}  // namespace dcube::app
