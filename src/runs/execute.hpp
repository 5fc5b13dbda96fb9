#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>

#include "child_batch.hpp"
#include "interrupt.hpp"
#include "store.hpp"

namespace dcube {

/// How far a study is.
struct StudyProgress {
  std::size_t done = 0;  ///< runs that are on the disk
  std::size_t total = 0;
};

struct ExecutionLimits {
  std::size_t at_once = 1;
  std::optional<std::chrono::nanoseconds> timeout{};  ///< of each run
  Shard shard{};
};

/// Makes the runs of the shard that are missing, in child processes. Where other commands work on
/// the rest, waits for them, and makes what they leave when they end early; not for a shard of
/// several, whose command has ended then. False when an interrupt has come; what was finished is
/// kept. Throws InputError when the store cannot be written.
bool execute(const Study& study, StudyStore& store, const ExecutionLimits& limits,
             const InterruptWatch& interrupt,
             const std::function<void(const StudyProgress&)>& on_progress);

}  // namespace dcube
