#include "dcube/core/random.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "dcube/core/memory.hpp"
#include "function_embedding.hpp"
#include "obstacle.hpp"

namespace dcube {
namespace {

/// Nodes of distinct slots in random order, one for each process: Fisher & Yates, stopped after the
/// last process. The same on every machine and compiler.
std::vector<NodeId> draw_nodes(const EmbeddingTask& task, std::uint64_t seed) {
  const std::uint64_t slot_count = task.slot_count();
  const std::uint32_t count = task.guest.process_count();
  expect_fits_in_memory("a random map", slot_count * sizeof(NodeId));
  std::vector<NodeId> nodes;  // [slot]
  nodes.reserve(slot_count);
  for (std::uint32_t node = 0; node < task.topology.node_count(); ++node) {
    if (task.topology.is_usable(NodeId{node})) {
      nodes.insert(nodes.end(), task.slots, NodeId{node});
    }
  }
  SplitMix64 random{seed};
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(nodes[i], nodes[i + bounded(random.next(), slot_count - i)]);
  }
  nodes.resize(count);
  nodes.shrink_to_fit();
  return nodes;
}

}  // namespace

const EmbeddingKind random_kind{
    "random",
    "processes on distinct slots at random, all placements equally likely",
    "kind=torus,shape=3x5 | cube:3 | seed=7",
    {{"seed", "seed of the sample, 0 to 2^64-1", "the scenario's, else 0"}},
    too_few_slots,
    [](const EmbeddingTask& task, const Params& params) {
      return make_table_embedding("random", task.guest, draw_nodes(task, params.seed("seed", 0)));
    },
    SlotUse::all};

}  // namespace dcube
