#include <gtest/gtest.h>

#include "support/simulated_program.hpp"

// How much algorithm 2 gains on algorithm 1. The paper says 25 to 30 % [N 4];
// docs/reference/programs/maze.md shows when that comes out.

namespace dcube::testing {
namespace {

/// Time for 64 x 64 cells of 60 us on 16 processors.
double seconds_of(const Machine& machine, const std::string& settings, std::uint64_t seed) {
  const SimulatedProgram run{
      machine,
      "gray",
      "kind=maze,size=64x64," + settings,
      {.seed = seed, .change = [](Machine& any) { any.compute["cell"] = parse_duration("60us"); }}};
  const double seconds = to_seconds(run.run().makespan);
  EXPECT_EQ(run.program->verify(), true);
  return seconds;
}

/// Per cent of the time of algorithm 1, for each of three mazes.
std::vector<double> gains(const std::string& settings, const Machine& machine) {
  std::vector<double> gains;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const double first = seconds_of(machine, settings + ",algorithm=1", seed);
    const double second = seconds_of(machine, settings + ",algorithm=2", seed);
    gains.push_back(100 * (1 - second / first));
  }
  return gains;
}

void expect_between(const std::vector<double>& gains, double least, double most) {
  for (const double gain : gains) {
    EXPECT_GE(gain, least);
    EXPECT_LE(gain, most);
  }
}

TEST(MazeOverlap, SavesTheMessageTimeWhereProcessorsAreFreeMeanwhile) {
  expect_between(gains("termination=free,blocked=0.25", ncube(4)), 26, 38);
  expect_between(gains("termination=free,partition=strip", ncube(4)), 25, 33);
}

TEST(MazeOverlap, SavesLittleWhereProcessorsHandleTheMessages) {
  expect_between(gains("termination=free,blocked=0.25", fitted_ncube(4)), 0.5, 4);
  expect_between(gains("termination=free,partition=strip", fitted_ncube(4)), 5, 15);
}

TEST(MazeOverlap, SavesLittleWithATestForTheEndInEveryIteration) {
  expect_between(gains("termination=global,blocked=0.25", ncube(4)), 2, 7);
  expect_between(gains("termination=global,partition=strip", ncube(4)), 0.1, 4);
}

}  // namespace
}  // namespace dcube::testing
