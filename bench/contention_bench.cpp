// Does a hop cost more when messages queue for its link? Every message starts at time 0, so the
// more there are, the longer the queues: to nodes drawn at random, or all to node 0.

#include <benchmark/benchmark.h>

#include <cstdint>

#include "dcube/core/random.hpp"
#include "dcube/network/network.hpp"
#include "peak_memory.hpp"
#include "square_torus.hpp"

namespace {

using namespace dcube;

/// Any node but `from`.
NodeId other_node(SplitMix64& random, std::uint32_t from, std::uint32_t nodes) {
  const auto node = static_cast<std::uint32_t>(bounded(random.next(), nodes - 1));
  return NodeId{node < from ? node : node + 1};
}

void send_to_random_nodes(Network& network, std::uint32_t nodes, std::uint32_t messages) {
  SplitMix64 random{1};
  for (std::uint32_t node = 0; node < nodes; ++node) {
    for (std::uint32_t number = 0; number < messages; ++number) {
      network.send({.source = ProcessId{node},
                    .send_number = number,
                    .from = NodeId{node},
                    .to = other_node(random, node, nodes),
                    .bytes = 1});
    }
  }
}

void send_to_one_node(Network& network, std::uint32_t nodes, std::uint32_t messages) {
  for (std::uint32_t node = 1; node < nodes; ++node) {
    for (std::uint32_t number = 0; number < messages; ++number) {
      network.send({.source = ProcessId{node},
                    .send_number = number,
                    .from = NodeId{node},
                    .to = NodeId{0},
                    .bytes = 1});
    }
  }
}

/// The instant at which the last message is there.
Ticks run_to_end(Network& network) {
  while (!network.advance(Ticks::max()).empty()) {
  }
  return network.now();
}

using Senders = void (*)(Network&, std::uint32_t nodes, std::uint32_t messages);

void measure(benchmark::State& state, Senders send) {
  const Machine machine = bench::square_torus_machine(state.range(0));
  const auto messages = static_cast<std::uint32_t>(state.range(1));
  std::uint64_t hops = 0;
  for (auto _ : state) {
    Network network{*machine.topology, machine.links};
    send(network, machine.topology->node_count(), messages);
    state.counters["makespan_s"] = to_seconds(run_to_end(network));
    state.counters["queued"] =
        static_cast<double>(network.queued_hops()) / static_cast<double>(network.hop_count());
    state.counters["mean_wait_s"] =
        network.queued_seconds() / static_cast<double>(network.hop_count());
    hops += network.hop_count();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(hops));
  state.counters["peak_memory"] = bench::peak_memory_bytes();
}

void random(benchmark::State& state) { measure(state, send_to_random_nodes); }

/// Node 0 receives over four links; one of the two that messages turn into last is never idle.
void all_to_one(benchmark::State& state) {
  measure(state, send_to_one_node);
  const std::int64_t side = state.range(0);
  const std::int64_t most_loaded = side * (side / 2) * state.range(1);
  if (state.counters["makespan_s"] != static_cast<double>(most_loaded)) {
    state.SkipWithError("the makespan is not the time of the most loaded link");
  }
}

void common(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"side", "messages"})->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK(random)->Apply(common)->ArgsProduct({{64}, {1, 4, 16, 64, 256}});
BENCHMARK(all_to_one)->Apply(common)->ArgsProduct({{64, 128}, {1, 4, 16}});

}  // namespace
