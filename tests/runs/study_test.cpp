#include "dcube/runs/study.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/file_text.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/runs/tables.hpp"
#include "scenario/shipped_files.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/schema_check.hpp"

namespace dcube {
namespace {

StudyPlan ring_plan() {
  StudyPlan plan;
  plan.name = "ring";
  plan.file = "ring.json";
  Params program{"ring.json: /program"};
  program.set("kind", "cc_dcube");
  Params scenario{"ring.json: "};
  scenario.set("schema_version", Setting::Number{"1"});
  scenario.set("machine", "ring:8");
  scenario.set("program", program);
  plan.scenario = scenario;
  return plan;
}

StudyPlan plan_with(const std::vector<std::pair<std::string, std::string>>& axes) {
  StudyPlan plan = ring_plan();
  for (const auto& [pointer, values] : axes) {
    plan.axes.push_back({{read_study_setting(plan, "--vary", pointer, values)}});
  }
  return plan;
}

std::string problem_of(StudyPlan plan) {
  try {
    Study{std::move(plan)};
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

std::vector<std::string> texts(const Study& study, std::size_t run) {
  std::vector<std::string> texts;
  for (const StudyValue* const value : study.values(run)) {
    texts.push_back(value->text);
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Study, EveryCombinationIsARunAndTheLastAxisChangesFastest) {
  const Study study{plan_with({{"/program/message", "1,2"}, {"/embedding", "xor,gray,standard"}})};
  ASSERT_EQ(study.run_count(), 6U);
  EXPECT_EQ(texts(study, 0), (Texts{"1", "xor"}));
  EXPECT_EQ(texts(study, 1), (Texts{"1", "gray"}));
  EXPECT_EQ(texts(study, 5), (Texts{"2", "standard"}));
  EXPECT_EQ(study.build(4).embedding->kind(), "gray");
}

TEST(Study, ColumnsSayTheUnitsThatValuesHave) {
  const Study study{plan_with({{"/program/compute", "10ms,1s"},
                               {"/program/message", "1,64KiB"},
                               {"/machine/link/latency", "1s,0.5"},
                               {"/embedding", "xor"}})};
  EXPECT_EQ(study.settings()[0]->column, "compute_s");
  EXPECT_EQ(study.settings()[1]->column, "program_message_bytes");  // message_bytes is a measure
  EXPECT_EQ(study.settings()[2]->column, "latency_s");
  EXPECT_EQ(study.settings()[3]->column, "embedding");
  EXPECT_EQ(study.settings()[0]->values[0].number, 0.01);
  EXPECT_EQ(study.settings()[1]->values[1].number, 65536);
}

TEST(Study, WholeNumbersOfASettingHaveAllTheirDigits) {
  const Study study{plan_with({{"/seed", "18446744073709551615,9007199254740993,1e3"},
                               {"/program/message", "1,1KiB"},
                               {"/program/compute", "1,0.5"}})};
  const auto value = [&](std::size_t setting, std::size_t place) {
    const StudySetting& varied = *study.settings()[setting];
    return value_of(varied, varied.values[place]);
  };
  EXPECT_EQ(std::get<std::uint64_t>(value(0, 0)), 18446744073709551615U);
  EXPECT_EQ(std::get<std::uint64_t>(value(0, 1)), 9007199254740993U);
  EXPECT_EQ(std::get<std::uint64_t>(value(0, 2)), 1000U);
  EXPECT_EQ(std::get<double>(value(1, 1)), 1024);
  EXPECT_EQ(std::get<double>(value(2, 0)), 1);
}

TEST(Study, SettingsThatChangeTogetherAreOneAxis) {
  StudyPlan plan = ring_plan();
  plan.axes.push_back({{read_study_setting(plan, "--zip", "/program/message", "1,2"),
                        read_study_setting(plan, "--zip", "/program/compute", "1s,2s")}});
  const Study study{std::move(plan)};
  ASSERT_EQ(study.run_count(), 2U);
  EXPECT_EQ(texts(study, 1), (Texts{"2", "2s"}));
  EXPECT_EQ(study.axis_of(0), study.axis_of(1));
  EXPECT_EQ(usual_line(study, 0), std::nullopt);  // a curve for each message has one point
}

TEST(Study, ASettingAfterThoseThatChangeTogetherIsTheUsualLine) {
  StudyPlan plan = plan_with({{"/program/dimensions", "2,3"}});
  plan.axes.push_back({{read_study_setting(plan, "--zip", "/program/message", "1,2"),
                        read_study_setting(plan, "--zip", "/program/compute", "1s,2s")}});
  const Study study{std::move(plan)};
  EXPECT_EQ(study.axis_of(0), 0U);
  EXPECT_EQ(study.axis_of(2), 1U);
  EXPECT_EQ(usual_line(study, 1), 0U);
}

TEST(Study, ConditionsLeaveRunsOut) {
  StudyPlan plan = plan_with({{"/program/message", "lin:1:9:9"}, {"/program/compute", "1s,5s"}});
  plan.where = {"/program/message > 3", "/program/message <= 7", "/embedding != gray"};
  plan.changes.push_back({"/embedding", "xor"});
  const Study study{std::move(plan)};
  ASSERT_EQ(study.run_count(), 8U);
  EXPECT_EQ(texts(study, 0), (Texts{"4", "1s"}));
  EXPECT_EQ(texts(study, 7), (Texts{"7", "5s"}));
}

TEST(Study, KeysTellRunsApartAndFollowFromTheirScenarios) {
  const Study study{plan_with({{"/program/message", "lin:1:20:20"}, {"/seed", "1,2,3"}})};
  std::set<std::string> keys;
  for (std::size_t run = 0; run < study.run_count(); ++run) {
    keys.insert(study.key(run));
  }
  EXPECT_EQ(keys.size(), study.run_count());
  // The same run of a larger study has the same key, and that of another scenario another one.
  const Study larger{plan_with({{"/program/message", "lin:1:20:20"}, {"/seed", "1,2,3,4"}})};
  EXPECT_EQ(larger.key(4), study.key(3));
  EXPECT_NE(larger.id(), study.id());
  StudyPlan other = plan_with({{"/program/message", "lin:1:20:20"}, {"/seed", "1,2,3"}});
  other.changes.push_back({"/machine", "ring:16"});
  EXPECT_NE(Study{std::move(other)}.key(0), study.key(0));
}

TEST(Study, ADescriptionIsTheStudyAgain) {
  StudyPlan plan = plan_with({{"/program/message", "1,2,3"}, {"/program/compute", "1s,2s"}});
  plan.where = {"/program/message != 2"};
  plan.axes.push_back({{study_seeds(12)}});
  const Study study{std::move(plan)};
  const Study read = Study::described(study.description(), "study.json");
  EXPECT_EQ(read.id(), study.id());
  ASSERT_EQ(read.run_count(), study.run_count());
  for (std::size_t run = 0; run < study.run_count(); ++run) {
    EXPECT_EQ(read.key(run), study.key(run));
    EXPECT_EQ(texts(read, run), texts(study, run));
  }
  EXPECT_EQ(cases_difference(study.description(), read.description()), "");
}

TEST(Study, ADamagedDescriptionDiffers) {
  const std::string sound = R"({"axes": [[{"setting": "/seed", "values": ["1"]}]], "files": {}})";
  for (const char* damaged :
       {"", "[]", R"({"axes": 1})", R"({"axes": [[[]]]})", R"({"axes": [[{"setting": 5}]]})",
        R"({"axes": [[{"setting": null}]], "files": []})"}) {
    EXPECT_NE(cases_difference(damaged, sound), "") << damaged;
  }
}

TEST(Study, UnusablePlansAreInputErrors) {
  EXPECT_EQ(problem_of(plan_with({{"/program/mesage", "1,2"}})),
            "ring.json: /program/mesage: unknown key; did you mean `message`?");
  EXPECT_EQ(problem_of(plan_with({{"/seed", "1"}, {"/seed", "2"}})),
            "--vary /seed: /seed is varied twice (list all its values in one place)");
  StudyPlan set = plan_with({{"/seed", "1,2"}});
  set.changes.push_back({"/seed", "3"});
  EXPECT_EQ(problem_of(std::move(set)),
            "--vary /seed: /seed is set as well (`.set` /seed); leave one of them out");
  StudyPlan nothing = plan_with({{"/seed", "1,2"}});
  nothing.where = {"/seed > 2"};
  EXPECT_EQ(problem_of(std::move(nothing)), "where \"/seed > 2\": leaves none of 2 runs");
  StudyPlan kinds = plan_with({{"/program/message", "1KiB,2KiB"}});
  kinds.where = {"/program/message != 1s"};
  EXPECT_EQ(
      problem_of(std::move(kinds)),
      "where \"/program/message != 1s\": \"1KiB\" and \"1s\" are different kinds of quantity");
  StudyPlan many =
      plan_with({{"/seed", "lin:1:100000:100000"}, {"/program/message", "lin:1:1000:1000"}});
  EXPECT_NE(problem_of(std::move(many)).find("makes more than 10,000,000 runs"), std::string::npos);
  EXPECT_THROW(plan_with({{"/seed", ""}}), InputError);
  EXPECT_EQ(problem_of(plan_with({{"/seed", "1,1"}})), "--vary /seed: the value 1 is given twice");
  EXPECT_THROW(plan_with({{"seed", "1"}}), InputError);
  EXPECT_THROW(plan_with({{"/program/compute", "1s,2parsecs"}}), InputError);
  EXPECT_THROW(plan_with({{"/program/compute", "1s,2KiB"}}), InputError);
  EXPECT_THROW(plan_with({{"/embedding", "xor,standrd"}}), InputError);
}

TEST(Study, AValueThatDoesNotFitIsNoReasonToRefuseTheStudy) {
  const Study study{plan_with({{"/machine", "ring:8,ring:6"}, {"/embedding", "xor,standard"}})};
  EXPECT_EQ(study.run_count(), 4U);
  EXPECT_NO_THROW(study.build(0));
  EXPECT_THROW(study.build(2), InputError);
}

TEST(Study, ShippedStudiesConformToTheSchemaAndCanBeRun) {
  const auto files = shipped_files("scenarios/studies");
  ASSERT_FALSE(files.empty());
  for (const auto& file : files) {
    const auto complaint = schema_complaint("study", file_text(file));
    EXPECT_FALSE(complaint) << file << complaint->pointer << complaint->problem;
    EXPECT_TRUE(is_study_file(file));
    EXPECT_GT(Study{load_study_plan(file.string())}.run_count(), 1U);
  }
}

struct BrokenStudy {
  const char* text;
  const char* problem;
};

TEST(Study, BrokenFilesAreComplainedOfByReaderAndSchema) {
  const TemporaryFolder folder;
  const std::string begin = R"({"schema_version": 1, "scenario": "quickstart", )";
  for (const auto& [text, problem] : std::vector<BrokenStudy>{
           {R"("vary": [{"setting": "/seed"}]})", "/vary/0: `values` is missing"},
           {R"("vary": [{"setting": "seed", "values": [1]}]})", "is not a setting"},
           {R"("vary": [{"setting": "/seed", "values": []}]})", "/vary/0/values"},
           {R"("vary": [{"setting": "/seed", "valus": [1]}]})", "unknown key"},
           {R"("vary": 3})", "/vary"},
           {R"("zip": [{"setting": "/seed", "values": [1]}]})", "/zip/0"},
           {R"("where": [3]})", "/where/0"},
           {R"("seeds": 0})", "/seeds"},
           {R"("set": {"seed": 3}})", "/set/seed"},
           {R"("varyy": []})", "/varyy: unknown key"}}) {
    const std::filesystem::path file = folder.write("study.json", begin + text);
    EXPECT_TRUE(schema_complaint("study", begin + text)) << text;
    try {
      load_study_plan(file.string());
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string{error.what()}.find(problem), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace dcube
