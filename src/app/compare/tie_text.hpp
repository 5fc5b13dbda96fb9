#pragma once

#include <functional>
#include <string>

#include "dcube/questions/comparison.hpp"

namespace dcube::app {

/// Text on what rests on ties: runs whose makespans change much, and orders that need not hold,
/// when computing times vary by little. Empty when nothing does. `label`: what a row is called.
std::string tie_text(const Comparison& comparison,
                     const std::function<std::string(const ComparisonRow&)>& label);

}  // namespace dcube::app
