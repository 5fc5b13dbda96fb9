#include "dcube/questions/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/engine/jitter.hpp"
#include "dcube/scenario/run.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/complaint.hpp"

namespace dcube {
namespace {

using std::chrono::seconds;

CompareRequest quickstart() {
  return {.scenario = {.file = DCUBE_SOURCE_DIR "/scenarios/quickstart.json"}};
}

const ComparisonRow& row_of(const Comparison& comparison, const std::string& embedding) {
  return *std::ranges::find(comparison.rows, embedding, &ComparisonRow::embedding);
}

TEST(Compare, ReadsTheProgramsFileOnce) {
  const TemporaryFolder folder;
  folder.write("x.goal",
               "num_ranks 2\nrank 0 {\nl1: send 8b to 1\n}\nrank 1 {\nl1: recv 8b from 0\n}\n");
  const auto file = folder.write("x.json", R"({"schema_version": 1, "machine": "ring:4",
    "program": {"kind": "goal", "file": "x.goal"}})");
  const auto parts_heard = [&](const std::vector<std::string>& embeddings) {
    std::size_t heard = 0;
    CompareRequest request{.scenario = {.file = file.string()}, .embeddings = embeddings};
    request.scenario.on_reading = [&](const std::filesystem::path&, double) { ++heard; };
    EXPECT_EQ(compare(request).rows.size(), embeddings.size());
    return heard;
  };
  const std::size_t once = parts_heard({"standard"});
  EXPECT_GT(once, 0U);
  EXPECT_EQ(parts_heard({"standard", "random", "gray"}), once);
}

TEST(Compare, RunsAllEmbeddingsThatFit) {
  const Comparison comparison = compare(quickstart());
  EXPECT_TRUE(comparison.is_complete);
  EXPECT_EQ(comparison.processes, 64U);
  EXPECT_EQ(comparison.rows.size(), 5U);
  EXPECT_EQ(comparison.best()->embedding, "xor");
  EXPECT_EQ(comparison.best()->figures->makespan, seconds{16});
  EXPECT_EQ(row_of(comparison, "gray").figures->makespan, seconds{20});
}

TEST(Compare, GivesWhatARunAloneGives) {
  CompareRequest request = quickstart();
  request.embeddings = {"standard"};
  const Comparison comparison = compare(request);
  Scenario scenario = load(request.scenario);
  scenario = load({.file = request.scenario.file, .embedding = "standard"});
  const RunResult alone = run_scenario(scenario);
  EXPECT_EQ(comparison.rows.at(0).figures->fingerprint, alone.report.fingerprint);
  // And once more, in children of a process that has simulated.
  EXPECT_EQ(compare(request).rows.at(0).figures->fingerprint, alone.report.fingerprint);
}

TEST(Compare, TakesAScenarioThatHasBeenRead) {
  CompareRequest request = quickstart();
  request.source = std::make_shared<const ScenarioSource>(request.scenario.file);
  request.scenario = {.settings = {"/program/message=2"}};
  request.embeddings = {"xor"};
  EXPECT_EQ(compare(request).rows.at(0).figures->makespan, seconds{16});
}

/// A step whose data axis has rings of their own in one order alone.
std::string step_on_axes(const TemporaryFolder& folder) {
  return folder
      .write("step.json", R"({"schema_version": 1, "machine": "torus:4x4", "embedding": "identity",
        "program": {"kind": "pattern", "guest": {"axes": {"tensor": 2, "data": 4, "pipeline": 2}},
          "phases": [{"collective": "allreduce", "over": "data", "bytes": "64",
                      "algorithm": "ring"}]}})")
      .string();
}

TEST(Compare, RunsAllOrdersOfAxes) {
  const TemporaryFolder folder;
  CompareRequest request{.scenario = {.file = step_on_axes(folder)}, .axis_orders = true};
  const Comparison orders = compare(request);
  std::vector<std::string> names;
  for (const ComparisonRow& row : orders.rows) {
    names.push_back(row.embedding);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"data,pipeline,tensor", "data,tensor,pipeline",
                                             "pipeline,data,tensor", "pipeline,tensor,data",
                                             "tensor,data,pipeline", "tensor,pipeline,data"}));
  EXPECT_EQ(orders.best()->embedding, "data,pipeline,tensor");
  EXPECT_GT(row_of(orders, "tensor,data,pipeline").figures->makespan,
            orders.best()->figures->makespan);
  request.embeddings = {"identity"};
  const Comparison beside = compare(request);
  ASSERT_EQ(beside.rows.size(), 7U);
  EXPECT_EQ(beside.rows[0].figures->fingerprint,
            row_of(beside, "tensor,data,pipeline").figures->fingerprint);
}

