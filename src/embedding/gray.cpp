#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "catalog.hpp"
#include "fold.hpp"
#include "obstacle.hpp"

// Reflected Gray codes S_1 = 0, 1; S_k = 0[S_(k-1)], 1[S_(k-1) reversed] [N]: neighbours in a
// sequence differ in one bit. A process takes two steps:
//
//     coordinates of the guest --(Gray code of each)--> cube label
//     cube label --(rank of each coordinate's bits in the Gray code)--> coordinates of the machine
//
// A cube, as guest or as machine, has coordinates of one bit each, which both steps leave alone. So
// a ring or mesh is placed on a hypercube with dilation 1 [N Fig 4], and a cube on a ring or torus.
// With several processes on a node, the cube between the two steps is folded.

namespace dcube {
namespace {

/// Gray codes of all coordinates of a shape with power-of-two sides at once.
class GrayCode {
 public:
  explicit GrayCode(std::span<const std::uint32_t> shape) {
    std::uint32_t stride = 1;
    for (const std::uint32_t side : shape) {
      for (std::size_t i = 0; i < inside_.size(); ++i) {
        inside_[i] |= ((side - 1) >> (1U << i)) * stride;
      }
      stride *= side;
    }
  }

  /// rank -> code: each bit is xored with the next higher one of its coordinate.
  std::uint32_t code(std::uint32_t rank) const { return rank ^ ((rank >> 1) & inside_[0]); }

  /// code -> rank: each bit is xored with all higher ones of its coordinate, by doubling.
  std::uint32_t rank(std::uint32_t code) const {
    for (std::size_t i = 0; i < inside_.size(); ++i) {
      code ^= (code >> (1U << i)) & inside_[i];
    }
    return code;
  }

 private:
  /// [i]: bits that have a bit 2^i places higher in the same coordinate.
  std::array<std::uint32_t, 5> inside_{};
};

std::optional<std::string> gray_obstacle(const EmbeddingTask& task) {
  const Guest& guest = task.guest;
  if (guest.kind() == Guest::Kind::tree || !are_powers_of_two(guest.shape())) {
    return "it places cubes, lines, rings, meshes and tori with power-of-two sides, not " +
           guest.name();
  }
  const std::optional<std::string> sides = sides_not_powers_of_two(task.topology);
  return sides ? sides : unequal_counts(task);
}

}  // namespace

const EmbeddingKind gray_kind{
    "gray",
    "reflected Gray code of each coordinate: a ring or mesh in a hypercube with dilation 1, or a "
    "cube in a ring or torus [N]",
    "kind=hypercube,dimensions=4 | ring:16 | ",
    {},
    gray_obstacle,
    [](const EmbeddingTask& task, const Params& params) {
      const GrayCode processes{task.guest.shape()};
      const GrayCode nodes{task.topology.shape()};
      const Fold fold = read_fold(task, params, EmptyNodes::refused);
      if (fold.is_trivial()) {
        return make_function_embedding("gray", task.guest, [processes, nodes](std::uint32_t label) {
          return nodes.rank(processes.code(label));
        });
      }
      return make_function_embedding("gray", task.guest,
                                     [processes, nodes, fold](std::uint32_t label) {
                                       return nodes.rank(fold(processes.code(label)));
                                     });
    },
    SlotUse::fold};

}  // namespace dcube
