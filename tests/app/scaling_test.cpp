#include <gtest/gtest.h>

#include <algorithm>

#include "app/compare/comparison_tables.hpp"
#include "support/run_figures.hpp"

namespace dcube::app {
namespace {

constexpr Ticks one_second{1'000'000'000'000};

ComparisonRow completed(std::uint32_t processes, int makespan_s,
                        std::optional<int> sequential_s = std::nullopt,
                        const std::string& embedding = "xor") {
  const Ticks makespan = makespan_s * one_second;
  return {embedding,
          Outcome::completed,
          {},
          sequential_s ? figures_with(makespan, {{"sequential_s", *sequential_s}})
                       : figures_with(makespan),
          processes};
}

ComparisonRow late(std::uint32_t processes) {
  return {"xor", Outcome::timed_out, "not done after 2 s", std::nullopt, processes};
}

Comparison comparison_with(std::vector<ComparisonRow> rows) {
  return {.scenario = "s.json",
          .machine = "m (ring of 8)",
          .program = "knapsack",
          .processes = 8,
          .bound = {},
          .rows = std::move(rows),
          .thing = ComparedThing::process_number};
}

std::string verdict(const std::string& table) { return table.substr(table.rfind("\n\n") + 2); }

TEST(Scaling, SpeedupIsOverTheSequentialTime) {
  const Comparison comparison = comparison_with({completed(1, 50, 40), completed(4, 20, 40)});
  const std::optional<Speedup> speedup = speedup_of(comparison, comparison.rows[1]);
  ASSERT_TRUE(speedup);
  EXPECT_DOUBLE_EQ(speedup->speedup, 2);
  EXPECT_DOUBLE_EQ(speedup->efficiency, 0.5);
}

TEST(Scaling, WithoutASequentialTimeSpeedupIsOverTheRunOfOneProcess) {
  const Comparison comparison =
      comparison_with({completed(4, 20), completed(1, 90, {}, "gray"), completed(1, 50)});
  EXPECT_DOUBLE_EQ(speedup_of(comparison, comparison.rows[0])->speedup, 2.5);
}

TEST(Scaling, WithNeitherThereIsNoSpeedup) {
  const Comparison comparison = comparison_with({completed(2, 20), late(1), completed(4, 0, 9)});
  for (const ComparisonRow& row : comparison.rows) {
    EXPECT_FALSE(speedup_of(comparison, row)) << row.processes;
  }
  EXPECT_NE(comparison_json(comparison).find(R"("speedup": null)"), std::string::npos);
}

TEST(Scaling, TheVerdictNamesTheShortestTimeAndWhatMoreProcessesCost) {
  EXPECT_EQ(verdict(comparison_table(comparison_with(
                {completed(1, 40, 40), completed(2, 20, 40), late(8), completed(4, 25, 40)}))),
            "the shortest time is that of 2 processes: 20 s; 4 processes take 25.0 % longer "
            "(25 s)\n");
}

TEST(Scaling, FewerProcessesWinATie) {
  const Comparison comparison = comparison_with({completed(4, 20, 40), completed(2, 20, 40)});
  EXPECT_EQ(verdict(comparison_table(comparison)),
            "the shortest time is that of 2 processes: 20 s; 4 processes take as long\n");
  EXPECT_NE(comparison_json(comparison).find(R"("best": {"embedding": "xor", "processes": 2})"),
            std::string::npos);
}

TEST(Scaling, TheVerdictTellsEmbeddingsApart) {
  EXPECT_EQ(verdict(comparison_table(
                comparison_with({completed(2, 20, 40, "gray"), completed(2, 15, 40, "standard")}))),
            "the shortest time is that of 2 processes under standard: 15 s\n");
}

TEST(Scaling, WorkThatGrowsIsPointedOut) {
  EXPECT_EQ(
      verdict(comparison_table(comparison_with({completed(1, 10, 10), completed(2, 11, 20)}))),
      "the shortest time is that of 1 process: 10 s; 2 processes take 10.0 % longer (11 s)\n"
      "the work differs from number to number: see the speedup\n");
}

TEST(Scaling, WithoutACompletedRowThereIsNoVerdict) {
  const Comparison comparison = comparison_with({late(2), late(4)});
  EXPECT_NE(comparison_json(comparison).find(R"("best": null)"), std::string::npos);
  EXPECT_EQ(comparison_table(comparison).find("shortest"), std::string::npos);
}

TEST(Scaling, EveryLineOfTheCsvHasAsManyCellsAsItsHeader) {
  const std::string csv =
      comparison_csv(comparison_with({completed(1, 9), completed(2, 9, 18), late(4)}));
  std::vector<std::ptrdiff_t> commas;
  std::size_t begin = 0;
  for (std::size_t end = csv.find('\n'); end != std::string::npos; end = csv.find('\n', begin)) {
    commas.push_back(std::count(csv.begin() + static_cast<std::ptrdiff_t>(begin),
                                csv.begin() + static_cast<std::ptrdiff_t>(end), ','));
    begin = end + 1;
  }
  EXPECT_EQ(commas, (std::vector<std::ptrdiff_t>{11, 11, 11, 11}));
}

}  // namespace
}  // namespace dcube::app
