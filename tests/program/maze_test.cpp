#include <gtest/gtest.h>

#include <array>

#include "maze_runs.hpp"
#include "program/maze_grid.hpp"

namespace dcube::testing {
namespace {

/// Steps from start to target by relaxing every cell until nothing changes: nothing in common with
/// the search that is checked.
std::uint32_t steps_by_relaxation(const Maze& maze) {
  std::vector<std::uint32_t> steps(maze.cell_count(), not_reached);
  steps[maze.start] = 0;
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (std::uint32_t cell = 0; cell < maze.cell_count(); ++cell) {
      for (std::uint32_t other = 0; other < maze.cell_count(); ++other) {
        const int rows =
            static_cast<int>(cell / maze.columns) - static_cast<int>(other / maze.columns);
        const int columns =
            static_cast<int>(cell % maze.columns) - static_cast<int>(other % maze.columns);
        const bool is_step = rows * rows + columns * columns == 1 && maze.is_blocked[cell] == 0;
        if (is_step && steps[other] != not_reached && steps[other] + 1 < steps[cell]) {
          steps[cell] = steps[other] + 1;
          has_changed = true;
        }
      }
    }
  }
  return steps[maze.target];
}

struct Place {
  const char* topology;
  std::vector<const char*> partitions;
};

class MazeMachines : public ::testing::TestWithParam<Place> {};

std::vector<std::string> embeddings_for(const MazeRun& run) {
  std::vector<std::string> names = embeddings_to_try(run);
  const std::uint32_t nodes = run.machine->topology->node_count();
  if (nodes == 16 && run.program->guest().process_count() == nodes) {
    names.emplace_back("xor,guest=cube:4");
  }
  return names;
}

const std::array<const char*, 6> ways{
    "algorithm=1,termination=free",   "algorithm=2,termination=free",
    "algorithm=1,termination=global", "algorithm=2,termination=global",
    "algorithm=1,test_every=3",       "algorithm=2,test_every=4"};

TEST_P(MazeMachines, AnswersAreRightAndContentionOnlyDelays) {
  for (const char* partition : GetParam().partitions) {
    for (const char* way : ways) {
      const std::string settings =
          std::string{way} + ",size=17x19,blocked=0.3,partition=" + partition;
      MazeRun run{GetParam().topology, settings, {.seed = 2}};
      const std::vector<std::string> embeddings = embeddings_for(run);
      ASSERT_GE(embeddings.size(), 3U);
      for (const std::string& embedding : embeddings) {
        run.place(embedding);
        run.machine->links.contention = Contention::off;
        const RunReport report = run.run();
        EXPECT_EQ(run.program->verify(), true) << settings << " " << embedding;
        run.machine->links.contention = Contention::on;
        EXPECT_GE(run.run().makespan, report.makespan) << settings << " " << embedding;
        EXPECT_EQ(run.program->verify(), true) << settings << " " << embedding;
        EXPECT_EQ(run.answer("path_length"), "34") << settings << " " << embedding;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Machines, MazeMachines,
    ::testing::Values(Place{"kind=line,nodes=1", {"block", "strip", "cyclic"}},
                      Place{"kind=line,nodes=2", {"block", "strip", "cyclic"}},
                      Place{"kind=line,nodes=7", {"strip", "cyclic"}},
                      Place{"kind=ring,nodes=9", {"block", "strip", "cyclic"}},
                      Place{"kind=ring,nodes=17", {"strip", "cyclic"}},
                      Place{"kind=mesh,shape=4x3", {"block", "strip"}},
                      Place{"kind=mesh,shape=4x4", {"block"}},
                      Place{"kind=torus,shape=4x4", {"block", "strip", "cyclic"}},
                      Place{"kind=torus,shape=3x2x3", {"block"}},
                      Place{"kind=hypercube,dimensions=3", {"block", "cyclic"}},
                      Place{"kind=hypercube,dimensions=4", {"block", "strip", "cyclic"}}));

TEST(Maze, PathLengthsAreThoseOfAnotherSearch) {
  std::uint32_t joined = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    MazeRun run{
        "kind=hypercube,dimensions=2", "size=9x11,blocked=0.38,algorithm=2", {.seed = seed}};
    const std::uint32_t steps = steps_by_relaxation(run.maze());
    run.run();
    EXPECT_EQ(run.answer("path_length"), steps == not_reached ? "none" : std::to_string(steps));
    EXPECT_EQ(run.program->verify(), true);
    joined += steps == not_reached ? 0U : 1U;
  }
  EXPECT_GT(joined, 5U);
  EXPECT_LT(joined, 35U);
}

TEST(Maze, WhereNothingQueuesContentionChangesNothing) {
  std::uint32_t without_queues = 0;
  for (const char* way : ways) {
    for (const char* embedding : {"standard", "gray"}) {
      MazeRun run{
          "kind=hypercube,dimensions=4", std::string{way} + ",size=16x16,blocked=0.2", {.seed = 3}};
      run.place(embedding);
      // So much work that every packet is there before the next one leaves.
      run.machine->compute["cell"] = ExactTime{Ticks{40}};
      run.machine->links.per_dimension.assign(4, {ExactTime{Ticks{1}}, ExactTime{}});
      const RunReport report = run.run();
      if (report.queued_hops == 0) {
        ++without_queues;
        EXPECT_EQ(report.fingerprint, run.run_without_contention().fingerprint)
            << way << " " << embedding;
      }
    }
  }
  EXPECT_GE(without_queues, 2U);
}

TEST(Maze, ACorridorTakesTheTimeCountedByHand) {
  // S . | . T on two processes; a hop takes 1 s, so does a cell. Expanding S and its neighbour,
  // sending, labelling and expanding the third cell, sending: 6 s; overlapped the packets of the
  // first two waves cost nothing but the one that carries a cell.
  const auto time_of = [](const char* algorithm, const char* cell) {
    Machine machine = unit_machine("kind=line,nodes=2");
    machine.compute["cell"] = parse_duration(cell);
    const MazeRun run{machine,
                      std::string{"size=1x4,blocked=0,termination=free,algorithm="} + algorithm};
    const RunReport report = run.run();
    EXPECT_EQ(report.messages, 6U);
    EXPECT_EQ(report.bytes, algorithm == std::string{"1"} ? 6U * 4 + 8 : 6U * 4 + 4);
    return report.makespan;
  };
  EXPECT_EQ(time_of("1", "1s"), std::chrono::seconds{6});
  EXPECT_EQ(time_of("2", "1s"), std::chrono::seconds{5});
  EXPECT_EQ(time_of("1", "0s"), std::chrono::seconds{3});
  EXPECT_EQ(time_of("2", "0s"), std::chrono::seconds{3});
}

TEST(Maze, OneProcessTakesTheSequentialTimeAndSendsNothing) {
  for (const char* algorithm : {"1", "2"}) {
    const std::string settings = std::string{"size=20x20,blocked=0.2,algorithm="} + algorithm;
    const MazeRun run{"kind=line,nodes=1", settings};
    const RunReport report = run.run();
    EXPECT_EQ(report.messages, 0U);
    EXPECT_GT(report.makespan, Ticks{0});
    EXPECT_EQ(run.answer("path_length"), "38");
    // Each wave is rounded on its own.
    Machine whole = uneven_machine("kind=line,nodes=1");
    whole.compute["cell"] = ExactTime{Ticks{7}};
    const MazeRun exact{whole, settings};
    EXPECT_EQ(exact.run().makespan, exact.program->sequential_time());
  }
}

TEST(Maze, AnswersNameWavesCellsAndTheLargestFront) {
  MazeRun run{"kind=mesh,shape=2x2", "size=5x7,blocked=0,algorithm=1"};
  run.run();
  EXPECT_EQ(run.answer("path_length"), "10");
  EXPECT_EQ(run.answer("waves"), "10");
  EXPECT_EQ(run.answer("cells_labelled"), "35");
  EXPECT_EQ(run.answer("largest_front"), "5");
}

TEST(Maze, StartOnTheTargetNeedsNoWave) {
  for (const char* algorithm : {"1", "2"}) {
    MazeRun run{"kind=mesh,shape=2x2",
                std::string{"size=6x6,start=[3,3],target=[3,3],algorithm="} + algorithm};
    const RunReport report = run.run();
    EXPECT_EQ(report.messages, 0U);
    EXPECT_EQ(run.answer("path_length"), "0");
    EXPECT_EQ(run.answer("waves"), "0");
    EXPECT_EQ(run.program->verify(), true);
  }
}

TEST(Maze, EveryIterationSendsOnePacketEachWayBetweenNeighbours) {
  for (const char* partition : {"block", "strip", "cyclic"}) {
    MazeRun run{"kind=ring,nodes=9",
                std::string{"termination=free,size=18x18,partition="} + partition};
    const RunReport report = run.run();
    const std::uint64_t pairs = partition == std::string{"block"}   ? 24U
                                : partition == std::string{"strip"} ? 16U
                                                                    : 18U;
    EXPECT_EQ(report.messages, pairs * std::stoul(run.answer("waves"))) << partition;
  }
}

TEST(Maze, GuestsAreWhoTalksToWhom) {
  const auto guest = [](const char* settings) {
    return MazeRun{"kind=ring,nodes=8", settings}.program->guest().name();
  };
  EXPECT_EQ(guest("size=16x20"), "mesh:4x2");
  EXPECT_EQ(guest("size=20x16"), "mesh:2x4");
  EXPECT_EQ(guest("size=16x16,partition=strip"), "line:8");
  EXPECT_EQ(guest("size=16x16,partition=cyclic"), "ring:8");
  EXPECT_EQ(guest("size=8x16,partition=cyclic"), "line:8");
}

TEST(Maze, TestsForTheEndOnlyEverySoManyIterations) {
  for (const char* algorithm : {"1", "2"}) {
    const std::string settings = std::string{"size=10x11,blocked=0,algorithm="} + algorithm;
    MazeRun run{"kind=mesh,shape=2x2", settings + ",test_every=8"};
    const RunReport report = run.run();
    EXPECT_EQ(run.answer("path_length"), "19");
    EXPECT_EQ(run.answer("waves"), "24");
    // 24 iterations of 8 packets, three tests of 3 messages up and down.
    EXPECT_EQ(report.messages, 24U * 8 + 3 * 6);
    EXPECT_EQ(run.program->verify(), true);
  }
}

TEST(Maze, TheFreeEndIsWhereATestInEveryIterationStops) {
  Machine machine = uneven_machine("kind=mesh,shape=2x2");
  machine.links.contention = Contention::off;
  std::uint32_t closed = 0;
  std::uint32_t late = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    for (const char* way :
         {"algorithm=1,size=8x8,blocked=0.45", "algorithm=2,size=8x8,blocked=0.45",
          "algorithm=2,size=12x8,blocked=0.3,partition=strip,target=[6,4]"}) {
      const MazeRun run{machine, way, {.seed = seed}};
      run.run();
      const std::string waves = run.answer("waves");
      const std::string length = run.answer("path_length");
      const MazeRun free{machine, std::string{way} + ",termination=free", {.seed = seed}};
      free.run();
      EXPECT_EQ(free.answer("waves"), waves) << way << " " << seed;
      EXPECT_EQ(free.program->verify(), true) << way << " " << seed;
      closed += length == "none" ? 1U : 0U;
      late += length != "none" && length != waves ? 1U : 0U;
    }
  }
  EXPECT_GT(closed, 50U);
  EXPECT_LT(closed, 150U);
  EXPECT_GT(late, 0U);
}

TEST(Maze, IsNotVerifiedWithoutTheLabelsOfARun) {
  const MazeRun run{"kind=mesh,shape=2x2", "size=10x10"};
  EXPECT_EQ(run.program->verify(), false);
  run.run();
  EXPECT_EQ(run.program->verify(), true);
}

TEST(Maze, RunsDependOnTheScenarioAlone) {
  const auto fingerprint = [](std::uint64_t seed) {
    return MazeRun{"kind=torus,shape=4x4", "size=30x30,algorithm=2", {.seed = seed}}
        .run()
        .fingerprint;
  };
  EXPECT_EQ(fingerprint(1), fingerprint(1));
  EXPECT_NE(fingerprint(1), fingerprint(2));
}

}  // namespace
}  // namespace dcube::testing
