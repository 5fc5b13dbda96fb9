#include "dcube/metrics/spheres.hpp"

#include <algorithm>

#include "core/mapped.hpp"
#include "dcube/topology/grid_kind.hpp"

namespace dcube {
namespace {

/// Spheres of a node of a cycle, or of the middle node of a line, which has the largest.
Spheres side_spheres(std::uint32_t side, std::uint32_t radius) {
  const std::uint32_t before = side / 2;
  const std::uint32_t after = side - 1 - before;
  Spheres spheres{1};
  for (std::uint32_t distance = 1; distance <= std::min(radius, before); ++distance) {
    spheres.push_back(distance <= after ? 2 : 1);
  }
  return spheres;
}

/// Distances of a product of graphs add up.
Spheres product_spheres(const Spheres& a, const Spheres& b, std::uint32_t radius) {
  Spheres product(std::min(a.size() + b.size() - 1, std::size_t{radius} + 1));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size() && i + j < product.size(); ++j) {
      product[i + j] += a[i] * b[j];
    }
  }
  return product;
}

/// Spheres with the most usable nodes that any usable node has within each distance, by
/// breadth-first search from every one; empty if that would take long.
Spheres counted_spheres(const Topology& topology, std::uint32_t others) {
  constexpr std::uint64_t most_steps = 20'000'000;
  const std::uint64_t nodes = topology.node_count();
  const bool are_alike = topology.structure().are_nodes_alike;
  const std::uint64_t starts = are_alike ? 1 : topology.terminal_count();
  // Where one search stands for all, others may have more of the usable nodes near.
  const auto counts = [&](NodeId node) { return are_alike || topology.is_usable(node); };
  if (starts * (nodes + 2 * topology.link_count()) > most_steps) {
    return {};
  }
  const std::vector<std::vector<NodeId>> neighbours =
      numbered(nodes, [&](std::uint32_t node) { return topology.neighbours(NodeId{node}); });
  std::vector<std::uint64_t> within{1};  // [distance]: greatest number of usable nodes
  std::vector<std::uint32_t> seen_from(nodes, ~std::uint32_t{0});
  auto farthest = static_cast<std::uint32_t>(nodes);
  for (std::uint32_t start = 0; start < starts; ++start) {
    if (!counts(NodeId{start})) {
      continue;
    }
    seen_from[start] = start;
    std::vector<NodeId> reached{NodeId{start}};
    std::uint64_t usable = 1;
    std::size_t next = 0;
    for (std::uint32_t distance = 1; distance <= farthest && next < reached.size(); ++distance) {
      for (const std::size_t end = reached.size(); next < end; ++next) {
        for (const NodeId node : neighbours[reached[next].index()]) {
          if (seen_from[node.index()] != start) {
            seen_from[node.index()] = start;
            reached.push_back(node);
            usable += counts(node) ? 1 : 0;
          }
        }
      }
      if (within.size() <= distance) {
        within.push_back(within.back());
      }
      within[distance] = std::max(within[distance], usable);
      farthest = usable > others ? std::min(farthest, std::max(distance, others)) : farthest;
    }
  }
  // Not every search went farther.
  within.resize(std::min<std::size_t>(within.size(), std::size_t{farthest} + 1));
  Spheres spheres{1};
  for (std::size_t distance = 1; distance < within.size(); ++distance) {
    // A search that has ended has no more nodes at greater distances.
    within[distance] = std::max(within[distance], within[distance - 1]);
    spheres.push_back(within[distance] - within[distance - 1]);
  }
  return spheres;
}

/// Spheres of a tree in which every node has as many links as any of the machine's (Moore's bound).
Spheres spheres_of_tree(const Topology& topology, std::uint32_t others) {
  std::uint64_t most_links = 1;
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
    most_links = std::max<std::uint64_t>(most_links, topology.neighbours(NodeId{node}).size());
  }
  Spheres spheres{1};
  std::uint64_t here = 1;
  std::uint64_t usable = 1;
  for (std::uint32_t distance = 1; here > 0 && (distance <= others || usable <= others);
       ++distance) {
    const std::uint64_t branches = distance == 1 ? most_links : most_links - 1;
    here = std::min<std::uint64_t>(here * branches, topology.node_count());
    // Of terminals that do not forward, none is next to another.
    const bool has_usable = distance > 1 || topology.structure().do_terminals_forward;
    spheres.push_back(has_usable ? here : 0);
    usable += spheres.back();
  }
  return spheres;
}

}  // namespace

Spheres widest_spheres(const Topology& topology, std::uint32_t others) {
  if (is_grid(topology)) {
    Spheres spheres{1};
    for (const std::uint32_t side : topology.shape()) {
      spheres = product_spheres(spheres, side_spheres(side, others), others);
    }
    return spheres;
  }
  const Spheres counted = counted_spheres(topology, others);
  return counted.empty() ? spheres_of_tree(topology, others) : counted;
}

}  // namespace dcube