TEST(Compare, HasTheMapThatPlaceFindsBesideOthers) {
  const TemporaryFolder folder;
  CompareRequest request{
      .scenario = {.file = step_on_axes(folder)}, .embeddings = {"identity"}, .place = "makespan"};
  const Comparison comparison = compare(request);
  ASSERT_EQ(comparison.rows.size(), 2U);
  EXPECT_EQ(comparison.rows[1].embedding, "placed");
  EXPECT_LT(comparison.rows[1].figures->makespan, comparison.rows[0].figures->makespan);
  ASSERT_TRUE(comparison.placed);
  EXPECT_EQ(comparison.placed->objective, "makespan");
  EXPECT_EQ(comparison.placed->gap, std::optional{0.0});
  EXPECT_EQ(comparison.rows[1].figures->makespan, comparison.bound->makespan);
  EXPECT_TRUE(comparison.settings.empty());
}

TEST(Compare, HoldsRunsAgainstFairLinksWhereThatIsCheap) {
  CompareRequest request{.scenario = {.file = DCUBE_SOURCE_DIR "/scenarios/quickstart-today.json"},
                         .embeddings = {"gray", "xor"}};
  const Comparison cheap = compare(request);
  for (const ComparisonRow& row : cheap.rows) {
    ASSERT_TRUE(row.figures->under_fair_links);
    EXPECT_GT(row.figures->under_fair_links->links.queued_share, 0);
    EXPECT_TRUE(row.figures->under_fair_links->makespan);
  }
  // Both are what the scenario takes with such links.
  const UnderFairLinks& under = *cheap.rows[1].figures->under_fair_links;
  EXPECT_EQ(under.links.packet_bytes, 1048576U / 32);
  Scenario xor_in_turn = under.links.of(load({.file = request.scenario.file, .embedding = "xor"}));
  EXPECT_EQ(run_scenario(xor_in_turn).report.makespan, under.makespan);
  request.scenario.file = DCUBE_SOURCE_DIR "/scenarios/torus-cc_dcube-tpu_v4.json";
  EXPECT_TRUE(compare(request).lacks_fair_links());
  request.check_links = true;
  EXPECT_FALSE(compare(request).lacks_fair_links());
  // Machines that store and forward whole messages are what they are.
  EXPECT_FALSE(compare(quickstart()).rows[0].figures->under_fair_links);
}

TEST(Compare, RefusesOrdersAndPlacesThatSayNothing) {
  const auto problem = [](CompareRequest request) {
    return complaint<InputError>([&] { compare(request); });
  };
  CompareRequest request = quickstart();
  request.axis_orders = true;
  EXPECT_EQ(problem(request),
            ".axis_orders: cube:6 has 0 axes of several processes; orders are compared of 2 to 5");
  request.axis_orders = false;
  request.place = "banana";
  EXPECT_EQ(problem(request).substr(0, 34), ".place: \"banana\" is no objective; ");
  request.place.clear();
  request.failures = {0, 1};
  request.check_links = true;
  EXPECT_EQ(problem(request),
            ".check_links: is about embeddings on one network, and others are compared");
  request.check_links = false;
  request.place = "hop-bytes";
  EXPECT_EQ(problem(request),
            ".place: finds a map for the machine as the scenario has it, and "
            "others are compared");
  request.failures = {};
  request.process_numbers = {4};
  EXPECT_EQ(problem(request), ".place: is about one number of processes, and several are compared");
  request.place.clear();
  request.networks = {"fluid"};
  EXPECT_EQ(problem(request),
            ".process_count: is compared on one network, and several are compared");
  request.networks.clear();
  request.process_numbers = {4, 8, 4};
  EXPECT_EQ(problem(request), ".process_count: 4 is given twice");
  request.process_numbers.clear();
  request.failures = {1, 1};
  EXPECT_EQ(problem(request), ".failures: 1 is given twice");
}

TEST(Compare, HasNoBoundWhereNetworksDiffer) {
  CompareRequest request = quickstart();
  request.embeddings = {"xor"};
  EXPECT_TRUE(compare(request).bound);
  request.networks = {"store_and_forward", "cut_through"};
  EXPECT_FALSE(compare(request).bound);
}

TEST(Compare, KeepsARowForWhatDoesNotFit) {
  CompareRequest request = quickstart();
  request.scenario.settings = {"/machine=torus:9x9", "/program/dimensions=6"};
  request.embeddings = {"standard", "gray"};
  const Comparison comparison = compare(request);
  EXPECT_EQ(row_of(comparison, "standard").outcome, Outcome::completed);
  EXPECT_EQ(row_of(comparison, "gray").outcome, Outcome::refused);
  EXPECT_NE(row_of(comparison, "gray").problem, "");
  request.embeddings = {"gray"};
  EXPECT_NE(complaint([&] { compare(request); }), "");
}

