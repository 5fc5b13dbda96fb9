#include "dcube/runs/run_study.hpp"

#include "dcube/core/errors.hpp"
#include "execute.hpp"
#include "interrupt.hpp"
#include "store.hpp"

namespace dcube {

StudyRecords run_study(const Study& study, const std::filesystem::path& folder,
                       const SimulationLimits& limits, Shard shard) {
  expects(shard.index < shard.count, "a shard is one of those that there are");
  StudyStore store{study, folder, folder.string()};
  const InterruptWatch interrupt;
  const ExecutionLimits execution{jobs_at_once(limits.at_once, study.largest_run_bytes()),
                                  limits.timeout, shard};
  const auto tell = [&](const StudyProgress& progress) {
    if (limits.on_progress) {
      limits.on_progress(progress.done, progress.total);
    }
  };
  StudyRecords made;
  made.was_interrupted = !execute(study, store, execution, interrupt, tell);
  store.refresh();
  for (std::size_t run = 0; run < study.run_count(); ++run) {
    const RunRecord* const record = store.record(run);
    made.records.push_back(record != nullptr ? std::optional{*record} : std::nullopt);
  }
  return made;
}

}  // namespace dcube
