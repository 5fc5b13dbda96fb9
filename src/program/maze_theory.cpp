#include "maze_theory.hpp"

#include <utility>
#include <vector>

#include "clocks.hpp"
#include "collectives.hpp"

namespace dcube {
namespace {

class Recurrence {
 public:
  Recurrence(const Machine& machine, std::span<const NodeId> map, const MazePartition& partition,
             const MazePlan& plan)
      : partition_{partition},
        plan_{plan},
        clocks_{machine, map},
        arrivals_(partition.channel_count()) {}

  Ticks makespan() const { return clocks_.makespan(); }

  /// Expands wave `now`; the packets tell of wave `next`.
  void iterate_simple(const WaveWork& now, const WaveWork& next) {
    for (std::uint32_t process = 0; process < partition_.process_count(); ++process) {
      compute(process, now.found_at_home[process] + found_abroad(now, process));
      send_packets(process, now);
    }
    for (std::uint32_t process = 0; process < partition_.process_count(); ++process) {
      receive_packets(process, now, next, 1);
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
      receive_packets(process, before, now, 2);
    }
  }

  /// Collapse and broadcast of two numbers.
  void test_for_end() {
    constexpr std::uint64_t bytes = 2 * bytes_per_tally;
    const std::uint32_t count = partition_.process_count();
    std::vector<Ticks> arrival(count);  // of the message between a process and its parent
    for (std::uint32_t process = count; process-- > 0;) {
      const TreePlace place{process, count};
      for (auto child = place.children().rbegin(); child != place.children().rend(); ++child) {
        clocks_.receive(ProcessId{process}, arrival[child->index()], bytes);
      }
      if (process != 0) {
        arrival[process] = clocks_.send(ProcessId{process}, place.parent(), bytes);
      }
    }
    for (std::uint32_t process = 0; process < count; ++process) {
      if (process != 0) {
        clocks_.receive(ProcessId{process}, arrival[process], bytes);
      }
      const TreePlace place{process, count};
      for (const ProcessId child : place.children()) {
        arrival[child.index()] = clocks_.send(ProcessId{process}, child, bytes);
      }
    }
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
      arrivals_[channel] =
          clocks_.send(ProcessId{process}, ProcessId{neighbour}, packet_bytes(work.told[channel]));
    }
  }

  void receive_packets(std::uint32_t process, const WaveWork& sent, const WaveWork& found,
                       std::uint64_t charges_per_cell) {
    for (const std::uint32_t neighbour : partition_.neighbours(process)) {
      const std::size_t from = partition_.channel(neighbour, process);
      clocks_.receive(ProcessId{process}, arrivals_[from], packet_bytes(sent.told[from]));
      compute(process,
              charges_per_cell * found.found_abroad[partition_.channel(process, neighbour)]);
    }
  }

  const MazePartition& partition_;
  const MazePlan& plan_;
  Clocks clocks_;
  std::vector<Ticks> arrivals_;  ///< of the packet on each channel
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
