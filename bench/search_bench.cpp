// How many moves a second does annealing make, and how long do the closed form and Scotch take?

#include <benchmark/benchmark.h>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "dcube/core/random.hpp"
#include "dcube/search/search.hpp"
#include "search/objectives/map_cost.hpp"
#include "search/walks/moves.hpp"
#include "square_torus.hpp"

namespace {

using namespace dcube;

/// Recursive doubling: 2^i bytes along dimension i.
struct Doubling {
  explicit Doubling(std::int64_t side)
      : torus{make_topology(Params::parse(bench::square_torus(side)))},
        cube{Guest::cube(static_cast<std::uint32_t>(std::countr_zero(torus->node_count())))} {
    std::vector<std::uint64_t> weights;
    for (std::uint32_t i = 0; i < cube.dimension_count(); ++i) {
      weights.push_back(std::uint64_t{1} << i);
    }
    traffic = Traffic::of(cube, weights);
  }

  SearchProblem problem(Objective objective) const {
    return {.topology = *torus, .traffic = traffic, .objective = objective};
  }
  /// Hops of an average byte.
  double average(std::uint64_t hop_bytes) const {
    return static_cast<double>(hop_bytes) / static_cast<double>(traffic.total_bytes());
  }

  std::unique_ptr<Topology> torus;
  Guest cube;
  Traffic traffic{1, {}};
};

/// The items are moves, every second one taken back.
void moves(benchmark::State& state, Objective objective) {
  const Doubling doubling{state.range(0)};
  const SearchProblem problem = doubling.problem(objective);
  const Distances distances{problem.topology};
  const Partners partners{problem.traffic, objective};
  const auto cost = make_map_cost(problem, distances);
  Moves made{problem, partners};
  const auto start = best_start(problem).map;
  cost->assign(start);
  made.assign(start);
  SplitMix64 random{1};
  bool is_kept = false;
  for (auto _ : state) {
    cost->propose(made.draw(random));
    if (is_kept) {
      cost->keep();
      made.keep();
    } else {
      cost->revert();
    }
    is_kept = !is_kept;
    benchmark::DoNotOptimize(cost->energy());
  }
  state.SetItemsProcessed(state.iterations());
}

void weighted_xor(benchmark::State& state) {
  const Doubling doubling{state.range(0)};
  const auto settings = Params::parse("kind=weighted_xor");
  std::vector<NodeId> map;
  for (auto _ : state) {
    map = make_embedding(*doubling.torus, doubling.cube, settings)->map();
    benchmark::DoNotOptimize(map.data());
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["hops_a_byte"] =
      doubling.average(cost_of(doubling.problem(Objective::hop_bytes), map));
}

void scotch(benchmark::State& state) {
  const Doubling doubling{state.range(0)};
  FoundMap found;
  for (auto _ : state) {
    found = map_with_scotch(doubling.problem(Objective::hop_bytes), 1);
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["hops_a_byte"] = doubling.average(found.cost);
}

void annealing(benchmark::State& state) {
  const Doubling doubling{state.range(0)};
  constexpr std::uint64_t effort = 200'000;
  FoundMap found;
  for (auto _ : state) {
    found = anneal(doubling.problem(Objective::hop_bytes), {.seed = 1, .effort = effort});
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(effort));
  state.counters["hops_a_byte"] = doubling.average(found.cost);
}

void sides(benchmark::internal::Benchmark* bench) {
  bench->ArgName("side")->Arg(16)->Arg(32)->UseRealTime();
}
void sides_in_ms(benchmark::internal::Benchmark* bench) {
  sides(bench);
  bench->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(moves, hop_bytes, Objective::hop_bytes)->Apply(sides);
BENCHMARK_CAPTURE(moves, longest_dilation, Objective::longest_dilation)->Apply(sides);
BENCHMARK_CAPTURE(moves, link_load, Objective::link_load)->Apply(sides);
BENCHMARK_CAPTURE(moves, cc_time, Objective::cc_time)->Apply(sides);
BENCHMARK(weighted_xor)->Apply(sides_in_ms);
BENCHMARK(scotch)->Apply(sides_in_ms);
BENCHMARK(annealing)->Apply(sides_in_ms);

}  // namespace
