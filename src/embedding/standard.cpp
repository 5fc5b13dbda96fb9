#include <cstdint>

#include "catalog.hpp"
#include "function_embedding.hpp"
#include "obstacle.hpp"

namespace dcube {

// p_i = (n mod k_1..k_i) div (k_1..k_(i-1)) [X II.C]. Node numbers are mixed-radix in the same
// order, so the node number is the label, on any machine. Also the mixed-radix order of Ma and Tao.

const EmbeddingKind standard_kind{
    "standard",
    "cube label cut into coordinates, first dimension in the lowest bits: distances 1, 2, 4, .. "
    "[X]",
    "kind=torus,shape=4x4 | cube:4 | ",
    {},
    too_few_nodes,
    [](const Topology&, const Guest& guest, const Params&) {
      return make_function_embedding("standard", guest, [](std::uint32_t label) { return label; });
    }};

}  // namespace dcube
