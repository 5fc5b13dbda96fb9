#include "dcube/questions/compare.hpp"

#include <utility>

#include "chosen_runs.hpp"

namespace dcube {

Comparison compare(const CompareRequest& request, const SimulationLimits& limits) {
  if (!request.embeddings.empty()) {
    check_hosts_option(request.scenario.hosts, request.embeddings);
  }
  const InterruptWatch interrupt;  // building many scenarios takes its time, too
  std::vector<ComparedRun> runs = chosen_runs(request);
  Comparison comparison = comparison_of(request, runs);
  const ProgressListener on_progress = [&](std::size_t ended) {
    if (limits.on_progress) {
      limits.on_progress(ended, runs.size());
    }
  };
  simulate_runs(runs, {jobs_at_once(limits.at_once, largest_run_bytes(runs)), limits.timeout},
                interrupt, on_progress, [](ComparedRun&) {});
  take_rows(comparison, runs);
  return comparison;
}

}  // namespace dcube
