#include "maze_region.hpp"

#include <utility>

namespace dcube {

MazeRegion::MazeRegion(const Maze& maze, const MazePartition& partition, std::uint32_t process,
                       std::span<std::uint32_t> labels)
    : maze_{maze},
      partition_{partition},
      process_{process},
      labels_{labels},
      for_others_(partition.neighbours(process).size()) {
  for (const std::uint32_t cell : partition.cells_of(process)) {
    labels_[cell] = not_reached;
  }
  if (partition.owner(maze.start) == process) {
    labels_[maze.start] = 0;
    current_.push_back(maze.start);
  }
}

std::uint64_t MazeRegion::expand_wave() {
  expand(current_);
  return current_.size();
}

std::uint64_t MazeRegion::label_next(std::span<const std::uint32_t> cells) {
  const std::vector<std::uint32_t> labelled = label(cells, wave_ + 1);
  next_.insert(next_.end(), labelled.begin(), labelled.end());
  return labelled.size();
}

std::uint64_t MazeRegion::label_and_expand(std::span<const std::uint32_t> cells) {
  const std::vector<std::uint32_t> labelled = label(cells, wave_);
  expand(labelled);
  return labelled.size();
}

void MazeRegion::advance() {
  current_ = std::exchange(next_, {});
  ++wave_;
}

std::vector<std::uint32_t> MazeRegion::take_packet(std::size_t neighbour) {
  return std::exchange(for_others_[neighbour], {});
}

bool MazeRegion::has_reached_target() const {
  return partition_.owner(maze_.target) == process_ && labels_[maze_.target] != not_reached;
}

std::uint64_t MazeRegion::cells_left() const {
  std::uint64_t left = current_.size();
  for (const std::vector<std::uint32_t>& cells : for_others_) {
    left += cells.size();
  }
  return left;
}

std::vector<std::uint32_t> MazeRegion::label(std::span<const std::uint32_t> cells,
                                             std::uint32_t distance) {
  std::vector<std::uint32_t> labelled;
  for (const std::uint32_t cell : cells) {
    if (maze_.is_blocked[cell] == 0 && labels_[cell] == not_reached) {
      labels_[cell] = distance;
      labelled.push_back(cell);
    }
  }
  return labelled;
}

void MazeRegion::expand(std::span<const std::uint32_t> cells) {
  const std::size_t first_channel = partition_.first_channel(process_);
  for (const std::uint32_t cell : cells) {
    for (const std::uint32_t next : NextCells{maze_, cell}) {
      const std::uint32_t owner = partition_.owner(next);
      if (owner != process_) {
        for_others_[partition_.channel(process_, owner) - first_channel].push_back(next);
      } else if (maze_.is_blocked[next] == 0 && labels_[next] == not_reached) {
        labels_[next] = wave_ + 1;
        next_.push_back(next);
      }
    }
  }
}

}  // namespace dcube
