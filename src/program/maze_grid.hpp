#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace dcube {

/// A rectangle of cells, some of them blocked, with a start and a target that a shortest path is to
/// join [N 4, Fig 16]. Cells are numbered row by row from the top left.
struct Maze {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::vector<std::uint8_t> is_blocked;  ///< by cell, 0 or 1
  std::uint32_t start = 0;
  std::uint32_t target = 0;

  std::uint32_t cell_count() const { return rows * columns; }
  std::uint32_t cell(std::uint32_t row, std::uint32_t column) const {
    return row * columns + column;
  }
};

/// A run keeps bytes_per_maze_cell for each cell; 2^26 cells take over a gigabyte.
inline constexpr std::uint64_t most_maze_cells = std::uint64_t{1} << 26;
/// Whether the cell is blocked, its label, its distance, its place in the order of a search, and
/// the number of cells that have such a label.
inline constexpr std::uint64_t bytes_per_maze_cell = 1 + 4 * sizeof(std::uint32_t);

/// The cells above, left of, right of and below a cell that exist, ascending.
class NextCells {
 public:
  NextCells(const Maze& maze, std::uint32_t cell);

  const std::uint32_t* begin() const { return cells_.data(); }
  const std::uint32_t* end() const { return cells_.data() + count_; }

 private:
  std::array<std::uint32_t, 4> cells_{};
  std::size_t count_ = 0;
};

/// The distance of a cell that was not reached.
inline constexpr std::uint32_t not_reached = std::numeric_limits<std::uint32_t>::max();

/// Steps from the start to every cell, by a sequential breadth-first search.
struct MazeDistances {
  std::vector<std::uint32_t> of_cell;
  std::vector<std::uint32_t> order;  ///< cells reached, nearest first
};
MazeDistances breadth_first_search(const Maze& maze);

/// The cells of a shortest path with start and target. From the target on, the next cell is the
/// first neighbour that is one step nearer to the start. Empty when the target was not reached.
std::vector<std::uint32_t> shortest_path(const Maze& maze,
                                         std::span<const std::uint32_t> distances);

/// Lines of '#' (blocked), '.' (free), 'S', 'T' and '*' (on the path).
std::string maze_text(const Maze& maze, std::span<const std::uint32_t> path);

/// The same as a colour image, a pixel per cell (binary PPM, P6): blocked black, free white, start
/// green, target blue, path red.
std::string maze_image(const Maze& maze, std::span<const std::uint32_t> path);

}  // namespace dcube
