#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/compare/comparison_tables.hpp"
#include "dcube/engine/jitter.hpp"
#include "support/run_figures.hpp"

namespace dcube::app {
namespace {

constexpr Ticks second{1'000'000'000'000};

ComparisonRow completed(const std::string& name, int makespan_s, double links) {
  return {name,
          Outcome::completed,
          {},
          figures_with(makespan_s * second, {{"messages", 100}, {"hops", 100 * links}})};
}

Comparison comparison_of(std::vector<ComparisonRow> rows) {
  return {.scenario = "s.json",
          .machine = "m (ring of 8)",
          .program = "cc_dcube",
          .processes = 8,
          .bound = {},
          .rows = std::move(rows)};
}

std::string last_line(const std::string& text) {
  const std::string body = text.substr(0, text.size() - 1);
  return body.substr(body.rfind('\n') + 1);
}

TEST(Comparison, TheVerdictNamesTheWinnerItsGainAndTheReason) {
  const std::string text = comparison_table(comparison_of(
      {completed("slow", 20, 4), completed("next", 10, 2.5), completed("fast", 9, 2)}));
  EXPECT_EQ(last_line(text),
            "fast wins with 9 s, 10.0 % less than next (10 s): messages cross 2.000 links on "
            "average instead of 2.500");
}

TEST(Comparison, PacketsAreNotCountedAsMessages) {
  Comparison comparison = comparison_of({completed("next", 10, 2.5), completed("fast", 9, 2)});
  comparison.has_packets = true;
  EXPECT_EQ(last_line(comparison_table(comparison)),
            "fast wins with 9 s, 10.0 % less than next (10 s): packets cross 200 links in all "
            "instead of 250");
}

TEST(Comparison, NothingWinsWhileRowsAreMissing) {
  Comparison comparison = comparison_of({completed("a", 9, 2), completed("b", 10, 2)});
  comparison.is_complete = false;
  EXPECT_EQ(last_line(comparison_table(comparison)),
            "incomplete (other runs are not done): the fastest so far is a with 9 s");
  EXPECT_TRUE(comparison.winners().empty());
  const auto json = nlohmann::json::parse(comparison_json(comparison));
  EXPECT_TRUE(json["best"].is_null());
  EXPECT_TRUE(json["winners"].empty());
  EXPECT_TRUE(json["runs"][1]["ratio_to_best"].is_null());
  EXPECT_NE(comparison_csv(comparison).find(",complete,"), std::string::npos);
}

TEST(Comparison, EmbeddingsAreNotRankedByHowManyOfTheirRunsAreDone) {
  Comparison comparison = comparison_of({completed("a", 9, 2), completed("b", 8, 2)});
  comparison.failures = {0};
  EXPECT_EQ(last_line(comparison_table(comparison)), "0 failed links: b < a");
  comparison.is_complete = false;
  EXPECT_EQ(last_line(comparison_table(comparison)),
            "incomplete (other runs are not done): no ranking");
  EXPECT_EQ(nlohmann::json::parse(comparison_json(comparison))["best"].dump(), R"({"0":null})");
}

TEST(Comparison, EqualWinnersShareTheVerdict) {
  const std::string text = comparison_table(
      comparison_of({completed("a", 9, 2), completed("b", 9, 2), completed("c", 10, 2)}));
  EXPECT_EQ(last_line(text), "a and b win with 9 s, 10.0 % less than c (10 s)");
}

TEST(Comparison, TimesThatDifferByRoundingAreEqual) {
  ComparisonRow later = completed("b", 9, 2);
  later.figures->makespan += Ticks{2};
  Comparison comparison = comparison_of({completed("a", 9, 2), later});
  EXPECT_EQ(last_line(comparison_table(comparison)), "no embedding is faster than another");
  comparison.rows.push_back(completed("c", 10, 2));
  EXPECT_EQ(last_line(comparison_table(comparison)),
            "a and b win with 9 s, 10.0 % less than c (10 s)");
  comparison.networks = {"fluid"};
  for (ComparisonRow& row : comparison.rows) {
    row.network = "fluid";
  }
  EXPECT_EQ(last_line(comparison_table(comparison)), "fluid: a = b < c");
}

ComparisonRow completed_after(const std::string& name, Ticks makespan) {
  ComparisonRow row = completed(name, 1, 2);
  row.figures->makespan = makespan;
  return row;
}

TEST(Comparison, EmbeddingsWithinOnePercentAreEqual) {
  Comparison comparison =
      comparison_of({completed_after("a", 1009 * second), completed_after("b", 1000 * second),
                     completed_after("c", 1015 * second)});
  EXPECT_EQ(last_line(comparison_table(comparison)),
            "a and b win with 1000 s (equal within 1 %), 1.5 % less than c (1015 s)");
  EXPECT_EQ(nlohmann::ordered_json::parse(comparison_json(comparison))["winners"].dump(),
            R"(["a","b"])");
  comparison.networks = {"fluid"};
  for (ComparisonRow& row : comparison.rows) {
    row.network = "fluid";
  }
  // 1015 is within 1 % of 1009, but not of the first.
  EXPECT_EQ(last_line(comparison_table(comparison)), "fluid: b = a < c (equal within 1 %)");
  comparison.rows.pop_back();
  comparison.networks.clear();
  EXPECT_EQ(last_line(comparison_table(comparison)),
            "no embedding is faster than another (equal within 1 %)");
}

TEST(Comparison, TheFirstLinesSayWhatTheMachineIs) {
  Comparison comparison = comparison_of({completed("a", 9, 2)});
  comparison.hop = "a hop takes 1 s (no bandwidth)";
  comparison.network = "full duplex";
  const std::string begin =
      "s.json: cc_dcube, 8 processes, on m (ring of 8): a hop takes 1 s (no bandwidth)\n"
      "  full duplex\n";
  EXPECT_TRUE(comparison_table(comparison).starts_with(begin)) << comparison_table(comparison);
  comparison.thing = ComparedThing::process_number;
  EXPECT_TRUE(comparison_table(comparison)
                  .starts_with("s.json: cc_dcube, a embedding, on m (ring of 8): a hop"))
      << comparison_table(comparison);
}

ComparisonRow fairly(ComparisonRow row, std::optional<Ticks> makespan) {
  row.figures->under_fair_links =
      UnderFairLinks{{.packet_bytes = 4096, .steps = 1, .queued_share = 0.25}, makespan};
  return row;
}

TEST(Comparison, SaysWhereFairLinksChangeTheWinner) {
  Comparison comparison =
      comparison_of({fairly(completed("a", 9, 2), 9 * second), completed("b", 10, 2),
                     fairly(completed("c", 12, 2), 8 * second)});
  EXPECT_EQ(last_line(comparison_table(comparison)),
            "fair links: c takes 8 s, 11.1 % less than a (packets of 4 KiB in turn)");
  auto json = nlohmann::ordered_json::parse(comparison_json(comparison));
  EXPECT_EQ(json["best_under_fair_links"], "c");
  EXPECT_EQ(json["runs"][1]["fair_links_makespan_s"], 10.0);  // nothing queues
  comparison.rows[2] = completed("c", 12, 2);
  EXPECT_TRUE(last_line(comparison_table(comparison)).starts_with("a wins"));
  comparison.checks_links = true;
  EXPECT_EQ(last_line(comparison_table(comparison)), "fair links: no other embedding is faster");
  comparison.checks_links = false;
  comparison.rows[0] = fairly(completed("a", 9, 2), std::nullopt);
  EXPECT_EQ(last_line(comparison_table(comparison)),
            "fair links: not tried (up to 25.0 % of the hops queue; --check-links tries)");
  EXPECT_FALSE(
      nlohmann::ordered_json::parse(comparison_json(comparison)).contains("best_under_fair_links"));
}

ComparisonRow under(const std::string& network, ComparisonRow row) {
  row.network = network;
  return row;
}

TEST(Comparison, EmbeddingsAreRankedUnderEachNetwork) {
  Comparison comparison = comparison_of({
      under("store_and_forward", completed("a", 9, 2)),
      under("store_and_forward", completed("b", 8, 2)),
      under("fluid", completed("a", 4, 2)),
      under("fluid", completed("b", 5, 2)),
      under("fluid", completed("c", 4, 2)),
      under("fluid", {"d", Outcome::timed_out, "not done after 2 s", {}}),
  });
  comparison.networks = {"store_and_forward", "fluid", "fluid:LV08"};
  const std::string text = comparison_table(comparison);
  EXPECT_TRUE(text.ends_with(
      "\n\nstore_and_forward: b < a\nfluid: a = c < b\nfluid:LV08: nothing completed\n"))
      << text;
  const auto json = nlohmann::ordered_json::parse(comparison_json(comparison));
  EXPECT_EQ(json["best"].dump(), R"({"store_and_forward":"b","fluid":"a","fluid:LV08":null})");
  EXPECT_EQ(json["ranking"].dump(),
            R"({"store_and_forward":["b","a"],"fluid":["a","c","b"],"fluid:LV08":[]})");
  EXPECT_EQ(json["runs"][3]["ratio_to_best"], 1.25);
  EXPECT_TRUE(comparison_csv(comparison).starts_with("embedding,network,outcome,"));
}

TEST(Comparison, NobodyWinsATie) {
  const std::string text =
      comparison_table(comparison_of({completed("a", 9, 2), completed("b", 9, 3)}));
  EXPECT_EQ(last_line(text), "no embedding is faster than another");
}

TEST(Comparison, OneRowThatCompletedIsFasterThanNone) {
  const std::string text = comparison_table(
      comparison_of({completed("a", 9, 2), {"b", Outcome::refused, "does not fit", {}}}));
  EXPECT_EQ(last_line(text), "a alone completed, so there is nothing to compare it with");
}

ComparisonRow drawn(ComparisonRow row, std::uint64_t part, int least_s, int greatest_s,
                    bool rests_on_ties) {
  row.figures->under_jitter = SpreadUnderJitter{.part = part,
                                                .draws = 20,
                                                .least = least_s * second,
                                                .greatest = greatest_s * second,
                                                .rests_on_ties = rests_on_ties};
  return row;
}

std::string ties_of(const std::vector<ComparisonRow>& rows) {
  return tie_text(comparison_of(rows), [](const ComparisonRow& row) { return row.embedding; });
}

TEST(TieText, SpeaksOfTiesWhereLeastChangesMakeALargeDifference) {
  constexpr std::uint64_t millionth = Jitter::whole / 1'000'000;
  EXPECT_EQ(ties_of({drawn(completed("a", 16, 2), millionth, 16, 16, false),
                     drawn(completed("b", 20, 2), millionth, 18, 20, true)}),
            "\ntie-sensitive; when computing times vary by 1e-06 (20 samples)\n"
            "  b takes 18 s to 20 s\n  a wins all the same: 16 s\n");
  EXPECT_EQ(ties_of({drawn(completed("a", 16, 2), millionth, 16, 17, false),
                     drawn(completed("b", 17, 2), millionth, 17, 17, false)}),
            "\nwhen computing times vary by 1e-06 (20 samples)\n"
            "  a need not beat b: 16 s to 17 s against 17 s\n");
}

TEST(TieText, LargeJitterIsNoTie) {
  constexpr std::uint64_t twentieth = Jitter::whole / 20;
  EXPECT_EQ(ties_of({drawn(completed("a", 16, 2), twentieth, 15, 17, false),
                     drawn(completed("b", 17, 2), twentieth, 16, 18, false)}),
            "\nwhen computing times vary by 5 % (20 samples)\n"
            "  a need not beat b: 15 s to 17 s against 16 s to 18 s\n");
}

TEST(TieText, OneRowWinsNothing) {
  constexpr std::uint64_t millionth = Jitter::whole / 1'000'000;
  EXPECT_EQ(ties_of({drawn(completed("a", 20, 2), millionth, 18, 20, true)}),
            "\ntie-sensitive; when computing times vary by 1e-06 (20 samples)\n"
            "  a takes 18 s to 20 s\n");
}

TEST(Comparison, ARowWithoutFiguresIsShownButNeverBest) {
  const Comparison comparison =
      comparison_of({{"late", Outcome::timed_out, "not done after 2 s", {}}, completed("a", 9, 2)});
  EXPECT_EQ(comparison.best()->embedding, "a");
  EXPECT_TRUE(comparison.has_failure());
  EXPECT_NE(comparison_table(comparison).find("timed_out"), std::string::npos);
}

TEST(Comparison, AWrongAnswerWinsNothingHoweverFast) {
  ComparisonRow wrong = completed("wrong", 9, 2);
  wrong.outcome = Outcome::not_verified;
  const std::string text =
      comparison_table(comparison_of({completed("a", 9, 2), wrong, completed("b", 10, 2)}));
  EXPECT_EQ(last_line(text), "a wins with 9 s, 10.0 % less than b (10 s)");
}

TEST(Comparison, WithoutACompletedRowThereIsNoBest) {
  const Comparison comparison = comparison_of({{"a", Outcome::crashed, "exit status 1", {}}});
  EXPECT_EQ(comparison.best(), nullptr);
  EXPECT_NE(comparison_json(comparison).find("\"best\": null"), std::string::npos);
}

TEST(Comparison, ItsJsonIsJsonWhateverTheFileIsCalled) {
  Comparison comparison = comparison_of({completed("a\xff", 9, 1)});
  comparison.scenario = "s\xff\n.json";
  comparison.settings = {{"/program/message", "64"}};
  const auto json = nlohmann::json::parse(comparison_json(comparison));
  EXPECT_EQ(json["scenario"], "s\xef\xbf\xbd\n.json");
  EXPECT_EQ(json["runs"][0]["embedding"], "a\xef\xbf\xbd");
  EXPECT_EQ(json["settings"]["/program/message"], 64);
}

TEST(Comparison, EveryLineOfTheCsvHasAsManyCellsAsItsHeader) {
  const std::string csv = comparison_csv(
      comparison_of({completed("a", 9, 2), {"b", Outcome::timed_out, "late", std::nullopt}}));
  std::vector<std::ptrdiff_t> commas;
  std::size_t begin = 0;
  for (std::size_t end = csv.find('\n'); end != std::string::npos; end = csv.find('\n', begin)) {
    commas.push_back(std::count(csv.begin() + static_cast<std::ptrdiff_t>(begin),
                                csv.begin() + static_cast<std::ptrdiff_t>(end), ','));
    begin = end + 1;
  }
  EXPECT_EQ(commas, (std::vector<std::ptrdiff_t>{12, 12, 12}));
}

TEST(Comparison, CsvHoldsTheVersionAndTheSettings) {
  Comparison comparison = comparison_of({completed("a", 9, 2)});
  comparison.settings = {{"/program/message", "64"}, {"/name", "a,b"}};
  const std::string csv = comparison_csv(comparison);
  const std::size_t end = csv.find('\n');
  EXPECT_TRUE(csv.substr(0, end).ends_with(",fingerprint,version,/program/message,/name")) << csv;
  EXPECT_TRUE(csv.ends_with(",64,\"a,b\"\n")) << csv;
}

}  // namespace
}  // namespace dcube::app
