#include "dcube/core/random.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "dcube/core/memory.hpp"
#include "function_embedding.hpp"
#include "obstacle.hpp"

namespace dcube {
namespace {

/// `count` distinct nodes out of `node_count` in random order: Fisher & Yates, stopped when the
/// processes have theirs. The same on every machine and compiler.
std::vector<NodeId> draw_nodes(std::uint32_t node_count, std::uint32_t count, std::uint64_t seed) {
  expect_fits_in_memory("a random map", node_count * std::uint64_t{sizeof(NodeId)});
  std::vector<NodeId> nodes;
  nodes.reserve(node_count);
  for (std::uint32_t node = 0; node < node_count; ++node) {
    nodes.emplace_back(node);
  }
  SplitMix64 random{seed};
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(nodes[i], nodes[i + bounded(random.next(), node_count - i)]);
  }
  nodes.resize(count);
  nodes.shrink_to_fit();
  return nodes;
}

}  // namespace

const EmbeddingKind random_kind{
    "random",
    "processes on distinct nodes at random, all placements equally likely",
    "kind=torus,shape=3x5 | cube:3 | seed=7",
    {{"seed", "seed of the draw, 0 to 2^64-1", "0"}},
    too_few_nodes,
    [](const Topology& topology, const Guest& guest, const Params& params) {
      return make_table_embedding(
          "random", guest,
          draw_nodes(topology.node_count(), guest.process_count(), params.seed("seed", 0)));
    }};

}  // namespace dcube