TEST(Compare, TellsHowFarItIs) {
  std::size_t last = 0;
  std::size_t expected = 0;
  compare(quickstart(), {.at_once = 1, .on_progress = [&](std::size_t ended, std::size_t all) {
                           last = ended;
                           expected = all;
                         }});
  EXPECT_LE(last, 5U);
  EXPECT_EQ(expected, 5U);
}

TEST(TieDraws, ShowWhatRestsOnTies) {
  const Comparison comparison = compare(quickstart());
  const SpreadUnderJitter gray = row_of(comparison, "gray").figures->under_jitter.value();
  EXPECT_TRUE(gray.rests_on_ties);
  EXPECT_LT(gray.least, seconds{18} + std::chrono::milliseconds{1});
  EXPECT_GE(gray.greatest, seconds{20});
  const SpreadUnderJitter best = row_of(comparison, "xor").figures->under_jitter.value();
  EXPECT_FALSE(best.rests_on_ties);
  EXPECT_LT(best.greatest - best.least, std::chrono::milliseconds{1});
  EXPECT_TRUE(comparison.rivals_under_jitter().empty());
}

TEST(TieDraws, AreThoseOfRunsWithTheirSeeds) {
  CompareRequest request = quickstart();
  request.embeddings = {"gray"};
  request.ties = TieCheck::always;
  request.jitter_draws = 3;
  request.jitter_part = Jitter::whole / 100;
  const SpreadUnderJitter spread = compare(request).rows.at(0).figures->under_jitter.value();
  std::vector<Ticks> makespans{seconds{20}};
  for (const char* seed : {"1", "2", "3"}) {
    Scenario scenario =
        load({.file = request.scenario.file,
              .settings = {std::string{R"(/jitter={"part": 0.01, "seed": )"} + seed + "}"},
              .embedding = "gray"});
    makespans.push_back(run_scenario(scenario).report.makespan);
  }
  EXPECT_EQ(spread.draws, 3U);
  EXPECT_EQ(spread.least, std::ranges::min(makespans));
  EXPECT_EQ(spread.greatest, std::ranges::max(makespans));
}

TEST(TieDraws, AreNotMadeWhereTheySayNothing) {
  CompareRequest request = quickstart();
  request.embeddings = {"gray"};
  request.ties = TieCheck::never;
  EXPECT_FALSE(compare(request).under_jitter());
  request.ties = TieCheck::when_cheap;
  request.scenario.settings = {"/jitter=1e-3"};
  EXPECT_FALSE(compare(request).under_jitter());
}

TEST(TieDraws, TakeThePlaceOfTheJitterOfTheScenario) {
  CompareRequest request = quickstart();
  request.embeddings = {"gray"};
  request.ties = TieCheck::always;
  request.jitter_draws = 3;
  request.jitter_part = Jitter::whole / 100;
  const auto figures = [&] { return compare(request).rows.at(0).figures.value(); };
  const RunFigures plain = figures();
  Params noisy = ScenarioSource{request.scenario.file}.document();
  noisy.set("jitter", Setting::Number{"0.3"});
  request.source = std::make_shared<const ScenarioSource>(request.scenario.file, noisy);
  const RunFigures replaced = figures();
  EXPECT_EQ(replaced.makespan, plain.makespan);
  EXPECT_EQ(replaced.under_jitter->part, plain.under_jitter->part);
  EXPECT_EQ(replaced.under_jitter->least, plain.under_jitter->least);
  EXPECT_EQ(replaced.under_jitter->greatest, plain.under_jitter->greatest);
  request.jitter_part.reset();
  const SpreadUnderJitter own = figures().under_jitter.value();
  EXPECT_EQ(own.part, Jitter::whole / 10 * 3);
  EXPECT_EQ(own.draws, 3U);
}

TEST(TieDraws, AreFewOrNoneWhereRunsAreLarge) {
  CompareRequest request = quickstart();
  request.embeddings = {"gray"};
  const auto draws = [&](const char* shape, const char* dimensions) {
    request.scenario.settings = {std::string{"/machine=torus:"} + shape,
                                 std::string{"/program/dimensions="} + dimensions};
    const std::optional<SpreadUnderJitter> spread = compare(request).under_jitter();
    return spread ? spread->draws : 0;
  };
  EXPECT_EQ(draws("8x8", "6"), 20U);
  EXPECT_GT(draws("64x64", "12"), 3U);
  EXPECT_LT(draws("64x64", "12"), 20U);
  EXPECT_EQ(draws("256x256", "16"), 0U);
}

}  // namespace
}  // namespace dcube
