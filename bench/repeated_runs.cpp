// What does one run of many cost, each under another map, and does their memory grow? Prints one
// line of JSON: the mean of all runs, and the most memory after a hundredth of them and after all.

#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/random.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "peak_memory.hpp"

namespace {

using namespace dcube;

/// In each run two processes have swapped their nodes of the scenario's own map.
void run_repeatedly(const std::string& file, int count) {
  Scenario scenario = load_scenario(file);
  const std::vector<NodeId> own_map = scenario.embedding->map();
  RepeatedRuns runs{std::move(scenario)};
  SplitMix64 random{1};
  double early_memory = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    std::vector<NodeId> map = own_map;
    std::swap(map[bounded(random.next(), map.size())], map[bounded(random.next(), map.size())]);
    if (runs.run(map).outcome != Outcome::completed) {
      throw InputError(file, "a run does not complete");
    }
    if (i == count / 100) {
      early_memory = bench::peak_memory_bytes();
    }
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  std::printf("{\"s_per_run\": %.9g, \"early_memory\": %.0f, \"peak_memory\": %.0f}\n",
              wall.count() / count, early_memory, bench::peak_memory_bytes());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3 || std::stoi(argv[2]) < 1) {
      std::fputs("usage: repeated_runs SCENARIO RUNS\n", stderr);
      return 2;
    }
    run_repeatedly(argv[1], std::stoi(argv[2]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "repeated_runs: %s\n", error.what());
    return 2;
  }
  return 0;
}
