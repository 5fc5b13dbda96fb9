#pragma once

#include <cstddef>
#include <string>

#include "dcube/questions/sweep.hpp"

namespace dcube::app {

/// Table for people: a row for each group of seeds, at most `most_rows`.
std::string sweep_text(const StudyResults& results, const SweepView& view, std::size_t most_rows);
/// The state of a folder and of the commands that work on it.
std::string sweep_status_text(Sweep& sweep);

}  // namespace dcube::app
