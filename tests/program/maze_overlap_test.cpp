#include <gtest/gtest.h>

#include "support/maze_runs.hpp"

// How much algorithm 2 gains on algorithm 1. The paper says 25 to 30 % [N 4]; docs/programs/maze.md
// shows when that comes out.

namespace dcube::testing {
namespace {

TransferCost cost(const char* fixed, const char* per_byte) {
  return {parse_duration(fixed), parse_duration(per_byte)};
}

/// 64 x 64 cells of 60 us on 16 processors of a hypercube.
MazeRun hypercube_run(const std::string& settings, std::uint64_t seed) {
  MazeRun run{"kind=hypercube,dimensions=4", "size=64x64," + settings, seed};
  run.machine = unit_machine("kind=hypercube,dimensions=4");
  run.machine->links.per_dimension.assign(4, cost("446.7us", "2.4us"));
  run.machine->compute["cell"] = parse_duration("60us");
  return run;
}

/// The costs that fit the measurements: half of a short message's time is the processors' own.
void add_endpoint_costs(MazeRun& run) {
  run.machine->links.per_dimension.assign(4, cost("210.42us", "1.2293us"));
  run.machine->endpoint = {cost("116.92us", "0.59115us"), cost("116.92us", "0.59115us")};
}

double seconds_of(MazeRun run, const std::string& algorithm) {
  run.settings += ",algorithm=" + algorithm;
  run.make();
  run.place("gray");
  const double seconds = to_seconds(run.run().makespan);
  EXPECT_EQ(run.program->verify(), true);
  return seconds;
}

enum class Endpoints { free, charged };

/// Per cent of the time of algorithm 1, for each of three mazes.
std::vector<double> gains(const std::string& settings, Endpoints endpoints) {
  std::vector<double> gains;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    MazeRun run = hypercube_run(settings, seed);
    if (endpoints == Endpoints::charged) {
      add_endpoint_costs(run);
    }
    const double first = seconds_of(std::move(run), "1");
    run = hypercube_run(settings, seed);
    if (endpoints == Endpoints::charged) {
      add_endpoint_costs(run);
    }
    gains.push_back(100 * (1 - seconds_of(std::move(run), "2") / first));
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
  expect_between(gains("termination=free,blocked=0.25", Endpoints::free), 26, 38);
  expect_between(gains("termination=free,partition=strip", Endpoints::free), 25, 33);
}

TEST(MazeOverlap, SavesLittleWhereProcessorsHandleTheMessages) {
  expect_between(gains("termination=free,blocked=0.25", Endpoints::charged), 0.5, 4);
  expect_between(gains("termination=free,partition=strip", Endpoints::charged), 5, 15);
}

TEST(MazeOverlap, SavesLittleWithATestForTheEndInEveryIteration) {
  expect_between(gains("termination=global,blocked=0.25", Endpoints::free), 2, 7);
  expect_between(gains("termination=global,partition=strip", Endpoints::free), 0.1, 4);
}

}  // namespace
}  // namespace dcube::testing
