#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/interrupt.hpp"
#include "dcube/engine/simulation.hpp"

namespace dcube {

/// How a job in a child process ended. `failed`: it threw an InputError; `defect`: another
/// exception.
enum class ChildEnd { finished, failed, defect, crashed, out_of_memory, timed_out, interrupted };

struct ChildResult {
  ChildEnd end = ChildEnd::interrupted;
  std::string output;   ///< what the job returned, or what the defect is
  std::string problem;  ///< why it did not finish; empty when it did
};

/// Output of the job. Throws when it has not finished: a ContractViolation for a defect, an
/// InputError without a place for everything else.
const std::string& output_of(const ChildResult& result);

/// The outcome of a run whose job has not finished.
Outcome outcome_of(ChildEnd end);

/// Number of jobs that a child process runs, one after the other. A job whose output tells how much
/// memory its process took needs a process of its own. For many small jobs, most of the time goes
/// into starting processes. Jobs that share one must not depend on what others have left there.
enum class ChildLife { one_job, many_jobs };

struct BatchLimits {
  std::size_t at_once = 1;
  std::optional<std::chrono::nanoseconds> timeout{};                ///< of each job
  std::optional<std::chrono::steady_clock::time_point> deadline{};  ///< of all jobs
  ChildLife life = ChildLife::one_job;
};

/// Simulations at a time: as many as asked for, or one a processor, but no more than fit in memory.
std::size_t jobs_at_once(std::optional<std::uint32_t> asked_for, std::uint64_t bytes_of_a_job);

/// Source of jobs that are not known beforehand, and receiver of their results.
class JobFeed {
 public:
  virtual ~JobFeed() = default;

  /// The next request, asked for when a child is free; nothing when there is none at the moment.
  virtual std::optional<std::string> next() = 0;
  /// Takes the result of the job whose request next() gave as its `number`-th, from 0.
  virtual void end(std::size_t number, ChildResult result) = 0;
  /// Called after every wait. False when no jobs will come but those that next() still has.
  virtual bool turn() = 0;
  /// The longest wait.
  virtual std::chrono::milliseconds patience() const { return std::chrono::milliseconds{500}; }
};

using ProgressListener = std::function<void(std::size_t ended)>;
using JobEndListener = std::function<void(std::size_t job, ChildResult&)>;

/// Forked child processes that work on requests. They live as long as the pool; what the work keeps
/// in one of them stays there for its next job. A child whose job crashes, takes too long, runs out
/// of memory or shows a defect ends, and so does one that has grown by much memory; another takes
/// its place.
class ChildPool {
 public:
  /// Function from a request to an output, called in a child.
  using Work = std::function<std::string(std::string_view request)>;

  explicit ChildPool(Work work);
  ChildPool(const ChildPool&) = delete;
  ChildPool& operator=(const ChildPool&) = delete;
  ~ChildPool();

  /// Runs a job for each request, up to `at_once` at a time, and returns their results in the order
  /// of the requests. Fewer run at a time where the system has no room for more. A job that throws,
  /// crashes or takes too long ends alone; an interrupt ends those that still run and keeps the
  /// rest. `on_progress` is told now and then how many jobs have ended, `on_end` of each job when
  /// it ends; it may take the result away. Throws std::system_error when not even one child can be
  /// started.
  std::vector<ChildResult> run(std::span<const std::string> requests, const BatchLimits& limits,
                               const InterruptWatch& interrupt,
                               const ProgressListener& on_progress = {},
                               const JobEndListener& on_end = {});

  /// Runs the jobs of a feed until it has no more and all have ended. False after an interrupt.
  bool run(JobFeed& feed, const BatchLimits& limits, const InterruptWatch& interrupt);

 private:
  class Child;
  class Batch;

  Work work_;
  std::vector<std::unique_ptr<Child>> children_;
};

/// Runs every job in a pool of its own, so no child outlives the call.
std::vector<ChildResult> run_in_children(const std::vector<std::function<std::string()>>& jobs,
                                         const BatchLimits& limits, const InterruptWatch& interrupt,
                                         const ProgressListener& on_progress,
                                         const JobEndListener& on_end = {});

}  // namespace dcube
