#include <memory>

#include "catalog.hpp"
#include "grid.hpp"

namespace dcube {

const TopologyKind line_kind{
    "line",
    "path of nodes",
    "nodes=5",
    {{"nodes", "number of nodes, at least 1", ""}},
    [](const Params& params) -> std::unique_ptr<Topology> {
      return make_grid({"line", Ends::open}, {params.positive_int("nodes")}, params, "nodes");
    }};

}  // namespace dcube
