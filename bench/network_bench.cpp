// How fast is the network alone, without SimGrid and without processes, under CC d-cube traffic?

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/network/network.hpp"
#include "peak_memory.hpp"
#include "square_torus.hpp"
#include "support/cc_runs.hpp"

namespace {

using namespace dcube;

constexpr Ticks compute_time{std::chrono::seconds{1}};
constexpr std::uint64_t message_bytes = 1;

/// The messages of the CC d-cube algorithm: a stage's exchange of a pair starts when both have
/// computed, and each goes on when its partner's message is there.
class CcTraffic {
 public:
  CcTraffic(const Machine& machine, std::span<const NodeId> map, std::uint32_t stages)
      : network_{*machine.topology, machine.links},
        map_{map},
        stages_{stages},
        processes_(map.size()),
        receiver_(map.size()) {}

  /// Runs every stage of every process; the time at which the last one ends.
  Ticks run() {
    for (std::uint32_t rank = 0; rank < map_.size(); ++rank) {
      begin_stage(ProcessId{rank}, Ticks{0});
    }
    Ticks end = network_.now();
    while (true) {
      const std::span<const MessageId> delivered = network_.advance(Ticks::max());
      if (delivered.empty()) {
        return end;
      }
      end = network_.now();
      for (const MessageId message : delivered) {
        end_stage(message);
      }
    }
  }

  std::uint64_t hop_count() const { return network_.hop_count(); }

 private:
  struct ProcessState {
    Ticks ready{0};
    std::uint32_t stage = 0;
    bool is_waiting = false;  ///< ready for the exchange of its stage
  };

  void begin_stage(ProcessId process, Ticks now) {
    ProcessState& state = processes_[process.index()];
    state.ready = now + compute_time;
    state.is_waiting = true;
    const ProcessId partner{process.index() ^ (1U << state.stage)};
    const ProcessState& other = processes_[partner.index()];
    if (other.is_waiting && other.stage == state.stage) {
      exchange(process, partner);
    }
  }

  void exchange(ProcessId first, ProcessId second) {
    const Ticks start = std::max(processes_[first.index()].ready, processes_[second.index()].ready);
    send(first, second, start);
    send(second, first, start);
  }

  void send(ProcessId from, ProcessId to, Ticks start) {
    ProcessState& sender = processes_[from.index()];
    sender.is_waiting = false;
    const MessageId message = network_.send({.source = from,
                                             .send_number = sender.stage,
                                             .from = map_[from.index()],
                                             .to = map_[to.index()],
                                             .bytes = message_bytes,
                                             .start = start});
    if (receiver_.size() <= message.index()) {
      receiver_.resize(message.index() + 1);
    }
    receiver_[message.index()] = to;
  }

  void end_stage(MessageId message) {
    const ProcessId process = receiver_[message.index()];
    network_.messages().release(message);
    if (++processes_[process.index()].stage < stages_) {
      begin_stage(process, network_.now());
    }
  }

  Network network_;
  std::span<const NodeId> map_;
  std::uint32_t stages_;
  std::vector<ProcessState> processes_;
  std::vector<ProcessId> receiver_;  ///< [MessageId]
};

/// "on" and "off" in its name: contention.
void cc_traffic(benchmark::State& state, const std::string& embedding, Contention contention) {
  const testing::CcRun cc{bench::square_torus(state.range(0)), embedding};
  cc.machine->links.contention = contention;
  std::uint64_t hops = 0;
  Ticks makespan{0};
  for (auto _ : state) {
    CcTraffic traffic{*cc.machine, cc.map, cc.program->stage_count()};
    makespan = traffic.run();
    hops += traffic.hop_count();
  }
  if (contention == Contention::off && to_seconds(makespan) != cc.theory()) {
    state.SkipWithError("the makespan differs from the recurrence");
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(hops));
  state.counters["makespan_s"] = to_seconds(makespan);
  state.counters["peak_memory"] = bench::peak_memory_bytes();
}

void square_sides(benchmark::internal::Benchmark* bench) {
  bench->ArgName("side")->Arg(16)->Arg(64)->Arg(128)->Arg(256)->Arg(512)->Arg(1024);
  bench->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK_CAPTURE(cc_traffic, standard_on, "standard", Contention::on)->Apply(square_sides);
BENCHMARK_CAPTURE(cc_traffic, standard_off, "standard", Contention::off)->Apply(square_sides);
BENCHMARK_CAPTURE(cc_traffic, xor_on, "xor", Contention::on)->Apply(square_sides);
BENCHMARK_CAPTURE(cc_traffic, xor_off, "xor", Contention::off)->Apply(square_sides);
BENCHMARK_CAPTURE(cc_traffic, random_on, "random", Contention::on)->Apply(square_sides);
BENCHMARK_CAPTURE(cc_traffic, random_off, "random", Contention::off)->Apply(square_sides);

}  // namespace
