#pragma once

#include <memory>
#include <vector>

#include "dcube/topology/topology.hpp"

namespace dcube::testing {

/// Directed links of one dimension, with consecutive numbers.
struct LinkBlock {
  std::vector<Link> links;
  std::uint32_t dimension = 0;
};

/// Any graph, with shortest routes and links that form no lines, numbered block by block. Each
/// link's other direction must be in one of the blocks, too.
std::shared_ptr<const Topology> make_graph(std::uint32_t nodes, std::vector<LinkBlock> blocks);

/// A link between any two nodes; block k has those from every node to the (k+1)-th after it.
std::shared_ptr<const Topology> make_complete_graph(std::uint32_t nodes);

}  // namespace dcube::testing
