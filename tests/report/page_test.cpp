#include "report/page.hpp"

#include <gtest/gtest.h>

#include "dcube/core/errors.hpp"
#include "dcube/scenario/scenario.hpp"
#include "report/result_file.hpp"

namespace dcube::report {
namespace {

ReportedRun run_of(const std::string& machine_name) {
  Scenario scenario = load_scenario(DCUBE_SOURCE_DIR "/scenarios/line-cc_dcube-standard.json");
  auto machine = std::make_shared<Machine>(*scenario.machine);
  machine->name = machine_name;
  scenario.machine = machine;
  const RunResult result = run_scenario(scenario);
  return {"a",          "a.json", read_result(run_result_json(scenario, result), "a.json"),
          std::nullopt, false,    {}};
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(ReportPage, IsOneFileThatNamesNoOther) {
  const std::string page = report_page({run_of("unit")}, "1.2.3");
  EXPECT_EQ(count(page, "<script src"), 0U);
  EXPECT_EQ(count(page, "<link rel=\"stylesheet\""), 0U);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(page.find("\"version\":\"1.2.3\""), std::string::npos);
  EXPECT_NE(page.find("University of Washington Interactive Data Lab"), std::string::npos);
}

TEST(ReportPage, NamesCannotEndTheElementTheyStandIn) {
  const std::size_t scripts = count(report_page({run_of("unit")}, "1"), "</script");
  const std::string page = report_page({run_of("</script><b>&{{script}}")}, "1");
  EXPECT_EQ(count(page, "</script"), scripts);
  EXPECT_NE(page.find("cc_dcube on &lt;/script&gt;&lt;b&gt;&amp;{{script}}"), std::string::npos);
}

TEST(ReportPage, MachinesOfSeveralResultsAreInItOnce) {
  const ReportedRun run = run_of("unit");
  const std::string page = report_page({run, run}, "1");
  EXPECT_EQ(count(page, "\"arrangement\""), 1U);
  EXPECT_EQ(count(page, "\"file\":\"a.json\""), 2U);
}

}  // namespace
}  // namespace dcube::report
