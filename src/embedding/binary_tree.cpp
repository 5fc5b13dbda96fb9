#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <optional>
#include <string>

#include "catalog.hpp"
#include "function_embedding.hpp"
#include "obstacle.hpp"

// A full tree of 2^d - 1 processes on a d-cube, by its in-order numbers 1 .. 2^d - 1. At height h a
// process has number (odd) * 2^h: its right child's differs in one bit, its left child's in two, so
// the dilation is 2 (1 is impossible [N]). Flipping the highest bit puts the root on node 0 and
// leaves node 2^(d-1) empty, as in [N Fig 4c]:
//
//     in-order           4 = 100                      node          000
//                  2 = 010     6 = 110      -->               110         010
//               1 = 001 3 = 011 5 = 101 7 = 111            101   111   001   011

namespace dcube {
namespace {

std::optional<std::string> tree_obstacle(const EmbeddingTask& task) {
  const Topology& topology = task.topology;
  const Guest& guest = task.guest;
  if (guest.kind() != Guest::Kind::tree) {
    return "it places a tree, not " + guest.name();
  }
  if (!topology.structure().is_cube) {
    return "it needs a hypercube";
  }
  if (const std::optional<std::string> missing = missing_nodes(topology)) {
    return missing;
  }
  if (guest.process_count() != topology.node_count() - 1) {
    return fmt::format("it needs one process less than nodes: {} has {}, the machine {}",
                       guest.name(), guest.process_count(), topology.node_count());
  }
  return std::nullopt;
}

/// The node of a heap-numbered tree process; `root` is the in-order number of process 0.
std::uint32_t node_in_order(std::uint32_t process, std::uint32_t root) {
  const std::uint32_t position = process + 1;  // breadth-first, from 1
  const std::uint32_t level_start = std::bit_floor(position);
  const std::uint32_t odd = 2 * (position - level_start) + 1;
  return (odd * (root / level_start)) ^ root;
}

}  // namespace

const EmbeddingKind binary_tree_kind{
    "binary_tree",
    "full tree of 2^d-1 processes in a d-cube by in-order numbers, dilation 2 [N]",
    "kind=hypercube,dimensions=3 | tree:7 | ",
    {},
    tree_obstacle,
    [](const EmbeddingTask& task, const Params&) {
      const std::uint32_t root = task.topology.node_count() / 2;
      return make_function_embedding("binary_tree", task.guest, [root](std::uint32_t process) {
        return node_in_order(process, root);
      });
    }};

}  // namespace dcube
