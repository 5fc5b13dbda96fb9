// How near to the best known maps does a search come, and in what time? Runs every problem of the
// battery and prints one line for each: its name, the cost found, how far that is above the best
// known, milliseconds. The last line has the means. EFFORT counts maps, 0 stands for the usual
// ones; "60s" is a time.
//
//     search_battery EFFORT SEED JOBS [NAME..]     problems whose names contain one of these

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcube/core/random.hpp"
#include "dcube/search/search.hpp"

namespace {

using namespace dcube;

/// Draws flows. The same everywhere.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_{hash_of(seed, 0x62617474657279U)} {}

  std::uint32_t below(std::uint64_t bound) {
    return static_cast<std::uint32_t>(bounded(random_.next(), bound));
  }
  std::vector<std::uint32_t> permutation(std::uint32_t count) {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    for (std::uint32_t i = count; i > 1; --i) {
      std::swap(order[i - 1], order[below(i)]);
    }
    return order;
  }

 private:
  SplitMix64 random_;
};

void add_pair(std::vector<Flow>& flows, std::uint32_t a, std::uint32_t b, std::uint64_t bytes) {
  if (a != b && bytes > 0) {
    flows.push_back({ProcessId{a}, ProcessId{b}, bytes, 1});
    flows.push_back({ProcessId{b}, ProcessId{a}, bytes, 1});
  }
}

/// Pairs of the weights that Nugent, Vollmann & Ruml (1968) drew: a third 0, others 1 to 6 and 10.
std::vector<Flow> dense(std::uint32_t n, Draws& draws) {
  constexpr std::array<std::uint64_t, 16> weights{0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 5, 5, 5, 10};
  std::vector<Flow> flows;
  for (std::uint32_t a = 0; a < n; ++a) {
    for (std::uint32_t b = a + 1; b < n; ++b) {
      add_pair(flows, a, b, weights[draws.below(weights.size())]);
    }
  }
  return flows;
}

std::vector<Flow> sparse(std::uint32_t n, Draws& draws) {
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < 5 * n / 2; ++i) {
    const std::uint32_t a = draws.below(n);
    const std::uint32_t bytes = 1 + draws.below(16);
    add_pair(flows, a, draws.below(n), bytes);
  }
  return flows;
}

/// Groups of eight processes that exchange much, and as many light flows between groups.
std::vector<Flow> clustered(std::uint32_t n, Draws& draws) {
  std::vector<Flow> flows;
  const auto label = draws.permutation(n);
  for (std::uint32_t a = 0; a < n; ++a) {
    for (std::uint32_t b = a + 1; b < n && b / 8 == a / 8; ++b) {
      add_pair(flows, label[a], label[b], 20 + draws.below(80));
    }
    for (int i = 0; i < 3; ++i) {
      const std::uint32_t bytes = 1 + draws.below(9);
      add_pair(flows, label[a], label[draws.below(n)], bytes);
    }
  }
  return flows;
}

/// The neighbours of a machine of this shape, numbered at random, weights by dimension.
std::vector<Flow> stencil(const Topology& shape, Draws& draws) {
  std::vector<Flow> flows;
  const auto label = draws.permutation(shape.node_count());
  for (std::uint32_t node = 0; node < shape.node_count(); ++node) {
    for (const NodeId other : shape.neighbours(NodeId{node})) {
      if (node < other.index()) {
        const std::uint32_t apart = other.index() - node;
        add_pair(flows, label[node], label[other.index()], apart == 1 ? 4 : 8);
      }
    }
  }
  return flows;
}

/// A cube whose processes are numbered at random; dimension i weighs 1 + i * slope.
std::vector<Flow> cube(std::uint32_t n, std::uint32_t slope, Draws& draws) {
  std::vector<Flow> flows;
  const auto label = draws.permutation(n);
  for (std::uint32_t a = 0; a < n; ++a) {
    for (std::uint32_t i = 0; (1U << i) < n; ++i) {
      if (const std::uint32_t b = a ^ (1U << i); a < b) {
        add_pair(flows, label[a], label[b], 1 + i * slope);
      }
    }
  }
  return flows;
}

