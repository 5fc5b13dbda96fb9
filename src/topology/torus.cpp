#include <memory>

#include "catalog.hpp"
#include "grid.hpp"

namespace dcube {

const TopologyKind torus_kind{"torus",
                              "mesh whose opposite borders are linked; a side of 2 is one link",
                              "shape=4x5",
                              {shape_help(), tie_help()},
                              [](const Params& params) -> std::unique_ptr<Topology> {
                                return make_grid({"torus", Ends::joined, read_tie(params)},
                                                 read_shape(params), params, "shape");
                              }};

}  // namespace dcube
