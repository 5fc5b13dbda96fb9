#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "dcube/runs/cases.hpp"
#include "dcube/runs/limits.hpp"

namespace dcube {

/// What has come of cases so far.
struct CaseRecords {
  std::vector<std::optional<RunRecord>> records;  ///< by run; nothing: not made yet
  bool was_interrupted = false;
};

/// Makes the runs that `folder` does not hold yet, in child processes, and keeps their records
/// there, as `dcube sweep --output` does: finished runs survive whatever happens, and several
/// processes may work on one folder. An empty `folder` keeps nothing. Ends early on SIGINT, SIGTERM
/// and SIGHUP, which stay blocked afterwards. Throws InputError when the folder holds other cases,
/// or cannot be read or written.
CaseRecords run_cases(const Cases& cases, const std::filesystem::path& folder,
                      const SimulationLimits& limits = {}, Shard shard = {});

}  // namespace dcube
