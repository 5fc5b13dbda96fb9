#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "maze_grid.hpp"
#include "maze_partition.hpp"

namespace dcube {

/// The part of the maze that one process knows: its own cells and their labels, which are distances
/// from the start. Of other cells it knows only the owner.
class MazeRegion {
 public:
  /// `labels` has a place for every cell of the maze; only those of the process's own cells are
  /// touched. All must outlive the region.
  MazeRegion(const Maze& maze, const MazePartition& partition, std::uint32_t process,
             std::span<std::uint32_t> labels);

  /// Expands the current wave: labels its own cells next to the wave, and notes the others for
  /// their owners. Returns how many cells it expanded.
  std::uint64_t expand_wave();
  /// Labels received cells that are free and have no label as the wave after the current one;
  /// returns how many.
  std::uint64_t label_next(std::span<const std::uint32_t> cells);
  /// Labels received cells as the current wave and expands them at once; returns how many.
  std::uint64_t label_and_expand(std::span<const std::uint32_t> cells);
  /// Goes on to the next wave.
  void advance();

  /// Takes the cells that are noted for the neighbour of this index.
  std::vector<std::uint32_t> take_packet(std::size_t neighbour);
  bool has_reached_target() const;
  /// How many cells are still to be expanded or handed on.
  std::uint64_t cells_left() const;

 private:
  std::vector<std::uint32_t> label(std::span<const std::uint32_t> cells, std::uint32_t distance);
  void expand(std::span<const std::uint32_t> cells);

  const Maze& maze_;
  const MazePartition& partition_;
  std::uint32_t process_;
  std::span<std::uint32_t> labels_;
  std::uint32_t wave_ = 0;
  std::vector<std::uint32_t> current_, next_;           ///< own cells of this wave and the next
  std::vector<std::vector<std::uint32_t>> for_others_;  ///< by neighbour
};

}  // namespace dcube
