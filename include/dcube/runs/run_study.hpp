#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "dcube/runs/limits.hpp"
#include "dcube/runs/results.hpp"
#include "dcube/runs/study.hpp"

namespace dcube {

/// What has come of a study so far.
struct StudyRecords {
  std::vector<std::optional<RunRecord>> records;  ///< by run; nothing: not made yet
  bool was_interrupted = false;
};

/// Makes the runs of a study that `folder` does not hold yet, in child processes, and keeps their
/// records there, as `dcube sweep --output` does: finished runs survive whatever happens, and
/// several processes may work on one folder. Ends early on SIGINT, SIGTERM and SIGHUP, which stay
/// blocked afterwards. Throws InputError when the folder holds another study, or cannot be read or
/// written.
StudyRecords run_study(const Study& study, const std::filesystem::path& folder,
                       const SimulationLimits& limits = {}, Shard shard = {});

}  // namespace dcube
