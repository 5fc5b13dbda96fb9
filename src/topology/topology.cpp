#include "dcube/topology/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "dcube/topology/platform.hpp"

namespace dcube {

const Structure& Topology::structure() const {
  static const Structure any_graph;
  return any_graph;
}

bool Topology::is_alive(NodeId node) const {
  expects(contains(node), "node is on this machine");
  return true;
}

std::uint32_t Topology::group_of(NodeId) const {
  throw ContractViolation("the network has groups");
}
NodeId Topology::entry_of(std::uint32_t, NodeId) const {
  throw ContractViolation("the network has groups");
}

std::uint32_t Topology::class_count() const {
  const auto named = static_cast<std::uint32_t>(structure().link_classes.size());
  return named != 0 ? named : dimension_count();
}

std::string Topology::class_name(std::uint32_t number) const {
  const std::vector<std::string>& names = structure().link_classes;
  return number < names.size() ? names[number] : fmt::format("dimension {}", number);
}

std::string Topology::name_of(NodeId node) const {
  if (is_terminal(node)) {
    const PlatformCosts* const platform = platform_costs(*this);
    return platform == nullptr
               ? fmt::format("node {}", node)
               : fmt::format("node {} ({})", node, platform->host_names[node.index()]);
  }
  const std::vector<Structure::SwitchRows>& rows = structure().switch_rows;
  const auto after = std::ranges::upper_bound(rows, node, {}, &Structure::SwitchRows::first);
  if (after == rows.begin() || std::prev(after)->of.empty()) {
    return fmt::format("switch {}", node.index() - terminal_count());
  }
  const Structure::SwitchRows& row = *std::prev(after);
  const std::uint32_t place = node.index() - row.first.index();
  return fmt::format("switch {} of {} {}", place % row.length, row.of,
                     row.number + place / row.length);
}

std::vector<NodeId> Topology::route(NodeId from, NodeId to) const {
  std::vector<NodeId> nodes{from};
  nodes.reserve(distance(from, to) + std::size_t{1});
  const std::uint64_t flow = flow_between(from, to);
  while (nodes.back() != to) {
    const Run run = next_run_of(flow, nodes.back(), to);
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
  if (topology.structure().switches > 0) {
    return fmt::format(
        "{} of {}, {} and {}", topology.kind(), counted(topology.terminal_count(), "terminal"),
        counted(topology.structure().switches, "switch"), counted(topology.link_count(), "link"));
  }
  if (topology.dimension_count() == 1) {
    return has_sides(topology) ? fmt::format("{} of {}", topology.kind(), topology.node_count())
                               : fmt::format("{} of {} and {}", topology.kind(),
                                             counted(topology.node_count(), "node"),
                                             counted(topology.link_count(), "link"));
  }
  std::string kind{topology.kind()};
  std::ranges::replace(kind, '_', ' ');
  return fmt::format("{} {}", joined(topology.shape(), "x"), kind);
}

}  // namespace dcube
