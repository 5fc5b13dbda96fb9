#include "dcube/batch/run_study.hpp"

#include "dcube/core/errors.hpp"
#include "execute.hpp"
#include "interrupt.hpp"
#include "store.hpp"

namespace dcube {

StudyRecords run_study(const Study& study, const std::filesystem::path& folder,
                       const StudyLimits& limits,
                       const std::function<void(std::size_t done)>& on_progress) {
  expects(limits.at_once > 0, "at least one run is made at a time");
  expects(limits.shard < limits.shards, "a shard is one of those that there are");
  StudyStore store{study, folder, folder.string()};
  const InterruptWatch interrupt;
  const ExecutionLimits execution{limits.at_once, limits.run_time, {limits.shard, limits.shards}};
  const auto tell = [&](const StudyProgress& progress) {
    if (on_progress) {
      on_progress(progress.done);
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
