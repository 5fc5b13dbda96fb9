// How long does one guest edge take to measure, on machines of 2^12 to 2^24 nodes?

#include <benchmark/benchmark.h>

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/topology/topology.hpp"
#include "peak_memory.hpp"
#include "square_torus.hpp"

namespace {

using namespace dcube;

struct Placement {
  std::unique_ptr<Topology> torus;
  Guest guest;
  std::vector<NodeId> map;
};

Placement square_torus(std::int64_t side, const std::string& embedding) {
  auto torus = make_topology(Params::parse(bench::square_torus(side)));
  const auto dimensions = static_cast<std::uint32_t>(std::countr_zero(torus->node_count()));
  Placement placement{std::move(torus), Guest::cube(dimensions), {}};
  placement.map =
      make_embedding(*placement.torus, placement.guest, Params::parse("kind=" + embedding))->map();
  return placement;
}

/// The items are guest edges.
void count_edges(benchmark::State& state, const Guest& guest) {
  const std::int64_t edges = std::int64_t{guest.process_count()} * guest.dimension_count() / 2;
  state.SetItemsProcessed(state.iterations() * edges);
  state.counters["edges"] = static_cast<double>(edges);
  state.counters["peak_memory"] = bench::peak_memory_bytes();
}

void measure(benchmark::State& state, const std::string& embedding) {
  const Placement placement = square_torus(state.range(0), embedding);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        measure_embedding(*placement.torus, placement.guest, placement.map).total_dilation);
  }
  count_edges(state, placement.guest);
}

void predict(benchmark::State& state, const std::string& embedding) {
  const Placement placement = square_torus(state.range(0), embedding);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        predict_cc(*placement.torus, placement.map, Ticks{1000}, Ticks{1}).makespan);
  }
  count_edges(state, placement.guest);
}

void square_sides(benchmark::internal::Benchmark* bench) {
  bench->ArgName("side")->Arg(64)->Arg(256)->Arg(1024)->Arg(4096);
  bench->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK_CAPTURE(measure, standard, "standard")->Apply(square_sides);
BENCHMARK_CAPTURE(measure, xor, "xor")->Apply(square_sides);
BENCHMARK_CAPTURE(measure, random, "random")->Apply(square_sides);
BENCHMARK_CAPTURE(predict, standard, "standard")->Apply(square_sides);
BENCHMARK_CAPTURE(predict, xor, "xor")->Apply(square_sides);
BENCHMARK_CAPTURE(predict, random, "random")->Apply(square_sides);

}  // namespace
