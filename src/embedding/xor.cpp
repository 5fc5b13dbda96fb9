#include <cstdint>
#include <memory>
#include <span>

#include "catalog.hpp"
#include "function_embedding.hpp"
#include "obstacle.hpp"

// The XOR embedding [X III]: within dimension j, of 2^(d_j) nodes, bits go straight to the
// coordinate but for the second highest, which becomes the exclusive or of the highest two:
//
//     m_j(i) = n(i + K_j),  m_j(d_j - 2) = n(K_j + d_j - 1) xor n(K_j + d_j - 2)
//
// On a ring that brings the partners along the highest bit from half way to a quarter way round,
// so d_j >= 2 has distances 1, 2, .., 2^(d_j - 3), 2^(d_j - 2), 2^(d_j - 2).

namespace dcube {
namespace {

/// The second highest bit of every coordinate that has one.
std::uint32_t second_highest_bits(std::span<const std::uint32_t> shape) {
  std::uint32_t mask = 0;
  std::uint32_t stride = 1;
  for (const std::uint32_t side : shape) {
    if (side >= 4) {
      mask |= stride * (side / 4);
    }
    stride *= side;
  }
  return mask;
}

}  // namespace

const EmbeddingKind xor_kind{
    "xor",
    "second highest bit of each coordinate xored with the highest: the shortest constant distances "
    "on rings and tori [X]",
    "kind=ring,nodes=16 | cube:4 | ",
    {},
    no_cube_by_bits,
    [](const Topology& topology, const Guest& guest, const Params&) {
      const std::uint32_t mask = second_highest_bits(topology.shape());
      return make_function_embedding(
          "xor", guest, [mask](std::uint32_t label) { return label ^ ((label >> 1) & mask); });
    }};

}  // namespace dcube
