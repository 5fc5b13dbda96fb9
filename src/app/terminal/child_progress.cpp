#include "child_progress.hpp"

#include <fmt/format.h>

#include "dcube/engine/simulator.hpp"

namespace dcube::app {

std::vector<ChildResult> run_showing_progress(std::string_view what,
                                              const std::vector<std::function<std::string()>>& jobs,
                                              const BatchLimits& limits,
                                              const InterruptWatch& interrupt,
                                              ProgressOutput output, const JobEndListener& on_end) {
  if (!jobs.empty()) {
    load_simulator();
  }
  Progress progress{output, what};
  return run_in_children(
      jobs, limits, interrupt,
      [&](std::size_t ended) { progress.show(fmt::format("{} of {} done", ended, jobs.size())); },
      on_end);
}

}  // namespace dcube::app
