#pragma once

#include <memory>
#include <vector>

#include "dcube/topology/topology.hpp"

namespace dcube::testing {

/// Directed links of one dimension that have consecutive numbers.
struct LinkBlock {
  std::vector<Link> links;
  std::uint32_t dimension = 0;
};

/// Any graph: links that form no lines, numbered block by block, and shortest routes. Each link's
/// other direction must be in one of the blocks, too.
std::shared_ptr<const Topology> make_graph(std::uint32_t nodes, std::vector<LinkBlock> blocks);

/// A link between any two nodes: block k has the links from every node to the (k+1)-th after it.
std::shared_ptr<const Topology> make_complete_graph(std::uint32_t nodes);

}  // namespace dcube::testing
