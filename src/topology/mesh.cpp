#include <memory>

#include "catalog.hpp"
#include "grid.hpp"

namespace dcube {

const TopologyKind mesh_kind{
    "mesh",
    "grid of nodes in any number of dimensions",
    "shape=3x4",
    {shape_help()},
    [](const Params& params) -> std::unique_ptr<Topology> {
      return make_grid({"mesh", Ends::open}, read_shape(params), params, "shape");
    }};

}  // namespace dcube
