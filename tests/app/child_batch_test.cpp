#include "app/children/child_batch.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <new>

#include "core/named_temporary.hpp"
#include "dcube/core/errors.hpp"
#include "scenario/temporary_folder.hpp"

namespace dcube::app {
namespace {

using Jobs = std::vector<std::function<std::string()>>;

std::vector<ChildResult> run_all(const Jobs& jobs,
                                 const BatchLimits& limits = {.at_once = 2, .timeout = {}}) {
  const InterruptWatch interrupt;
  return run_in_children(jobs, limits, interrupt, [](std::size_t) {});
}

std::string sleep_for_ever() {
  while (true) {
    pause();
  }
}

TEST(ChildBatch, ResultsComeInTheOrderOfTheJobs) {
  Jobs jobs;
  for (int i = 0; i < 7; ++i) {
    jobs.emplace_back([i] {
      usleep(static_cast<useconds_t>(7 - i) * 1000);
      return std::to_string(i);
    });
  }
  const auto results = run_all(jobs);
  ASSERT_EQ(results.size(), 7U);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(results[i].end, ChildEnd::finished);
    EXPECT_EQ(results[i].output, std::to_string(i));
  }
}

TEST(ChildBatch, OutputLargerThanAPipeArrivesWhole) {
  const std::string large(5'000'000, 'x');
  EXPECT_EQ(run_all({[&] { return large; }}).front().output, large);
}

TEST(ChildBatch, EveryJobRunsInAProcessOfItsOwn) {
  const auto results =
      run_all({[] { return std::to_string(getpid()); }, [] { return std::to_string(getpid()); }});
  EXPECT_NE(results[0].output, results[1].output);
  EXPECT_NE(results[0].output, std::to_string(getpid()));
}

TEST(ChildBatch, AJobThatThrowsFailsWithItsMessage) {
  const auto results = run_all({[]() -> std::string { throw InputError("place", "problem"); },
                                []() -> std::string { throw ContractViolation("promise"); },
                                [] { return std::string{"fine"}; }});
  EXPECT_EQ(results[0].end, ChildEnd::failed);
  EXPECT_EQ(results[0].problem, "place: problem");
  EXPECT_EQ(results[1].end, ChildEnd::defect);
  EXPECT_EQ(results[1].problem, "internal error: promise");
  EXPECT_EQ(results[2].end, ChildEnd::finished);
  EXPECT_THROW(output_of(results[0]), InputError);
  EXPECT_THROW(output_of(results[1]), ContractViolation);
  EXPECT_EQ(output_of(results[2]), "fine");
}

TEST(ChildBatch, AJobThatCrashesLeavesTheOthersAlone) {
  const auto results =
      run_all({[]() -> std::string {
                 signal(SIGALRM, SIG_DFL);
                 raise(SIGALRM);
                 return {};
               },
               []() -> std::string { _exit(42); }, []() -> std::string { _exit(0); },
               [] { return std::string{"fine"}; }});
  EXPECT_EQ(results[0].end, ChildEnd::crashed);
  EXPECT_EQ(results[0].problem, "killed by signal 14 (Alarm clock)");
  EXPECT_EQ(results[1].end, ChildEnd::crashed);
  EXPECT_EQ(results[1].problem, "exit status 42");
  EXPECT_EQ(results[2].end, ChildEnd::crashed);
  EXPECT_EQ(results[2].problem, "exit status 0");
  EXPECT_EQ(results[3].output, "fine");
}

TEST(ChildBatch, AJobThatRunsOutOfMemorySaysSo) {
  const auto results = run_all({[]() -> std::string { throw std::bad_alloc{}; }});
  EXPECT_EQ(results[0].end, ChildEnd::out_of_memory);
}

TEST(ChildBatch, AJobPastItsTimeLimitIsStopped) {
  const auto results = run_all({sleep_for_ever, [] { return std::string{"fine"}; }},
                               {.at_once = 2, .timeout = std::chrono::milliseconds{300}});
  EXPECT_EQ(results[0].end, ChildEnd::timed_out);
  EXPECT_EQ(results[0].problem, "not done after 0.3 s");
  EXPECT_EQ(results[1].end, ChildEnd::finished);
}

TEST(ChildBatch, AJobThatIsKilledLeavesNoTemporaryFile) {
  const TemporaryFolder folder;
  const auto results = run_all({[&] {
                                 const NamedTemporary temporary{folder.path()};
                                 std::ofstream{temporary.path()} << "half";
                                 return sleep_for_ever();
                               }},
                               {.at_once = 1, .timeout = std::chrono::milliseconds{300}});
  EXPECT_EQ(results[0].end, ChildEnd::timed_out);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ChildBatch, AnInterruptKeepsWhatIsFinished) {
  const InterruptWatch interrupt;
  const pid_t parent = getpid();
  const Jobs jobs{[] { return std::string{"fine"}; },
                  [parent] {
                    kill(parent, SIGINT);
                    return sleep_for_ever();
                  },
                  [] { return std::string{"never started"}; }};
  const auto results = run_in_children(jobs, {.at_once = 1, .timeout = {}}, interrupt, [](auto) {});
  EXPECT_EQ(results[0].end, ChildEnd::finished);
  EXPECT_EQ(results[1].end, ChildEnd::interrupted);
  EXPECT_EQ(results[2].end, ChildEnd::interrupted);
}

}  // namespace
}  // namespace dcube::app
