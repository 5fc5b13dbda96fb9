#include <cstdint>

#include "catalog.hpp"
#include "function_embedding.hpp"
#include "obstacle.hpp"
#include "usable_nodes.hpp"

namespace dcube {

const EmbeddingKind cyclic_kind{
    "cyclic",
    "process i on node i modulo the number of nodes",
    "kind=ring,nodes=8 | line:5 | ",
    {},
    too_few_slots,
    [](const EmbeddingTask& task, const Params&) {
      return make_function_embedding(
          "cyclic", task.guest,
          on_usable_nodes(task.topology, [nodes = task.node_count()](std::uint32_t label) {
            return label % nodes;
          }));
    },
    SlotUse::several};

}  // namespace dcube
