#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/simulated_program.hpp"

namespace dcube::testing {

// The recurrences of tree expansion and collapse [N 3] while no message queues.

/// When the last of the processes has what process 0 begins to hand on at `start`.
inline Ticks broadcast_end(const SimulatedProgram& run, std::uint64_t bytes, Ticks start) {
  const Machine& machine = *run.machine;
  const TransferTime transfer{machine, bytes};
  std::vector<Ticks> clocks(run.map.size());
  clocks[0] = start;
  for (std::size_t rank = 0; rank < clocks.size(); ++rank) {
    for (std::size_t step = std::bit_ceil(rank + 1); rank + step < clocks.size(); step *= 2) {
      clocks[rank] += machine.endpoint.send.of(bytes);
      clocks[rank + step] = clocks[rank] + transfer(run.map[rank], run.map[rank + step]) +
                            machine.endpoint.receive.of(bytes);
    }
  }
  return std::ranges::max(clocks);
}

/// When the last of the processes has handed on its own and its children's, each of which takes it
/// `combine`. They begin at `clocks`.
inline Ticks collapse_end(const SimulatedProgram& run, std::uint64_t bytes, Ticks combine,
                          std::vector<Ticks> clocks) {
  const Machine& machine = *run.machine;
  const TransferTime transfer{machine, bytes};
  std::vector<Ticks> arrivals(clocks.size());  // of the message of each
  for (std::size_t rank = clocks.size(); rank-- > 0;) {
    Ticks& clock = clocks[rank];
    for (std::size_t step = std::bit_ceil(clocks.size()); step > rank; step /= 2) {
      if (rank + step < clocks.size()) {
        clock =
            std::max(clock, arrivals[rank + step]) + machine.endpoint.receive.of(bytes) + combine;
      }
    }
    if (rank > 0) {
      clock += machine.endpoint.send.of(bytes);
      arrivals[rank] = clock + transfer(run.map[rank], run.map[rank - std::bit_floor(rank)]);
    }
  }
  return std::ranges::max(clocks);
}

}  // namespace dcube::testing
