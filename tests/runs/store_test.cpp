#include "runs/store.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "dcube/core/errors.hpp"
#include "dcube/runs/make_record.hpp"
#include "dcube/runs/study.hpp"
#include "scenario/temporary_folder.hpp"

// Locks belong to processes, so whatever two commands do to each other is tested with two
// processes.

namespace dcube {
namespace {

StudyPlan plan_of(std::uint32_t runs) {
  StudyPlan plan;
  plan.name = "ring";
  plan.file = "ring.json";
  Params program;
  program.set("kind", "cc_dcube");
  Params scenario{"ring.json: "};
  scenario.set("schema_version", Setting::Number{"1"});
  scenario.set("machine", "ring:4");
  scenario.set("program", program);
  plan.scenario = scenario;
  plan.axes.push_back({{study_seeds(runs)}});
  return plan;
}

RunRecord record_of(const Study& study, std::size_t run) {
  return failed_run(study, run, Outcome::refused, "for a test");
}

void record(RunStore& store, const Study& study, const std::vector<std::size_t>& runs) {
  for (const std::size_t run : runs) {
    store.append(run, record_text(record_of(study, run)));
  }
  store.sync();
}

/// A process that does something and lives until it is killed.
class OtherCommand {
 public:
  explicit OtherCommand(const std::function<void()>& work) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_ = fork();
    if (pid_ == 0) {
      work();
      EXPECT_EQ(write(ends[1], "x", 1), 1);
      for (;;) {
        pause();
      }
    }
    char ignored = 0;
    EXPECT_EQ(::read(ends[0], &ignored, 1), 1);
    close(ends[0]);
    close(ends[1]);
  }
  OtherCommand(const OtherCommand&) = delete;
  OtherCommand& operator=(const OtherCommand&) = delete;
  ~OtherCommand() { end(); }

  void end() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
      pid_ = -1;
    }
  }

 private:
  pid_t pid_ = -1;
};

using Runs = std::vector<std::size_t>;

