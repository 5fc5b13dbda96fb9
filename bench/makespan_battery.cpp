// How short do the runs become that a search by simulated times finds? Searches every scenario in
// bench/scenarios as `dcube search --objective makespan` does, and prints one line for each: its
// name, the makespan found and its bound in picoseconds (0: none is known), the maps tried,
// milliseconds, and milliseconds of processor time, which other programs hardly change. Effort 0 is
// the usual one.
//
//     makespan_battery EFFORT|SECONDSs SEED JOBS [NAME..]   scenarios whose names begin with one
//                                                           of these

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/questions/search.hpp"

namespace {

using namespace dcube;
namespace fs = std::filesystem;

std::vector<fs::path> scenarios() {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator{DCUBE_BENCH_SCENARIOS}) {
    if (entry.path().extension() == ".json") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Of this process and of the children that have ended.
double processor_ms() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(who, &used);
    for (const timeval& time : {used.ru_utime, used.ru_stime}) {
      sum += 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
    }
  }
  return sum;
}

void search_scenario(const SearchRequest& request) {
  const double before = processor_ms();
  const SearchAnswer answer = search(request);
  if (answer.found.map.empty()) {
    throw InputError(request.scenario.file, "nothing is found");
  }
  fmt::print("{} {} {} {} {:.0f} {:.0f}\n", fs::path{request.scenario.file}.stem().string(),
             answer.found.cost, answer.bounds.front().cost, answer.found.moves,
             answer.wall_s * 1000, processor_ms() - before);
  std::fflush(stdout);
}

void search_all(int argc, char** argv) {
  const std::string_view effort = argv[1];
  SearchRequest request;
  request.objective = "makespan";
  request.seed = std::strtoull(argv[2], nullptr, 10);
  request.jobs = static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10));
  if (effort.ends_with('s')) {
    request.time_limit = std::chrono::nanoseconds{std::llround(std::atof(argv[1]) * 1e9)};
  } else if (effort != "0") {
    request.effort = static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10));
  }
  for (const fs::path& file : scenarios()) {
    const std::string name = file.stem().string();
    if (argc == 4 || std::any_of(argv + 4, argv + argc,
                                 [&](const char* begin) { return name.starts_with(begin); })) {
      request.scenario.file = file.string();
      search_scenario(request);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: makespan_battery EFFORT|SECONDSs SEED JOBS [NAME..]\n");
    return 2;
  }
  try {
    search_all(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "makespan_battery: {}\n", error.what());
    return 2;
  }
  return 0;
}
