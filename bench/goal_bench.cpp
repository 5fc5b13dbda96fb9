// How many operations of GOAL schedules does a second simulate, and how many does it read? Some
// 10^6 operations of 256 ranks on a 16x16 torus with LogGOPSim's usual costs, without SimGrid.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/random.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/program/program.hpp"
#include "dcube/workload/schedule.hpp"
#include "peak_memory.hpp"
#include "square_torus.hpp"
#include "support/kernel_runner.hpp"
#include "workload/goal_reader.hpp"

namespace {

using namespace dcube;
using Kind = Operation::Kind;

constexpr std::int64_t side = 16;
constexpr std::uint32_t ranks = side * side;
constexpr std::size_t operation_count = 1'000'000;
constexpr std::uint64_t message_bytes = 64;

ExactTime nanoseconds(std::int64_t count) { return ExactTime{count * 1000, 1}; }
std::uint64_t microseconds(std::uint64_t count) { return count * 1'000'000; }

Machine loggp_torus() {
  Machine machine = bench::square_torus_machine(side);
  machine.links.per_dimension.assign(2, TransferCost{nanoseconds(2500), ExactTime{}});
  machine.endpoint.send = {nanoseconds(1500), ExactTime{}};
  machine.endpoint.receive = machine.endpoint.send;
  machine.endpoint.gap = {nanoseconds(1000), nanoseconds(6)};
  machine.endpoint.eager_limit_bytes = 65535;
  return machine;
}

/// Operations of all ranks; each rank's come in rounds.
class Rounds {
 public:
  Rounds() {
    schedule_.processes.resize(ranks);
    schedule_.graphs.resize(ranks);
  }

  void compute(std::uint32_t rank, std::uint64_t time) {
    schedule_.processes[rank].push_back({.kind = Kind::compute, .amount = time});
  }
  void message(std::uint32_t from, std::uint32_t to, std::uint64_t bytes = message_bytes) {
    schedule_.processes[from].push_back(
        {.kind = Kind::send, .peer = ProcessId{to}, .amount = bytes});
    schedule_.processes[to].push_back(
        {.kind = Kind::receive, .peer = ProcessId{from}, .amount = bytes});
  }
  /// `after` may start when `before` is done.
  void require(std::uint32_t rank, std::size_t before, std::size_t after) {
    edges_[rank].push_back({static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(after)});
  }
  std::size_t size(std::uint32_t rank) const { return schedule_.processes[rank].size(); }
  bool is_full() const { return schedule_.operation_count() >= operation_count; }
  Schedule take() {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      schedule_.processes[rank].shrink_to_fit();
      schedule_.graphs[rank] = {size(rank), edges_[rank]};
    }
    return std::move(schedule_);
  }

  /// All that a rank does from here on requires all that it has done since the round before.
  void end_round() {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const std::size_t end = size(rank);
      if (end > round_[rank].end) {
        round_[rank] = {round_[rank].end, end};
      }
    }
  }
  /// Adds the edges between the round that ends here and the one before.
  void require_round_before() {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      for (std::size_t after = round_[rank].end; after < size(rank); ++after) {
        for (std::size_t before = round_[rank].begin; before < round_[rank].end; ++before) {
          require(rank, before, after);
        }
      }
    }
    end_round();
  }

 private:
  struct Round {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  Schedule schedule_;
  std::vector<std::vector<OperationGraph::Edge>> edges_ =
      std::vector<std::vector<OperationGraph::Edge>>(ranks);
  std::vector<Round> round_ = std::vector<Round>(ranks);
};

/// Every rank computes, then exchanges with both neighbours.
Schedule ring() {
  Rounds rounds;
  while (!rounds.is_full()) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      rounds.compute(rank, microseconds(10));
    }
    rounds.require_round_before();
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      rounds.message(rank, (rank + 1) % ranks);
      rounds.message(rank, (rank + ranks - 1) % ranks);
    }
    rounds.require_round_before();
  }
  return rounds.take();
}

Schedule dissemination() {
  Rounds rounds;
  while (!rounds.is_full()) {
    for (std::uint32_t step = 1; step < ranks; step *= 2) {
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        rounds.message(rank, (rank + step) % ranks);
      }
      rounds.require_round_before();
    }
  }
  return rounds.take();
}

/// Binomial broadcasts and reductions in turn.
Schedule trees() {
  Rounds rounds;
  while (!rounds.is_full()) {
    for (std::uint32_t step = 1; step < ranks; step *= 2) {
      for (std::uint32_t rank = 0; rank < step; ++rank) {
        rounds.message(rank, rank + step);
      }
      rounds.require_round_before();
    }
    for (std::uint32_t step = ranks / 2; step > 0; step /= 2) {
      for (std::uint32_t rank = 0; rank < step; ++rank) {
        rounds.message(rank + step, rank);
      }
      rounds.require_round_before();
    }
  }
  return rounds.take();
}

/// Much computing, little communication: eight computations in sequence for each message.
Schedule computing() {
  Rounds rounds;
  while (!rounds.is_full()) {
    for (int i = 0; i < 8; ++i) {
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        rounds.compute(rank, microseconds(1 + (rank + static_cast<std::uint32_t>(i)) % 7));
      }
      rounds.require_round_before();
    }
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      rounds.message(rank, (rank + 1) % ranks);
    }
    rounds.require_round_before();
  }
  return rounds.take();
}

