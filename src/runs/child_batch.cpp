#include "dcube/runs/child_batch.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "child_side.hpp"
#include "core/child_message.hpp"
#include "core/mapped.hpp"
#include "core/named_temporary.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"

// A child and its parent talk over a pair of sockets. The child reads a request, works, and answers
// with how that ended and what came out, again and again until it ends. The parent never waits for
// one child alone: it sends and receives what the sockets take and hold. Where a socket ends before
// a job is answered, the child's exit status says how the job ended. A child that has ended is
// reaped; then the temporary files that it has left are removed, which a killed one cannot do.
//
// Where the system has no descriptors or processes left, the batch waits until a running child is
// free or ends instead of starting another.

namespace dcube {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* no_process = "no process can be started";
/// Descriptors that are left to files that this process and its children open.
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

ChildResult result_of(ChildEnd end, std::string text) {
  switch (end) {
    case ChildEnd::finished:
      return {end, std::move(text), {}};
    case ChildEnd::defect:
      return {end, text, "internal error: " + text};
    default:
      return {end, {}, std::move(text)};
  }
}

}  // namespace

/// One child process and the job that it has. The destructor kills the child unless it has ended.
class ChildPool::Child {
 public:
  /// Throws std::system_error.
  Child(const Work& work, ChildLife life) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      throw std::system_error(errno, std::generic_category(), no_process);
    }
    socket_ = ends[0];
    const pid_t parent = getpid();
    std::fflush(nullptr);  // SimGrid flushes in the child, too
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) {
        _exit(1);  // it has died already
      }
      close(socket_);
      live_as_child(work, life, ends[1]);
    }
    const int error = errno;
    close(ends[1]);
    if (pid_ < 0) {
      close(socket_);
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

  int socket() const { return socket_; }
  bool is_idle() const { return !job_; }
  std::size_t job() const { return *job_; }

  /// Whether the child can take another job. An idle child may be killed like any other process.
  bool is_alive() const {
    char ignored = 0;
    return recv(socket_, &ignored, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
  }

  void begin(std::size_t job, const std::string& request, const BatchLimits& limits) {
    job_ = job;
    message_ = sent(request);
    sent_ = 0;
    received_.clear();
    begin_ = Clock::now();
    end_ = limits.deadline;
    if (limits.timeout) {
      end_ = std::min(end_.value_or(Clock::time_point::max()), begin_ + *limits.timeout);
    }
    send_some();
  }

  /// The events to poll for.
  pollfd awaited() const {
    const bool is_sent = sent_ == message_.size();
    return {socket_, static_cast<short>(is_sent ? POLLIN : POLLIN | POLLOUT), 0};
  }

  /// Sends and receives as much as goes without waiting. Returns the job's result, once that is
  /// known; the child is then free for another, or is_gone().
  std::optional<ChildResult> go_on() {
    send_some();
    const bool is_open = receive_some();
    if (received_.size() >= sizeof(AnswerHead)) {
      const auto head = ChildReader{received_}.read<AnswerHead>();
      if (received_.size() == sizeof head + head.size) {
        job_.reset();
        if (head.life == ChildLife::one_job) {
          reap();
        }
        return result_of(head.end, std::move(received_.erase(0, sizeof head)));
      }
    }
    if (is_open) {
      return std::nullopt;
    }
    const int status = reap();
    const int number = WTERMSIG(status);
    return ChildResult{ChildEnd::crashed,
                       {},
                       WIFSIGNALED(status)
                           ? fmt::format("killed by signal {} ({})", number, strsignal(number))
                           : fmt::format("exit status {}", WEXITSTATUS(status))};
  }
  bool is_gone() const { return pid_ < 0; }

  std::optional<Clock::duration> left(Clock::time_point now) const {
    return end_ ? std::optional{std::max(*end_ - now, Clock::duration{0})} : std::nullopt;
  }
  ChildResult time_out() const {
    return {
        ChildEnd::timed_out,
        {},
        fmt::format("not done after {} s", std::chrono::duration<double>(*end_ - begin_).count())};
  }

 private:
  /// A child that is gone shows when something is received from it.
  void send_some() {
    while (sent_ < message_.size()) {
      const ssize_t count = send(socket_, message_.data() + sent_, message_.size() - sent_,
                                 MSG_DONTWAIT | MSG_NOSIGNAL);
      if (count < 0) {
        return;
      }
      sent_ += static_cast<std::size_t>(count);
    }
  }

  /// Receives what is there. False once the child has closed its end.
  bool receive_some() {
    std::array<char, 65536> buffer;
    const ssize_t count = recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count < 0) {
      return errno == EAGAIN || errno == EINTR;
    }
    received_.append(buffer.data(), static_cast<std::size_t>(count));
    return count > 0;
  }

  int reap() {
    close(socket_);
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    remove_named_temporaries(std::exchange(pid_, -1));
    return status;
  }

  pid_t pid_ = -1;
  int socket_ = -1;
  std::optional<std::size_t> job_;
  Clock::time_point begin_;
  std::optional<Clock::time_point> end_;
  std::string message_;   ///< the request
  std::size_t sent_ = 0;  ///< bytes sent of `message_`
  std::string received_;  ///< bytes of the answer so far
};

