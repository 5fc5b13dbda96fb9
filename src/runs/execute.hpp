#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>

#include "dcube/core/interrupt.hpp"
#include "dcube/runs/child_batch.hpp"
#include "dcube/runs/limits.hpp"
#include "dcube/runs/run_cases.hpp"
#include "store.hpp"

namespace dcube {

/// Progress of cases.
struct RunsProgress {
  std::size_t done = 0;  ///< runs that are on the disk
  std::size_t total = 0;
};

struct ExecutionLimits {
  std::size_t at_once = 1;
  std::optional<std::chrono::nanoseconds> timeout{};  ///< of each run
  Shard shard{};
  /// Hears of each record when it is on the disk.
  std::function<void(const RunRecord&)> on_record{};
};

/// Makes the runs that the store lacks, alone, as a shard or with other ranks. `on_record` is told
/// of each that is made here or by a rank.
RunsEnd make_runs(const Cases& cases, RunStore& store, const SimulationLimits& limits,
                  const InterruptWatch& interrupt,
                  std::function<void(const RunRecord&)> on_record = {});

/// Makes runs for rank 0 until it has no more.
RunsEnd work_for_rank_0(const Cases& cases, const SimulationLimits& limits,
                        const InterruptWatch& interrupt);

/// Makes the runs of the shard that are missing, in child processes. Where other commands work on
/// the rest, waits for them, and makes what they leave when they end early; not for a shard of
/// several, whose command has ended then. False when an interrupt has come; what was finished is
/// kept. Throws InputError when the store cannot be written.
bool execute(const Cases& cases, RunStore& store, const ExecutionLimits& limits,
             const InterruptWatch& interrupt,
             const std::function<void(const RunsProgress&)>& on_progress);

}  // namespace dcube
