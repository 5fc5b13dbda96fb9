#include "dcube/runs/child_batch.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <new>
#include <set>

#include "core/address_sanitizer.hpp"
#include "core/named_temporary.hpp"
#include "dcube/core/errors.hpp"
#include "scenario/temporary_folder.hpp"

namespace dcube {
namespace {

using Jobs = std::vector<std::function<std::string()>>;

std::vector<ChildResult> run_all(const Jobs& jobs, const BatchLimits& limits = {.at_once = 2}) {
  const InterruptWatch interrupt;
  return run_in_children(jobs, limits, interrupt, {});
}

std::string own_process() { return std::to_string(getpid()); }

std::string sleep_for_ever() {
  while (true) {
    pause();
  }
}

/// What holds whether a child runs one job or many.
class ChildBatch : public ::testing::TestWithParam<ChildLife> {
 protected:
  static BatchLimits limits(std::size_t at_once = 2,
                            std::optional<std::chrono::nanoseconds> timeout = {}) {
    return {.at_once = at_once, .timeout = timeout, .life = GetParam()};
  }
};
INSTANTIATE_TEST_SUITE_P(Both, ChildBatch,
                         ::testing::Values(ChildLife::one_job, ChildLife::many_jobs),
                         [](const auto& test) {
                           return test.param == ChildLife::one_job ? "one_job" : "many_jobs";
                         });

TEST_P(ChildBatch, ResultsComeInTheOrderOfTheJobs) {
  Jobs jobs;
  for (int i = 0; i < 7; ++i) {
    jobs.emplace_back([i] {
      usleep(static_cast<useconds_t>(7 - i) * 1000);
      return std::to_string(i);
    });
  }
  const auto results = run_all(jobs, limits());
  ASSERT_EQ(results.size(), 7U);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(results[i].end, ChildEnd::finished);
    EXPECT_EQ(results[i].output, std::to_string(i));
  }
}

TEST_P(ChildBatch, OutputLargerThanAPipeArrivesWhole) {
  const std::string large(5'000'000, 'x');
  EXPECT_EQ(run_all({[&] { return large; }}, limits()).front().output, large);
}

TEST_P(ChildBatch, AJobThatThrowsFailsWithItsMessage) {
  const auto results = run_all({[]() -> std::string { throw InputError("place", "problem"); },
                                []() -> std::string { throw ContractViolation("promise"); },
                                [] { return std::string{"fine"}; }},
                               limits());
  EXPECT_EQ(results[0].end, ChildEnd::failed);
  EXPECT_EQ(results[0].problem, "place: problem");
  EXPECT_EQ(results[1].end, ChildEnd::defect);
  EXPECT_EQ(results[1].problem, "internal error: promise");
  EXPECT_EQ(results[2].end, ChildEnd::finished);
  EXPECT_THROW(output_of(results[0]), InputError);
  EXPECT_THROW(output_of(results[1]), ContractViolation);
  EXPECT_EQ(output_of(results[2]), "fine");
}

TEST_P(ChildBatch, AJobThatCrashesLeavesTheOthersAlone) {
  const auto results =
      run_all({[]() -> std::string {
                 signal(SIGALRM, SIG_DFL);
                 raise(SIGALRM);
                 return {};
               },
               []() -> std::string { _exit(42); }, []() -> std::string { _exit(0); },
               [] { return std::string{"fine"}; }},
              limits());
  EXPECT_EQ(results[0].end, ChildEnd::crashed);
  EXPECT_EQ(results[0].problem, "killed by signal 14 (Alarm clock)");
  EXPECT_EQ(results[1].end, ChildEnd::crashed);
  EXPECT_EQ(results[1].problem, "exit status 42");
  EXPECT_EQ(results[2].end, ChildEnd::crashed);
  EXPECT_EQ(results[2].problem, "exit status 0");
  EXPECT_EQ(results[3].output, "fine");
}

TEST_P(ChildBatch, AJobThatRunsOutOfMemorySaysSo) {
  const auto results = run_all({[]() -> std::string { throw std::bad_alloc{}; }}, limits());
  EXPECT_EQ(results[0].end, ChildEnd::out_of_memory);
}

TEST_P(ChildBatch, AJobPastItsTimeLimitIsStopped) {
  const auto results = run_all({sleep_for_ever, [] { return std::string{"fine"}; }},
                               limits(2, std::chrono::milliseconds{300}));
  EXPECT_EQ(results[0].end, ChildEnd::timed_out);
  EXPECT_EQ(results[0].problem, "not done after 0.3 s");
  EXPECT_EQ(results[1].end, ChildEnd::finished);
}

TEST_P(ChildBatch, AJobThatIsKilledLeavesNoTemporaryFile) {
  const TemporaryFolder folder;
  const auto results = run_all({[&] {
                                 const NamedTemporary temporary{folder.path()};
                                 std::ofstream{temporary.path()} << "half";
                                 return sleep_for_ever();
                               }},
                               limits(1, std::chrono::milliseconds{300}));
  EXPECT_EQ(results[0].end, ChildEnd::timed_out);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_P(ChildBatch, AnInterruptKeepsWhatIsFinished) {
  const InterruptWatch interrupt;
  const pid_t parent = getpid();
  const Jobs jobs{[] { return std::string{"fine"}; },
                  [parent] {
                    kill(parent, SIGINT);
                    return sleep_for_ever();
                  },
                  [] { return std::string{"never started"}; }};
  const auto results = run_in_children(jobs, limits(1), interrupt, {});
  EXPECT_EQ(results[0].end, ChildEnd::finished);
  EXPECT_EQ(results[1].end, ChildEnd::interrupted);
  EXPECT_EQ(results[2].end, ChildEnd::interrupted);

  // The interrupt stays pending for the program, so the next test would see it.
  const sigset_t signals = interrupt_signals();
  int taken = 0;
  EXPECT_EQ(sigwait(&signals, &taken), 0);
  EXPECT_EQ(taken, SIGINT);
}

TEST_P(ChildBatch, ManyMoreJobsThanChildrenAreAllDone) {
  Jobs jobs;
  for (int i = 0; i < 300; ++i) {
    jobs.emplace_back([i] { return std::to_string(i); });
  }
  std::set<std::size_t> ended;
  const InterruptWatch interrupt;
  const auto results = run_in_children(jobs, limits(3), interrupt, {},
                                       [&](std::size_t job, ChildResult&) { ended.insert(job); });
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_EQ(results[i].output, std::to_string(i));
  }
  EXPECT_EQ(ended.size(), jobs.size());
}

TEST_P(ChildBatch, TheDeadlineOfAllEndsEveryJob) {
  BatchLimits one_after_the_other = limits(1);
  one_after_the_other.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds{200};
  for (const ChildResult& result :
       run_all({sleep_for_ever, sleep_for_ever, sleep_for_ever}, one_after_the_other)) {
    EXPECT_EQ(result.end, ChildEnd::timed_out);
  }
  EXPECT_LT(std::chrono::steady_clock::now(),
            *one_after_the_other.deadline + std::chrono::seconds{20});
}

TEST(ChildBatchOfOneJob, EveryJobRunsInAProcessOfItsOwn) {
  const auto results = run_all({own_process, own_process}, {.at_once = 1});
  EXPECT_NE(results[0].output, results[1].output);
  EXPECT_NE(results[0].output, own_process());
}

constexpr BatchLimits one_child{.at_once = 1, .life = ChildLife::many_jobs};

/// Which of the jobs that run one after the other have the process of the job before.
std::vector<bool> stays(const Jobs& jobs, const BatchLimits& limits = one_child) {
  const auto results = run_all(jobs, limits);
  std::vector<bool> has_stayed;
  for (std::size_t i = 1; i < results.size(); ++i) {
    has_stayed.push_back(results[i].output == results[i - 1].output);
  }
  return has_stayed;
}

TEST(ChildBatchOfManyJobs, ACrashInTheThirdJobLosesThatJobAlone) {
  const auto results = run_all({own_process, own_process,
                                []() -> std::string {
                                  raise(SIGKILL);
                                  return {};
                                },
                                own_process, own_process},
                               one_child);
  EXPECT_EQ(results[0].output, results[1].output);
  EXPECT_EQ(results[2].problem, "killed by signal 9 (Killed)");
  EXPECT_NE(results[3].output, results[1].output);
  EXPECT_EQ(results[3].output, results[4].output);
  EXPECT_NE(results[4].output, own_process());
}

TEST(ChildBatchOfManyJobs, AChildGoesOnAfterUnusableInputOnly) {
  const auto after = [](const std::function<std::string()>& failing) {
    const auto results = run_all({own_process, failing, own_process}, one_child);
    EXPECT_NE(results[1].end, ChildEnd::finished);
    EXPECT_EQ(results[2].end, ChildEnd::finished);
    return results[0].output == results[2].output;
  };
  EXPECT_TRUE(after([]() -> std::string { throw InputError("place", "problem"); }));
  EXPECT_FALSE(after([]() -> std::string { throw std::bad_alloc{}; }));
  EXPECT_FALSE(after([]() -> std::string { throw ContractViolation("promise"); }));
}

#ifndef DCUBE_ADDRESS_SANITIZER  // which reserves more than the limit
TEST(ChildBatchOfManyJobs, ThoseAfterOneThatFillsTheMemoryAreDone) {
  const auto fill_memory = [] {
    constexpr rlim_t limit = 500'000'000;
    const rlimit limits{limit, limit};
    setrlimit(RLIMIT_AS, &limits);
    return std::string(2 * limit, 'x').substr(1, 1);
  };
  const auto results = run_all({own_process, fill_memory, own_process, own_process}, one_child);
  EXPECT_EQ(results[1].end, ChildEnd::out_of_memory);
  EXPECT_EQ(results[1].problem, "memory ran out");
  EXPECT_NE(results[0].output, results[2].output);
  EXPECT_EQ(results[2].output, results[3].output);
}
#endif

TEST(ChildBatchOfManyJobs, AChildThatHasGrownByMuchIsReplaced) {
  const auto grow = [](std::size_t bytes) {
    return [bytes] {
      const std::string filled(bytes, 'x');
      return filled.back() == 'x' ? own_process() : std::string{};
    };
  };
  EXPECT_EQ(stays({grow(1'000'000), grow(100'000'000), own_process}),
            (std::vector<bool>{true, false}));
}

TEST(ChildBatchOfManyJobs, JobsAfterOneThatWasStoppedAreDone) {
  BatchLimits limits = one_child;
  limits.timeout = std::chrono::milliseconds{300};
  const auto results = run_all({own_process, sleep_for_ever, own_process, own_process}, limits);
  EXPECT_EQ(results[1].end, ChildEnd::timed_out);
  EXPECT_NE(results[0].output, results[2].output);
  EXPECT_EQ(results[2].output, results[3].output);
}

std::string output_of_one(ChildPool& pool, const std::string& request) {
  const InterruptWatch interrupt;
  return output_of(pool.run(std::vector{request}, one_child, interrupt).front());
}

TEST(ChildPool, WhatTheWorkKeepsStaysInTheChild) {
  ChildPool pool{
      [all = std::string{}](std::string_view request) mutable { return all += request; }};
  EXPECT_EQ(output_of_one(pool, "a"), "a");
  EXPECT_EQ(output_of_one(pool, "b"), "ab");
}

TEST(ChildPool, LargeRequestsAndAnswersPassAtOnce) {
  ChildPool pool{[](std::string_view request) { return std::string{request}; }};
  std::vector<std::string> requests;
  for (char fill = 'a'; fill < 'g'; ++fill) {
    requests.emplace_back(10'000'000, fill);
  }
  requests.emplace_back();
  const InterruptWatch interrupt;
  const auto results = pool.run(requests, {.at_once = 2, .life = ChildLife::many_jobs}, interrupt);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_TRUE(results[i].output == requests[i]);
  }
}

