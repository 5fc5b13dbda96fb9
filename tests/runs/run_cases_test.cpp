#include "dcube/runs/run_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "dcube/runs/tables.hpp"
#include "scenario/temporary_folder.hpp"

namespace dcube {
namespace {

Study study_of_messages() {
  StudyPlan plan = load_study_plan("quickstart");
  plan.axes.push_back({{read_study_setting(plan, "--vary", "/program/message", "lin:1:20:20")}});
  plan.axes.push_back({{read_study_setting(plan, "--vary", "/embedding", "standard,xor")}});
  return Study{std::move(plan)};
}

TEST(RunStudy, EveryRunIsMadeOnceAndKept) {
  const TemporaryFolder folder;
  const Study study = study_of_messages();
  const CaseRecords half =
      run_cases(study, {.at_once = 2, .records = folder.path(), .shard = {.index = 0, .count = 2}});
  EXPECT_EQ(half.end, RunsEnd::shard_is_done);
  std::size_t told = 0;
  const CaseRecords whole =
      run_cases(study, {.at_once = 2,
                        .on_progress = [&](std::size_t done, std::size_t) { told = done; },
                        .records = folder.path()});
  EXPECT_EQ(whole.end, RunsEnd::complete);
  ASSERT_EQ(whole.records.size(), 40U);
  EXPECT_EQ(told, 40U);
  for (std::size_t run = 0; run < whole.records.size(); ++run) {
    EXPECT_EQ(half.records[run].has_value(), run % 2 == 0);
    ASSERT_TRUE(whole.records[run]);
    const RunRecord here = study.make(run);
    EXPECT_EQ(whole.records[run]->values, here.values);
    EXPECT_EQ(whole.records[run]->fingerprint, here.fingerprint);
    EXPECT_EQ(whole.records[run]->key, study.key(run));
  }
}

TEST(RunStudy, TablesHaveARowForEachRun) {
  const Study study = study_of_messages();
  const CaseRecords made = run_cases(study);
  StudyResults results{study, {}};
  for (const auto& record : made.records) {
    results.records.push_back(&*record);
  }
  const std::string csv = study_csv(results);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 41);
  EXPECT_TRUE(csv.starts_with("run,message,embedding,outcome,problem,makespan_s,"));
  const auto ratios =
      ratios_of(results, read_ratio(study, "standard/xor"), measure_named("makespan_s"));
  ASSERT_EQ(ratios.size(), 20U);
  EXPECT_DOUBLE_EQ(ratios.front().ratio.mean, 1.25);
}

}  // namespace
}  // namespace dcube
