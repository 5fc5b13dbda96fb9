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
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/named_temporary.hpp"
#include "core/refuse.hpp"
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

/// The exit status of a child that says how it has ended is this and the number of its ChildEnd.
/// Libraries end processes with others.
constexpr int first_status = 101;
constexpr int status_of(ChildEnd end) { return first_status + static_cast<int>(end); }
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
    _exit(status_of(ChildEnd::defect));  // it has died already
  }
  const auto end = [pipe](ChildEnd how, std::string_view text) {
    write_all(pipe, text);
    _exit(status_of(how));
  };
  try {
    end(ChildEnd::finished, job());
  } catch (const std::bad_alloc&) {
    end(ChildEnd::out_of_memory, "memory ran out");
  } catch (const MemoryError& error) {
    end(ChildEnd::out_of_memory, error.what());
  } catch (const InputError& error) {
    end(ChildEnd::failed, error.what());
  } catch (const std::exception& error) {
    end(ChildEnd::defect, error.what());
  }
  std::abort();  // end() does not return
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
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
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
    const auto end = static_cast<ChildEnd>(WEXITSTATUS(status) - first_status);
    switch (end) {
      case ChildEnd::finished:
        return {end, std::move(output_), {}};
      case ChildEnd::defect:
        return {end, output_, "internal error: " + output_};
      case ChildEnd::failed:
      case ChildEnd::out_of_memory:
        return {end, {}, std::move(output_)};
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
    for (const auto& child : running_) {
      descriptors.push_back({child->pipe(), POLLIN, 0});
    }
    poll(descriptors.data(), descriptors.size(), static_cast<int>(longest_wait().count()));
    if (descriptors.front().revents != 0) {
      return false;
    }
    for (std::size_t i = running_.size(); i-- > 0;) {
      if (descriptors[i + 1].revents != 0 && !running_[i]->read_some()) {
        end(i, running_[i]->finish());
      }
    }
    return true;
  }

  void end_late_ones() {
    const Clock::time_point now = Clock::now();
    for (std::size_t i = running_.size(); i-- > 0;) {
      if (running_[i]->deadline() && *running_[i]->deadline() <= now) {
        const std::chrono::duration<double> limit = *limits_.timeout;
        end(i, {ChildEnd::timed_out, {}, fmt::format("not done after {} s", limit.count())});
      }
    }
  }

  std::vector<ChildResult> take_results() { return std::move(results_); }

 private:
  /// False when it must wait until a running child has ended.
  bool start_next() {
    if (!running_.empty() && is_near_limit(running_.back()->pipe())) {
      return false;
    }
    std::optional<Clock::time_point> deadline;
    if (limits_.timeout) {
      deadline = Clock::now() + *limits_.timeout;
    }
    try {
      running_.push_back(std::make_unique<Child>(started_, jobs_[started_], deadline));
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
    for (const auto& child : running_) {
      if (child->deadline()) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(*child->deadline() - Clock::now());
        longest = std::clamp(left, std::chrono::milliseconds{0}, longest);
      }
    }
    return longest;
  }

  void end(std::size_t i, ChildResult result) {
    const std::size_t job = running_[i]->job();
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
  std::vector<std::unique_ptr<Child>> running_;
  std::size_t started_ = 0;
};

}  // namespace

const std::string& output_of(const ChildResult& result) {
  if (result.end == ChildEnd::defect) {
    throw ContractViolation(result.output);
  }
  refuse_if(result.end != ChildEnd::finished, "", "{}", result.problem);
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

std::vector<ChildResult> run_showing_progress(std::string_view what, const std::vector<Job>& jobs,
                                              const BatchLimits& limits,
                                              const InterruptWatch& interrupt,
                                              ProgressOutput output, const JobEnd& on_end) {
  Progress progress{output, what};
  return run_in_children(
      jobs, limits, interrupt,
      [&](std::size_t done) { progress.show(fmt::format("{} of {} done", done, jobs.size())); },
      on_end);
}

}  // namespace dcube::app
