#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "dcube/batch/results.hpp"
#include "dcube/batch/study.hpp"

namespace dcube {

struct StudyLimits {
  std::size_t at_once = 1;                             ///< runs at a time
  std::optional<std::chrono::nanoseconds> run_time{};  ///< of each run
  std::size_t shard = 0;                               ///< 0 .. shards-1
  std::size_t shards = 1;                              ///< runs shard, shard + shards, .. are made
};

/// What has come of a study so far.
struct StudyRecords {
  std::vector<std::optional<RunRecord>> records;  ///< by run; nothing: not made yet
  bool was_interrupted = false;
};

/// Makes the runs of a study that `folder` does not hold yet, in child processes, and keeps their
/// records there, as `dcube sweep --output` does: finished runs survive whatever happens, and
/// several processes may work on one folder. Ends early on SIGINT, SIGTERM and SIGHUP, which stay
/// blocked afterwards. `on_progress` is told now and then how many runs are done. Throws InputError
/// when the folder holds another study, or cannot be read or written.
StudyRecords run_study(const Study& study, const std::filesystem::path& folder,
                       const StudyLimits& limits = {},
                       const std::function<void(std::size_t done)>& on_progress = {});

}  // namespace dcube
