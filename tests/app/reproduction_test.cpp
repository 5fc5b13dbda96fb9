#include "questions/reproduce/reproduction.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/reproduce/reproduction_report.hpp"
#include "support/run_figures.hpp"

namespace dcube::app {
namespace {

Reference number(double figure, std::string text, int decimals) {
  return {.low = figure, .high = figure, .text = std::move(text), .decimals = decimals};
}

Reference range(double low, double high, std::string text) {
  return {.low = low, .high = high, .text = std::move(text), .is_range = true};
}

Trial trial(double value = 0) { return {.value = value, .document = {}, .baseline = {}}; }

Trial compared_trial(double value = 0) {
  return {.value = value, .document = {}, .baseline = Params{}};
}

ExperimentFile file_of(Quantity quantity, std::vector<ExperimentPoint> points) {
  Experiment experiment{.name = "Table 1",
                        .text = {},
                        .quantity = quantity,
                        .scenario = {},
                        .limit_percent = 5,
                        .mean_limit_percent = {},
                        .points = std::move(points)};
  return {.title = "T",
          .source = "S",
          .text = {},
          .experiments = {std::move(experiment)},
          .inputs = {}};
}

using Records = std::vector<std::optional<RunRecord>>;

RunRecord run(double makespan_s, double bytes = 0) {
  return figures_with(Ticks{static_cast<std::int64_t>(makespan_s * 1e12)},
                      {{"rate_kb_per_s", makespan_s > 0 ? bytes / 1000 / makespan_s : 0}});
}

RunRecord with_number(double number) {
  return {.details = "{\"number\": " + std::to_string(number) + "}"};
}

/// The first point's result.
PointResult result_of(const ExperimentFile& file, const Records& runs) {
  return reproduction_of("x.json", file, runs).results[0].points[0];
}

TEST(Reproduction, MakespanErrorIsRelativeToThePrintedFigure) {
  const auto file = file_of(Quantity::makespan_s, {{"a", number(2, "2.0", 1), {trial()}}});
  const PointResult result = result_of(file, {run(1.9)});
  EXPECT_DOUBLE_EQ(*result.figure, 1.9);
  EXPECT_NEAR(*result.error_percent, -5, 1e-9);
}

TEST(Reproduction, RateIsBytesOverTimeInThousands) {
  const auto file = file_of(Quantity::rate_kb_per_s, {{"a", number(2, "2", 0), {trial()}}});
  EXPECT_DOUBLE_EQ(*result_of(file, {run(0.5, 1024)}).figure, 2.048);
  EXPECT_EQ(result_of(file, {run(0, 8)}).problem, "no rate, since the run takes no time");
}

TEST(Reproduction, LoadsAndHopsAreThoseOfTheRun) {
  const Records runs{figures_with(
      Ticks{1}, {{"hops_per_pair", 1.5}, {"max_link_load", 3}, {"link_busy_max_s", 0.25}})};
  const auto figure = [&](Quantity quantity) {
    return *result_of(file_of(quantity, {{"a", number(2, "2", 0), {trial()}}}), runs).figure;
  };
  EXPECT_EQ(figure(Quantity::link_load_max), 3);
  EXPECT_EQ(figure(Quantity::link_busy_max_s), 0.25);
  EXPECT_EQ(figure(Quantity::hops_per_pair), 1.5);
}

TEST(Reproduction, NumbersOfAResultAreTakenAsTheyAreOrAsARatio) {
  const Records runs{with_number(12), with_number(8)};
  for (const Quantity quantity : {Quantity::run_result, Quantity::embed_result}) {
    const auto file = file_of(quantity, {{"a", number(12, "12", 0), {trial()}, "/x"}});
    EXPECT_EQ(*result_of(file, runs).figure, 12);
  }
  for (const Quantity quantity : {Quantity::run_ratio, Quantity::embed_ratio}) {
    const auto file = file_of(quantity, {{"a", number(1.5, "1.5", 1), {compared_trial()}, "/x"}});
    EXPECT_EQ(*result_of(file, runs).figure, 1.5);
    EXPECT_EQ(result_of(file, {runs[0], with_number(0)}).problem,
              "no ratio, since the baseline is 0");
  }
}

TEST(Reproduction, SavingIsAgainstTheBaseline) {
  const auto file =
      file_of(Quantity::saving_percent, {{"a", range(25, 30, "25 .. 30"), {compared_trial()}}});
  EXPECT_DOUBLE_EQ(*result_of(file, {run(3), run(4)}).figure, 25);
  EXPECT_TRUE(result_of(file, {run(3), run(4)}).is_within_limit);
  EXPECT_FALSE(result_of(file, {run(3.1), run(4)}).is_within_limit);
  EXPECT_FALSE(result_of(file, {run(2.5), run(4)}).is_within_limit);
  EXPECT_FALSE(result_of(file, {run(3), run(4)}).error_percent);
}

TEST(Reproduction, BestValueIsTheFirstOfTheFastest) {
  const auto file =
      file_of(Quantity::best_value, {{"a", number(4, "4", 0), {trial(2), trial(4), trial(8)}}});
  EXPECT_EQ(*result_of(file, {run(3), run(2), run(2)}).figure, 4);
  EXPECT_EQ(*result_of(file, {run(3), run(2), run(1)}).figure, 8);
}

TEST(Reproduction, CrossoverIsTheFirstThatTakesLonger) {
  const auto file = file_of(Quantity::crossover,
                            {{"a", number(7, "7", 0), {compared_trial(6), compared_trial(7)}}});
  EXPECT_EQ(*result_of(file, {run(2), run(2), run(3), run(2)}).figure, 7);
  EXPECT_EQ(*result_of(file, {run(3), run(2), run(3), run(2)}).figure, 6);
  EXPECT_EQ(result_of(file, {run(2), run(2), run(1), run(2)}).problem,
            "no crossover, since no choice takes longer than its baseline");
}

TEST(Reproduction, LargestAndMeanErrorLeaveOutRanges) {
  const auto file = file_of(Quantity::makespan_s, {{"a", number(1, "1", 0), {trial()}},
                                                   {"b", range(0, 9, "0 .. 9"), {trial()}},
                                                   {"c", number(1, "1", 0), {trial()}}});
  const auto reproduction = reproduction_of("x.json", file, Records{run(0.98), run(5), run(1.04)});
  EXPECT_NEAR(*reproduction.results[0].largest_error_percent, 4, 1e-9);
  EXPECT_NEAR(*reproduction.results[0].mean_error_percent, 3, 1e-9);
  EXPECT_TRUE(reproduction.has_passed());
  EXPECT_TRUE(complaints(reproduction).empty());
}

TEST(Reproduction, AnErrorAboveTheLimitIsComplainedAbout) {
  const auto file = file_of(Quantity::makespan_s, {{"a", number(1, "1", 0), {trial()}}});
  const auto reproduction = reproduction_of("x.json", file, Records{run(1.0625)});
  EXPECT_FALSE(reproduction.has_passed());
  EXPECT_EQ(complaints(reproduction),
            std::vector<std::string>{"x.json: Table 1: the largest error is 6.25 % (limit 5 %)"});
}

TEST(Reproduction, AMeanErrorAboveItsLimitIsComplainedAbout) {
  auto file = file_of(Quantity::makespan_s, {{"a", number(1, "1", 0), {trial()}}});
  file.experiments[0].mean_limit_percent = 2;
  const auto reproduction = reproduction_of("x.json", file, Records{run(1.03125)});
  EXPECT_FALSE(reproduction.has_passed());
  EXPECT_EQ(complaints(reproduction),
            std::vector<std::string>{"x.json: Table 1: the mean error is 3.12 % (limit 2 %)"});
}

TEST(Reproduction, AFigureOutsideItsRangeIsComplainedAbout) {
  const auto file = file_of(Quantity::makespan_s, {{"a", range(1, 2, "1 .. 2"), {trial()}}});
  const auto reproduction = reproduction_of("x.json", file, Records{run(2.25)});
  EXPECT_EQ(complaints(reproduction),
            std::vector<std::string>{"x.json: Table 1: a: 2.2 is not within 1 .. 2"});
}

TEST(Reproduction, ARunThatFailedLeavesItsPointWithoutAFigure) {
  const auto file =
      file_of(Quantity::saving_percent, {{"a", number(1, "1", 0), {compared_trial()}},
                                         {"b", number(50, "50", 0), {compared_trial()}}});
  const Records runs{run(1), RunRecord{.outcome = Outcome::deadlock, .problem = "deadlock"}, run(1),
                     run(2)};
  const auto reproduction = reproduction_of("x.json", file, runs);
  EXPECT_FALSE(reproduction.has_passed());
  EXPECT_FALSE(reproduction.results[0].points[0].figure);
  EXPECT_DOUBLE_EQ(*reproduction.results[0].points[1].figure, 50);
  EXPECT_EQ(complaints(reproduction), std::vector<std::string>{"x.json: Table 1: a: deadlock"});
}

TEST(Reproduction, PageKeepsRowsWholeWhateverALabelHolds) {
  auto file = file_of(Quantity::makespan_s, {{"a|b\nc", number(1, "1.0", 1), {trial()}}});
  file.experiments[0].points[0].reference.is_printed = false;
  const auto reproduction = reproduction_of("x.json", file, Records{run(1)});
  EXPECT_EQ(reproduction_page(reproduction, "dcube reproduce x.json --output p.md"),
            "# T\n\nS\n\n"
            "Regenerated by `dcube reproduce x.json --output p.md`; not written by hand.\n\n"
            "| experiment | points | largest error | limit | mean error | limit | outcome |\n"
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
            "| Table 1 | 1 | 0.00 % | 5 % | 0.00 % | - | met |\n"
            "\n## Table 1\n\n"
            "| point | printed (s) | simulated (s) | error |\n"
            "| --- | ---: | ---: | ---: |\n"
            "| a\\|b c | 1.0 (expected) | 1.00 | 0.00 % |\n"
            "\nLimits met: largest error 0.00 % (limit 5 %), mean error 0.00 %.\n");
}

TEST(Reproduction, OnlyAnErrorThatRoundsToNothingHasNoSign) {
  const auto file = file_of(Quantity::makespan_s, {{"a", number(1, "1", 0), {trial()}}});
  const auto page = [&](double makespan_s) {
    return reproduction_page(reproduction_of("x.json", file, Records{run(makespan_s)}), "");
  };
  EXPECT_NE(page(1.0003).find("| +0.03 % |"), std::string::npos);
  EXPECT_NE(page(0.99996).find("| 0.00 % |\n\n"), std::string::npos);
}

}  // namespace
}  // namespace dcube::app