struct BatteryProblem {
  std::string name;
  std::unique_ptr<Topology> machine;
  Traffic traffic{1, {}};
};

std::vector<BatteryProblem> battery() {
  const std::array<std::pair<const char*, const char*>, 16> machines{
      {{"mesh4x4", "kind=mesh,shape=[4,4]"},
       {"torus4x4", "kind=torus,shape=[4,4]"},
       {"cube4", "kind=hypercube,dimensions=4"},
       {"mesh6x5", "kind=mesh,shape=[6,5]"},
       {"torus6x6", "kind=torus,shape=[6,6]"},
       {"torus4x3x3", "kind=torus,shape=[4,3,3]"},
       {"mesh8x8", "kind=mesh,shape=[8,8]"},
       {"torus8x8", "kind=torus,shape=[8,8]"},
       {"torus4x4x4", "kind=torus,shape=[4,4,4]"},
       {"cube6", "kind=hypercube,dimensions=6"},
       {"mesh10x10", "kind=mesh,shape=[10,10]"},
       {"torus5x5x4", "kind=torus,shape=[5,5,4]"},
       {"mesh16x8", "kind=mesh,shape=[16,8]"},
       {"cube7", "kind=hypercube,dimensions=7"},
       {"torus16x16", "kind=torus,shape=[16,16]"},
       {"cube8", "kind=hypercube,dimensions=8"}}};
  std::vector<BatteryProblem> problems;
  std::uint64_t seed = 0;
  for (const auto& on : machines) {
    const auto add = [&](const char* kind, const auto& make) {
      BatteryProblem problem{fmt::format("{}/{}", on.first, kind),
                             make_topology(Params::parse(on.second))};
      const std::uint32_t n = problem.machine->node_count();
      Draws draws{++seed};
      problem.traffic = Traffic{n, make(*problem.machine, n, draws)};
      problems.push_back(std::move(problem));
    };
    add("dense", [](const Topology&, std::uint32_t n, Draws& draws) { return dense(n, draws); });
    add("sparse", [](const Topology&, std::uint32_t n, Draws& draws) { return sparse(n, draws); });
    add("clustered",
        [](const Topology&, std::uint32_t n, Draws& draws) { return clustered(n, draws); });
    add("stencil", [](const Topology& machine, std::uint32_t, Draws& draws) {
      return stencil(machine, draws);
    });
    if (std::has_single_bit(problems.back().machine->node_count())) {
      add("cube", [](const Topology&, std::uint32_t n, Draws& draws) { return cube(n, 1, draws); });
    }
  }
  return problems;
}

