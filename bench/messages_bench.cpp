// Is the cost of a program linear in its messages? 64 processes on an 8x8 torus, without SimGrid.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "dcube/engine/simulation.hpp"
#include "peak_memory.hpp"
#include "square_torus.hpp"
#include "support/kernel_runner.hpp"

namespace {

using namespace dcube;

constexpr std::int64_t side = 8;
constexpr std::uint32_t processes = side * side;

ProcessId neighbour(const Process& process) { return ProcessId{process.rank().index() ^ 1}; }

/// Each message is taken as it comes: one under way for each process.
Task<> take_each(Process& process, std::uint32_t messages) {
  for (std::uint32_t i = 0; i < messages; ++i) {
    process.send(neighbour(process), Payload::of_size(1));
    co_await process.receive(neighbour(process));
  }
}

/// Nobody asks before everybody has sent: all messages are under way at once.
Task<> send_first(Process& process, std::uint32_t messages) {
  for (std::uint32_t i = 0; i < messages; ++i) {
    process.send(neighbour(process), Payload::of_size(1));
  }
  for (std::uint32_t i = 0; i < messages; ++i) {
    co_await process.receive(neighbour(process));
  }
}

/// Everybody sends to process 0, which asks those first that sent last.
Task<> all_to_one(Process& process, std::uint32_t messages) {
  if (process.rank().index() != 0) {
    for (std::uint32_t i = 0; i < messages; ++i) {
      process.send(ProcessId{0}, Payload::of_size(1));
    }
    co_return;
  }
  for (std::uint32_t from = process.size() - 1; from > 0; --from) {
    for (std::uint32_t i = 0; i < messages; ++i) {
      co_await process.receive(ProcessId{from});
    }
  }
}

std::vector<NodeId> identity_map() {
  std::vector<NodeId> map;
  for (std::uint32_t rank = 0; rank < processes; ++rank) {
    map.emplace_back(rank);
  }
  return map;
}

void measure(benchmark::State& state, Task<> (*body)(Process&, std::uint32_t)) {
  // The function is called several times, but only the first time nothing has been run yet.
  static const double base = bench::peak_memory_bytes();
  const Machine machine = bench::square_torus_machine(side);
  const std::vector<NodeId> map = identity_map();
  const auto messages = static_cast<std::uint32_t>(state.range(0));
  const SimulationInput input{
      .machine = machine, .map = map, .body = [body, messages](Process& process) {
        return body(process, messages);
      }};
  RunReport report;
  for (auto _ : state) {
    report = testing::run_without_simgrid(input);
  }
  if (report.outcome != Outcome::completed) {
    state.SkipWithError("the program did not end");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(report.messages));
  state.counters["messages"] = static_cast<double>(report.messages);
  state.counters["peak_memory"] = bench::peak_memory_bytes();
  state.counters["memory_taken"] = bench::peak_memory_bytes() - base;
}

void message_counts(benchmark::internal::Benchmark* bench) {
  bench->ArgName("messages")->RangeMultiplier(10)->Range(10, 100'000);
  bench->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK_CAPTURE(measure, take_each, take_each)->Apply(message_counts);
BENCHMARK_CAPTURE(measure, send_first, send_first)->Apply(message_counts);
BENCHMARK_CAPTURE(measure, all_to_one, all_to_one)->Apply(message_counts);

}  // namespace
