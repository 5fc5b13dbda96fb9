#include "dcube/topology/topology.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/counted.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {

bool Topology::is_alive(NodeId node) const {
  expects(contains(node), "node is on this machine");
  return true;
}

std::vector<NodeId> Topology::route(NodeId from, NodeId to) const {
  std::vector<NodeId> nodes{from};
  nodes.reserve(distance(from, to) + std::size_t{1});
  while (nodes.back() != to) {
    const Run run = next_run(nodes.back(), to);
    // Inside a run node numbers advance as link numbers do: link first + i of a block leaves node
    // i.
    const auto step = static_cast<std::uint32_t>(run.stride);
    for (std::uint32_t hop = 1; hop < run.hops; ++hop) {
      nodes.emplace_back(nodes.back().index() + step);
    }
    nodes.push_back(run.end);
  }
  return nodes;
}

std::string describe(const Topology& topology) {
  if (topology.kind() == "hypercube") {
    return fmt::format("{}-dimensional hypercube", topology.dimension_count());
  }
  if (topology.kind() == "graph") {
    return fmt::format("graph of {} and {}", counted(topology.node_count(), "node"),
                       counted(topology.link_count(), "link"));
  }
  if (topology.dimension_count() == 1) {
    return fmt::format("{} of {}", topology.kind(), topology.node_count());
  }
  std::string kind{topology.kind()};
  std::ranges::replace(kind, '_', ' ');
  return fmt::format("{} {}", fmt::join(topology.shape(), "x"), kind);
}

}  // namespace dcube
