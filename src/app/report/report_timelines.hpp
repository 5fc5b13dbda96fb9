#pragma once

#include <optional>
#include <vector>

#include "app/options/options.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/report/page.hpp"
#include "report/timeline.hpp"

namespace dcube::app {

/// Repeats every run in a child process and adds its timeline, or a note why it has none. Shows the
/// window of time alone, where there is one. A repetition that differs is complained about and
/// noted, too. False when SIGINT has come.
bool add_timelines(std::vector<report::ReportedRun>& runs,
                   const std::optional<report::TimeWindow>& window, const JobsOption& jobs,
                   const InterruptWatch& interrupt);

}  // namespace dcube::app
