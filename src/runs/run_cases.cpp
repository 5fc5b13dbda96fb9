#include "dcube/runs/run_cases.hpp"

#include <chrono>
#include <utility>

#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/interrupt.hpp"
#include "execute.hpp"
#include "mpi.hpp"
#include "store.hpp"

namespace dcube {

RunsEnd work_for_rank_0(const Cases& cases, const SimulationLimits& limits,
                        const InterruptWatch& interrupt) {
  MpiRanks ranks;
  if (!execute_with(ranks, cases, nullptr, {.timeout = limits.timeout}, interrupt, {})) {
    return RunsEnd::interrupted;
  }
  ranks.finish();
  return RunsEnd::rank_is_done;
}

RunsEnd make_runs(const Cases& cases, RunStore& store, const SimulationLimits& limits,
                  const InterruptWatch& interrupt,
                  std::function<void(const RunRecord&)> on_record) {
  expects(limits.shard.index < limits.shard.count, "a shard is one of those that there are");
  const ExecutionLimits execution{jobs_at_once(limits.at_once, cases.largest_run_bytes()),
                                  limits.timeout, limits.shard, std::move(on_record)};
  const auto tell = [&](const RunsProgress& progress) {
    if (limits.on_progress) {
      limits.on_progress(progress.done, progress.total);
    }
  };
  bool is_whole = false;
  if (limits.mpi) {
    MpiRanks ranks;
    is_whole = execute_with(ranks, cases, &store, execution, interrupt, tell);
    if (is_whole) {
      ranks.finish();
    }
  } else {
    is_whole = execute(cases, store, execution, interrupt, tell);
  }
  if (!is_whole) {
    return RunsEnd::interrupted;
  }
  store.refresh();
  return store.is_complete() || limits.shard.count == 1 ? RunsEnd::complete
                                                        : RunsEnd::shard_is_done;
}

CaseRecords run_cases(const Cases& cases, const SimulationLimits& limits) {
  refuse_if(limits.at_once == 0U, ".jobs", "0 is not a number of runs at a time");
  const std::chrono::duration<double> timeout = limits.timeout.value_or(std::chrono::seconds{1});
  refuse_if(timeout.count() <= 0, ".time_limit", "{:g} s is not a time limit (a positive duration)",
            timeout.count());
  const InterruptWatch interrupt;
  if (limits.mpi && rank_in_environment() > 0) {
    return {.records = std::vector<std::optional<RunRecord>>(cases.run_count()),
            .end = work_for_rank_0(cases, limits, interrupt)};
  }
  RunStore store{cases,
                 limits.records.empty() ? limits.records : limits.records / cases.id().substr(0, 8),
                 ".records"};
  CaseRecords made{.records = {}, .end = make_runs(cases, store, limits, interrupt)};
  for (std::size_t run = 0; run < cases.run_count(); ++run) {
    const RunRecord* const record = store.record(run);
    made.records.push_back(record != nullptr ? std::optional{*record} : std::nullopt);
  }
  return made;
}

}  // namespace dcube
