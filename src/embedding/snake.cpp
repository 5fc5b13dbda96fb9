#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "function_embedding.hpp"
#include "obstacle.hpp"

// Path through all nodes of a mesh or torus that turns round at every end (4x4):
//
//      0 -  1 -  2 -  3
//                     |
//      7 -  6 -  5 -  4
//      |
//      8 -  9 - 10 - 11
//                     |
//     15 - 14 - 13 - 12
//
// It is the reflected Gray code of mixed radices (Knuth, TAOCP 7.2.1.1), whose slowest digit
// belongs to the longest even side. When that digit is at its last value, the others are back at
// their first, so on a torus its wrap-around link closes a Hamiltonian ring; on a twisted torus,
// too, whose long sides have untwisted wraps. If all sides are odd, the last hop is longer.

namespace dcube {
namespace {

class Snake {
 public:
  explicit Snake(std::span<const std::uint32_t> shape) {
    std::uint32_t stride = 1;
    for (const std::uint32_t side : shape) {
      digits_.push_back({side, stride});
      stride *= side;
    }
    // Of equal sides the last, which also changes least in the order of node numbers.
    const auto slowest =
        std::max_element(digits_.rbegin(), digits_.rend(), [](const Digit& a, const Digit& b) {
          return std::pair{a.side % 2 == 0, a.side} < std::pair{b.side % 2 == 0, b.side};
        });
    std::rotate(slowest.base() - 1, slowest.base(), digits_.end());
  }

  /// Node at a place of the path.
  std::uint32_t operator()(std::uint32_t place) const {
    std::uint32_t node = 0;
    for (const Digit& digit : digits_) {
      const std::uint32_t rest = place % digit.side;
      place /= digit.side;
      node += (place % 2 == 0 ? rest : digit.side - 1 - rest) * digit.stride;
    }
    return node;
  }

 private:
  /// Dimension of the machine.
  struct Digit {
    std::uint32_t side;
    std::uint32_t stride;
  };

  std::vector<Digit> digits_;  ///< fastest first
};

std::optional<std::string> snake_obstacle(const EmbeddingTask& task) {
  const Guest& guest = task.guest;
  const bool is_grid = guest.kind() == Guest::Kind::mesh || guest.kind() == Guest::Kind::torus;
  if (!is_grid || guest.dimension_count() != 1) {
    return "it places lines and rings, not " + guest.name();
  }
  const std::span<const std::uint32_t> shape = task.topology.shape();
  if (!has_sides(task.topology) || task.topology.structure().is_cube ||
      std::ranges::count_if(shape, [](std::uint32_t side) { return side > 1; }) < 2) {
    return "it needs a mesh or torus of several dimensions";
  }
  if (const std::optional<std::string> missing = missing_nodes(task.topology)) {
    return missing;
  }
  return too_few_slots(task);
}

}  // namespace

const EmbeddingKind snake_kind{
    "snake",
    "a line or ring there and back through a mesh or torus, from neighbour to neighbour",
    "kind=torus,shape=3x4x5 | ring:60 | ",
    {},
    snake_obstacle,
    [](const EmbeddingTask& task, const Params&) {
      return make_function_embedding("snake", task.guest,
                                     [snake = Snake{task.topology.shape()}, slots = task.slots](
                                         std::uint32_t label) { return snake(label / slots); });
    },
    SlotUse::all};

}  // namespace dcube
