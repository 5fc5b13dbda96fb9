#include <gtest/gtest.h>

#include <array>
#include <set>

#include "dcube/core/errors.hpp"
#include "support/cc_runs.hpp"

namespace dcube::testing {
namespace {

/// What [X Fig 4] draws: when each process ends each stage, and where it waits.
class Timeline final : public Observer {
 public:
  explicit Timeline(std::size_t processes, std::size_t stages)
      : finish(stages, std::vector<double>(processes)), waits(processes) {}

  void on_stage_end(ProcessId process, std::uint32_t stage, Ticks time) override {
    finish[stage][process.index()] = to_seconds(time);
  }
  void on_interval(const Interval& interval) override {
    if (interval.activity == Activity::waiting) {
      waits[interval.process.index()].emplace_back(to_seconds(interval.begin),
                                                   to_seconds(interval.end));
    }
  }

  std::vector<std::vector<double>> finish;
  std::vector<std::vector<std::pair<double, double>>> waits;
};

TEST(CcDcube, Figure4StandardEndsAtTenAndNobodyWaits) {
  const CcRun run{"kind=line,nodes=8", "standard"};
  const RunReport report = run.run();
  EXPECT_EQ(report.makespan, std::chrono::seconds{10});
  EXPECT_EQ(report.waiting_intervals, 0U);
}

TEST(CcDcube, Figure4ByWeightProcessByProcess) {
  const CcRun run{"kind=line,nodes=8", "by_weight"};
  Timeline timeline{8, 3};
  const RunReport report = run.run(&timeline);
  EXPECT_EQ(report.makespan, std::chrono::seconds{12});
  EXPECT_EQ(report.waiting_processes, 6U);
  EXPECT_DOUBLE_EQ(report.waiting.total_s, 8);
  EXPECT_EQ(timeline.finish[0], (std::vector<double>{4, 4, 5, 5, 5, 5, 4, 4}));
  EXPECT_EQ(timeline.finish[1], (std::vector<double>{8, 9, 8, 9, 9, 8, 9, 8}));
  EXPECT_EQ(timeline.finish[2], (std::vector<double>{11, 12, 12, 11, 11, 12, 12, 11}));
  // Stage 1 starts at 6 for all, stage 2 at 10: whoever finished the stage before early waits 1 s.
  const std::pair<double, double> before_stage_1{5, 6};
  const std::pair<double, double> before_stage_2{9, 10};
  const std::vector<std::vector<std::pair<double, double>>> waits{{before_stage_1, before_stage_2},
                                                                  {before_stage_1},
                                                                  {before_stage_2},
                                                                  {},
                                                                  {},
                                                                  {before_stage_2},
                                                                  {before_stage_1},
                                                                  {before_stage_1, before_stage_2}};
  EXPECT_EQ(timeline.waits, waits);
}

struct Conflict {
  const char* topology;
  const char* embedding;
  const char* program;
  Duplex duplex;
  double makespan;
};

class Conflicts : public ::testing::TestWithParam<Conflict> {};

// PAPERS: messages of different stages meet on links, so these exceed the recurrence [X IV.A].
TEST_P(Conflicts, TakeTheKnownTime) {
  const CcRun run{GetParam().topology, GetParam().embedding, GetParam().program};
  run.machine->links.duplex = GetParam().duplex;
  EXPECT_DOUBLE_EQ(run.makespan(), GetParam().makespan);
}

INSTANTIATE_TEST_SUITE_P(
    Machines, Conflicts,
    ::testing::Values(Conflict{"kind=line,nodes=16", "by_weight", "", Duplex::full, 26},
                      Conflict{"kind=line,nodes=32", "by_weight", "", Duplex::full, 59},
                      Conflict{"kind=torus,shape=16x4", "by_weight", "", Duplex::full, 31},
                      Conflict{"kind=ring,nodes=16", "gray", "", Duplex::full, 20},
                      Conflict{"kind=line,nodes=8", "by_weight", "exchange=eager", Duplex::full,
                               15},
                      Conflict{"kind=ring,nodes=16", "xor", "", Duplex::half, 25},
                      Conflict{"kind=line,nodes=8", "by_weight", "", Duplex::half, 17}));

const std::array machines_of_all_kinds{"kind=line,nodes=8",      "kind=line,nodes=32",
                                       "kind=ring,nodes=4",      "kind=ring,nodes=64",
                                       "kind=mesh,shape=8x4",    "kind=mesh,shape=4x4x4",
                                       "kind=torus,shape=8x8",   "kind=torus,shape=2x16",
                                       "kind=torus,shape=4x8x2", "kind=hypercube,dimensions=5"};

class EveryMachine : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryMachine, WithoutContentionEveryEmbeddingMeetsTheRecurrence) {
  const auto topology = make_topology(Params::parse(GetParam()));
  const std::vector<std::string> embeddings = embeddings_to_try(CcRun{GetParam(), "standard"});
  ASSERT_GE(embeddings.size(), 6U);
  std::vector<std::string> programs{"", "compute=0s", "message=7", "order=descending"};
  if (topology->node_count() >= 8) {
    programs.emplace_back("order=[0,2,0]");
  }
  for (const std::string& embedding : embeddings) {
    for (const std::string& program : programs) {
      const CcRun run{GetParam(), embedding, program};
      run.machine->links.contention = Contention::off;
      run.machine->endpoint.send = {ExactTime{Ticks{900}}, ExactTime{Ticks{3}}};
      run.machine->endpoint.receive = {ExactTime{Ticks{7}}, ExactTime{}};
      EXPECT_EQ(run.run().makespan, run.SimulatedProgram::theory()) << embedding << " " << program;
    }
  }
}

TEST(CcDcube, TheRecurrenceIsForRendezvousOfProcessesWithANodeEach) {
  CcRun run{"kind=ring,nodes=8", "standard", "dimensions=3"};
  EXPECT_TRUE(run.program->theory(run.map));
  run.machine->node.slots = 2;
  EXPECT_FALSE(run.program->theory(run.map));
  const CcRun eager{"kind=ring,nodes=8", "standard", "exchange=eager"};
  EXPECT_FALSE(eager.program->theory(eager.map));
}

TEST_P(EveryMachine, WithContentionConstantDistancesMeetTheRecurrence) {
  const bool is_ring_or_torus = std::string{GetParam()}.find("ring") != std::string::npos ||
                                std::string{GetParam()}.find("torus") != std::string::npos;
  for (const char* embedding : {"standard", "xor"}) {
    if (embedding == std::string{"xor"} && !is_ring_or_torus) {
      continue;
    }
    const CcRun run{GetParam(), embedding};
    const RunReport report = run.run();
    EXPECT_DOUBLE_EQ(to_seconds(report.makespan), run.theory()) << embedding;
    EXPECT_EQ(report.queued_hops, 0U) << embedding;
    EXPECT_EQ(report.waiting_intervals, 0U) << embedding;
  }
}

TEST_P(EveryMachine, TimesOfEveryProcessAddUpToTheMakespan) {
  const CcRun run{GetParam(), "random,seed=3", "message=3"};
  run.machine->endpoint.send = {ExactTime{Ticks{11}}, ExactTime{}};
  const RunReport report = run.run();
  const double sum = report.compute.total_s + report.communication.total_s +
                     report.waiting.total_s + report.endpoint.total_s + report.idle.total_s;
  EXPECT_NEAR(sum, to_seconds(report.makespan) * static_cast<double>(run.map.size()), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Machines, EveryMachine, ::testing::ValuesIn(machines_of_all_kinds));

TEST(CcDcube, RandomComputeTimesDependOnSeedProcessAndStageAlone) {
  const auto with_seed = [](std::uint64_t seed) {
    CcRun run{"kind=ring,nodes=16", "xor"};
    Params settings = Params::parse("kind=cc_dcube");
    Params range;
    range.set("uniform", Setting::List{Setting{std::string{"1s"}}, Setting{std::string{"3s"}}});
    settings.set("compute", std::move(range));
    run.program = make_program(settings, {*run.machine, seed});
    return run.run();
  };
  const RunReport first = with_seed(1);
  EXPECT_EQ(first.fingerprint, with_seed(1).fingerprint);
  EXPECT_NE(first.fingerprint, with_seed(2).fingerprint);
  EXPECT_GT(first.compute.max, std::chrono::seconds{4});
  EXPECT_LT(first.compute.max, std::chrono::seconds{12});
  EXPECT_NEAR(first.compute.mean_s, 8, 1);
}

TEST(CcDcube, BadSettingsAreInputErrors) {
  const auto problem = [](const std::string& topology, const std::string& settings) -> std::string {
    try {
      CcRun{topology, "standard", settings};
      return "none";
    } catch (const InputError& error) {
      return error.place() + ": " + error.problem();
    }
  };
  EXPECT_EQ(problem("kind=ring,nodes=12", ""),
            "/dimensions: is missing, and the ring of 12 has 12 nodes (not a power of two); give "
            "the number of cube "
            "dimensions, at most 3");
  EXPECT_EQ(problem("kind=ring,nodes=8", "order=[0,3]"),
            "/order/1: 3 is not one of the program's 3 cube dimensions (they count from 0)");
  EXPECT_EQ(problem("kind=ring,nodes=12", "dimensions=3"), "none");
  EXPECT_NE(problem("kind=ring,nodes=8", "mesage=3").find("did you mean `message`"),
            std::string::npos);
  EXPECT_NE(problem("kind=ring,nodes=8", "exchange=egger").find("eager"), std::string::npos);
}

}  // namespace
}  // namespace dcube::testing
