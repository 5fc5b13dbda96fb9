#include "dcube/topology/topology.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/counted.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/topology/grid_kind.hpp"

namespace dcube {

const Structure& Topology::structure() const {
  static const Structure any_graph;
  return any_graph;
}

bool Topology::is_alive(NodeId node) const {
  expects(contains(node), "node is on this machine");
  return true;
}

std::vector<NodeId> Topology::route(NodeId from, NodeId to) const {
  std::vector<NodeId> nodes{from};
  nodes.reserve(distance(from, to) + std::size_t{1});
  while (nodes.back() != to) {
    const Run run = next_run(nodes.back(), to);
    // In a run, node numbers advance as link numbers do: link first + i of a block leaves node i.
    const auto step = static_cast<std::uint32_t>(run.stride);
    for (std::uint32_t hop = 1; hop < run.hops; ++hop) {
      nodes.emplace_back(nodes.back().index() + step);
    }
    nodes.push_back(run.end);
  }
  return nodes;
}

std::string describe(const Topology& topology) {
  if (topology.structure().is_cube) {
    return fmt::format("{}-dimensional {}", topology.dimension_count(), topology.kind());
  }
  if (topology.dimension_count() == 1) {
    return has_sides(topology) ? fmt::format("{} of {}", topology.kind(), topology.node_count())
                               : fmt::format("{} of {} and {}", topology.kind(),
                                             counted(topology.node_count(), "node"),
                                             counted(topology.link_count(), "link"));
  }
  std::string kind{topology.kind()};
  std::ranges::replace(kind, '_', ' ');
  return fmt::format("{} {}", fmt::join(topology.shape(), "x"), kind);
}

}  // namespace dcube
