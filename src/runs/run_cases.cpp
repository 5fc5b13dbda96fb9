#include "dcube/runs/run_cases.hpp"

#include "dcube/core/errors.hpp"
#include "dcube/core/interrupt.hpp"
#include "execute.hpp"
#include "store.hpp"

namespace dcube {

CaseRecords run_cases(const Cases& cases, const std::filesystem::path& folder,
                      const SimulationLimits& limits, Shard shard) {
  expects(shard.index < shard.count, "a shard is one of those that there are");
  RunStore store{cases, folder, folder.string()};
  const InterruptWatch interrupt;
  const ExecutionLimits execution{jobs_at_once(limits.at_once, cases.largest_run_bytes()),
                                  limits.timeout, shard};
  const auto tell = [&](const RunsProgress& progress) {
    if (limits.on_progress) {
      limits.on_progress(progress.done, progress.total);
    }
  };
  CaseRecords made;
  made.was_interrupted = !execute(cases, store, execution, interrupt, tell);
  store.refresh();
  for (std::size_t run = 0; run < cases.run_count(); ++run) {
    const RunRecord* const record = store.record(run);
    made.records.push_back(record != nullptr ? std::optional{*record} : std::nullopt);
  }
  return made;
}

}  // namespace dcube
