#include <cstdint>

#include "catalog.hpp"
#include "function_embedding.hpp"
#include "obstacle.hpp"
#include "usable_nodes.hpp"

namespace dcube {

const EmbeddingKind block_kind{
    "block",
    "the first processes on node 0 until all its slots are full, the next on node 1, ..",
    "kind=ring,nodes=8 | line:5 | ",
    {},
    too_few_slots,
    [](const EmbeddingTask& task, const Params&) {
      return make_function_embedding(
          "block", task.guest,
          on_usable_nodes(task.topology,
                          [slots = task.slots](std::uint32_t label) { return label / slots; }));
    },
    SlotUse::several};

}  // namespace dcube
