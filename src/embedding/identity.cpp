#include <cstdint>

#include "catalog.hpp"
#include "function_embedding.hpp"
#include "obstacle.hpp"
#include "usable_nodes.hpp"

namespace dcube {

const EmbeddingKind identity_kind{
    "identity",
    "process i on node i; with several slots a node, on slot i, counted node by node",
    "kind=line,nodes=8 | line:5 | ",
    {},
    too_few_slots,
    [](const EmbeddingTask& task, const Params&) {
      if (task.slots == 1 && task.node_count() == task.topology.node_count()) {
        return make_function_embedding("identity", task.guest,
                                       [](std::uint32_t label) { return label; });
      }
      return make_function_embedding(
          "identity", task.guest,
          on_usable_nodes(
              task.topology, [slots = task.slots](std::uint32_t label) { return label / slots; },
              UsableNodes::Order::by_number));
    },
    SlotUse::all};

}  // namespace dcube