/// The jobs of one call. Children that are still busy at its end are of no use afterwards.
class ChildPool::Batch {
 public:
  Batch(ChildPool& pool, JobFeed& feed, const BatchLimits& limits)
      : work_{pool.work_}, children_{pool.children_}, feed_{feed}, limits_{limits} {}
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch() {
    std::erase_if(children_, [](const auto& child) { return !child->is_idle(); });
  }

  bool is_idle() const { return started_ == ended_ && !next_; }

  /// Throws std::system_error when not even one child can be started.
  void start_what_may() {
    while (started_ - ended_ < limits_.at_once) {
      if (!next_) {
        next_ = feed_.next();
      }
      Child* const child = next_ ? free_child() : nullptr;
      if (child == nullptr) {
        return;
      }
      child->begin(started_, *next_, limits_);
      next_.reset();
      ++started_;
    }
  }

  /// Waits until a child can go on or ends, a job's time is over, or the feed's patience ends;
  /// false when an interrupt has come.
  bool wait(const InterruptWatch& interrupt) {
    descriptors_.assign(1, {interrupt.descriptor(), POLLIN, 0});
    std::ranges::transform(children_, std::back_inserter(descriptors_),
                           [](const auto& child) { return child->awaited(); });
    poll(descriptors_.data(), descriptors_.size(), static_cast<int>(longest_wait().count()));
    if (descriptors_.front().revents != 0) {
      return false;
    }
    for (std::size_t i = children_.size(); i-- > 0;) {
      Child& child = *children_[i];
      if (descriptors_[i + 1].revents == 0) {
        continue;
      }
      if (child.is_idle()) {
        drop(i);
        continue;
      }
      const std::size_t job = child.job();
      if (auto result = child.go_on()) {
        if (child.is_gone()) {
          drop(i);
        }
        end(job, std::move(*result));
      }
    }
    return true;
  }

  void end_late_ones() {
    const Clock::time_point now = Clock::now();
    for (std::size_t i = children_.size(); i-- > 0;) {
      const Child& child = *children_[i];
      if (!child.is_idle() && child.left(now) == Clock::duration{0}) {
        const std::size_t job = child.job();
        ChildResult result = child.time_out();
        drop(i);
        end(job, std::move(result));
      }
    }
  }

 private:
  /// A child without a job; null when there can be none until a job has ended.
  Child* free_child() {
    for (std::size_t i = children_.size(); i-- > 0;) {
      if (children_[i]->is_idle()) {
        if (children_[i]->is_alive()) {
          return children_[i].get();
        }
        drop(i);
      }
    }
    if (!children_.empty() && is_near_limit(children_.back()->socket())) {
      return nullptr;
    }
    try {
      return children_.emplace_back(std::make_unique<Child>(work_, limits_.life)).get();
    } catch (const std::system_error& error) {
      if (children_.empty() || !is_scarcity(error.code().value())) {
        throw;
      }
      return nullptr;
    }
  }

  std::chrono::milliseconds longest_wait() const {
    const Clock::time_point now = Clock::now();
    Clock::duration longest = feed_.patience();
    for (const auto& child : children_) {
      if (!child->is_idle()) {
        longest = std::min(longest, child->left(now).value_or(longest));
      }
    }
    return std::chrono::ceil<std::chrono::milliseconds>(longest);
  }

