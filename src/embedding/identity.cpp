#include <cstdint>

#include "catalog.hpp"
#include "function_embedding.hpp"
#include "obstacle.hpp"

namespace dcube {

const EmbeddingKind identity_kind{
    "identity",
    "process i on node i",
    "kind=line,nodes=8 | line:5 | ",
    {},
    too_few_nodes,
    [](const Topology&, const Guest& guest, const Params&) {
      return make_function_embedding("identity", guest, [](std::uint32_t label) { return label; });
    }};

}  // namespace dcube
