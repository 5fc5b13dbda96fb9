#include "dcube/report/result_file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "report/machine_view.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/comma_locale.hpp"
#include "support/complaint.hpp"

namespace dcube::report {
namespace {

namespace fs = std::filesystem;
/// Once in a test: a process simulates one run.
std::string shown_result() {
  Scenario scenario = load_scenario(DCUBE_SOURCE_DIR "/scenarios/line-cc_dcube-standard.json");
  const RunResult result = run_scenario(scenario);
  return run_result_json(scenario, result);
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), by);
}

std::string fingerprint_of(const std::string& result) {
  return read_result(result, "r").group("simulation").text("fingerprint");
}

/// A comparison of runs, each an embedding and what else its row says.
std::string comparison_of(const std::vector<std::pair<std::string, std::string>>& runs) {
  std::string rows;
  for (const auto& [embedding, more] : runs) {
    rows += (rows.empty() ? "" : ", ") + ("{\"embedding\": \"" + embedding) +
            R"(", "outcome": "completed", "makespan_ps": 10000000000000)" + more + "}";
  }
  return "{\"runs\": [" + rows + "]}";
}

std::vector<std::string> names_of(const NamedFiles& named) {
  std::vector<std::string> names;
  for (const NamedFile& file : named.files) {
    names.push_back(file.path.filename().string());
  }
  return names;
}

using Names = std::vector<std::string>;

// --- Figures ---

TEST(ResultFigures, NonsenseIsRefusedWithItsPlace) {
  const std::string result = shown_result();
  const std::array<std::array<std::string, 3>, 19> cases{{
      {"\"makespan_ps\": 10000000000000", "\"makespan_ps\": 1", "/makespan_ps"},
      {"\"makespan_s\": 10", "\"makespan_s\": -10", "/makespan_s"},
      {"\"total\": 24", "\"total\": -24", "/time_s/compute/total"},
      {"\"mean\": 3", "\"mean\": 4", "/time_s: the mean times do not add up"},
      {"\"count\": 24", "\"count\": 2.5", "/messages/count: 2.5 is not a whole number"},
      {"\"hops\": 56", "\"hops\": \"56\"", "/messages/hops"},
      {"\"shape\": [8]", "\"shape\": [9]", "/machine/shape"},
      {"\"shape\": [8]", "\"shape\": [4294967295, 4294967295]", "/machine/shape"},
      {"\"processes\": 8", "\"processes\": 0", "/program/processes"},
      {"\"dilation_max\": 1", "\"dilation_max\": -1", "/stages/0/dilation_max"},
      {"\"link_load_max\": 1", "\"link_load_max\": 0.5", "/stages/0/link_load_max"},
      {"\"link_load_max\"", "\"_\"", "/stages/0/link_load_max: is missing"},
      {"\"busiest\": \"", "\"busiest\": 7, \"_\": \"", "/link_load/busiest"},
      {"\"outcome\": \"completed\"", "\"outcome\": \"great\"", "/outcome"},
      {"\"links\": 7", "\"links\": -3", "/machine/links"},
      {"\"verified\": null", "\"verified\": \"maybe\"", "/verified"},
      {"\"utilisation\": {\"max\": ", "\"utilisation\": {\"max\": 7",
       "/link_load/utilisation: differs from that of the busiest link"},
      {"\"stages\": [", "\"blocked\": [3], \"stages\": [", "/blocked"},
      {"\"speedup\": null", "\"speedup\": {\"speedup\": -1}", "/speedup/speedup"},
  }};
  EXPECT_EQ(complaint([&] { read_result(result, "r.json"); }), "");
  const std::string unknown = replaced(result, "\"link_load_max\": 1", "\"link_load_max\": null");
  EXPECT_EQ(complaint([&] { read_result(unknown, "r.json"); }), "");
  for (const auto& [part, by, problem] : cases) {
    const std::string nonsense = replaced(result, part, by);
    const std::string said = complaint([&] { read_result(nonsense, "r.json"); });
    EXPECT_NE(said.find("r.json: " + problem), std::string::npos) << by << ": " << said;
  }
}

