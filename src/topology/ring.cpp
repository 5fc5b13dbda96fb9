#include <memory>

#include "catalog.hpp"
#include "grid.hpp"

namespace dcube {

const TopologyKind ring_kind{"ring",
                             "cycle of nodes",
                             "nodes=8",
                             {{"nodes", "number of nodes, at least 1", ""}, tie_help()},
                             [](const Params& params) -> std::unique_ptr<Topology> {
                               return make_grid({"ring", Ends::joined, read_tie(params)},
                                                {params.positive_int("nodes")}, params, "nodes");
                             }};

}  // namespace dcube
