#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "dcube/topology/routing.hpp"
#include "function_embedding.hpp"
#include "obstacle.hpp"
#include "snake_path.hpp"
#include "usable_nodes.hpp"

// Boxes of processes, each on a node: 2x2 of an 8x4 mesh are a 4x2 mesh of boxes. That grid is
// folded onto the machine: a side of the grid is a product of digits, one for each dimension of the
// machine, whose coordinates are made of digits of several sides. Digits count in reflected Gray
// code, so a step changes one of them (Knuth, TAOCP 7.2.1.1):
//
//     8 boxes on 4x2 nodes     0 - 1 - 2 - 3      digits of 4 and 2
//                                          |
//                              7 - 6 - 5 - 4
//
// Of all ways to share out the factors, and of all orders in which the digits of sides nest, the
// one with the fewest hops between neighbouring boxes is taken. Where sides do not go into each
// other, the boxes in a snake follow the nodes in a snake.

namespace dcube {
namespace {

using Sides = std::vector<std::uint32_t>;

std::uint64_t product_of(std::span<const std::uint32_t> sides) {
  return std::accumulate(sides.begin(), sides.end(), std::uint64_t{1}, std::multiplies{});
}

/// Coordinates of a number that counts the first side fastest.
void coordinates_of(std::uint32_t number, std::span<const std::uint32_t> sides, Sides& at) {
  at.resize(sides.size());
  for (std::size_t i = 0; i < sides.size(); ++i) {
    at[i] = number % sides[i];
    number /= sides[i];
  }
}

/// Digits of one side of the grid of boxes.
struct Digit {
  std::size_t dimension;  ///< of the machine
  std::uint32_t radix;
};

/// A way to fold the grid of boxes onto the machine.
class Folding {
 public:
  /// `factors[i][d]`: the digit of side i in dimension d, where those of the first sides in the
  /// order count fastest.
  Folding(std::span<const Sides> factors, std::span<const std::uint32_t> machine, Sides order)
      : machine_{machine.begin(), machine.end()},
        digits_(factors.size()),
        order_{std::move(order)} {
    for (std::size_t side = 0; side < factors.size(); ++side) {
      for (std::size_t dimension = 0; dimension < machine.size(); ++dimension) {
        if (factors[side][dimension] > 1) {
          digits_[side].push_back({dimension, factors[side][dimension]});
        }
      }
      // The longest counts fastest: it changes most often, and seldom turns round.
      std::ranges::stable_sort(digits_[side], std::greater{}, &Digit::radix);
    }
  }

  /// The node of the box at these coordinates.
  std::uint32_t node_at(std::span<const std::uint32_t> box) const {
    Sides at(machine_.size());
    Sides size(machine_.size(), 1);
    for (const std::uint32_t side : order_) {
      std::uint32_t rest = box[side];
      for (const Digit& digit : digits_[side]) {
        const std::uint32_t value = reflected(rest % digit.radix, rest / digit.radix, digit.radix);
        rest /= digit.radix;
        std::uint32_t& coordinate = at[digit.dimension];
        std::uint32_t& length = size[digit.dimension];
        coordinate = reflected(coordinate, value, length) + value * length;
        length *= digit.radix;
      }
    }
    std::uint32_t node = 0;
    for (std::size_t dimension = machine_.size(); dimension > 0; --dimension) {
      node = node * machine_[dimension - 1] + at[dimension - 1];
    }
    return node;
  }

 private:
  /// Every second pass goes backwards.
  static std::uint32_t reflected(std::uint32_t value, std::uint32_t pass, std::uint32_t length) {
    return pass % 2 == 0 ? value : length - 1 - value;
  }

  Sides machine_;
  std::vector<std::vector<Digit>> digits_;  ///< of each side, fastest first
  Sides order_;                             ///< of the sides
};

/// Hops between neighbouring boxes. `wraps`: the ends of a side are neighbours.
std::uint64_t hops_of(const Folding& folding, std::span<const std::uint32_t> boxes, bool wraps,
                      const Topology& topology) {
  Sides at;
  const std::vector<NodeId> nodes = numbered(product_of(boxes), [&](std::uint32_t box) {
    coordinates_of(box, boxes, at);
    return NodeId{folding.node_at(at)};
  });
  std::uint64_t hops = 0;
  std::uint32_t stride = 1;
  for (const std::uint32_t side : boxes) {
    for (std::uint32_t box = 0; box < nodes.size(); ++box) {
      const std::uint32_t own = box / stride % side;
      const bool is_last = own + 1 == side;
      if (!is_last || (wraps && side > 2)) {
        hops += topology.distance(nodes[box], nodes[is_last ? box - own * stride : box + stride]);
      }
    }
    stride *= side;
  }
  return hops;
}

/// Tries the ways to share out the factors of all sides; long digits come first. Large machines are
/// not measured often: as often in the other orders of the sides together as in their own.
class FoldingSearch {
 public:
  FoldingSearch(std::span<const std::uint32_t> boxes, bool wraps, const Topology& topology)
      : boxes_{boxes},
        wraps_{wraps},
        topology_{topology},
        left_{topology.shape().begin(), topology.shape().end()},
        factors_(boxes.size(), Sides(left_.size(), 1)),
        order_{numbered(boxes.size())} {}

