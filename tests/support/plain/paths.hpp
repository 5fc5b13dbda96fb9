#pragma once

// Distances in graphs, plainly and slowly: no code is shared with the library.

#include <cstdint>
#include <span>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube::reference {

/// Neighbours of each node, ascending.
using Graph = std::vector<std::vector<NodeId>>;

/// Graph of Topology::neighbours().
Graph graph_of(const Topology& topology);

/// Product of paths (Border::open) or cycles by definition: nodes are linked when they differ in
/// one coordinate, by one or from first to last.
enum class Border { open, joined };
Graph grid_graph(std::span<const std::uint32_t> shape, Border border);

/// Distances from `from` to each node, in links; the greatest number without a way. Ways pass nodes
/// from `first_forwarder` on.
std::vector<std::uint32_t> breadth_first_distances(const Graph& graph, NodeId from,
                                                   std::uint32_t first_forwarder = 0);

}  // namespace dcube::reference
