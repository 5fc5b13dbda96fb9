#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/runs/child_batch.hpp"
#include "progress.hpp"

namespace dcube::app {

/// run_in_children() for jobs that simulate, with a line that says how many are done. `what`:
/// "simulating".
std::vector<ChildResult> run_showing_progress(std::string_view what,
                                              const std::vector<std::function<std::string()>>& jobs,
                                              const BatchLimits& limits,
                                              const InterruptWatch& interrupt,
                                              ProgressOutput output = ProgressOutput::on_terminal,
                                              const JobEndListener& on_end = {});

}  // namespace dcube::app
