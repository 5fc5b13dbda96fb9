#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace dcube {

/// A rectangle of cells, some blocked, with the start and target of a shortest path [N 4, Fig 16].
/// Cells are numbered row by row from the top left.
struct Maze {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::vector<std::uint8_t> is_blocked;  ///< [cell], 0 or 1
  std::uint32_t start = 0;
  std::uint32_t target = 0;

  std::uint32_t cell_count() const { return rows * columns; }
  std::uint32_t cell(std::uint32_t row, std::uint32_t column) const {
    return row * columns + column;
  }
};

/// Limit by memory: 2^26 cells of bytes_per_maze_cell take over a gigabyte.
inline constexpr std::uint64_t most_maze_cells = std::uint64_t{1} << 26;
/// Blocked flag, label, distance, place in a search's order, and number of cells with such a label.
inline constexpr std::uint64_t bytes_per_maze_cell = 1 + 4 * sizeof(std::uint32_t);

/// The existing cells above, left of, right of and below a cell, ascending.
class NextCells {
 public:
  NextCells(const Maze& maze, std::uint32_t cell);

  const std::uint32_t* begin() const { return cells_.data(); }
  const std::uint32_t* end() const { return cells_.data() + count_; }

 private:
  std::array<std::uint32_t, 4> cells_{};
  std::size_t count_ = 0;
};

/// Distance of cells not reached.
inline constexpr std::uint32_t not_reached = std::numeric_limits<std::uint32_t>::max();

/// Steps from the start to every cell, by a sequential breadth-first search.
struct MazeDistances {
  std::vector<std::uint32_t> of_cell;
  std::vector<std::uint32_t> order;  ///< cells reached, nearest first
};
MazeDistances breadth_first_search(const Maze& maze);

/// The cells of a shortest path with start and target; empty when the target was not reached. From
/// the target on, the next cell is the first neighbour that is one step nearer to the start.
std::vector<std::uint32_t> shortest_path(const Maze& maze,
                                         std::span<const std::uint32_t> distances);

/// Lines of '#' (blocked), '.' (free), 'S', 'T' and '*' (on the path).
std::string maze_text(const Maze& maze, std::span<const std::uint32_t> path);

/// A binary PPM, a pixel per cell: blocked black, free white, start green, target blue, path red.
std::string maze_image(const Maze& maze, std::span<const std::uint32_t> path);

}  // namespace dcube
