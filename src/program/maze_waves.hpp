#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "maze_grid.hpp"
#include "maze_partition.hpp"

namespace dcube {

/// Order of a process's steps in an iteration [N 4]: simple expands, sends, receives and labels
/// (Fig 17); overlapped sends the cells found in the previous iteration, meanwhile expands its own
/// cells, receives, labels and expands the received ones (Fig 18).
enum class MazeAlgorithm { simple, overlapped };

/// Waves of a maze by a sequential search, and derived numbers of the parallel programs.
class MazeWaves {
 public:
  /// Both must outlive this.
  MazeWaves(const Maze& maze, const MazePartition& partition);

  const std::vector<std::uint32_t>& distances() const { return search_.of_cell; }
  /// Number of waves with a cell.
  std::uint32_t wave_count() const { return static_cast<std::uint32_t>(first_.size() - 1); }
  /// Number of cells to expand before the target is labelled, or until none is left.
  std::uint64_t cells_to_expand() const;
  /// Iterations until the target is labelled, or no cell is left on a wave or to be sent.
  std::uint32_t iterations(MazeAlgorithm algorithm) const;

 private:
  /// Whether a process finds the cell while it expands its own.
  bool is_found_at_home(std::uint32_t cell) const;
  bool is_beside_neighbour(std::uint32_t cell) const;

  const Maze& maze_;
  const MazePartition& partition_;
  MazeDistances search_;
  std::vector<std::size_t> first_;  ///< [wave]: first place in the search's order; then the end
};

}  // namespace dcube
