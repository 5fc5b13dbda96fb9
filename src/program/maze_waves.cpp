#include "maze_waves.hpp"

#include <algorithm>

namespace dcube {

MazeWaves::MazeWaves(const Maze& maze, const MazePartition& partition)
    : maze_{maze}, partition_{partition}, search_{breadth_first_search(maze)} {
  for (std::size_t i = 0; i < search_.order.size(); ++i) {
    if (search_.of_cell[search_.order[i]] == first_.size()) {
      first_.push_back(i);
    }
  }
  first_.push_back(search_.order.size());
}

std::uint64_t MazeWaves::cells_to_expand() const {
  const std::uint32_t target_wave = search_.of_cell[maze_.target];
  return first_[std::min(target_wave, wave_count())];
}

std::uint32_t MazeWaves::iterations(MazeAlgorithm algorithm) const {
  const std::uint32_t target_wave = search_.of_cell[maze_.target];
  if (target_wave == 0) {
    return 0;
  }
  if (target_wave != not_reached) {
    const bool is_late = algorithm == MazeAlgorithm::overlapped && !is_found_at_home(maze_.target);
    return target_wave + (is_late ? 1 : 0);
  }
  // Overlapped, foreign cells found by the last wave are still to be sent, blocked or not.
  const auto last_wave = search_.order.begin() + static_cast<std::ptrdiff_t>(*(first_.end() - 2));
  const bool is_late = algorithm == MazeAlgorithm::overlapped &&
                       std::any_of(last_wave, search_.order.end(), [this](std::uint32_t cell) {
                         return is_beside_neighbour(cell);
                       });
  return wave_count() + (is_late ? 1 : 0);
}

bool MazeWaves::is_found_at_home(std::uint32_t cell) const {
  const NextCells around{maze_, cell};
  return std::ranges::any_of(around, [&](std::uint32_t next) {
    return search_.of_cell[next] + 1 == search_.of_cell[cell] &&
           partition_.owner(next) == partition_.owner(cell);
  });
}

bool MazeWaves::is_beside_neighbour(std::uint32_t cell) const {
  const NextCells around{maze_, cell};
  return std::ranges::any_of(
      around, [&](std::uint32_t next) { return partition_.owner(next) != partition_.owner(cell); });
}

}  // namespace dcube
