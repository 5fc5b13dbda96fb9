#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "maze_grid.hpp"
#include "maze_partition.hpp"

namespace dcube {

/// One process's part of the maze: its own cells and their labels, which are distances from the
/// start. Of other cells it knows only the owner.
class MazeRegion {
 public:
  /// `labels` has all cells of the maze; only the process's own are used. All must outlive it.
  MazeRegion(const Maze& maze, const MazePartition& partition, std::uint32_t process,
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

  /// Expands the current wave: labels its own adjacent cells, and notes the others for their
  /// owners. Returns the number of cells expanded.
  std::uint64_t expand_wave() {
    expand(current_);
    return current_.size();
  }

  /// Labels free received cells without a label as the next wave; returns their number.
  std::uint64_t label_next(std::span<const std::uint32_t> cells) {
    const std::vector<std::uint32_t> labelled = label(cells, wave_ + 1);
    next_.insert(next_.end(), labelled.begin(), labelled.end());
    return labelled.size();
  }

  /// Labels received cells as the current wave and expands them at once; returns their number.
  std::uint64_t label_and_expand(std::span<const std::uint32_t> cells) {
    const std::vector<std::uint32_t> labelled = label(cells, wave_);
    expand(labelled);
    return labelled.size();
  }

  void advance() {
    current_ = std::exchange(next_, {});
    ++wave_;
  }

  /// Takes the cells noted for the neighbour of this index.
  std::vector<std::uint32_t> take_packet(std::size_t neighbour) {
    return std::exchange(for_others_[neighbour], {});
  }

  bool has_reached_target() const {
    return partition_.owner(maze_.target) == process_ && labels_[maze_.target] != not_reached;
  }

  /// Number of cells still to be expanded or sent.
  std::uint64_t cells_left() const {
    return current_.size() + sum_of(for_others_, [](const auto& cells) { return cells.size(); });
  }

 private:
  std::vector<std::uint32_t> label(std::span<const std::uint32_t> cells, std::uint32_t distance) {
    std::vector<std::uint32_t> labelled;
    for (const std::uint32_t cell : cells) {
      if (maze_.is_blocked[cell] == 0 && labels_[cell] == not_reached) {
        labels_[cell] = distance;
        labelled.push_back(cell);
      }
    }
    return labelled;
  }

  void expand(std::span<const std::uint32_t> cells) {
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

  const Maze& maze_;
  const MazePartition& partition_;
  std::uint32_t process_;
  std::span<std::uint32_t> labels_;
  std::uint32_t wave_ = 0;
  std::vector<std::uint32_t> current_, next_;           ///< own cells of this wave and the next
  std::vector<std::vector<std::uint32_t>> for_others_;  ///< [neighbour]
};

}  // namespace dcube
