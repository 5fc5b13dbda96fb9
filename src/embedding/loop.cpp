#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "core/mapped.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "function_embedding.hpp"
#include "snake_path.hpp"

namespace dcube {
namespace {

// Cycle through nodes of a grid of rows and columns, which are the snake's. Column 0 leads back
// from the teeth of a comb, each two rows; a last row is reached in pairs of columns (6x5, of which
// 26 nodes are taken):
//
//      0 -  1 -  2 -  3 -  4
//      |                   |
//     25    8 -  7 -  6 -  5
//      |    |
//     24    9 - 10 - 11 - 12
//      |                   |
//     23 - 22   19 - 18   13
//           |    |    |    |
//          21 - 20   17   14
//                     |    |
//                    16 - 15
class Loop {
 public:
  explicit Loop(const SnakePath& snake)
      : snake_{snake}, rows_{snake.rows()}, columns_{snake.columns()} {}

  std::vector<NodeId> nodes() && { return std::move(nodes_); }

  /// Takes `count` nodes. The last hop has length two if that is odd. A grid of odd sides has at
  /// least one node more.
  void add_comb(std::uint32_t count) {
    const std::uint32_t half = (count + 1) / 2;
    const std::uint32_t teeth = half / columns_;
    const std::uint32_t below = half % columns_;  // pairs of nodes
    if (teeth == 0) {
      for (std::uint32_t column = 0; column < half; ++column) {
        add(0, column);
      }
      for (std::uint32_t column = half; column-- > 0;) {
        add(1, column);
      }
    } else {
      const std::uint32_t last = 2 * teeth - 1;
      add(0, 0);
      for (std::uint32_t row = 0; row < last; ++row) {
        for (std::uint32_t step = 1; step < columns_; ++step) {
          add(row, row % 2 == 0 ? step : columns_ - step);
        }
      }
      add_last_row(last, below);
      for (std::uint32_t row = last; row-- > 1;) {
        add(row, 0);
      }
    }
    if (count % 2 == 1) {
      nodes_.pop_back();
    }
  }

  /// Takes all nodes of a grid of odd sides: the comb leaves a corner, two hops from one neighbour.
  void add_all_but_for_two_hops() {
    add_comb(rows_ * columns_ - 1);
    const auto beside = std::ranges::find(nodes_, NodeId{snake_.at(rows_ - 1, 1)});
    nodes_.insert(beside + 1, NodeId{snake_.at(rows_ - 1, 0)});
  }

  /// Takes all nodes of a grid of odd sides whose rows form a cycle: two zigzag to the other end,
  /// and the others lead there and back.
  void add_all_around() {
    for (std::uint32_t column = 0; column < columns_; ++column) {
      add(column % 2, column);
      add(1 - column % 2, column);
    }
    for (std::uint32_t row = 2; row < rows_; ++row) {
      for (std::uint32_t step = 0; step < columns_; ++step) {
        add(row, row % 2 == 0 ? columns_ - 1 - step : step);
      }
    }
  }

 private:
  void add(std::uint32_t row, std::uint32_t column) { nodes_.emplace_back(snake_.at(row, column)); }

  /// From the last column to the first, with a detour of one or two rows between columns, which
  /// takes `below` pairs of nodes.
  void add_last_row(std::uint32_t last, std::uint32_t below) {
    const std::uint32_t pairs = columns_ / 2;
    for (std::uint32_t column = columns_; column-- > 0;) {
      add(last, column);
      const std::uint32_t passed = columns_ - 1 - column;
      if (passed % 2 == 1 || column == 0) {
        continue;
      }
      const std::uint32_t depth =
          (passed / 2 < below ? 1 : 0) + (passed / 2 + pairs < below ? 1 : 0);
      for (std::uint32_t down = 1; down <= depth; ++down) {
        add(last + down, column);
      }
      for (std::uint32_t up = depth; up > 0; --up) {
        add(last + up, column - 1);
      }
    }
  }

  const SnakePath& snake_;
  std::uint32_t rows_;
  std::uint32_t columns_;
  std::vector<NodeId> nodes_;
};

/// The longest side whose ends are joined.
std::optional<std::size_t> longest_cycle(const Topology& topology) {
  std::optional<std::size_t> longest;
  for (std::size_t d = 0; d < topology.dimension_count(); ++d) {
    if (is_cycle(topology, d) && (!longest || topology.shape()[d] > topology.shape()[*longest])) {
      longest = d;
    }
  }
  return longest;
}

std::vector<NodeId> loop_of(const Topology& topology, std::uint32_t count) {
  const SnakePath snake{topology.shape()};
  std::vector<NodeId> path =
      numbered(count, [&](std::uint32_t place) { return NodeId{snake(place)}; });
  if (topology.distance(path.back(), path.front()) <= 1) {
    return path;
  }
  const bool is_all_of_odd_sides = count == topology.node_count() && count % 2 == 1;
  const std::optional<std::size_t> cycle = longest_cycle(topology);
  const SnakePath rows{topology.shape(), is_all_of_odd_sides ? cycle : std::nullopt};
  Loop loop{rows};
  if (!is_all_of_odd_sides) {
    loop.add_comb(count);
  } else if (cycle) {
    loop.add_all_around();
  } else {
    loop.add_all_but_for_two_hops();
  }
  return std::move(loop).nodes();
}

std::optional<std::string> loop_obstacle(const EmbeddingTask& task) {
  if (task.guest.kind() != Guest::Kind::torus || task.guest.dimension_count() != 1) {
    return "it places rings, not " + task.guest.name();
  }
  return snake_obstacle(task);
}

}  // namespace

const EmbeddingKind loop_kind{
    "loop",
    "a ring through a mesh or torus, closed from neighbour to neighbour",
    "kind=mesh,shape=3x4x5 | ring:60 | ",
    {},
    loop_obstacle,
    [](const EmbeddingTask& task, const Params&) {
      const std::uint32_t processes = task.guest.process_count();
      const std::uint32_t nodes = (processes + task.slots - 1) / task.slots;
      return make_function_embedding(
          "loop", task.guest,
          [loop = loop_of(task.topology, nodes), slots = task.slots](std::uint32_t label) {
            return loop[label / slots].index();
          });
    },
    SlotUse::all};

}  // namespace dcube