TEST(ChildPool, ARequestThatNobodyReadsIsStopped) {
  ChildPool pool{[](std::string_view) { return own_process(); }};
  const pid_t child = std::stoi(output_of_one(pool, ""));
  ASSERT_EQ(kill(child, SIGSTOP), 0);
  BatchLimits limits = one_child;
  limits.timeout = std::chrono::milliseconds{300};
  const InterruptWatch interrupt;
  EXPECT_EQ(pool.run(std::vector{std::string(10'000'000, 'x')}, limits, interrupt).front().end,
            ChildEnd::timed_out);
  EXPECT_NE(output_of_one(pool, ""), std::to_string(child));
}

TEST(ChildPool, AChildThatIsKilledBetweenJobsCostsNone) {
  ChildPool pool{[](std::string_view) { return own_process(); }};
  const std::string first = output_of_one(pool, "");
  const auto child = static_cast<id_t>(std::stoi(first));
  ASSERT_EQ(kill(static_cast<pid_t>(child), SIGKILL), 0);
  siginfo_t ended{};
  ASSERT_EQ(waitid(P_PID, child, &ended, WEXITED | WNOWAIT), 0);
  EXPECT_NE(output_of_one(pool, ""), first);
}

TEST(ChildPool, NoChildOutlivesIt) {
  pid_t child = 0;
  {
    ChildPool pool{[](std::string_view) { return own_process(); }};
    child = std::stoi(output_of_one(pool, ""));
    EXPECT_EQ(kill(child, 0), 0);
  }
  EXPECT_EQ(kill(child, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

}  // namespace
}  // namespace dcube
