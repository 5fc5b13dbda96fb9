#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "program/settings.hpp"
#include "support/complaint.hpp"
#include "support/kernel_runner.hpp"
#include "support/simulated_program.hpp"
#include "tree_recurrences.hpp"

namespace dcube::testing {
namespace {

constexpr Ticks send{90};
constexpr Ticks receive{11};
constexpr Ticks hop{1700};
constexpr Ticks add{30};

/// Costs of a message of any size, and of additions.
void make_everything_cost(Machine& machine) {
  for (TransferCost& cost : machine.links.per_dimension) {
    cost = {ExactTime{hop}, ExactTime{}};
  }
  machine.endpoint = {.send = {ExactTime{send}, ExactTime{}},
                      .receive = {ExactTime{receive}, ExactTime{}}};
  machine.compute["add"] = ExactTime{add};
}

const std::array tree_programs{
    "kind=broadcast",
    "kind=broadcast,values=5,value_bytes=2",
    "kind=collapse",
    "kind=collapse,values=3,value_bytes=100",
    "kind=replication,g=3ns,f=5ns",
    "kind=replication,mode=everywhere,g=3ns,f=5ns",
};

const std::array machines_for_trees{"kind=line,nodes=8",          "kind=ring,nodes=13",
                                    "kind=ring,nodes=16",         "kind=mesh,shape=3x5",
                                    "kind=mesh,shape=4x4x2",      "kind=torus,shape=4x8",
                                    "kind=hypercube,dimensions=4"};

/// What a program takes on an uneven machine, where a message has so many bytes.
Ticks recurrence(const SimulatedProgram& run, const std::string& settings, std::uint64_t bytes) {
  using namespace std::chrono_literals;
  if (settings.find("everywhere") != std::string::npos) {
    return 3ns + 5ns;
  }
  if (settings.find("replication") != std::string::npos) {
    return broadcast_end(run, bytes, 3ns) + 5ns;
  }
  if (settings.find("broadcast") != std::string::npos) {
    return broadcast_end(run, bytes, Ticks{0});
  }
  const std::uint64_t values = settings.find("values=3") != std::string::npos ? 3 : bytes / 8;
  return collapse_end(run, bytes, round_cost({}, run.machine->compute.at("add"), values),
                      std::vector<Ticks>(run.map.size()));
}

class TreePrograms : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(TreePrograms, AreRightUnderEveryEmbeddingAndMeetTheRecurrence) {
  const auto [machine, program] = GetParam();
  for (const char* processes : {"", ",processes=1", ",processes=2", ",processes=7"}) {
    const std::string settings = std::string{program} + processes;
    const SimulatedProgram any{machine, "standard", settings};
    for (const std::string& embedding : embeddings_to_try(any)) {
      const SimulatedProgram run{uneven_machine(machine), embedding, settings};
      EXPECT_EQ(run.program->verify(), false) << "before the run";
      EXPECT_EQ(run.run().outcome, Outcome::completed);
      EXPECT_EQ(run.program->verify(), true) << embedding << processes;
      const RunReport free = run.run_without_contention();
      const std::uint64_t bytes = free.messages == 0 ? 0 : free.bytes / free.messages;
      EXPECT_EQ(free.makespan, recurrence(run, settings, bytes)) << embedding << processes;
      EXPECT_EQ(run.program->verify(), true) << embedding << processes;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, TreePrograms,
                         ::testing::Combine(::testing::ValuesIn(machines_for_trees),
                                            ::testing::ValuesIn(tree_programs)));

class CubeOf : public ::testing::TestWithParam<int> {
 protected:
  /// Makespan of a program on the hypercube, contention on.
  Ticks time_of(const std::string& settings) const {
    const SimulatedProgram run{"kind=hypercube,dimensions=" + std::to_string(GetParam()),
                               "identity",
                               settings,
                               {.change = make_everything_cost}};
    const RunReport report = run.run();
    EXPECT_EQ(report.queued_hops, 0U);
    return report.makespan;
  }
};

// Down the longest branch, 0 1 3 7 .., every process hands on to its first child at once.
TEST_P(CubeOf, BroadcastTakesAStepPerDimension) {
  EXPECT_EQ(time_of("kind=broadcast"), GetParam() * (send + hop + receive));
}

TEST_P(CubeOf, CollapseTakesAStepAndItsAdditionsPerDimension) {
  EXPECT_EQ(time_of("kind=collapse,values=3"), GetParam() * (send + hop + receive + 3 * add));
}

TEST_P(CubeOf, ReplicationTakesTheBroadcastLonger) {
  EXPECT_EQ(time_of("kind=replication,mode=everywhere,g=3ns,f=5ns"), Ticks{8000});
  EXPECT_EQ(time_of("kind=replication,mode=broadcast,g=3ns,f=5ns"),
            Ticks{8000} + GetParam() * (send + hop + receive));
}

INSTANTIATE_TEST_SUITE_P(Dimensions, CubeOf, ::testing::Range(0, 7));

TEST(TreePrograms, MessagesHaveTheSizeTheMachineSends) {
  const SimulatedProgram broadcast{"kind=ring,nodes=6", "standard",
                                   "kind=broadcast,values=5,value_bytes=2"};
  EXPECT_EQ(broadcast.run().bytes, 5U * 5 * 2);
  const SimulatedProgram collapse{"kind=ring,nodes=6", "standard", "kind=collapse,values=3"};
  EXPECT_EQ(collapse.run().bytes, 5U * 3 * 8);
  const SimulatedProgram replication{"kind=ring,nodes=6", "standard", "kind=replication,values=3"};
  EXPECT_EQ(replication.run().bytes, 5U * 3 * 8);
}

TEST(TreePrograms, TheirMessagesAreToldAsThoseOfNoStage) {
  const SimulatedProgram run{"kind=ring,nodes=3", "standard", "kind=broadcast"};
  SimulationInput input = run.input();
  std::vector<ProcessId> receivers;
  input.on_send = [&receivers](ProcessId from, ProcessId to, std::uint32_t stage) {
    EXPECT_EQ(from, ProcessId{0});
    EXPECT_EQ(stage, no_stage);
    receivers.push_back(to);
  };
  run_without_simgrid(input);
  EXPECT_EQ(receivers, (std::vector{ProcessId{1}, ProcessId{2}}));
}

TEST(TreePrograms, AnswersDependOnTheSeedAndNotOnThePlacement) {
  const auto answer = [](const std::string& program, const char* embedding, std::uint64_t seed) {
    const SimulatedProgram run{"kind=ring,nodes=8", embedding, program, {.seed = seed}};
    run.run();
    return run.answer();
  };
  for (const char* program : tree_programs) {
    EXPECT_NE(answer(program, "xor", 1), "");
    EXPECT_EQ(answer(program, "xor", 1), answer(program, "gray", 1)) << program;
    EXPECT_NE(answer(program, "xor", 1), answer(program, "xor", 2)) << program;
  }
}

TEST(TreePrograms, BadSettingsAreInputErrors) {
  const auto complaint_about = [](const std::string& settings) {
    return complaint([&] { SimulatedProgram{"kind=ring,nodes=6", "standard", settings}; });
  };
  for (const std::string kind : {"kind=broadcast", "kind=collapse", "kind=replication"}) {
    EXPECT_EQ(complaint_about(kind + ",processes=7"),
              "/processes: 7 are too many (the ring of 6 has 6 nodes, and each hosts at most one)");
    EXPECT_EQ(complaint_about(kind + ",values=0"),
              "/values: 0 is not a number of values (1 to 16777216)");
    EXPECT_EQ(complaint_about(kind + ",values=16777217"),
              "/values: 16777217 is not a number of values (1 to 16777216)");
    EXPECT_EQ(complaint_about(kind + ",values=4,value_bytes=8000PB"),
              "/value_bytes: \"8000PB\" is not a size (a number of bytes, or with a unit: B, kB, "
              "MB, KiB, MiB, M, ..)");
    EXPECT_EQ(complaint_about(kind + ",values=4,value_bytes=6000000000000000000"),
              "/value_bytes: 6000000000000000000 bytes for each of 4 values are too many (a "
              "message has fewer than 2^64 bytes)");
  }
  EXPECT_EQ(complaint_about("kind=broadcast,value=4"),
            "/value: unknown key; did you mean `values`?");
}

}  // namespace
}  // namespace dcube::testing