  void drop(std::size_t i) { children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(i)); }

  void end(std::size_t job, ChildResult result) {
    ++ended_;
    feed_.end(job, std::move(result));
  }

  const Work& work_;
  std::vector<std::unique_ptr<Child>>& children_;
  JobFeed& feed_;
  const BatchLimits& limits_;
  std::optional<std::string> next_;  ///< request for which no child has been free yet
  std::vector<pollfd> descriptors_;
  std::size_t started_ = 0;
  std::size_t ended_ = 0;
};

namespace {

/// Jobs that are all known beforehand.
class ListedJobs final : public JobFeed {
 public:
  ListedJobs(std::span<const std::string> requests, const ProgressListener& on_progress,
             const JobEndListener& on_end)
      : requests_{requests},
        on_progress_{on_progress},
        on_end_{on_end},
        results_(requests.size()) {}

  std::optional<std::string> next() override {
    return given_ < requests_.size() ? std::optional{requests_[given_++]} : std::nullopt;
  }
  void end(std::size_t number, ChildResult result) override {
    results_[number] = std::move(result);
    ++ended_;
    if (on_end_) {
      on_end_(number, results_[number]);
    }
  }
  bool turn() override {
    if (std::exchange(has_waited_, true) && on_progress_) {
      on_progress_(ended_);
    }
    return ended_ < requests_.size();
  }
  std::vector<ChildResult> take_results() { return std::move(results_); }

 private:
  std::span<const std::string> requests_;
  const ProgressListener& on_progress_;
  const JobEndListener& on_end_;
  std::vector<ChildResult> results_;
  std::size_t given_ = 0;
  std::size_t ended_ = 0;
  bool has_waited_ = false;  ///< for a job
};

}  // namespace

const std::string& output_of(const ChildResult& result) {
  if (result.end == ChildEnd::defect) {
    throw ContractViolation(result.output);
  }
  refuse_if(result.end != ChildEnd::finished, "", "{}", result.problem);
  return result.output;
}

ChildPool::ChildPool(Work work) : work_{std::move(work)} {}
ChildPool::~ChildPool() = default;

std::vector<ChildResult> ChildPool::run(std::span<const std::string> requests,
                                        const BatchLimits& limits, const InterruptWatch& interrupt,
                                        const ProgressListener& on_progress,
                                        const JobEndListener& on_end) {
  ListedJobs jobs{requests, on_progress, on_end};
  run(jobs, limits, interrupt);
  return jobs.take_results();
}

bool ChildPool::run(JobFeed& feed, const BatchLimits& limits, const InterruptWatch& interrupt) {
  Batch batch{*this, feed, limits};
  batch.start_what_may();
  while (feed.turn() || !batch.is_idle()) {
    batch.start_what_may();
    if (!batch.wait(interrupt)) {
      return false;
    }
    batch.end_late_ones();
  }
  return true;
}

std::vector<ChildResult> run_in_children(const std::vector<std::function<std::string()>>& jobs,
                                         const BatchLimits& limits, const InterruptWatch& interrupt,
                                         const ProgressListener& on_progress,
                                         const JobEndListener& on_end) {
  const auto numbers =
      numbered<std::size_t>(jobs.size(), [](std::size_t job) { return sent(job); });
  ChildPool pool{[&jobs](std::string_view request) {
    return jobs[ChildReader{request}.read<std::size_t>()]();
  }};
  return pool.run(numbers, limits, interrupt, on_progress, on_end);
}

Outcome outcome_of(ChildEnd end) {
  switch (end) {
    case ChildEnd::timed_out:
      return Outcome::timed_out;
    case ChildEnd::failed:
    case ChildEnd::out_of_memory:
      return Outcome::refused;
    default:
      return Outcome::crashed;
  }
}

std::size_t jobs_at_once(std::optional<std::uint32_t> asked_for, std::uint64_t bytes_of_a_job) {
  if (asked_for) {
    return *asked_for;
  }
  const std::uint64_t fitting = available_memory_bytes() / bytes_of_a_job;
  const std::uint64_t processors = std::thread::hardware_concurrency();
  return std::max<std::uint64_t>(1, std::min(fitting, processors));
}

}  // namespace dcube
