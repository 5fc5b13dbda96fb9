#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/options/options.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/report/page.hpp"
#include "dcube/runs/child_batch.hpp"
#include "report/timeline.hpp"

namespace dcube::app {

/// run_in_children() for jobs that simulate, with a line that says how many are done. `what`:
/// "simulating".
std::vector<ChildResult> run_showing_progress(std::string_view what,
                                              const std::vector<std::function<std::string()>>& jobs,
                                              const BatchLimits& limits,
                                              const InterruptWatch& interrupt,
                                              ProgressOutput output = ProgressOutput::on_terminal);

/// Repeats every run in a child process and adds its timeline, or a note why it has none. Shows the
/// window of time alone, where there is one. A repetition that differs is complained about and
/// noted, too. False when SIGINT has come.
bool add_timelines(std::vector<report::ReportedRun>& runs,
                   const std::optional<report::TimeWindow>& window, const JobsOption& jobs,
                   const InterruptWatch& interrupt);

}  // namespace dcube::app
