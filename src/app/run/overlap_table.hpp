#pragma once

#include <string>

#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube::app {

/// Table of the collectives that processes started and waited for, with an empty line before it,
/// and a line for each that says to what its exposed time was lost. Empty where there are none.
std::string overlap_table(const Scenario& scenario, const Overlap& overlap, const Guest& guest);

}  // namespace dcube::app
