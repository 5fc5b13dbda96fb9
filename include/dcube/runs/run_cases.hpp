#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dcube/runs/cases.hpp"
#include "dcube/runs/limits.hpp"

namespace dcube {

/// End of run_cases(): all runs are made, or those of a shard or of a rank but 0, or those before
/// an interrupt.
enum class RunsEnd { complete, shard_is_done, rank_is_done, interrupted };

/// State of a command that works or has worked on a folder of results.
struct StoreSession {
  std::string name;  ///< "host-4711-65f2a1b0": that of its file
  bool is_alive = false;
  std::size_t done = 0;     ///< runs that it has recorded
  std::size_t claimed = 0;  ///< runs that it has claimed and not recorded
};

/// Records of cases so far.
struct CaseRecords {
  /// Records by run; nothing: not made yet, or not known to this rank.
  std::vector<std::optional<RunRecord>> records;
  RunsEnd end = RunsEnd::complete;
};

/// Makes the runs that `limits.records` does not hold yet, in child processes, and keeps their
/// records there: finished runs survive whatever happens, and several processes may work on one
/// folder. Ends early on SIGINT, SIGTERM and SIGHUP, which stay blocked afterwards. Throws
/// InputError at ".jobs", ".time_limit" and, when the folder cannot be read or written, ".records".
CaseRecords run_cases(const Cases& cases, const SimulationLimits& limits = {});

}  // namespace dcube