std::string loads_complaint(const std::string& result) {
  const ReportedRun run{"r", "r.json", read_result(result, "r.json")};
  const MachineView view = view_machine(run);
  return complaint([&] { loads_json(run.result, *view.drawing, nullptr); });
}

TEST(ResultFigures, LoadsOfLinksAndNodesThatAreNotThereAreRefused) {
  const std::string result = shown_result();
  EXPECT_EQ(loads_complaint(result), "");
  for (const auto& [part, by, problem] : std::array<std::array<std::string, 3>, 6>{{
           {"\"from\": [0", "\"from\": [-1", "/link_loads/from"},
           {"\"from\": [0", "\"from\": [4294967296", "/link_loads/from"},
           {"\"from\": [0", "\"from\": [0.5", "/link_loads/from"},
           {"\"from\": [0", "\"from\": [7", "7->1 is not a link of the machine"},
           {"\"map\": [0", "\"map\": [-1", "/embedding/map"},
           {"\"node_loads\": [0", "\"node_loads\": [-7", "/node_loads"},
       }}) {
    const std::string said = loads_complaint(replaced(result, part, by));
    EXPECT_NE(said.find(problem), std::string::npos) << by << ": " << said;
  }
}

TEST(ResultFigures, NumbersDoNotFollowTheLocaleOfTheProgram) {
  Params group;
  group.set("list", Setting::List{Setting::Number{"0.5"}, Setting::Number{"1.25e3"}});
  const CommaLocale locale;
  if (!locale.is_set()) {
    GTEST_SKIP() << "no such locale can be made here";
  }
  EXPECT_EQ(std::strtod("0.5", nullptr), 0);
  EXPECT_EQ(numbers(group, "list"), (std::vector<double>{0.5, 1250}));
  const std::string result = shown_result();
  EXPECT_NE(result.find("\"makespan_s\": 10.0"), std::string::npos);
  EXPECT_EQ(read_result(result, "r").find("makespan_s")->number()->text, "10.0");
}

// --- Comparisons and folders ---

class ResultFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(folder_.path() / "runs");
    folder_.write("runs/standard.json", standard_);
    folder_.write("runs/by_weight.json", by_weight_);
  }
  std::string complaint_about(const fs::path& path) const {
    return folder_.shortened(complaint([&] { read_named(path); }));
  }

  TemporaryFolder folder_;
  std::string standard_ = shown_result();
  std::string by_weight_ = replaced(standard_, fingerprint_of(standard_), "0123456789abcdef");
};

TEST_F(ResultFolder, AComparisonStandsForTheRunsItListsInItsOrder) {
  folder_.write("runs/xor.json", standard_);
  folder_.write("standard.json", by_weight_);
  folder_.write("foreign.json", "{\"makespan_s\": ");
  folder_.write("comparison.json",
                comparison_of({{"standard", R"(, "result": "runs/standard.json")"},
                               {"by_weight", R"(, "result": "runs/by_weight.json")"}}));
  const NamedFiles named = read_named(folder_.path());
  EXPECT_EQ(names_of(named), (Names{"standard.json", "by_weight.json"}));
  EXPECT_EQ(named.files.front().folder, folder_.path() / "runs");
  EXPECT_TRUE(named.left_out.empty());
  EXPECT_EQ(names_of(read_named(folder_.path() / "comparison.json")), names_of(named));
}

TEST_F(ResultFolder, OlderComparisonsHaveTheirResultsBesideThem) {
  folder_.write("standard.json", standard_);
  folder_.write("by_weight-8.json", by_weight_);
  folder_.write("gray.json", standard_);
  folder_.write(
      "comparison.json",
      comparison_of({{"by_weight", R"(, "processes": 8)"}, {"standard", ""}, {"identity", ""}}));
  EXPECT_EQ(names_of(read_named(folder_.path())), (Names{"by_weight-8.json", "standard.json"}));
}

TEST_F(ResultFolder, AResultOfAnotherRunIsRefused) {
  const std::string row = R"(, "result": "runs/by_weight.json", "fingerprint": ")";
  folder_.write("comparison.json",
                comparison_of({{"standard", row + fingerprint_of(standard_) + "\""}}));
  EXPECT_NE(complaint_about(folder_.path()).find("runs/by_weight.json: is not the run that"),
            std::string::npos);
  folder_.write("comparison.json",
                comparison_of({{"standard", row + fingerprint_of(by_weight_) + "\""}}));
  EXPECT_EQ(complaint_about(folder_.path()), "");
}