/// Operations of random ranks, each of which requires up to two of the rank's last eight. Messages
/// are small, or (`most_bytes`) some of them above the eager limit. Sends require no receives, so
/// nothing waits for ever.
Schedule random_graph(std::uint64_t most_bytes) {
  Rounds rounds;
  SplitMix64 random{1};
  const auto below = [&](std::uint64_t end) { return bounded(random.next(), end); };
  std::vector<std::vector<std::size_t>> last(ranks);  // that others may require
  const auto require_some = [&](std::uint32_t rank, std::size_t operation) {
    std::vector<std::size_t>& known = last[rank];
    for (int i = 0; i < 2 && !known.empty(); ++i) {
      const std::size_t before = known[below(known.size())];
      if (before != operation) {
        rounds.require(rank, before, operation);
      }
    }
  };
  const auto remember = [&](std::uint32_t rank, std::size_t operation) {
    constexpr std::size_t most = 8;
    if (last[rank].size() < most) {
      last[rank].push_back(operation);
    } else {
      last[rank][below(most)] = operation;
    }
  };
  for (std::size_t i = 0; i < operation_count;) {
    const auto rank = static_cast<std::uint32_t>(below(ranks));
    const std::size_t operation = rounds.size(rank);
    if (below(2) == 0) {
      rounds.compute(rank, 1'000'000 + below(9'000'000));
      require_some(rank, operation);
      remember(rank, operation);
      i += 1;
      continue;
    }
    const auto to = static_cast<std::uint32_t>((rank + 1 + below(ranks - 1)) % ranks);
    const std::size_t received = rounds.size(to);
    rounds.message(rank, to, 1 + below(most_bytes));
    require_some(rank, operation);
    require_some(to, received);
    i += 2;
  }
  return rounds.take();
}
Schedule random_eager() { return random_graph(1000); }
Schedule random_rendezvous() { return random_graph(100'000); }

std::vector<NodeId> identity_map() {
  std::vector<NodeId> map;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    map.emplace_back(rank);
  }
  return map;
}

void simulate(benchmark::State& state, Schedule (*make)()) {
  const Machine machine = loggp_torus();
  const std::vector<NodeId> map = identity_map();
  Schedule schedule = make();
  const auto operations = static_cast<std::int64_t>(schedule.operation_count());
  const double base = bench::peak_memory_bytes();
  const std::unique_ptr<Program> program = make_scheduled_program(
      "goal", std::move(schedule), {.guest = Guest::of_processes(ranks)}, {machine});
  const SimulationInput input{.machine = machine,
                              .map = map,
                              .body = [&](Process& process) { return program->run(process); },
                              .program_pays_endpoints = program->pays_endpoints()};
  RunReport report;
  for (auto _ : state) {
    report = testing::run_without_simgrid(input);
  }
  if (report.outcome != Outcome::completed) {
    state.SkipWithError("the program did not end");
  }
  state.SetItemsProcessed(state.iterations() * operations);
  state.counters["memory_taken"] = bench::peak_memory_bytes() - base;
  state.SetLabel(fmt::format("{:016x} {}", report.fingerprint, report.makespan.count()));
}

/// As tools write it: every operation has a label.
std::string text_of(const Schedule& schedule) {
  std::string text = fmt::format("num_ranks {}\n", ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    auto out = std::back_inserter(text);
    fmt::format_to(out, "rank {} {{\n", rank);
    std::size_t number = 0;
    for (const Operation& operation : schedule.processes[rank]) {
      fmt::format_to(out, "l{}: ", ++number);
      switch (operation.kind) {
        case Kind::send:
          fmt::format_to(out, "send {}b to {} tag {}\n", operation.amount, operation.peer.index(),
                         operation.tag);
          break;
        case Kind::receive:
          fmt::format_to(out, "recv {}b from {} tag {}\n", operation.amount, operation.peer.index(),
                         operation.tag);
          break;
        default:
          fmt::format_to(out, "calc {}\n", operation.amount / 1000);
      }
    }
    for (std::uint32_t before = 0; before < number; ++before) {
      for (const OperationGraph::Follower& follower : schedule.graphs[rank].followers(before)) {
        fmt::format_to(out, "l{} requires l{}\n", follower.operation() + 1, before + 1);
      }
    }
    text += "}\n";
  }
  return text;
}

void read(benchmark::State& state, Schedule (*make)()) {
  const Schedule schedule = make();
  const std::string text = text_of(schedule);
  for (auto _ : state) {
    benchmark::DoNotOptimize(read_goal(TextWindow{text}, "s.goal", nanoseconds(1)));
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(schedule.operation_count()));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void options(benchmark::internal::Benchmark* bench) {
  bench->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK_CAPTURE(simulate, ring, ring)->Apply(options);
BENCHMARK_CAPTURE(simulate, dissemination, dissemination)->Apply(options);
BENCHMARK_CAPTURE(simulate, trees, trees)->Apply(options);
BENCHMARK_CAPTURE(simulate, computing, computing)->Apply(options);
BENCHMARK_CAPTURE(simulate, random, random_eager)->Apply(options);
BENCHMARK_CAPTURE(simulate, random_rendezvous, random_rendezvous)->Apply(options);
BENCHMARK_CAPTURE(read, ring, ring)->Apply(options);
BENCHMARK_CAPTURE(read, random, random_eager)->Apply(options);

}  // namespace
