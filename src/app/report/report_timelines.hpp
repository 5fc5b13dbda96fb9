#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/terminal/interrupt.hpp"
#include "report/page.hpp"
#include "report/timeline.hpp"

namespace dcube::app {

struct TimelineOptions {
  std::optional<report::TimeWindow> window;  ///< nothing: the whole run
  std::string jobs;                          ///< --jobs
};

/// Repeats every run in a child process and adds its timeline, or a note why it has none. A
/// repetition that differs is complained about and noted, too. False when SIGINT has come.
bool add_timelines(std::vector<report::ReportedRun>& runs, const TimelineOptions& options,
                   const InterruptWatch& interrupt);

}  // namespace dcube::app
