#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/terminal/interrupt.hpp"
#include "app/terminal/progress.hpp"

namespace dcube::app {

/// How a job in a child process ended. `failed`: it threw an InputError; `defect`: another
/// exception.
enum class ChildEnd { finished, failed, defect, crashed, out_of_memory, timed_out, interrupted };

struct ChildResult {
  ChildEnd end = ChildEnd::interrupted;
  std::string output;   ///< what the job returned, or what the defect is
  std::string problem;  ///< why it did not finish; empty when it did
};

/// What the job has returned. Throws when it has not finished: a ContractViolation for a defect, an
/// InputError without a place for everything else.
const std::string& output_of(const ChildResult& result);

struct BatchLimits {
  std::size_t at_once = 1;
  std::optional<std::chrono::nanoseconds> timeout;  ///< of each job
};

/// Runs every job in a forked child process of its own, up to `at_once` at a time, and returns
/// their results in the order of the jobs. Fewer run at a time where the system has no room for
/// more. A job that throws, crashes or takes too long ends alone; an interrupt ends those that
/// still run and keeps the rest. No child outlives the call. `on_progress` is told now and then how
/// many jobs have ended, `on_end` of each job when it ends; it may take the result away. Throws
/// std::system_error when not even one child can be started.
std::vector<ChildResult> run_in_children(
    const std::vector<std::function<std::string()>>& jobs, const BatchLimits& limits,
    const InterruptWatch& interrupt, const std::function<void(std::size_t)>& on_progress,
    const std::function<void(std::size_t job, ChildResult&)>& on_end = {});

/// The same with a line that says how many are done. `what`: "simulating".
std::vector<ChildResult> run_showing_progress(
    std::string_view what, const std::vector<std::function<std::string()>>& jobs,
    const BatchLimits& limits, const InterruptWatch& interrupt,
    ProgressOutput output = ProgressOutput::on_terminal,
    const std::function<void(std::size_t job, ChildResult&)>& on_end = {});

}  // namespace dcube::app
