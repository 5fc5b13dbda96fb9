#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/complaint.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

SimulatedProgram balanced_on_ncube(const std::string& settings, std::uint32_t dimensions = 1) {
  return {ncube(dimensions), "standard", "kind=load_balance," + settings};
}

Ticks microseconds(double count) { return Ticks{static_cast<Ticks::rep>(count * 1e6)}; }

class LoadBalanceOn : public ::testing::TestWithParam<const char*> {};

TEST_P(LoadBalanceOn, EveryProcessEndsUpWithItsShareUnderEveryEmbedding) {
  const Machine machine = uneven_machine(GetParam());
  const SimulatedProgram any{machine, "standard", "kind=load_balance"};
  for (const std::string& embedding : embeddings_to_try(any)) {
    for (const char* settings :
         {"heuristic=0", "heuristic=1", "heuristic=2", "heuristic=1,exchange=rendezvous,unit=3",
          "heuristic=2,exchange=rendezvous,most=3"}) {
      SCOPED_TRACE(embedding + " " + settings);
      const SimulatedProgram run{machine, embedding,
                                 std::string{"kind=load_balance,work=1ns,"} + settings};
      EXPECT_EQ(run.program->verify(), false) << "nothing has run yet";
      EXPECT_EQ(run.run().outcome, Outcome::completed);
      EXPECT_EQ(run.program->verify(), true);
      EXPECT_EQ(run.run_without_contention().outcome, Outcome::completed);
      EXPECT_EQ(run.program->verify(), true);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, LoadBalanceOn,
                         ::testing::Values("kind=line,nodes=8", "kind=ring,nodes=16",
                                           "kind=mesh,shape=4x4", "kind=torus,shape=4x8",
                                           "kind=torus,shape=4x2x4", "kind=hypercube,dimensions=5",
                                           "kind=ring,nodes=1"));

TEST(LoadBalance, OnACubeWithRendezvousNothingEverQueues) {
  for (const char* heuristic : {"heuristic=1", "heuristic=2"}) {
    const SimulatedProgram run =
        balanced_on_ncube(std::string{"exchange=rendezvous,"} + heuristic, 6);
    const RunReport report = run.run();
    EXPECT_EQ(report.queued_hops, 0U);
    EXPECT_EQ(report.makespan, run.run_without_contention().makespan);
  }
}

/// The loads after balancing, told by who works how long; messages take less than a second.
std::vector<std::int64_t> balanced(const SimulatedProgram& run) {
  std::vector<std::int64_t> loads;
  for (const Ticks end : run.run().process_ends) {
    loads.push_back(end / Ticks{std::chrono::seconds{1}});
  }
  return loads;
}

TEST(LoadBalance, AveragesRoundUpForWhoeverHasMore) {
  for (const char* heuristic : {"heuristic=1", "heuristic=2"}) {
    const SimulatedProgram run =
        balanced_on_ncube(std::string{"loads=[0,10,0,3],work=1s,"} + heuristic, 2);
    // Dimension 0 makes 5 5 1 2 of it; dimension 1 leaves the odd units with 1.
    EXPECT_EQ(balanced(run), (std::vector<std::int64_t>{3, 4, 3, 3}));
    EXPECT_EQ(run.program->verify(), true);
    EXPECT_EQ(run.answer("units"), "13");
    EXPECT_EQ(run.answer("most_before"), "10");
    EXPECT_EQ(run.answer("most_after"), "4");
    EXPECT_EQ(run.answer("least_after"), "3");
  }
}

TEST(LoadBalance, ClosedFormsOfTwoProcesses) {
  EXPECT_EQ(balanced_on_ncube("loads=[30,10],unit=24,heuristic=1").run().makespan,
            microseconds(446.7 + 2.4 * 24 * 30));
  EXPECT_EQ(
      balanced_on_ncube("loads=[30,10],unit=24,heuristic=2,exchange=rendezvous").run().makespan,
      microseconds(2 * 446.7 + 2.4 * (4 + 24 * 10)));
  EXPECT_EQ(balanced_on_ncube("loads=[20,20],unit=24,heuristic=2").run().makespan,
            microseconds(446.7 + 2.4 * 4));
}

/// Does heuristic 1 take less time than heuristic 2 when two processes have 2 * average units of
/// one byte, `moved` of them to be moved?
bool whole_load_wins(const Machine& machine, std::uint32_t average, std::uint32_t moved) {
  const auto makespan = [&](const std::string& heuristic) {
    return SimulatedProgram{machine, "standard",
                            "kind=load_balance,unit=1,loads=[" + std::to_string(average + moved) +
                                "," + std::to_string(average - moved) + "],heuristic=" + heuristic}
        .run()
        .makespan;
  };
  return makespan("1") < makespan("2");
}

// unit * average < a / b + 4 bytes of the size, however much is moved.
TEST(LoadBalance, SendingTheWholeLoadWinsBelow190BytesOnTheNcube) {
  for (const std::uint32_t moved : {1U, 20U, 188U}) {
    EXPECT_TRUE(whole_load_wins(ncube(1), 190, moved)) << moved;
    EXPECT_FALSE(whole_load_wins(ncube(1), 191, moved)) << moved;
  }
}

TEST(LoadBalance, SendingTheWholeLoadWinsBelow188BytesByTheFit) {
  for (const std::uint32_t moved : {1U, 20U, 188U}) {
    EXPECT_TRUE(whole_load_wins(fitted_ncube(1), 188, moved)) << moved;
    EXPECT_FALSE(whole_load_wins(fitted_ncube(1), 189, moved)) << moved;
  }
}

TEST(LoadBalance, WithNothingToMoveTheSizesAloneAreCheaper) {
  EXPECT_FALSE(whole_load_wins(ncube(1), 100, 0));
}

TEST(LoadBalance, EveryMessageIsSentInAStage) {
  for (const char* heuristic : {"heuristic=0", "heuristic=1", "heuristic=2"}) {
    const SimulatedProgram run = balanced_on_ncube(std::string{"most=5,"} + heuristic, 4);
    std::size_t named = 0;
    for (const auto& messages : messages_by_stage(run.input())) {
      named += messages.size();
    }
    EXPECT_EQ(run.run().messages, named) << heuristic;
  }
}

TEST(LoadBalance, BalancingPaysWhenTheWorkOutweighsIt) {
  const auto makespan = [](const std::string& settings) {
    return balanced_on_ncube("most=100," + settings, 6).run().makespan;
  };
  EXPECT_LT(makespan("work=5ms,heuristic=2"), makespan("work=5ms,heuristic=0"));
  EXPECT_GT(makespan("work=10us,heuristic=2"), makespan("work=10us,heuristic=0"));
}

TEST(LoadBalance, OneProcessWorksOnEverything) {
  const SimulatedProgram run = balanced_on_ncube("processes=1,loads=[7],work=3us");
  EXPECT_EQ(run.run().makespan, microseconds(21));
  EXPECT_EQ(run.program->verify(), true);
  EXPECT_EQ(run.program->sequential_time(), microseconds(21));
  EXPECT_EQ(balanced_on_ncube("loads=[3,4]").program->sequential_time(), std::nullopt);
}

TEST(LoadBalance, WorkThatOneProcessCouldNotEndMayBeSharedOut) {
  const SimulatedProgram run = balanced_on_ncube("loads=[1,1],heuristic=0,work=9000000s");
  EXPECT_EQ(run.run().makespan, std::chrono::seconds{9'000'000});
  EXPECT_EQ(sequential_time_of(*run.program), std::nullopt);
}

TEST(LoadBalance, DrawnLoadsDependOnTheSeed) {
  const auto fingerprint = [](std::uint64_t seed) {
    return SimulatedProgram{ncube(4), "standard", "kind=load_balance", {.seed = seed}}
        .run()
        .fingerprint;
  };
  EXPECT_EQ(fingerprint(1), fingerprint(1));
  EXPECT_NE(fingerprint(1), fingerprint(2));
}

TEST(LoadBalance, BadSettingsAreInputErrors) {
  const auto problem = [](const std::string& settings) {
    return complaint([&] { balanced_on_ncube(settings, 2); });
  };
  EXPECT_EQ(problem("heuristic=3"),
            "/heuristic: 3 is not a heuristic (0 none, 1 whole load, 2 excess only)");
  EXPECT_EQ(problem("loads=[1,2]"), "/loads: has 2 numbers for 4 processes (each needs one)");
  EXPECT_EQ(problem("loads=[1,2,3,2000000000]"),
            "/loads/3: 2000000000 is not a number of units (0 to 1000000000)");
  EXPECT_EQ(problem("loads=[1,2,3,4],most=3"),
            "/most: has no meaning beside `loads` (nothing is drawn); leave one out");
  EXPECT_EQ(problem("most=1000000001"),
            "/most: 1000000001 is not a number of units (0 to 1000000000)");
  EXPECT_EQ(problem("loads=[9,9,9,9],unit=1e18"),
            "/unit: 1000000000000000000 bytes are too many (36 units exceed 63 bits)");
  EXPECT_EQ(problem("processes=3"), "/processes: 3 is not a power of two; the nearest are 2 and 4");
  EXPECT_EQ(problem("loads=[1,x,3,4]").substr(0, 9), "/loads/1:");
}

}  // namespace
}  // namespace dcube::testing
