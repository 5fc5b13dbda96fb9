#include "dcube/runs/run_cases.hpp"

#include <chrono>
#include <optional>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/interrupt.hpp"
#include "execute.hpp"
#include "mpi.hpp"
#include "store.hpp"

namespace dcube {

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
  const RunsEnd end = make_runs(cases, store, limits, interrupt);
  return {.records = numbered<std::size_t>(cases.run_count(),
                                           [&](std::size_t run) {
                                             const RunRecord* const record = store.record(run);
                                             return record != nullptr ? std::optional{*record}
                                                                      : std::nullopt;
                                           }),
          .end = end};
}

}  // namespace dcube
