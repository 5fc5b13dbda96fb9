#include "child_batch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/named_temporary.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/engine/memory.hpp"

// A child writes its result, or what went wrong, into a pipe and says with its exit status which of
// the two it is. The parent reads all pipes at once until their ends, so that no child ever waits
// on a full pipe, and reaps a child when its pipe has ended. Then it removes the temporary files
// that the child has left, which a killed one cannot do.
//
// Where the system has no descriptors or processes left, the batch waits until a running child ends
// instead of starting another.

namespace dcube::app {
namespace {

using Clock = std::chrono::steady_clock;
using Job = std::function<std::string()>;
using JobEnd = std::function<void(std::size_t, ChildResult&)>;

// Not those that a library ends a process with.
constexpr int status_finished = 101;
constexpr int status_failed = 102;
constexpr int status_out_of_memory = 103;
constexpr int status_defect = 104;
constexpr const char* no_process = "no process can be started";
constexpr std::chrono::milliseconds progress_interval{500};
/// Left to the files that this process and its children open.
constexpr rlim_t spare_descriptors = 32;

bool is_scarcity(int error) {
  return error == EMFILE || error == ENFILE || error == EAGAIN || error == ENOMEM;
}

/// Whether a process that has `descriptor` can open few files more.
bool is_near_limit(int descriptor) {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
         static_cast<rlim_t>(descriptor) + spare_descriptors > limit.rlim_cur;
}

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return;  // the parent is gone
    }
    text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
}

/// What a child does instead of returning: _exit leaves the parent's buffers and files alone.
[[noreturn]] void run_as_child(const Job& job, int pipe, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) {
    _exit(status_defect);  // it has died already
  }
  int status = status_finished;
  std::string text;
  try {
    text = job();
  } catch (const std::bad_alloc&) {
    status = status_out_of_memory;
    text = "memory ran out";
  } catch (const MemoryError& error) {
    status = status_out_of_memory;
    text = error.what();
  } catch (const InputError& error) {
    status = status_failed;
    text = error.what();
  } catch (const std::exception& error) {
    status = status_defect;
    text = error.what();
  }
  write_all(pipe, text);
  _exit(status);
}

/// One running child. Killed and reaped with its owner, unless it has ended.
class Child {
 public:
  /// Throws std::system_error.
  Child(std::size_t job, const Job& work, std::optional<Clock::time_point> deadline)
      : job_{job}, deadline_{deadline} {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw std::system_error(errno, std::generic_category(), no_process);
    }
    pipe_ = ends[0];
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) {
      run_as_child(work, ends[1], parent);
    }
    const int error = errno;
    close(ends[1]);
    if (pid_ < 0) {
      close(pipe_);
      throw std::system_error(error, std::generic_category(), no_process);
    }
  }
  Child(Child&& other) noexcept
      : job_{other.job_},
        deadline_{other.deadline_},
        pid_{std::exchange(other.pid_, -1)},
        pipe_{std::exchange(other.pipe_, -1)},
        output_{std::move(other.output_)} {}
  Child& operator=(Child&& other) noexcept {
    std::swap(job_, other.job_);
    std::swap(deadline_, other.deadline_);
    std::swap(pid_, other.pid_);
    std::swap(pipe_, other.pipe_);
    std::swap(output_, other.output_);
    return *this;
  }
  ~Child() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      reap();
    }
  }

  std::size_t job() const { return job_; }
  int pipe() const { return pipe_; }
  const std::optional<Clock::time_point>& deadline() const { return deadline_; }

  /// Takes what the pipe holds; false once it has ended. Blocks only when there is nothing yet.
  bool read_some() {
    std::array<char, 65536> buffer;
    const ssize_t count = read(pipe_, buffer.data(), buffer.size());
    if (count < 0) {
      return errno == EINTR;
    }
    output_.append(buffer.data(), static_cast<std::size_t>(count));
    return count > 0;
  }

  ChildResult finish() {
    const int status = reap();
    if (WIFSIGNALED(status)) {
      return {
          ChildEnd::crashed,
          {},
          fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))};
    }
    switch (WEXITSTATUS(status)) {
      case status_finished:
        return {ChildEnd::finished, std::move(output_), {}};
      case status_failed:
        return {ChildEnd::failed, {}, std::move(output_)};
      case status_defect:
        return {ChildEnd::defect, output_, "internal error: " + output_};
      case status_out_of_memory:
        return {ChildEnd::out_of_memory, {}, std::move(output_)};
      default:
        return {ChildEnd::crashed, {}, fmt::format("exit status {}", WEXITSTATUS(status))};
    }
  }

 private:
  int reap() {
    close(pipe_);
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    remove_named_temporaries(std::exchange(pid_, -1));
    return status;
  }

  std::size_t job_;
  std::optional<Clock::time_point> deadline_;
  pid_t pid_ = -1;
  int pipe_ = -1;
  std::string output_;
};