TEST(RunStore, WhatIsRecordedIsThereForTheNextCommand) {
  const TemporaryFolder folder;
  const Study study{plan_of(10)};
  {
    RunStore store{study, folder.path() / "s", "--output"};
    EXPECT_EQ(store.claim(4, {}), (Runs{0, 1, 2, 3}));
    record(store, study, {0, 2});
    EXPECT_EQ(store.done_count(), 2U);
    EXPECT_EQ(store.record(2)->problem, "for a test");
    EXPECT_EQ(store.record(1), nullptr);
  }
  RunStore store{study, folder.path() / "s", "--output"};
  EXPECT_EQ(store.done_count(), 2U);
  EXPECT_EQ(store.claim(100, {}), (Runs{1, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(RunStore, ARunThatTimedOutIsMadeAgainWithMoreTime) {
  const TemporaryFolder folder;
  const Study study{plan_of(4)};
  const auto take = [&](RunStore& store, Outcome outcome, double tried_s) {
    EXPECT_EQ(store.claim(1, {1, 2}), std::vector<std::size_t>{1});
    RunRecord ended = failed_run(study, 1, outcome, "");
    ended.tried_s = tried_s;
    store.append(1, record_text(ended));
    store.sync();
  };
  {
    RunStore store{study, folder.path(), "--output"};
    take(store, Outcome::timed_out, 2.5);
    EXPECT_EQ(store.claim(4, {1, 2}), std::vector<std::size_t>{3});
    record(store, study, {3});
  }
  {
    RunStore again{study, folder.path(), "--output"};
    EXPECT_EQ(again.done_count(), 2U);
    again.forget_unlucky({.timeout = std::chrono::seconds{2}, .shard = {1, 2}});
    again.forget_unlucky({.shard = {0, 2}});  // which it is not of
    EXPECT_EQ(again.done_count(), 2U);
    again.forget_unlucky({.timeout = std::chrono::seconds{3}, .shard = {1, 2}});
    EXPECT_EQ(again.done_count(), 1U);
    EXPECT_EQ(again.record(1)->outcome, Outcome::timed_out);
    take(again, Outcome::timed_out, 3.5);
  }
  {
    RunStore without_limit{study, folder.path(), "--output"};
    without_limit.forget_unlucky({});
    take(without_limit, Outcome::deadlock, 0);
  }
  // Sessions are read in the order of their names, which need not be that of their ends.
  RunStore last{study, folder.path(), "--output"};
  EXPECT_EQ(last.record(1)->outcome, Outcome::deadlock);
  last.forget_unlucky({});
  EXPECT_EQ(last.done_count(), 2U);
}

TEST(RunStore, ARunThatCrashedOrLackedMemoryIsMadeAgainByTheNextCommand) {
  const TemporaryFolder folder;
  const Study study{plan_of(4)};
  const auto take = [&](RunStore& store, Outcome outcome, bool lacked_memory) {
    ASSERT_EQ(store.claim(1, {}).size(), 1U);
    RunRecord ended = failed_run(study, 0, outcome, "");
    ended.lacked_memory = lacked_memory;
    store.append(0, record_text(ended));
    store.sync();
  };
  for (const auto& [outcome, lacked_memory] :
       {std::pair{Outcome::refused, true}, std::pair{Outcome::crashed, false},
        std::pair{Outcome::refused, false}}) {
    RunStore store{study, folder.path(), "--output"};
    store.forget_unlucky({});
    EXPECT_EQ(store.done_count(), 0U);
    take(store, outcome, lacked_memory);
    EXPECT_EQ(store.done_count(), 1U);
    EXPECT_EQ(store.record(0)->lacked_memory, lacked_memory);
  }
  RunStore last{study, folder.path(), "--output"};
  last.forget_unlucky({});
  EXPECT_EQ(last.done_count(), 1U);
  EXPECT_EQ(last.record(0)->outcome, Outcome::refused);
}

TEST(RunStore, ManySessionsOfAProcessMayFollowEachOther) {
  const TemporaryFolder folder;
  const Study study{plan_of(10)};
  for (std::size_t run = 0; run < 10; ++run) {
    RunStore store{study, folder.path() / "s", "--output"};
    EXPECT_EQ(store.claim(1, {}), (Runs{run}));
    record(store, study, {run});
  }
  const RunStore store{study, folder.path() / "s", "--output"};
  EXPECT_EQ(store.done_count(), 10U);
}

TEST(RunStore, ShardsClaimTheirOwnRuns) {
  const TemporaryFolder folder;
  const Study study{plan_of(10)};
  RunStore store{study, folder.path() / "s", "--output"};
  EXPECT_EQ(store.claim(2, {1, 3}), (Runs{1, 4}));
  EXPECT_EQ(store.claim(1, {0, 3}), (Runs{0}));
  EXPECT_EQ(store.claim(9, {1, 3}), (Runs{7}));
  EXPECT_EQ(store.claim(9, {1, 3}), (Runs{}));
  EXPECT_EQ(store.claim(9, {0, 3}), (Runs{3, 6, 9}));
}

TEST(RunStore, WhatALivingCommandHasClaimedIsLeftToIt) {
  const TemporaryFolder folder;
  const Study study{plan_of(10)};
  const auto path = folder.path() / "s";
  OtherCommand other{[&] {
    auto* const store = new RunStore{study, path, "--output"};  // lives as long as the process
    store->claim(4, {});
    record(*store, study, {1});
  }};
  RunStore store{study, path, "--output"};
  EXPECT_EQ(store.claim(3, {}), (Runs{4, 5, 6}));
  EXPECT_EQ(store.claim(9, {}), (Runs{7, 8, 9}));
  EXPECT_EQ(store.claim(9, {}), (Runs{}));
  std::size_t alive = 0;
  for (const StoreSession& session : store.sessions()) {
    alive += session.is_alive ? 1 : 0;
  }
  EXPECT_EQ(alive, 2U);
  other.end();
  EXPECT_EQ(store.claim(9, {}), (Runs{0, 2, 3}));
  EXPECT_TRUE(store.is_done(1));
}

TEST(RunStore, ManyCommandsAtOnceClaimEveryRunOnce) {
  const TemporaryFolder folder;
  const Study study{plan_of(500)};
  const auto path = folder.path() / "s";
  std::vector<pid_t> pids;
  for (int i = 0; i < 6; ++i) {
    const pid_t pid = fork();
    if (pid == 0) {
      RunStore store{study, path, "--output"};
      for (Runs runs = store.claim(7, {}); !runs.empty(); runs = store.claim(7, {})) {
        record(store, study, runs);
      }
      _exit(0);
    }
    pids.push_back(pid);
  }
  for (const pid_t pid : pids) {
    int status = -1;
    waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
  std::multiset<std::string> lines;
  for (const auto& entry : std::filesystem::directory_iterator{path / "runs"}) {
    std::ifstream in{entry.path()};
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
      lines.insert(line);
    }
  }
  EXPECT_EQ(lines.size(), 500U);
  RunStore store{study, path, "--output"};
  EXPECT_TRUE(store.is_complete());
}

TEST(RunStore, ATornLastRecordIsDroppedWhereverItIsTorn) {
  const TemporaryFolder folder;
  const Study study{plan_of(3)};
  std::string whole;
  std::filesystem::path file;
  {
    RunStore store{study, folder.path() / "s", "--output"};
    record(store, study, store.claim(3, {}));
    file = std::filesystem::directory_iterator { folder.path() / "s" / "runs" } -> path();
    std::ifstream in{file, std::ios::binary};
    whole.assign(std::istreambuf_iterator<char>{in}, {});
  }
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    std::ofstream{file, std::ios::binary | std::ios::trunc} << whole.substr(0, size);
    const std::string kept = whole.substr(0, size);
    const auto lines = static_cast<std::size_t>(std::count(kept.begin(), kept.end(), '\n'));
    RunStore store{study, folder.path() / "s", "--output"};
    ASSERT_EQ(store.done_count(), lines == 0 ? 0 : lines - 1) << size;
  }
}

TEST(RunStore, ClaimsThatAreTornOrNonsenseCountForNothing) {
  const TemporaryFolder folder;
  const Study study{plan_of(4)};
  RunStore store{study, folder.path() / "s", "--output"};
  std::ofstream{folder.path() / "s" / "claims"}
      << "nonsense\nx 0 4\nx 0 99999999999999999999 1\nx 0 9 0\ntorn 0 4";
  EXPECT_EQ(store.claim(2, {}), (Runs{0, 1}));
  EXPECT_EQ(store.claim(9, {}), (Runs{2, 3}));
}

TEST(RunStore, AFolderOfAnotherStudyIsRefused) {
  const TemporaryFolder folder;
  const Study study{plan_of(4)};
  const Study other{plan_of(5)};
  const RunStore store{study, folder.path() / "s", "--output"};
  try {
    RunStore{other, folder.path() / "s", "--output"};
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string{error.what()}.find("what /seed goes through is different there"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace dcube
