#include "catalog.hpp"
#include "fold.hpp"
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
    [](const EmbeddingTask& task, const Params& params) {
      return make_folded_embedding("xor", task.guest, read_fold(task, params, EmptyNodes::refused),
                                   XorMap{task.topology.shape()});
    },
    SlotUse::fold};

}  // namespace dcube
