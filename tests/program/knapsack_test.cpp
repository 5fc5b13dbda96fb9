#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "program/knapsack_items.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/complaint.hpp"
#include "support/simulated_program.hpp"
#include "tree_recurrences.hpp"

namespace dcube::testing {
namespace {

using Items = std::vector<KnapsackItem>;

/// Tries every subset.
std::uint64_t best_by_trying(const Items& items, std::uint32_t capacity) {
  std::uint64_t best = 0;
  for (std::uint32_t chosen = 0; chosen < std::uint32_t{1} << items.size(); ++chosen) {
    std::uint64_t weight = 0;
    std::uint64_t profit = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if ((chosen >> i & 1) != 0) {
        weight += items[i].weight;
        profit += items[i].profit;
      }
    }
    best = weight <= capacity ? std::max(best, profit) : best;
  }
  return best;
}

// Weights 0 and above the capacity, profits 0, equal items.
const Items awkward_items{{3, 10}, {0, 4}, {5, 0}, {7, 21}, {7, 21}, {40, 1000}, {2, 9}, {6, 13}};

TEST(KnapsackItems, TableHoldsTheBestSubsetOfEveryCapacity) {
  const Profits table = solve_knapsack(awkward_items, 30);
  ASSERT_EQ(table.size(), 31U);
  for (std::uint32_t capacity = 0; capacity <= 30; ++capacity) {
    EXPECT_EQ(table[capacity], best_by_trying(awkward_items, capacity)) << capacity;
  }
}

TEST(KnapsackItems, TablesOfTwoPartsCombineToThatOfTheWhole) {
  for (std::size_t split = 0; split <= awkward_items.size(); ++split) {
    const std::span<const KnapsackItem> all{awkward_items};
    EXPECT_EQ(combine_knapsacks(solve_knapsack(all.first(split), 30),
                                solve_knapsack(all.subspan(split), 30)),
              solve_knapsack(all, 30))
        << split;
  }
}

/// 30 us for an entry of a table, 25 us for a step of combining two.
const std::map<std::string, ExactTime> speeds{{"knapsack_step", parse_duration("30us")},
                                              {"combine_step", parse_duration("25us")}};

SimulatedProgram on_ncube(const std::string& settings, std::uint32_t dimensions = 4) {
  Machine machine = ncube(dimensions);
  machine.compute = speeds;
  return {std::move(machine), "standard", "kind=knapsack," + settings};
}

/// The clocks of all processes up the tree [N 4.6] on an uneven machine, where an entry and a
/// combining step take 23/3 + 7/3 ps.
Ticks recurrence(const SimulatedProgram& run, std::size_t items, std::int64_t capacity) {
  std::vector<Ticks> solved;
  for (std::size_t rank = 0; rank < run.map.size(); ++rank) {
    const std::size_t share = items * (rank + 1) / run.map.size() - items * rank / run.map.size();
    solved.emplace_back(static_cast<std::int64_t>(share) * (capacity + 1) * 10);
  }
  return collapse_end(run, static_cast<std::uint64_t>(8 * (capacity + 1)),
                      Ticks{(capacity + 1) * (capacity + 2) / 2 * 10}, std::move(solved));
}

class KnapsackOn : public ::testing::TestWithParam<const char*> {};

TEST_P(KnapsackOn, EveryEmbeddingFindsTheBestProfitInTheTimeOfTheRecurrence) {
  for (const Contention contention : {Contention::off, Contention::on}) {
    Machine machine = uneven_machine(GetParam());
    machine.links.contention = contention;
    const SimulatedProgram any{machine, "standard", "kind=knapsack"};
    for (const std::string& embedding : embeddings_to_try(any)) {
      for (const auto& [items, capacity] : {std::pair{37, 30}, {3, 9}, {5, 0}}) {
        const std::string settings =
            fmt::format("kind=knapsack,items={},capacity={}", items, capacity);
        SCOPED_TRACE(embedding + " " + settings);
        const SimulatedProgram run{machine, embedding, settings};
        EXPECT_EQ(run.program->verify(), false) << "nothing has run yet";
        const RunReport report = run.run();
        EXPECT_EQ(report.outcome, Outcome::completed);
        EXPECT_EQ(run.program->verify(), true);
        if (contention == Contention::off || report.queued_hops == 0) {
          EXPECT_EQ(report.makespan, recurrence(run, static_cast<std::size_t>(items), capacity));
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, KnapsackOn,
                         ::testing::Values("kind=line,nodes=8", "kind=ring,nodes=16",
                                           "kind=mesh,shape=4x4", "kind=torus,shape=4x8",
                                           "kind=torus,shape=4x2x4", "kind=hypercube,dimensions=5",
                                           "kind=ring,nodes=1"));

TEST(Knapsack, ClosedFormWhereSharesAreEqual) {
  // m/p (c+1) entries each, then d times a table of 8 (c+1) bytes and (c+1)(c+2)/2 steps.
  for (std::uint32_t d = 0; d <= 4; ++d) {
    const SimulatedProgram run = on_ncube("items=96,processes=" + std::to_string(1U << d));
    const std::int64_t solve_ns = (96 >> d) * 31 * 30'000;
    const std::int64_t level_ns = 446'700 + 2'400 * 8 * 31 + 31 * 32 / 2 * 25'000;
    const RunReport report = run.run();
    EXPECT_EQ(report.makespan, Ticks{(solve_ns + d * level_ns) * 1000}) << d;
    EXPECT_EQ(report.queued_hops, 0U);
  }
}

// [N Fig 20]: "larger cubes are not always faster".
TEST(Knapsack, TakesTheShortestTimeOnFourProcesses) {
  std::vector<Ticks> makespans;
  for (const char* processes : {"1", "2", "4", "8", "16"}) {
    makespans.push_back(
        on_ncube(std::string{"items=100,capacity=30,processes="} + processes).run().makespan);
  }
  EXPECT_GT(makespans[0], makespans[1]);
  EXPECT_GT(makespans[1], makespans[2]);
  EXPECT_LT(makespans[2], makespans[3]);
  EXPECT_LT(makespans[3], makespans[4]);
  EXPECT_EQ(makespans[0], std::chrono::milliseconds{93});
}

TEST(Knapsack, SequentialTimeIsThatOfOneProcess) {
  EXPECT_EQ(on_ncube("items=77").program->sequential_time(),
            on_ncube("items=77,processes=1").run().makespan);
  EXPECT_EQ((SimulatedProgram{ncube(1), "standard", "kind=knapsack"}.program->sequential_time()),
            std::nullopt);
}

// 5e11 pairs of parts, of which few give a profit of their own.
TEST(Knapsack, ALargeCapacityIsCombinedInLittleTime) {
  const SimulatedProgram run{"kind=ring,nodes=2", "standard",
                             "kind=knapsack,items=12,most_weight=90000,capacity=1000000"};
  run.run();
  EXPECT_EQ(run.program->verify(), true);
}

TEST(Knapsack, OneProcessIsNotChargedForCombining) {
  const SimulatedProgram run = on_ncube("items=2,processes=1,capacity=1000000");
  EXPECT_EQ(run.run().makespan, run.program->sequential_time());
}

TEST(Knapsack, StagesAreSolvingAndCombining) {
  const SimulatedProgram run = on_ncube("items=96", 3);
  const RunReport report = run.run();
  ASSERT_EQ(report.stages.size(), 2U);
  EXPECT_EQ(report.stages[0].finish_max, std::chrono::microseconds{96 / 8 * 31 * 30});
  EXPECT_EQ(report.stages[1].finish_max, report.makespan);
  const auto messages = messages_by_stage(run.input());
  EXPECT_TRUE(messages[0].empty());
  EXPECT_EQ(messages[1].size(), report.messages);
}

TEST(Knapsack, ItemsMayComeFromAFileBesideTheScenario) {
  const TemporaryFolder folder;
  folder.write("items.csv", "weight,profit\n5,10\n4,40\n6,30\n3,50\n");
  const SimulatedProgram run{
      ncube(2), "standard", "kind=knapsack,input=items.csv,capacity=10", {.folder = folder.path()}};
  run.run();
  EXPECT_EQ(run.program->verify(), true);
  EXPECT_EQ(run.answer("profit"), "90");
  EXPECT_EQ(run.answer("weight"), "7");
  EXPECT_EQ(run.answer("items"), "4");
}

TEST(Knapsack, UnusableFilesAreInputErrors) {
  const TemporaryFolder folder;
  const auto problem = [&](const std::string& content) {
    folder.write("items.csv", content);
    return folder.shortened(complaint([&] {
      SimulatedProgram{
          ncube(2), "standard", "kind=knapsack,input=items.csv", {.folder = folder.path()}};
    }));
  };
  EXPECT_EQ(problem("5,10\n4,4.5\n"),
            "/input: item 2 of items.csv has the profit 4.5 (a whole number 0 to 4294967295 is "
            "needed)");
  EXPECT_EQ(problem("5,10\n-4,4\n"),
            "/input: item 2 of items.csv has the weight -4 (a whole number 0 to 4294967295 is "
            "needed)");
  EXPECT_EQ(problem("5\n4\n"),
            "/input: items.csv has one number on a line (a weight and a profit, separated by a "
            "comma, are needed)");
  EXPECT_EQ(problem("5,10\n4\n"), "/input: items.csv: line 2 has 1 field, but line 1 has 2");
  EXPECT_EQ(problem("5,ten\n"), "/input: items.csv: line 1 has \"ten\", not a finite number");
  EXPECT_EQ(problem(""), "/input: items.csv is empty");
  std::filesystem::remove(folder.path() / "items.csv");
  EXPECT_EQ(folder.shortened(complaint([&] {
    SimulatedProgram{
        ncube(2), "standard", "kind=knapsack,input=none.csv", {.folder = folder.path()}};
  })),
            "/input: none.csv cannot be read (No such file or directory)");
}

TEST(Knapsack, BadSettingsAreInputErrors) {
  const auto problem = [](const std::string& settings) {
    return complaint([&] { on_ncube(settings, 2); });
  };
  EXPECT_EQ(problem("capacity=1000001"), "/capacity: 1000001 is not a capacity (0 to 1000000)");
  EXPECT_EQ(problem("items=0"), "/items: 0 is not a number of items (1 to 10000000)");
  EXPECT_EQ(problem("most_weight=0"), "/most_weight: 0 is not a greatest value (1 to 4294967295)");
  EXPECT_EQ(problem("input=a.csv,most_profit=4"),
            "/most_profit: has no meaning beside `input` (nothing is drawn); leave one out");
  EXPECT_EQ(problem("processes=8"),
            "/processes: 8 are too many (the 2-dimensional hypercube has 4 nodes, and each hosts "
            "at most one)");
  EXPECT_EQ(complaint([] {
              Machine machine = ncube(2);
              machine.compute = {{"add", ExactTime{Ticks{1}}}};
              SimulatedProgram{machine, "standard", "kind=knapsack"};
            }),
            "machine ncube does not say how long `knapsack_step` takes; add `knapsack_step`, or "
            "`compare` and `add`, to its `compute` table");
}

}  // namespace
}  // namespace dcube::testing