  std::optional<Folding> run() {
    share_all(most_boxes_measured);
    std::uint64_t left = most_boxes_measured;
    for (std::uint64_t orders = order_count() - 1; best_ && orders > 0 && left > 0; --orders) {
      std::ranges::next_permutation(order_);
      share_all(left / orders);
      left -= std::min(left, measured_);
    }
    return std::move(best_);
  }

 private:
  std::uint64_t order_count() const {
    std::uint64_t count = 1;
    for (std::uint64_t side = 2; side <= boxes_.size(); ++side) {
      count *= side;
    }
    return count;
  }

  /// Measures so many boxes, but one folding at least.
  void share_all(std::uint64_t most) {
    measured_ = 0;
    most_ = most;
    share(0, 0, boxes_.empty() ? 1 : boxes_.front());
  }

  /// Shares what remains of a side among the dimensions from this one on.
  void share(std::size_t side, std::size_t dimension, std::uint32_t rest) {
    if (side == boxes_.size()) {
      offer();
      return;
    }
    if (dimension == left_.size()) {
      if (rest == 1) {
        share(side + 1, 0, side + 1 < boxes_.size() ? boxes_[side + 1] : 1);
      }
      return;
    }
    for (std::uint32_t radix = std::min(rest, left_[dimension]); radix > 0 && !is_over(); --radix) {
      if (rest % radix == 0) {
        const std::uint32_t before = left_[dimension];
        left_[dimension] /= radix;
        factors_[side][dimension] = radix;
        share(side, dimension + 1, rest / radix);
        factors_[side][dimension] = 1;
        left_[dimension] = before;
      }
    }
  }

  bool is_over() const { return measured_ > most_; }

  void offer() {
    Folding folding{factors_, topology_.shape(), order_};
    const std::uint64_t hops = hops_of(folding, boxes_, wraps_, topology_);
    measured_ += product_of(boxes_);
    if (!best_ || hops < least_) {
      least_ = hops;
      best_ = std::move(folding);
    }
  }

  static constexpr std::uint64_t most_boxes_measured = 300'000;

  std::span<const std::uint32_t> boxes_;
  bool wraps_;
  const Topology& topology_;
  Sides left_;  ///< of each dimension of the machine
  std::vector<Sides> factors_;
  std::optional<Folding> best_;
  std::uint64_t least_ = 0;
  Sides order_;
  std::uint64_t measured_ = 0;  ///< boxes in this order
  std::uint64_t most_ = 0;
};

/// Processes as a grid, and the box that a node takes of it.
struct BoxTask {
  Sides processes;
  Sides box;
  Sides boxes;  ///< the grid of boxes; those at the ends may be smaller
  bool wraps = false;
};

BoxTask read_boxes(const EmbeddingTask& task, const Params& params) {
  const Guest& guest = task.guest;
  BoxTask boxes;
  boxes.box = params.positive_ints("box", "a side of a box");
  std::uint64_t room = task.slots;
  for (const std::uint32_t side : boxes.box) {
    room /= side;
  }
  refuse_if(room == 0, params.place_of("box"),
            "a box of {} has more processes than a node has slots ({})", joined(boxes.box, "x"),
            task.slots);
  boxes.processes.assign(guest.shape().begin(), guest.shape().end());
  boxes.wraps = guest.kind() == Guest::Kind::torus;
  if (boxes.box.size() == 1) {
    boxes.processes = {guest.process_count()};
    boxes.wraps = boxes.wraps && guest.dimension_count() == 1;
  }
  refuse_if(boxes.box.size() != boxes.processes.size(), params.place_of("box"),
            "{} sides; {} has {} (one side: as many processes in a row)", boxes.box.size(),
            guest.name(), boxes.processes.size());
  for (std::size_t side = 0; side < boxes.box.size(); ++side) {
    boxes.boxes.push_back((boxes.processes[side] - 1) / boxes.box[side] + 1);
  }
  return boxes;
}

/// The node of each box, which may be unusable; no node for the last ones where there are more
/// boxes than nodes.
std::vector<std::optional<std::uint32_t>> nodes_of_boxes(const EmbeddingTask& task,
                                                         const BoxTask& boxes) {
  const Topology& whole = without_failures(task.topology);
  const auto count = static_cast<std::uint32_t>(product_of(boxes.boxes));
  const std::uint32_t missing = whole.node_count() - task.node_count();
  std::vector<std::optional<std::uint32_t>> nodes(count);
  if (has_coordinates(whole) && count <= whole.node_count() && missing <= whole.node_count() / 8) {
    if (const auto folding = FoldingSearch{boxes.boxes, boxes.wraps, whole}.run()) {
      Sides at;
      for (std::uint32_t box = 0; box < count; ++box) {
        coordinates_of(box, boxes.boxes, at);
        nodes[box] = folding->node_at(at);
      }
      return nodes;
    }
  }
  const SnakePath through_boxes{boxes.boxes};
  const UsableNodes usable{task.topology};
  const std::optional<SnakePath> through_nodes =
      has_sides(whole) && missing == 0 ? std::optional{SnakePath{whole.shape()}} : std::nullopt;
  for (std::uint32_t i = 0; i < std::min(count, task.node_count()); ++i) {
    nodes[through_boxes(i)] = through_nodes ? (*through_nodes)(i) : usable[i];
  }
  return nodes;
}

/// Gives a process the free slot nearest to the node of its box; the first one where it has none.
class Overflow {
 public:
  explicit Overflow(const EmbeddingTask& task)
      : whole_{without_failures(task.topology)},
        free_{numbered(task.topology.node_count(), [&](std::uint32_t node) {
          return task.topology.is_usable(NodeId{node}) ? task.slots : 0;
        })} {}

