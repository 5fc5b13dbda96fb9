#pragma once

#include <string>
#include <vector>

#include "dcube/runs/results.hpp"
#include "dcube/runs/study.hpp"

namespace dcube {

/// Builds and runs a run of the study in this process and measures it. What does not fit is
/// `refused`, with the reason.
RunRecord make_run(const Study& study, std::size_t run);

/// A run that did not end by itself.
RunRecord failed_run(const Study& study, std::size_t run, Outcome outcome, std::string problem);

}  // namespace dcube
