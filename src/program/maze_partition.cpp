#include "maze_partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/refuse.hpp"
#include "settings.hpp"

namespace dcube {
namespace {

/// The greatest divisor of `count` whose square is at most `count`.
std::uint32_t shorter_side(std::uint32_t count) {
  std::uint32_t side = 1;
  for (std::uint32_t divisor = 2; std::uint64_t{divisor} * divisor <= count; ++divisor) {
    side = count % divisor == 0 ? divisor : side;
  }
  return side;
}

bool is_near_square(std::uint32_t count) {
  const std::uint32_t side = shorter_side(count);
  return count / side <= 2 * side;
}

[[noreturn]] void reject_process_count(const Params& params, std::uint32_t count) {
  std::uint32_t below = count - 1;
  while (!is_near_square(below)) {
    --below;
  }
  params.reject("processes",
                fmt::format("{} processes form no near-square grid of blocks (at best {} x {}); "
                            "take {}, or partition \"strip\"",
                            count, shorter_side(count), count / shorter_side(count), below));
}

/// Deals lines to `parts` parts, in turn or in consecutive runs; sizes differ by at most one.
std::vector<std::uint32_t> dealt_out(std::uint32_t lines, std::uint32_t parts, bool in_turn) {
  std::vector<std::uint32_t> part(lines);
  for (std::uint32_t line = 0; line < lines; ++line) {
    const std::uint64_t bound = (std::uint64_t{line} + 1) * parts;
    part[line] = in_turn ? line % parts : static_cast<std::uint32_t>((bound - 1) / lines);
  }
  return part;
}

/// [part]: parts that own a line next to one of its lines.
std::vector<std::set<std::uint32_t>> parts_beside(std::span<const std::uint32_t> part_of_line,
                                                  std::uint32_t parts) {
  std::vector<std::set<std::uint32_t>> beside(parts);
  for (std::size_t line = 1; line < part_of_line.size(); ++line) {
    const std::uint32_t before = part_of_line[line - 1];
    const std::uint32_t here = part_of_line[line];
    if (before != here) {
      beside[before].insert(here);
      beside[here].insert(before);
    }
  }
  return beside;
}

}  // namespace

MazePartition::MazePartition(const Params& params, const Machine& machine, const Maze& maze)
    : split_{read_choice<MazeSplit>(params, "partition", {"block", "strip", "cyclic"})},
      columns_{maze.columns} {
  set_parts(params, read_process_count(params, machine), maze);
  row_part_ = dealt_out(maze.rows, row_parts_, split_ == MazeSplit::cyclic);
  column_part_ = dealt_out(maze.columns, column_parts_, false);
  list_neighbours();
}

/// The longer side of a grid of blocks lies along the longer side of the maze.
void MazePartition::set_parts(const Params& params, std::uint32_t processes, const Maze& maze) {
  row_parts_ = processes;
  if (split_ == MazeSplit::block) {
    if (!is_near_square(processes)) {
      reject_process_count(params, processes);
    }
    const std::uint32_t side = shorter_side(processes);
    row_parts_ = maze.columns >= maze.rows ? side : processes / side;
    column_parts_ = processes / row_parts_;
  }
  refuse_if(row_parts_ > maze.rows || column_parts_ > maze.columns, params.place_of("processes"),
            "{} x {} parts are too many for a maze of {} x {} cells "
            "(every process needs a cell); give fewer processes",
            row_parts_, column_parts_, maze.rows, maze.columns);
}

void MazePartition::list_neighbours() {
  const auto rows = parts_beside(row_part_, row_parts_);
  const auto columns = parts_beside(column_part_, column_parts_);
  for (std::uint32_t process = 0; process < process_count(); ++process) {
    first_channel_.push_back(neighbours_.size());
    const std::uint32_t row = process / column_parts_;
    const std::uint32_t column = process % column_parts_;
    for (const std::uint32_t other : rows[row]) {
      neighbours_.push_back(other * column_parts_ + column);
    }
    for (const std::uint32_t other : columns[column]) {
      neighbours_.push_back(row * column_parts_ + other);
    }
    std::sort(neighbours_.begin() + static_cast<std::ptrdiff_t>(first_channel_.back()),
              neighbours_.end());
  }
  first_channel_.push_back(neighbours_.size());
}

std::span<const std::uint32_t> MazePartition::neighbours(std::uint32_t process) const {
  const std::size_t first = first_channel_[process];
  return std::span{neighbours_}.subspan(first, first_channel_[process + 1] - first);
}

std::size_t MazePartition::channel(std::uint32_t process, std::uint32_t neighbour) const {
  std::size_t channel = first_channel_[process];
  while (neighbours_[channel] != neighbour) {
    ++channel;
  }
  return channel;
}

std::vector<std::uint32_t> MazePartition::cells_of(std::uint32_t process) const {
  std::vector<std::uint32_t> cells;
  for (std::uint32_t row = 0; row < row_part_.size(); ++row) {
    if (row_part_[row] != process / column_parts_) {
      continue;
    }
    for (std::uint32_t column = 0; column < columns_; ++column) {
      if (column_part_[column] == process % column_parts_) {
        cells.push_back(row * columns_ + column);
      }
    }
  }
  return cells;
}

Guest MazePartition::guest() const {
  if (split_ == MazeSplit::block) {
    return Guest::parse(fmt::format("mesh:{}x{}", column_parts_, row_parts_));
  }
  const bool wraps_around = split_ == MazeSplit::cyclic && row_part_.size() > row_parts_;
  return Guest::parse(fmt::format("{}:{}", wraps_around ? "ring" : "line", row_parts_));
}

}  // namespace dcube