TEST_F(ResultFolder, AListedResultThatIsMissingIsNamed) {
  folder_.write("comparison.json", comparison_of({{"xor", R"(, "result": "runs/xor.json")"}}));
  EXPECT_NE(complaint_about(folder_.path()).find("runs/xor.json: cannot be read"),
            std::string::npos);
  folder_.write("comparison.json", "{\"runs\": [3]}");
  EXPECT_NE(complaint_about(folder_.path()).find("comparison.json: /runs: 3 is not a run"),
            std::string::npos);
}

TEST_F(ResultFolder, WithoutAComparisonItStandsForTheResultsInIt) {
  folder_.write("b.json", standard_);
  folder_.write("a.json", by_weight_);
  folder_.write("broken.json", "{\"outcome\": ");
  folder_.write("machine.json", "{\"topology\": {\"kind\": \"ring\", \"nodes\": 8}}");
  const NamedFiles named = read_named(folder_.path());
  EXPECT_EQ(names_of(named), (Names{"a.json", "b.json"}));
  EXPECT_EQ(named.left_out, (Names{"broken.json", "machine.json"}));
  folder_.write("c.json", replaced(standard_, "\"count\": 24", "\"count\": -1"));
  EXPECT_NE(complaint_about(folder_.path()).find("c.json: /messages/count"), std::string::npos);
  fs::create_directory(folder_.path() / "empty");
  EXPECT_EQ(complaint_about(folder_.path() / "empty"),
            "empty: holds neither comparison.json nor the result of a run");
}

TEST_F(ResultFolder, PathsThatCannotBeReadAreNamed) {
  const fs::path loop = folder_.path() / "loop";
  fs::create_symlink(loop, loop);
  EXPECT_EQ(complaint_about(loop), "loop: cannot be read (Too many levels of symbolic links)");
  EXPECT_EQ(complaint_about(loop / "r.json"),
            "loop/r.json: cannot be read (Too many levels of symbolic links)");
  const std::string name(300, 'x');
  EXPECT_EQ(complaint_about(folder_.path() / name), name + ": cannot be read (File name too long)");
  fs::create_directory(folder_.path() / "looped");
  fs::create_symlink("comparison.json", folder_.path() / "looped/comparison.json");
  EXPECT_NE(complaint_about(folder_.path() / "looped"), "");
}

// --- Files of a scenario ---

TEST(ScenarioOfAResult, NamesItsFilesFromTheFolderOfTheResult) {
  TemporaryFolder folder;
  fs::create_directory(folder.path() / "inputs");
  fs::create_directory(folder.path() / "results");
  std::string points;
  for (int i = 0; i < 16; ++i) {
    points += std::to_string(i) + "\n";
  }
  folder.write("inputs/points.csv", points);
  const fs::path file = folder.write("inputs/it.json", R"({"schema_version": 1,
    "machine": {"schema_version": 1, "topology": {"kind": "ring", "nodes": 4}, "link": {"latency": "1s"}},
    "program": {"kind": "fft", "input": "points.csv"}})");
  Scenario scenario = load_scenario(file);
  const RunResult run = run_scenario(scenario);
  Params result = read_result(run_result_json(scenario, run), "r.json");

  // As older results are: names from the scenario's folder, the source from the current one.
  EXPECT_EQ(scenario_of({"r", "r.json", result, "nowhere"}).program->kind(), "fft");

  Params described = result.group("scenario");
  Params document = described.group("document");
  Params program = document.group("program");
  program.set("input", "../inputs/points.csv");
  document.set("program", program);
  described.set("document", document);
  described.set("source", "../inputs/it.json");
  result.set("scenario", described);
  EXPECT_EQ(scenario_of({"r", "r.json", result, folder.path() / "results"}).program->kind(), "fft");
  EXPECT_NE(complaint([&] { scenario_of({"r", "r.json", result, "nowhere"}); }), "");
}

}  // namespace
}  // namespace dcube::report
