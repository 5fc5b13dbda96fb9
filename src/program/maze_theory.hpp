#pragma once

#include <cstdint>
#include <span>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/network/machine.hpp"
#include "maze_partition.hpp"
#include "maze_waves.hpp"

namespace dcube {

/// How a run of the maze program is made and what it is charged.
struct MazePlan {
  MazeAlgorithm algorithm = MazeAlgorithm::simple;
  std::uint32_t iterations = 0;
  std::uint32_t test_every = 0;  ///< iterations between two tests for the end; 0: none
  ExactTime cell;                ///< to expand a cell, or to label a received one
};

/// A packet: how many cells, then each of them.
inline constexpr std::uint64_t bytes_per_cell = 4;
constexpr std::uint64_t packet_bytes(std::uint64_t cells) { return bytes_per_cell * (1 + cells); }

/// What a test sends up and down the tree: whether the target is reached, and the cells left.
inline constexpr std::uint64_t bytes_per_tally = 4;

/// The makespan while no message queues, from what the waves of a sequential search ask of each
/// process. `map` is the node of each process. O(iterations x (processes + their neighbours)).
Ticks predict_maze(const Machine& machine, std::span<const NodeId> map,
                   const MazePartition& partition, const MazeWaves& waves, const MazePlan& plan);

}  // namespace dcube
