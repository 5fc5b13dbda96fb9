#include "maze_grid.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dcube {

NextCells::NextCells(const Maze& maze, std::uint32_t cell) {
  const std::uint32_t column = cell % maze.columns;
  const auto add = [this](std::uint32_t next) { cells_[count_++] = next; };
  if (cell >= maze.columns) {
    add(cell - maze.columns);
  }
  if (column > 0) {
    add(cell - 1);
  }
  if (column + 1 < maze.columns) {
    add(cell + 1);
  }
  if (cell + maze.columns < maze.cell_count()) {
    add(cell + maze.columns);
  }
}

MazeDistances breadth_first_search(const Maze& maze) {
  MazeDistances found{std::vector<std::uint32_t>(maze.cell_count(), not_reached), {maze.start}};
  found.of_cell[maze.start] = 0;
  for (std::size_t i = 0; i < found.order.size(); ++i) {
    const std::uint32_t cell = found.order[i];
    for (const std::uint32_t next : NextCells{maze, cell}) {
      if (maze.is_blocked[next] == 0 && found.of_cell[next] == not_reached) {
        found.of_cell[next] = found.of_cell[cell] + 1;
        found.order.push_back(next);
      }
    }
  }
  return found;
}

std::vector<std::uint32_t> shortest_path(const Maze& maze,
                                         std::span<const std::uint32_t> distances) {
  if (distances[maze.target] == not_reached) {
    return {};
  }
  std::vector<std::uint32_t> path{maze.target};
  while (distances[path.back()] > 0) {
    const std::uint32_t nearer = distances[path.back()] - 1;
    const NextCells around{maze, path.back()};
    const auto* const step =
        std::ranges::find_if(around, [&](std::uint32_t cell) { return distances[cell] == nearer; });
    if (step == around.end()) {
      return {};
    }
    path.push_back(*step);
  }
  std::ranges::reverse(path);
  return path;
}

namespace {

/// One character per cell, row by row.
std::string cell_characters(const Maze& maze, std::span<const std::uint32_t> path) {
  std::string cells(maze.cell_count(), '.');
  for (std::uint32_t cell = 0; cell < maze.cell_count(); ++cell) {
    if (maze.is_blocked[cell] != 0) {
      cells[cell] = '#';
    }
  }
  for (const std::uint32_t cell : path) {
    cells[cell] = '*';
  }
  cells[maze.target] = 'T';
  cells[maze.start] = 'S';
  return cells;
}

std::string colour_of(char cell) {
  const auto colour = [](unsigned red, unsigned green, unsigned blue) {
    return std::string{static_cast<char>(red), static_cast<char>(green), static_cast<char>(blue)};
  };
  switch (cell) {
    case '#':
      return colour(0, 0, 0);
    case '*':
      return colour(220, 0, 0);
    case 'S':
      return colour(0, 160, 0);
    case 'T':
      return colour(0, 0, 220);
    default:
      return colour(255, 255, 255);
  }
}

}  // namespace

std::string maze_text(const Maze& maze, std::span<const std::uint32_t> path) {
  const std::string cells = cell_characters(maze, path);
  std::string text;
  for (std::uint32_t row = 0; row < maze.rows; ++row) {
    text += cells.substr(std::size_t{row} * maze.columns, maze.columns) + "\n";
  }
  return text;
}

std::string maze_image(const Maze& maze, std::span<const std::uint32_t> path) {
  std::string image = fmt::format("P6\n{} {}\n255\n", maze.columns, maze.rows);
  for (const char cell : cell_characters(maze, path)) {
    image += colour_of(cell);
  }
  return image;
}

}  // namespace dcube
