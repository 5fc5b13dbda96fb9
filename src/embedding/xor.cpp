#include "catalog.hpp"
#include "function_embedding.hpp"
#include "obstacle.hpp"
#include "xor_map.hpp"

namespace dcube {

const EmbeddingKind xor_kind{
    "xor",
    "second highest bit of each coordinate xored with the highest: the shortest constant distances "
    "on rings and tori [X]",
    "kind=ring,nodes=16 | cube:4 | ",
    {},
    no_cube_by_bits,
    [](const Topology& topology, const Guest& guest, const Params&) {
      return make_function_embedding("xor", guest, XorMap{topology.shape()});
    }};

}  // namespace dcube