/// The least costs that any search came to so far.
constexpr std::array<std::pair<std::string_view, std::uint64_t>, 75> best_known{
    {{"mesh4x4/dense", 1014},       {"mesh4x4/sparse", 782},
     {"mesh4x4/clustered", 11878},  {"mesh4x4/stencil", 288},
     {"mesh4x4/cube", 208},         {"torus4x4/dense", 1064},
     {"torus4x4/sparse", 752},      {"torus4x4/clustered", 11236},
     {"torus4x4/stencil", 416},     {"torus4x4/cube", 160},
     {"cube4/dense", 1008},         {"cube4/sparse", 832},
     {"cube4/clustered", 10680},    {"cube4/stencil", 448},
     {"cube4/cube", 160},           {"mesh6x5/dense", 6088},
     {"mesh6x5/sparse", 1792},      {"mesh6x5/clustered", 23942},
     {"mesh6x5/stencil", 584},      {"torus6x6/dense", 7750},
     {"torus6x6/sparse", 2418},     {"torus6x6/clustered", 26462},
     {"torus6x6/stencil", 912},     {"torus4x3x3/dense", 6308},
     {"torus4x3x3/sparse", 1688},   {"torus4x3x3/clustered", 21756},
     {"torus4x3x3/stencil", 1512},  {"mesh8x8/dense", 45626},
     {"mesh8x8/sparse", 5750},      {"mesh8x8/clustered", 57172},
     {"mesh8x8/stencil", 1344},     {"mesh8x8/cube", 2368},
     {"torus8x8/dense", 34212},     {"torus8x8/sparse", 4702},
     {"torus8x8/clustered", 52432}, {"torus8x8/stencil", 1600},
     {"torus8x8/cube", 1984},       {"torus4x4x4/dense", 26388},
     {"torus4x4x4/sparse", 3410},   {"torus4x4x4/clustered", 47108},
     {"torus4x4x4/stencil", 2688},  {"torus4x4x4/cube", 1344},
     {"cube6/dense", 25498},        {"cube6/sparse", 3888},
     {"cube6/clustered", 46160},    {"cube6/stencil", 2816},
     {"cube6/cube", 1344},          {"mesh10x10/dense", 141418},
     {"mesh10x10/sparse", 9998},    {"mesh10x10/clustered", 88940},
     {"mesh10x10/stencil", 2160},   {"torus5x5x4/dense", 72242},
     {"torus5x5x4/sparse", 5900},   {"torus5x5x4/clustered", 70080},
     {"torus5x5x4/stencil", 4160},  {"mesh16x8/dense", 288126},
     {"mesh16x8/sparse", 14630},    {"mesh16x8/clustered", 117668},
     {"mesh16x8/stencil", 2752},    {"mesh16x8/cube", 7552},
     {"cube7/dense", 129074},       {"cube7/sparse", 7518},
     {"cube7/clustered", 93880},    {"cube7/stencil", 6656},
     {"cube7/cube", 3584},          {"torus16x16/dense", 1194650},
     {"torus16x16/sparse", 32320},  {"torus16x16/clustered", 234764},
     {"torus16x16/stencil", 6272},  {"torus16x16/cube", 19712},
     {"cube8/dense", 597666},       {"cube8/sparse", 17004},
     {"cube8/clustered", 192534},   {"cube8/stencil", 15360},
     {"cube8/cube", 9216}}};

double percent_above_best(const std::string& name, std::uint64_t cost) {
  const auto* const best =
      std::ranges::find(best_known, name, [](const auto& one) { return one.first; });
  return best == best_known.end()
             ? 0
             : 100.0 * (static_cast<double>(cost) / static_cast<double>(best->second) - 1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: search_battery EFFORT SEED JOBS [NAME..]\n");
    return 2;
  }
  using Clock = std::chrono::steady_clock;
  const std::string_view effort = argv[1];
  const std::chrono::duration<double> limit{effort.ends_with('s') ? std::atof(argv[1]) : 0};
  AnnealingSettings settings{.seed = std::strtoull(argv[2], nullptr, 10),
                             .jobs = static_cast<std::uint32_t>(std::atoi(argv[3]))};
  double sum_above = 0;
  double sum_taken = 0;
  int count = 0;
  for (const BatteryProblem& one : battery()) {
    const bool is_wanted = argc == 4 || std::any_of(argv + 4, argv + argc, [&](const char* name) {
                             return one.name.find(name) != std::string::npos;
                           });
    if (!is_wanted) {
      continue;
    }
    const SearchProblem problem{.topology = *one.machine, .traffic = one.traffic};
    settings.effort = limit.count() > 0 ? endless_effort : std::strtoull(argv[1], nullptr, 10);
    settings.agreement = settings.effort == 0 ? usual_agreement : 0;
    if (settings.effort == 0) {
      settings.effort = usual_effort(problem);
    }
    const Clock::time_point start = Clock::now();
    SearchControl control;
    if (limit.count() > 0) {
      control.should_stop = [&] { return Clock::now() - start >= limit; };
    }
    const FoundMap found = anneal(problem, settings, control);
    const std::chrono::duration<double, std::milli> taken = Clock::now() - start;
    const double above = percent_above_best(one.name, found.cost);
    fmt::print("{} {} {:.2f} {:.0f}\n", one.name, found.cost, above, taken.count());
    std::fflush(stdout);
    sum_above += above;
    sum_taken += taken.count();
    ++count;
  }
  if (count > 0) {
    fmt::print("mean of {}: {:.3f} % above the best known, {:.0f} ms\n", count, sum_above / count,
               sum_taken / count);
  }
  return 0;
}
