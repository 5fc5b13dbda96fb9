#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube::reference {

// Plain, slow references that share no code with the library.

/// The nodes next to each node, ascending.
using Graph = std::vector<std::vector<NodeId>>;

/// What Topology::neighbours() says.
Graph graph_of(const Topology& topology);

/// A product of paths, or of cycles, by its definition: two nodes are linked when they differ in
/// one coordinate, by one or from first to last.
enum class Border { open, joined };
Graph grid_graph(std::span<const std::uint32_t> shape, Border border);

/// Links on a shortest path from `from` to each node, by breadth-first search.
std::vector<std::uint32_t> breadth_first_distances(const Graph& graph, NodeId from);

}  // namespace dcube::reference
