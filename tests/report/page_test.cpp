#include "dcube/report/page.hpp"

#include <gtest/gtest.h>

#include "dcube/report/result_file.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube::report {
namespace {

std::string result_text() {
  Scenario scenario = load_scenario(DCUBE_SOURCE_DIR "/scenarios/line-cc_dcube-standard.json");
  const RunResult result = run_scenario(scenario);
  return run_result_json(scenario, result);
}

ReportedRun run_of(const std::string& result) {
  return {"a", "a.json", read_result(result, "a.json")};
}

/// The result with another name for its machine.
std::string renamed(std::string result, const std::string& name) {
  const std::string before = "unit-line-8";
  for (std::size_t at = result.find(before); at != std::string::npos; at = result.find(before)) {
    result.replace(at, before.size(), name);
  }
  return result;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(ReportPage, IsOneFileThatNamesNoOther) {
  const std::string page = report_page({run_of(result_text())}, "1.2.3");
  EXPECT_EQ(count(page, "<script src"), 0U);
  EXPECT_EQ(count(page, "<link rel=\"stylesheet\""), 0U);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(page.find("\"version\":\"1.2.3\""), std::string::npos);
  EXPECT_NE(page.find("University of Washington Interactive Data Lab"), std::string::npos);
}

TEST(ReportPage, NamesCannotEndTheElementTheyStandIn) {
  const std::string result = result_text();
  const std::size_t scripts = count(report_page({run_of(result)}, "1"), "</script");
  const std::string page = report_page({run_of(renamed(result, "</script><b>&{{script}}"))}, "1");
  EXPECT_EQ(count(page, "</script"), scripts);
  EXPECT_NE(page.find("cc_dcube on &lt;/script&gt;&lt;b&gt;&amp;{{script}}"), std::string::npos);
}

TEST(ReportPage, MachinesOfSeveralResultsAreInItOnce) {
  const ReportedRun run = run_of(result_text());
  const std::string page = report_page({run, run}, "1");
  EXPECT_EQ(count(page, "\"arrangement\""), 1U);
  EXPECT_EQ(count(page, "\"file\":\"a.json\""), 2U);
}

TEST(AnswerPage, NamesCannotEndTheElementTheyStandIn) {
  const std::size_t scripts = count(answer_page("a", "{}"), "</script");
  const std::string page = answer_page("</script>&{{data}}", R"({"name":"</script>"})");
  EXPECT_EQ(count(page, "</script"), scripts);
  EXPECT_NE(page.find("&lt;/script&gt;&amp;{{data}}"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

}  // namespace
}  // namespace dcube::report