  /// False where the node is full or unusable.
  bool take(std::uint32_t node) {
    const bool has_room = free_[node] > 0;
    free_[node] -= has_room ? 1 : 0;
    return has_room;
  }

  std::uint32_t take_near(const std::optional<std::uint32_t>& wish) {
    std::optional<std::uint32_t> nearest;
    std::uint32_t least = 0;
    for (std::uint32_t node = 0; node < free_.size() && !(nearest && !wish); ++node) {
      const std::uint32_t apart = wish ? whole_.distance(NodeId{*wish}, NodeId{node}) : 0;
      if (free_[node] > 0 && (!nearest || apart < least)) {
        nearest = node;
        least = apart;
      }
    }
    take(nearest.value());
    return *nearest;
  }

 private:
  const Topology& whole_;
  std::vector<std::uint32_t> free_;  ///< slots of each node
};

/// On nodes of one slot it folds grids alone.
std::optional<std::string> obstacle_to_boxes(const EmbeddingTask& task) {
  const Guest::Kind kind = task.guest.kind();
  const bool is_grid = kind == Guest::Kind::mesh || kind == Guest::Kind::torus;
  return task.slots > 1 || (is_grid && task.guest.dimension_count() > 1)
             ? too_few_slots(task)
             : fmt::format(
                   "on nodes of one slot it places a mesh or torus of several dimensions, not {}",
                   task.guest.name());
}

std::unique_ptr<Embedding> make_boxes(const EmbeddingTask& task, const Params& params) {
  const BoxTask boxes = read_boxes(task, params);
  const auto nodes = nodes_of_boxes(task, boxes);
  Overflow slots{task};
  std::vector<NodeId> map(task.guest.process_count());
  std::vector<std::pair<std::uint32_t, std::optional<std::uint32_t>>> homeless;
  Sides at;
  for (std::uint32_t process = 0; process < map.size(); ++process) {
    coordinates_of(process, boxes.processes, at);
    std::uint32_t box = 0;
    for (std::size_t side = at.size(); side > 0; --side) {
      box = box * boxes.boxes[side - 1] + at[side - 1] / boxes.box[side - 1];
    }
    if (nodes[box] && slots.take(*nodes[box])) {
      map[process] = NodeId{*nodes[box]};
    } else {
      homeless.emplace_back(process, nodes[box]);
    }
  }
  for (const auto& [process, wish] : homeless) {
    map[process] = NodeId{slots.take_near(wish)};
  }
  return make_table_embedding("boxes", task.guest, std::move(map));
}

}  // namespace

const EmbeddingKind boxes_kind{
    "boxes",
    "a box of neighbouring processes to each node, the grid of boxes folded onto the machine",
    "kind=torus,shape=4x2 | torus:4x2 | box=[1,1]",
    {{"box",
      "processes of a node along each dimension, such as [2, 2, 1]; one number: as many in a row. "
      "What has no box left goes to free slots",
      ""}},
    obstacle_to_boxes,
    make_boxes,
    SlotUse::all};

}  // namespace dcube
