#pragma once

#include <functional>

#include "dcube/core/interrupt.hpp"
#include "dcube/runs/limits.hpp"
#include "dcube/runs/run_cases.hpp"
#include "store.hpp"

namespace dcube {

/// Hears of each record when it is on the disk.
using RecordListener = std::function<void(const RunRecord&)>;

/// Makes the runs of the shard that the store lacks, in child processes, alone or with other ranks.
/// Where other commands work on the rest, waits for them, and makes what they leave when they end
/// early; not for a shard of several, whose command has ended then. What was finished before an
/// interrupt is kept. Throws InputError when the store cannot be written.
RunsEnd make_runs(const Cases& cases, RunStore& store, const SimulationLimits& limits,
                  const InterruptWatch& interrupt, RecordListener on_record = {});

/// Makes runs for rank 0 until it has no more.
RunsEnd work_for_rank_0(const Cases& cases, const SimulationLimits& limits,
                        const InterruptWatch& interrupt);

}  // namespace dcube
