#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/network/machine.hpp"
#include "maze_grid.hpp"

namespace dcube {

/// block: a near-square grid of rectangles; strip: consecutive rows; cyclic: rows in turn.
enum class MazeSplit { block, strip, cyclic };

/// Owners of cells [N 4, Fig 19], and pairs of processes that must exchange cells on their borders.
/// A process owns some rows of some columns.
class MazePartition {
 public:
  /// Reads "partition" and "processes". Throws InputError when they do not fit the maze.
  MazePartition(const Params& params, const Machine& machine, const Maze& maze);

  std::uint32_t process_count() const { return row_parts_ * column_parts_; }
  std::uint32_t owner(std::uint32_t cell) const {
    return row_part_[cell / columns_] * column_parts_ + column_part_[cell % columns_];
  }
  /// Owners of cells next to cells of `process`, ascending.
  std::span<const std::uint32_t> neighbours(std::uint32_t process) const;
  /// Number of the pair (process, neighbour), counted from 0 in that order.
  std::size_t channel(std::uint32_t process, std::uint32_t neighbour) const;
  std::size_t first_channel(std::uint32_t process) const { return first_channel_[process]; }
  std::vector<std::uint32_t> cells_of(std::uint32_t process) const;
  Guest guest() const;

 private:
  void set_parts(const Params& params, std::uint32_t processes, const Maze& maze);
  void list_neighbours();

  MazeSplit split_;
  std::uint32_t columns_;
  std::uint32_t row_parts_ = 1;
  std::uint32_t column_parts_ = 1;
  std::vector<std::uint32_t> row_part_;     ///< [row]
  std::vector<std::uint32_t> column_part_;  ///< [column]
  std::vector<std::uint32_t> neighbours_;   ///< of process 0, of process 1, ..
  std::vector<std::size_t> first_channel_;
};

}  // namespace dcube
