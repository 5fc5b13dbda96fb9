#include <gtest/gtest.h>

#include <string>

#include "core/json_reading.hpp"
#include "dcube/scenario/experiments.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/scenario/validation.hpp"
#include "shipped_files.hpp"
#include "support/complaint.hpp"
#include "temporary_folder.hpp"

namespace dcube {
namespace {

constexpr const char* cc_scenario =
    R"({"schema_version": 1, "machine": "unit-ring-8", "program": {"kind": "cc_dcube"}})";

/// A file with one experiment, which has the given settings besides name and scenario.
std::string file_with(const std::string& experiment) {
  return R"({"schema_version": 1, "title": "t", "source": "s", "experiments": [{"name": "e",
    "scenario": )" +
         std::string{cc_scenario} + ", " + experiment + "}]}";
}

std::string file_with_point(const std::string& point) {
  return file_with(R"("quantity": "makespan_s", "limit_percent": 1, "points": [)" + point + "]");
}

ExperimentFile loaded(const std::string& text) {
  const TemporaryFolder folder;
  return load_experiments(folder.write("x.json", text));
}

std::string complaint_about(const std::string& text) {
  const TemporaryFolder folder;
  return folder.shortened(complaint([&] { load_experiments(folder.write("x.json", text)); }));
}

TEST(Experiments, EveryShippedFileIsValid) {
  const auto files = shipped_files("validation");
  EXPECT_FALSE(files.empty());
  for (const auto& file : files) {
    EXPECT_EQ(validate_document(file), DocumentKind::experiments) << file;
  }
}

TEST(Experiments, ANumberKeepsItsTextAndDigits) {
  const auto file = loaded(file_with_point(R"({"label": "a", "printed": 17.20})"));
  const Reference& figure = file.experiments[0].points[0].reference;
  EXPECT_EQ(figure.text, "17.20");
  EXPECT_EQ(figure.decimals, 2);
  EXPECT_EQ(figure.low, 17.2);
  EXPECT_EQ(figure.high, 17.2);
  EXPECT_FALSE(figure.is_range);
  EXPECT_TRUE(figure.is_printed);
}

TEST(Experiments, DecimalsOfAFigureCountFromThePointThatItsExponentMeans) {
  const auto decimals = [](const std::string& figure) {
    const auto file = loaded(file_with_point(R"({"label": "a", "printed": )" + figure +
                                             R"(}, {"label": "b", "printed": 7})"));
    return file.experiments[0].points[0].reference.decimals;
  };
  EXPECT_EQ(decimals("1.5e-3"), 4);
  EXPECT_EQ(decimals("2E-6"), 6);
  EXPECT_EQ(decimals("1.25e+1"), 1);
  EXPECT_EQ(decimals("1.25e7"), 0);
  EXPECT_EQ(decimals("[0e-99999999999999999999, 1]"), 400);
}

TEST(Experiments, ARangeNeedsNoLimit) {
  const auto file = loaded(
      file_with(R"("quantity": "makespan_s", "points": [{"label": "a", "expected": [-0.5, 11]}])"));
  const Reference& figure = file.experiments[0].points[0].reference;
  EXPECT_EQ(figure.text, "-0.5 .. 11");
  EXPECT_EQ(figure.decimals, 1);
  EXPECT_EQ(figure.low, -0.5);
  EXPECT_EQ(figure.high, 11);
  EXPECT_TRUE(figure.is_range);
  EXPECT_FALSE(figure.is_printed);
}

TEST(Experiments, SettingsReplaceValuesOfTheScenario) {
  const auto file = loaded(file_with_point(
      R"({"label": "a", "set": {"/program/message": 64, "/machine/link/latency": "3s"},
          "printed": 1})"));
  const Experiment& experiment = file.experiments[0];
  ASSERT_EQ(experiment.points[0].trials.size(), 1U);
  const Scenario built =
      build_scenario(experiment.points[0].trials[0].document, experiment.scenario);
  EXPECT_EQ(built.program_settings.size_bytes("message"), 64U);
  EXPECT_EQ(to_seconds(built.machine->links.per_dimension[0].of(0)), 3);
  EXPECT_FALSE(experiment.points[0].trials[0].baseline);
}

TEST(Experiments, TheBaselineIsEveryChoiceWithItsSettingsOnTop) {
  const auto file = loaded(file_with(R"("quantity": "crossover", "limit_percent": 0,
    "baseline": {"/program/compute": "5s"},
    "points": [{"label": "a", "set": {"/program/compute": "2s"}, "expected": 3, "choices": [
      {"value": 3, "set": {"/program/message": 30}}, {"value": 4.5}]}])"));
  const ExperimentPoint& point = file.experiments[0].points[0];
  ASSERT_EQ(point.trials.size(), 2U);
  EXPECT_EQ(point.trials[0].value, 3);
  EXPECT_EQ(point.trials[1].value, 4.5);
  EXPECT_EQ(point.trials[0].document.group("program").text("compute"), "2s");
  const Params& baseline = point.trials[0].baseline->group("program");
  EXPECT_EQ(baseline.text("compute"), "5s");
  EXPECT_EQ(baseline.size_bytes("message"), 30U);
  EXPECT_FALSE(point.trials[1].baseline->group("program").has("message"));
}

TEST(Experiments, ThePointerOfAPointGoesBeforeThatOfItsExperiment) {
  const auto file = loaded(file_with(R"("quantity": "run_ratio", "limit_percent": 0,
    "pointer": "/messages/hops", "baseline": {"/embedding": "xor"},
    "points": [{"label": "a", "printed": 1},
               {"label": "b", "pointer": "/node_loads/3", "printed": 1}])"));
  const auto& points = file.experiments[0].points;
  EXPECT_EQ(points[0].pointer, "/messages/hops");
  EXPECT_EQ(points[1].pointer, "/node_loads/3");
  EXPECT_TRUE(points[0].trials[0].baseline);
}

TEST(Experiments, ScenarioMayBeAFileBesideThem) {
  const TemporaryFolder folder;
  folder.write("cases/s.json", cc_scenario);
  const auto file = folder.write("x.json", R"({"schema_version": 1, "title": "t", "source": "s",
    "experiments": [{"name": "e", "scenario": "cases/s.json", "quantity": "makespan_s",
    "limit_percent": 1, "points": [{"label": "a", "printed": 1}]}]})");
  const ExperimentFile experiments = load_experiments(file);
  EXPECT_EQ(experiments.experiments[0].scenario, folder.path() / "cases/s.json");
  EXPECT_GT(experiments.largest_run_bytes, 0U);
}

struct BrokenExperiments {
  const char* what;
  std::string text;
  std::string message;
};

const std::vector<BrokenExperiments> broken{
    {"NoExperiments", R"({"schema_version": 1, "title": "t", "source": "s"})",
     "x.json: `experiments` is missing"},
    {"EmptyList", R"({"schema_version": 1, "title": "t", "source": "s", "experiments": []})",
     "x.json: /experiments: [] is not a list of experiments { .. }"},
    {"NoGroup", R"({"schema_version": 1, "title": "t", "source": "s", "experiments": [7]})",
     "x.json: /experiments/0: 7 is not a group of settings { .. }"},
    {"NoTitle", R"({"schema_version": 1, "title": "", "source": "s", "experiments": []})",
     "x.json: /title: \"\" says nothing (a text of at least one letter)"},
    {"NoVersion", R"({"title": "t", "source": "s", "experiments": []})",
     "x.json: `schema_version` is missing; add \"schema_version\": 1"},
    {"UnknownKey", file_with(R"("quantty": "makespan_s")"),
     "x.json: /experiments/0/quantty: unknown key; did you mean `quantity`?"},
    {"NoQuantity", file_with(R"("points": [])"), "x.json: /experiments/0: `quantity` is missing"},
    {"UnknownQuantity", file_with(R"("quantity": "makespan")"),
     "x.json: /experiments/0/quantity: \"makespan\" is unknown; did you mean `makespan_s`?"},
    {"NoPoints", file_with(R"("quantity": "makespan_s")"),
     "x.json: /experiments/0: `points` is missing"},
    {"NoLimit", file_with(R"("quantity": "makespan_s", "points": [{"label": "a", "printed": 1}])"),
     "x.json: /experiments/0: `limit_percent` is missing (the largest error that may be)"},
    {"NegativeLimit", file_with(R"("quantity": "makespan_s", "limit_percent": -1)"),
     "x.json: /experiments/0/limit_percent: -1 is not a limit in percent (0 or more)"},
    {"LimitOfNothing", file_with(R"("quantity": "makespan_s", "mean_limit_percent": 1,
      "points": [{"label": "a", "printed": [1, 2]}])"),
     "x.json: /experiments/0/mean_limit_percent: limits nothing, since every point has a range; "
     "leave it out"},
    {"NoBaseline", file_with(R"("quantity": "saving_percent")"),
     "x.json: /experiments/0: `baseline` is missing (settings that saving_percent compares with)"},
    {"IdleBaseline", file_with(R"("quantity": "makespan_s", "baseline": {})"),
     "x.json: /experiments/0/baseline: makespan_s compares with none; leave it out"},
    {"NoFigure", file_with_point(R"({"label": "a"})"),
     "x.json: /experiments/0/points/0: needs either `printed` (by the source) or `expected`"},
    {"TwoFigures", file_with_point(R"({"label": "a", "printed": 1, "expected": 1})"),
     "x.json: /experiments/0/points/0: needs either `printed` (by the source) or `expected`"},
    {"FigureOfZero", file_with_point(R"({"label": "a", "printed": 0.0})"),
     "x.json: /experiments/0/points/0/printed: 0.0 is not a figure (a number other than 0, or a "
     "range [least, greatest])"},
    {"FigureNearZero", file_with_point(R"({"label": "a", "printed": -1e-320})"),
     "x.json: /experiments/0/points/0/printed: -1e-320 is not a figure (from 1e-100 to 1e100)"},
    {"FigureTooLarge", file_with_point(R"({"label": "a", "printed": 1e308})"),
     "x.json: /experiments/0/points/0/printed: 1e308 is not a figure (from 1e-100 to 1e100)"},
    {"FigureInWords", file_with_point(R"({"label": "a", "printed": "many"})"),
     "x.json: /experiments/0/points/0/printed: \"many\" is not a figure (a number other than 0, or "
     "a range [least, greatest])"},
    {"HalfARange", file_with_point(R"({"label": "a", "printed": [1]})"),
     "x.json: /experiments/0/points/0/printed: [1] is not a range [least, greatest]"},
    {"RangeBackwards", file_with_point(R"({"label": "a", "printed": [2, 1]})"),
     "x.json: /experiments/0/points/0/printed: [2, 1] is not a range [least, greatest] (the least "
     "comes first)"},
    {"RangeInWords", file_with_point(R"({"label": "a", "printed": [1, "2"]})"),
     "x.json: /experiments/0/points/0/printed/1: \"2\" is not the limit of a range (a number)"},
    {"NoResultPointer", file_with(R"("quantity": "embed_result", "limit_percent": 0,
      "points": [{"label": "a", "printed": 1}])"),
     "x.json: /experiments/0: `pointer` is missing (where the number for embed_result stands in "
     "the result, such as \"/messages/hops\")"},
    {"IdleResultPointer", file_with_point(R"({"label": "a", "printed": 1, "pointer": "/a"})"),
     "x.json: /experiments/0/points/0/pointer: makespan_s is no number out of a result; leave it "
     "out"},
    {"BadResultPointer", file_with(R"("quantity": "run_result", "limit_percent": 0,
      "pointer": "messages", "points": [{"label": "a", "printed": 1}])"),
     "x.json: /experiments/0/pointer: \"messages\" is not a JSON pointer to a number (such as "
     "\"/messages/hops\")"},
    {"NoRatioBaseline", file_with(R"("quantity": "embed_ratio", "pointer": "/a")"),
     "x.json: /experiments/0: `baseline` is missing (settings that embed_ratio compares with)"},
    {"NoPointer", file_with_point(R"({"label": "a", "printed": 1, "set": {"message": 1}})"),
     "x.json: /experiments/0/points/0/set/message: is not a JSON pointer into the scenario or "
     "study (such "
     "as \"/program/message\")"},
    {"PointerToNowhere",
     file_with_point(R"({"label": "a", "printed": 1, "set": {"/program/kind/x": 1}})"),
     "x.json: /experiments/0/points/0/set/~1program~1kind~1x: /program/kind is \"cc_dcube\", which "
     "has no parts"},
    {"BadSetting",
     file_with_point(R"({"label": "a", "printed": 1, "set": {"/program/dimensions": 9}})"),
     "x.json: /experiments/0/points/0: x.json: /experiments/0/scenario/embedding: standard does "
     "not "
     "fit the ring of 8 (cube:9 has 512 processes, the machine 8 nodes); a machine of at least 512 "
     "nodes would fit"},
    {"IdleChoices", file_with_point(R"({"label": "a", "printed": 1, "choices": []})"),
     "x.json: /experiments/0/points/0/choices: makespan_s chooses from none; leave it out"},
    {"NoChoices", file_with(R"("quantity": "best_value", "limit_percent": 0,
      "points": [{"label": "a", "printed": 1}])"),
     "x.json: /experiments/0/points/0: `choices` is missing"},
    {"ChoiceWithoutValue", file_with(R"("quantity": "best_value", "limit_percent": 0,
      "points": [{"label": "a", "printed": 1, "choices": [{}]}])"),
     "x.json: /experiments/0/points/0/choices/0: `value` is missing"},
};

TEST(Experiments, EveryMistakeIsNamedWithItsPlace) {
  for (const BrokenExperiments& input : broken) {
    EXPECT_EQ(complaint_about(input.text), input.message) << input.what;
  }
}

TEST(Experiments, AMissingScenarioFileIsNamed) {
  const std::string message = complaint_about(
      R"({"schema_version": 1, "title": "t", "source": "s", "experiments": [{"name": "e",
      "scenario": "none.json", "quantity": "makespan_s", "points": []}]})");
  EXPECT_EQ(message, "none.json: cannot be read (No such file or directory)");
}

}  // namespace
}  // namespace dcube