class Batch {
 public:
  Batch(const std::vector<Job>& jobs, const BatchLimits& limits, const JobEnd& on_end)
      : jobs_{jobs}, limits_{limits}, on_end_{on_end}, results_(jobs.size()) {}

  bool is_done() const { return started_ == jobs_.size() && running_.empty(); }
  std::size_t ended() const { return started_ - running_.size(); }

  /// Throws std::system_error when not even one child can be started.
  void start_what_may() {
    while (started_ < jobs_.size() && running_.size() < limits_.at_once && start_next()) {
    }
  }

  /// Waits until a child writes or ends, a deadline passes, or it is time to show progress; false
  /// when an interrupt has come.
  bool wait(const InterruptWatch& interrupt) {
    std::vector<pollfd> descriptors{{interrupt.descriptor(), POLLIN, 0}};
    for (const Child& child : running_) {
      descriptors.push_back({child.pipe(), POLLIN, 0});
    }
    poll(descriptors.data(), descriptors.size(), static_cast<int>(longest_wait().count()));
    if (descriptors.front().revents != 0) {
      return false;
    }
    for (std::size_t i = running_.size(); i-- > 0;) {
      if (descriptors[i + 1].revents != 0 && !running_[i].read_some()) {
        end(i, running_[i].finish());
      }
    }
    return true;
  }

  void end_late_ones() {
    const Clock::time_point now = Clock::now();
    for (std::size_t i = running_.size(); i-- > 0;) {
      if (running_[i].deadline() && *running_[i].deadline() <= now) {
        const std::chrono::duration<double> limit = *limits_.timeout;
        end(i, {ChildEnd::timed_out, {}, fmt::format("not done after {} s", limit.count())});
      }
    }
  }

  std::vector<ChildResult> take_results() { return std::move(results_); }

 private:
  /// False when it must wait until a running child has ended.
  bool start_next() {
    if (!running_.empty() && is_near_limit(running_.back().pipe())) {
      return false;
    }
    std::optional<Clock::time_point> deadline;
    if (limits_.timeout) {
      deadline = Clock::now() + *limits_.timeout;
    }
    try {
      running_.emplace_back(started_, jobs_[started_], deadline);
    } catch (const std::system_error& error) {
      if (running_.empty() || !is_scarcity(error.code().value())) {
        throw;
      }
      return false;
    }
    ++started_;
    return true;
  }

  std::chrono::milliseconds longest_wait() const {
    std::chrono::milliseconds longest = progress_interval;
    for (const Child& child : running_) {
      if (child.deadline()) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(*child.deadline() - Clock::now());
        longest = std::clamp(left, std::chrono::milliseconds{0}, longest);
      }
    }
    return longest;
  }

  void end(std::size_t i, ChildResult result) {
    const std::size_t job = running_[i].job();
    results_[job] = std::move(result);
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    if (on_end_) {
      on_end_(job, results_[job]);
    }
  }

  const std::vector<Job>& jobs_;
  const BatchLimits& limits_;
  const JobEnd& on_end_;
  std::vector<ChildResult> results_;
  std::vector<Child> running_;
  std::size_t started_ = 0;
};

}  // namespace

const std::string& output_of(const ChildResult& result) {
  if (result.end == ChildEnd::defect) {
    throw ContractViolation(result.output);
  }
  if (result.end != ChildEnd::finished) {
    throw InputError("", result.problem);
  }
  return result.output;
}

std::vector<ChildResult> run_in_children(const std::vector<Job>& jobs, const BatchLimits& limits,
                                         const InterruptWatch& interrupt,
                                         const std::function<void(std::size_t)>& on_progress,
                                         const JobEnd& on_end) {
  Batch batch{jobs, limits, on_end};
  batch.start_what_may();
  while (!batch.is_done() && batch.wait(interrupt)) {
    batch.end_late_ones();
    on_progress(batch.ended());
    batch.start_what_may();
  }
  return batch.take_results();
}

}  // namespace dcube::app
