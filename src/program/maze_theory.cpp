#include "maze_theory.hpp"

#include <utility>
#include <vector>

#include "clocks.hpp"

namespace dcube {
namespace {

class Recurrence {
 public:
  Recurrence(const Machine& machine, std::span<const NodeId> map, const MazePartition& partition,
             const MazePlan& plan)
      : partition_{partition},
        plan_{plan},
        clocks_{machine, map},
        tree_{tree_by_rank(partition.process_count())},
        packets_(partition.channel_count()) {}

  Ticks makespan() const { return clocks_.makespan(); }

  /// Expands wave `now`; the packets tell of wave `next`.
  void iterate_simple(const WaveWork& now, const WaveWork& next) {
    for (std::uint32_t process = 0; process < partition_.process_count(); ++process) {
      compute(process, now.found_at_home[process] + found_abroad(now, process));
      send_packets(process, now);
    }
    for (std::uint32_t process = 0; process < partition_.process_count(); ++process) {
      receive_packets(process, next, 1);
    }
  }

  /// Sends what wave `before` came across, and expands wave `now`: the cells it has, then those it
  /// receives.
  void iterate_overlapped(const WaveWork& before, const WaveWork& now) {
    for (std::uint32_t process = 0; process < partition_.process_count(); ++process) {
      send_packets(process, before);
      compute(process, now.found_at_home[process]);
    }
    for (std::uint32_t process = 0; process < partition_.process_count(); ++process) {
      receive_packets(process, now, 2);
    }
  }

  /// Collapse and broadcast of two numbers.
  void test_for_end() {
    constexpr std::uint64_t bytes = 2 * bytes_per_tally;
    clocks_.collapse(tree_, bytes, Ticks{0});
    clocks_.broadcast(tree_, bytes);
  }

 private:
  void compute(std::uint32_t process, std::uint64_t cells) {
    clocks_.compute(ProcessId{process}, round_cost(ExactTime{}, plan_.cell, cells));
  }

  std::uint64_t found_abroad(const WaveWork& work, std::uint32_t process) const {
    std::uint64_t cells = 0;
    for (const std::uint32_t neighbour : partition_.neighbours(process)) {
      cells += work.found_abroad[partition_.channel(process, neighbour)];
    }
    return cells;
  }

  void send_packets(std::uint32_t process, const WaveWork& work) {
    for (const std::uint32_t neighbour : partition_.neighbours(process)) {
      const std::size_t channel = partition_.channel(process, neighbour);
      packets_[channel] =
          clocks_.send(ProcessId{process}, ProcessId{neighbour}, packet_bytes(work.told[channel]));
    }
  }

  void receive_packets(std::uint32_t process, const WaveWork& found,
                       std::uint64_t charges_per_cell) {
    for (const std::uint32_t neighbour : partition_.neighbours(process)) {
      clocks_.receive(packets_[partition_.channel(neighbour, process)]);
      compute(process,
              charges_per_cell * found.found_abroad[partition_.channel(process, neighbour)]);
    }
  }

  const MazePartition& partition_;
  const MazePlan& plan_;
  Clocks clocks_;
  std::vector<ProcessId> tree_;
  std::vector<Clocks::Message> packets_;  ///< on each channel
};

}  // namespace

Ticks predict_maze(const Machine& machine, std::span<const NodeId> map,
                   const MazePartition& partition, const MazeWaves& waves, const MazePlan& plan) {
  Recurrence recurrence{machine, map, partition, plan};
  WaveWork before = waves.work(waves.wave_count());  // of no cell
  WaveWork now = waves.work(0);
  for (std::uint32_t iteration = 0; iteration < plan.iterations; ++iteration) {
    WaveWork next = waves.work(iteration + 1);
    if (plan.algorithm == MazeAlgorithm::simple) {
      recurrence.iterate_simple(now, next);
    } else {
      recurrence.iterate_overlapped(before, now);
    }
    before = std::exchange(now, std::move(next));
    if (plan.test_every != 0 && (iteration + 1) % plan.test_every == 0) {
      recurrence.test_for_end();
    }
  }
  return recurrence.makespan();
}

}  // namespace dcube
